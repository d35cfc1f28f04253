"""What differs between two sides in the changes of one key.

`compare_key` lays the changes side by side and finds a `Difference` for each that is lost, made up, repeated, out of
order or altered. It names none of them by itself: a `Namer` says which divergence explains a difference, if any does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from differential.align.alignment import WINDOW, Run, align, quite_equal, transaction_of, vanishing
from differential.align.explained import Naming, alike, one_op
from differential.align.meeting import Meeting, did, difference
from differential.align.pairing import Before, Group, as_one, paired
from differential.align.parsing import read_whole
from differential.align.repeated import Earlier, does, nothing_earlier, without_repeated
from differential.align.sliding import slid
from differential.align.untold import with_new_rows_alone
from differential.classify.naming import Name, Namer, Nobody, Watch, Where
from differential.decode.canonical import comparable, load, text_of
from differential.model import UNKNOWN, Change, Class, Difference

__all__ = ["Compared", "Meeting", "Name", "Namer", "Nobody", "Watch", "Where", "compare_key"]


@dataclass(frozen=True, slots=True)
class Compared:
    """What was found of one key. `alike`: changes of a side that take part in no difference, of the side with fewer."""

    differences: list[Difference]
    alike: int


def compare_key(
    meeting: Meeting,
    left: Sequence[Change],
    right: Sequence[Change],
    namer: Namer,
    earlier: Earlier = nothing_earlier,
) -> Compared:
    """The differences in the changes of one key, both sides in the order of their messages."""
    told = _Told(meeting, namer)
    left, right = map(with_new_rows_alone, (left, right), reversed(meeting.new_alone))

    def before(on_left: bool) -> Iterable[Change]:
        return with_new_rows_alone([*earlier(on_left)], meeting.new_alone[on_left])

    differences = list(_differences(told, left, right, before, same_clock=meeting.same_clock))
    count = min(len(side) - len(apart) for side, apart in zip((left, right), told.apart, strict=True))
    return Compared(differences, count)


def _differences(
    told: _Told, left: Sequence[Change], right: Sequence[Change], earlier: Earlier, *, same_clock: bool
) -> Iterator[Difference]:
    is_same = len(left) == len(right) and all(map(quite_equal, left, right))
    if is_same and not (same_clock and any(a.commit_ts != b.commit_ts for a, b in zip(left, right, strict=True))):
        return
    (left, *again), (right, *others) = without_repeated(left, right, earlier, same_clock=same_clock)
    yield from told.again(*again, *others)
    lonely: tuple[list[Change], list[Change]] = ([], [])
    before: Before = (None, None)
    runs = told.runs(left, right, earlier)
    for run in runs:
        if run.equal:
            pass  # there is nothing to tell
        elif run.as_it_is:
            yield from told.together(run.left, run.right)
        elif run.same:
            yield from told.same(run, before)
        else:
            yield from told.other(run, before, lonely)
        before = (run.left[-1] if run.left else before[0], run.right[-1] if run.right else before[1])
    left, right = [one for run in runs for one in run.left], [one for run in runs for one in run.right]
    places = {id(one): place for side in (left, right) for place, one in enumerate(side)} if any(lonely) else {}
    told.turn(left, lonely[0], places, on_left=True)
    told.turn(right, lonely[1], places, on_left=False)
    told.part(*lonely)
    yield from told.lonely(*lonely, places)


def _of_one_transaction(runs: Iterable[Group], places: Mapping[int, int]) -> Iterator[Group]:
    """The runs, where those that follow one another in a transaction that is told are one."""
    whole: Group = ()
    for run in runs:
        told = whole and transaction_of(whole[-1])
        if told and told == transaction_of(run[0]) and places[id(whole[-1])] + 1 == places[id(run[0])]:
            whole += run
            continue
        if whole:
            yield whole
        whole = run
    if whole:
        yield whole


def _is_again(before: Change, one: Change) -> bool:
    """Whether a change is the one before it again: it says the same, and no other time."""
    return quite_equal(before, one) and (before.instant, before.commit_ts) == (one.instant, one.commit_ts)


class _Told:
    """Turns runs into differences."""

    def __init__(self, meeting: Meeting, namer: Namer) -> None:
        self._meeting, self._naming = meeting, Naming(meeting, namer)
        self.apart: tuple[set[int], set[int]] = (set(), set())
        """Of each side the changes that take part in a difference, by identity: two may stand at one place."""

    def part(self, left: Iterable[Change], right: Iterable[Change]) -> None:
        """These are not alike."""
        for apart, changes in zip(self.apart, (left, right), strict=True):
            apart.update(map(id, changes))

    def runs(self, left: Sequence[Change], right: Sequence[Change], earlier: Earlier) -> Sequence[Run]:
        """The changes side by side; read as a whole, with those before them, where something would be left over."""
        clocked = self._meeting.same_clock
        found = list(align(left, right, same_clock=clocked, explained=self._naming.explains, in_one=True))
        if clocked or all(map(self._is_told, found)):
            return found
        naming = self._naming
        whole = read_whole(left, right, naming.do_the_same, naming.names)
        if whole is None:
            first, second = (deque(earlier(on_left), maxlen=WINDOW) for on_left in (True, False))
            whole = read_whole([*first, *left], [*second, *right], naming.do_the_same, naming.names)
        return [*slid(found)] if whole is None else whole

    def _is_told(self, run: Run) -> bool:
        """Whether a run does the same on both sides, by one step or by steps that have a name."""
        return run.equal or (
            run.same and (len(run.left) == len(run.right) == 1 or self._naming.names(run.left, run.right))
        )

    def again(self, left: Iterable[Change], right: Iterable[Change]) -> Iterator[Difference]:
        """Of changes that are there again."""
        self.part(left, right)
        yield from (difference(self._meeting, Class.DUPLICATE, one, None) for one in left)
        yield from (difference(self._meeting, Class.DUPLICATE, None, one) for one in right)

    def clock(self, left: Group, right: Group) -> Iterator[Difference]:
        """Of changes that belong together and have the time stamps of one clock."""
        a, b = left[-1], right[-1]
        if a.commit_ts is not None and b.commit_ts is not None and a.commit_ts != b.commit_ts:
            self.part(left, right)
            values = str(a.commit_ts), str(b.commit_ts)
            yield difference(self._meeting, Class.METADATA, a, b, column="commit_ts", values=values)

    def same(self, run: Run, before: Before) -> Iterator[Difference]:
        """Of runs that do the same: other steps, or another name of the operation."""
        a, b = run.left[0], run.right[0]
        if len(run.left) == len(run.right) == 1:
            if self._meeting.same_clock:
                yield from self.clock(run.left, run.right)
            yield from self._operation(a, b)
            return
        if name := self._naming.of_run(run.left, run.right):
            self.part(run.left, run.right)
            values = (" ".join(map(did, run.left)), " ".join(map(did, run.right)))
            yield difference(self._meeting, Class.SHAPE, a, b, values=values, name=name)
            return
        if apart := self._without_vanished(run):
            yield apart[0]
            yield from self.same(apart[1], before)
            return
        found = [*self._paired(run, before)]
        if all(map(all, found)):
            for left, right in found:  # they end alike, and may differ on the way
                yield from self.together(left, right)
            return
        for left, right in found:
            if not (len(left) == len(right) == 1 and alike(left[0], right[0])):
                self.part(left, right)
            if not (left and right):
                yield self._alone(next(iter(left), None), next(iter(right), None))
            elif self._meeting.same_clock:
                yield from self.clock(left, right)

    def _paired(self, run: Run, before: Before) -> Iterator[tuple[Group, Group]]:
        return paired(run.left, run.right, self._naming, clocked=self._meeting.same_clock, before=before)

    def _without_vanished(self, run: Run) -> tuple[Difference, Run] | None:
        """The named steps that a run begins with and that lead nowhere, and the rest of it; None without such steps."""
        for changes, others, on_left in ((run.left, run.right, True), (run.right, run.left, False)):
            head = next(vanishing(changes), ())
            rest = changes[len(head) :]
            if head and rest and head[0] is changes[0] and (found := self._vanished(head, on_left=on_left)):
                return found, Run(rest, others, same=True) if on_left else Run(others, rest, same=True)
        return None

    def _vanished(self, run: tuple[Change, ...], *, on_left: bool) -> Difference | None:
        """Of steps of one side that lead from no row to no row, if they have a name."""
        left, right = (run, ()) if on_left else ((), run)
        name = self._naming.of_run(left, right)
        if name is None:
            return None
        self.part(left, right)
        values = (" ".join(map(did, left)) or None, " ".join(map(did, right)) or None)
        first = (run[0], None) if on_left else (None, run[0])
        return difference(self._meeting, Class.SHAPE, *first, values=values, name=name)

    def other(self, run: Run, before: Before, lonely: tuple[list[Change], list[Change]]) -> Iterator[Difference]:
        """Of runs that do not: altered changes and repeated ones; those without a partner go to `lonely`."""
        last = list(before)
        for groups in self._paired(run, before):
            if all(groups):
                yield from self.together(*groups)
            for side, group in enumerate(groups):
                for one in group:
                    previous, opposite = last[side], groups[1 - side]
                    if not opposite and previous is not None and _is_again(previous, one):
                        self.apart[side].add(id(one))
                        yield difference(self._meeting, Class.DUPLICATE, *((None, one) if side else (one, None)))
                    elif not opposite:
                        lonely[side].append(one)
                    last[side] = one

    def together(self, left: Group, right: Group) -> Iterator[Difference]:
        """Of changes that belong together: what differs in what they do, and that they are several."""
        altered = [*self._altered(as_one(left), as_one(right))]
        if len(left) + len(right) > 2:
            values = (" ".join(map(did, left)), " ".join(map(did, right)))
            name = self._naming.of_run(left, right)
            yield difference(self._meeting, Class.SHAPE, left[0], right[0], values=values, name=name)
        elif all(one.column for one in altered):  # else the difference of the whole image tells the operations
            yield from self._operation(left[0], right[0])
        if altered or len(left) + len(right) > 2:
            self.part(left, right)
        yield from altered
        if self._meeting.same_clock:
            yield from self.clock(left, right)

    def turn(self, side: Sequence[Change], alone: list[Change], places: Mapping[int, int], *, on_left: bool) -> None:
        """Of two changes that do the same, lets that one stand alone which makes a run that vanished.

        Of an insert, a delete and the same insert, the first may have found a partner that is the last one's.
        """
        left_over, held = {*map(id, alone)}, {*map(id, alone), *self.apart[not on_left]}
        for end in range(len(alone) - 1, -1, -1):
            last = start = places[id(alone[end])]
            while 0 < start > last - WINDOW and id(side[start - 1]) in left_over:
                start -= 1
            run = tuple(side[max(start - 1, 0) : last])
            if start == 0 or not quite_equal(run[0], side[last]) or id(run[0]) in held:
                continue
            if next(vanishing(run), ()) == run and self._naming.of_run(*((run, ()) if on_left else ((), run))):
                alone[end - len(run) + 1 : end + 1] = run
                left_over.add(id(run[0]))
                left_over.remove(id(side[last]))

    def lonely(self, left: list[Change], right: list[Change], places: Mapping[int, int]) -> Iterator[Difference]:
        """Of changes that only one side has, or that both have at another place."""
        gone: set[int] = set()
        both = {*map(does, left)} & {*map(does, right)}
        for mine, on_left in ((left, True), (right, False)):
            # What the other side has at another place did not vanish.
            runs = [run for run in vanishing(mine, places) if both.isdisjoint(map(does, run))]
            for run in _of_one_transaction(runs, places):
                if found := self._vanished(run, on_left=on_left):
                    gone.update(map(id, run))
                    yield found
        twins: dict[tuple[Any, ...], deque[Change]] = {}
        for b in right:
            if id(b) not in gone:
                twins.setdefault(self._said(b), deque()).append(b)
        for a in left:
            if id(a) in gone:
                continue
            if alike := twins.get(self._said(a)):
                twin = alike.popleft()
                gone.add(id(twin))
                yield difference(self._meeting, Class.REORDERED, a, twin)
            else:
                yield self._alone(a, None)
        for b in right:
            if id(b) not in gone:
                yield self._alone(None, b)

    def _said(self, change: Change) -> tuple[Any, ...]:
        """What is the same of a change that is at another place of the other side; of one clock its time is, too."""
        return *does(change), change.commit_ts if self._meeting.same_clock else None

    def _alone(self, a: Change | None, b: Change | None) -> Difference:
        kind = Class.MISSING if b is None else Class.EXTRA
        return difference(self._meeting, kind, a, b)

    def _altered(self, a: Change, b: Change) -> Iterator[Difference]:
        """Cell by cell. A column that differs in both images is one difference, where one has no name that of this."""
        found: dict[str, Difference] = {}
        for x, y in ((a.after, b.after), (a.before, b.before)):
            if UNKNOWN in (x, y) or x == y:
                continue
            if x is None or y is None:
                found[""] = difference(self._meeting, Class.SHAPE, a, b, values=(did(a), did(b)))
                continue
            cells, others = load(x), load(y)
            for column in sorted(comparable(x, y, cells, others)):
                if column in found and found[column].divergence is None:
                    continue
                cell = self._cell(a, b, column, cells, others)
                if cell is not None and (column not in found or cell.divergence is None):
                    found[column] = cell
        yield from found.values()

    def _operation(self, a: Change, b: Change) -> Iterator[Difference]:
        """Of two changes: another name of what was done, or half of an update on one side alone, if that has a name."""
        if one_op(a, b) and a.moved == b.moved:
            return
        name = self._naming.of_run((a,), (b,))
        if not one_op(a, b) or name is not None:
            self.part((a,), (b,))
            yield difference(self._meeting, Class.SHAPE, a, b, values=(did(a), did(b)), name=name)

    def _cell(
        self, a: Change, b: Change, column: str, cells: Mapping[str, Any], others: Mapping[str, Any]
    ) -> Difference | None:
        left, right = cells.get(column), others.get(column)
        of = Class.SHAPE
        if column in cells and column in others:
            if left == right:
                return None
            of = Class.VALUE if type(left) is type(right) or None in (left, right) else Class.TYPE
        name = self._naming.of_cell(a, b, column, cells, others)
        return difference(self._meeting, of, a, b, column=column, values=(text_of(left), text_of(right)), name=name)

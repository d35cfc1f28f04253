"""Compares the changes of one key on two sides.

`compare_key` aligns the changes and reports a `Difference` for each that is lost, extra, repeated, out of order or
altered. A `Namer` supplies the divergence that explains a difference, if there is one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from differential.align.alignment import WINDOW, align
from differential.align.costs import NAMED, faults_of
from differential.align.effects import effect_of, quite_equal
from differential.align.explained import one_op
from differential.align.groups import Group, as_one
from differential.align.missing_before_image import with_new_rows_only
from differential.align.pair_context import PairContext, difference, message_op
from differential.align.repeated import Earlier, no_earlier_changes, without_duplicates
from differential.align.steps import Step, StepKind
from differential.align.weighing import Weighing
from differential.classify.naming import Namer
from differential.decode.canonical import comparable, text_of
from differential.model import UNKNOWN, Change, Class, Difference

__all__ = ["Compared", "compare_key"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Compared:
    """The result for one key."""

    differences: list[Difference]
    alike: int  # the number of changes without a difference, on the side that has fewer of them


def compare_key(
    context: PairContext,
    left: Sequence[Change],
    right: Sequence[Change],
    namer: Namer,
    earlier: Earlier = no_earlier_changes,
) -> Compared:
    """The differences in the changes of one key; each side is in the order of its messages."""
    reporter = _KeyDifferences(context, namer)
    # Each side is taken as the other one would report it.
    of_left, of_right = context.new_rows_only
    left, right = with_new_rows_only(left, of_right), with_new_rows_only(right, of_left)

    def comparable_earlier(on_left: bool) -> Iterable[Change]:
        return with_new_rows_only([*earlier(on_left)], of_right if on_left else of_left)

    differences = list(_differences(reporter, left, right, comparable_earlier, context))
    count = min(len(side) - len(differing) for side, differing in zip((left, right), reporter.differing, strict=True))
    return Compared(differences, count)


def _differences(
    reporter: _KeyDifferences,
    left: Sequence[Change],
    right: Sequence[Change],
    earlier: Earlier,
    context: PairContext,
) -> Iterator[Difference]:
    same_clock = context.same_clock
    is_same = len(left) == len(right) and all(map(quite_equal, left, right))
    if is_same and same_clock and all(a.commit_ts == b.commit_ts for a, b in zip(left, right, strict=True)):
        return
    is_keyless = any((one.schema, one.table) in context.keyless for one in (*left[:1], *right[:1]))
    (left_kept, left_duplicates), (right_kept, right_duplicates) = without_duplicates(
        left, right, earlier, same_clock=same_clock, keyless=is_keyless
    )
    if is_same and not (same_clock or left_duplicates or right_duplicates):
        return
    yield from reporter.duplicates(left_duplicates, right_duplicates)
    for side, kept, on_left in ((left, left_kept, True), (right, right_kept, False)):
        if kept and kept[-1] is not side[-1] and _is_stale_elsewhere(kept[-1], side[-1]):
            yield reporter.stale(side[-1], on_left=on_left)
    yield from reporter.differences(left_kept, right_kept, earlier)


def _is_stale_elsewhere(newest: Change, last: Change) -> bool:
    """Whether a row's last change has older values, and is in another partition than its newest change.

    Nothing orders the two then. Within a partition `checks.order` looks for such an end.
    """
    partitions = {(one.place.topic, one.place.partition) for one in (newest, last)}
    return newest.after != last.after and len(partitions) > 1


def _left_first(on_left: bool, one: T, other: T) -> tuple[T, T]:
    """Two things in the order left, right; `on_left`: the first of them is the left one."""
    return (one, other) if on_left else (other, one)


class _KeyDifferences:
    """Turns the steps of an alignment into differences."""

    def __init__(self, context: PairContext, namer: Namer) -> None:
        self._context, self._namer = context, namer
        self._weighing = Weighing(context, namer)
        self._naming = self._weighing.naming
        self.differing: tuple[set[int], set[int]] = (set(), set())
        """By side, the changes that take part in a difference, as object ids: two may have the same place."""

    def mark(self, left: Iterable[Change], right: Iterable[Change]) -> None:
        """Remember changes that take part in a difference."""
        for differing, changes in zip(self.differing, (left, right), strict=True):
            differing.update(map(id, changes))

    def differences(self, left: Sequence[Change], right: Sequence[Change], earlier: Earlier) -> Iterator[Difference]:
        """The differences of changes, after duplicates were removed."""
        unmatched: tuple[list[Change], list[Change]] = ([], [])
        for step in self._aligned(left, right, earlier):
            match step.kind:
                case StepKind.EQUAL:
                    pass
                case StepKind.MATCH if step.cost < NAMED:
                    pass
                case StepKind.MATCH | StepKind.FOLD:
                    yield from self.matched(step.left, step.right)
                case StepKind.VANISHED:
                    yield self.vanished(step.left, step.right)
                case StepKind.REPEATED:
                    yield from self.duplicates(step.left, step.right)
                case StepKind.MOVED:
                    yield self.reordered(step.left, step.right)
                case StepKind.NET:
                    yield from self.net(step.left, step.right)
                case StepKind.GAP:
                    unmatched[0].extend(step.left)
                    unmatched[1].extend(step.right)
        yield from self.unmatched(*unmatched)

    def _aligned(self, left: Sequence[Change], right: Sequence[Change], earlier: Earlier) -> Sequence[Step]:
        """The alignment of the changes; of the equal changes before them as well if that costs less.

        Where a row takes the same values again, the sides may be equal for a while by chance.
        """
        steps = align(left, right, self._weighing)
        cost = sum(step.cost for step in steps)
        if not faults_of(cost) or self._context.same_clock:
            return steps
        left_before, right_before = (deque(earlier(on_left), maxlen=WINDOW) for on_left in (True, False))
        if not (left_before or right_before):
            return steps
        weighing = Weighing(self._context, self._namer)
        longer = align([*left_before, *left], [*right_before, *right], weighing)
        if sum(step.cost for step in longer) >= cost:
            return steps
        self._weighing = weighing
        return longer

    def duplicates(self, left: Iterable[Change], right: Iterable[Change]) -> Iterator[Difference]:
        """The differences of duplicate deliveries."""
        self.mark(left, right)
        yield from (difference(self._context, Class.DUPLICATE, one, None) for one in left)
        yield from (difference(self._context, Class.DUPLICATE, None, one) for one in right)

    def stale(self, one: Change, *, on_left: bool) -> Difference:
        """The difference of a duplicate in another partition than the newer changes of its row."""
        values = "an older change of the row, in another partition than the newer ones", "no change there"
        self.mark(*_left_first(on_left, (one,), ()))
        left, right = _left_first(on_left, one, None)
        return difference(self._context, Class.REORDERED, left, right, values=_left_first(on_left, *values))

    def commit_times(self, left: Group, right: Group) -> Iterator[Difference]:
        """The difference between the commit time stamps of matched changes."""
        a, b = left[-1], right[-1]
        if a.commit_ts is not None and b.commit_ts is not None and a.commit_ts != b.commit_ts:
            self.mark(left, right)
            values = str(a.commit_ts), str(b.commit_ts)
            yield difference(self._context, Class.METADATA, a, b, column="commit_ts", values=values)

    def net(self, left: Group, right: Group) -> Iterator[Difference]:
        """The differences of unexplained steps: all but the step nearest to the other change."""
        many, [one], on_left = (left, right, True) if len(left) > 1 else (right, left, False)
        nearest = self._nearest(many, one, on_left=on_left)
        self.mark(left, right)
        for change in many:
            if change is not nearest:
                yield self._unmatched_change(*_left_first(on_left, change, None))
        if self._context.same_clock:
            yield from self.commit_times(*_left_first(on_left, (nearest,), (one,)))

    def _nearest(self, many: Group, one: Change, *, on_left: bool) -> Change:
        """The last of the changes that cost least to match with a change."""
        costs = [self._weighing.match_cost(*_left_first(on_left, a, one)) for a in many]
        possible = [(cost, -n) for n, cost in enumerate(costs) if cost is not None]
        return many[-min(possible)[1]] if possible else many[-1]

    def vanished(self, left: Group, right: Group) -> Difference:
        """The difference of explained steps of one side that lead back to their first row."""
        self.mark(left, right)
        values = (" ".join(map(message_op, left)) or None, " ".join(map(message_op, right)) or None)
        a, b = next(iter(left), None), next(iter(right), None)
        name = self._naming.of_steps(left, right)
        return difference(self._context, Class.SHAPE, a, b, values=values, name=name)

    def reordered(self, left: Group, right: Group) -> Difference:
        """The difference of a change that one side has before, and the other side after, other changes."""
        ends = (left[0], right[-1]) if effect_of(left[0]) == effect_of(right[-1]) else (left[-1], right[0])
        self.mark(ends[:1], ends[1:])
        return difference(self._context, Class.REORDERED, *ends)

    def matched(self, left: Group, right: Group) -> Iterator[Difference]:
        """The differences between matched changes: in their rows, operations and number."""
        altered = [*self._altered(as_one(left), as_one(right))]
        if len(left) + len(right) > 2:
            values = (" ".join(map(message_op, left)), " ".join(map(message_op, right)))
            name = self._naming.of_steps(left, right)
            yield difference(self._context, Class.SHAPE, left[0], right[0], values=values, name=name)
        elif all(one.column for one in altered):  # a difference of the whole image shows the operations already
            yield from self._operation(left[0], right[0])
        if altered or len(left) + len(right) > 2:
            self.mark(left, right)
        yield from altered
        if self._context.same_clock:
            yield from self.commit_times(left, right)

    def unmatched(self, left: Iterable[Change], right: Iterable[Change]) -> Iterator[Difference]:
        """The differences of changes that only one side has, or that the sides have at different positions."""
        left, right = list(left), list(right)
        twins: dict[tuple[Any, ...], list[Change]] = {}
        for b in right:
            twins.setdefault(effect_of(b), []).append(b)
        paired: set[int] = set()
        self.mark(left, right)
        for a in left:
            same = twins.get(effect_of(a), [])
            twin = next((b for b in same if self._weighing.may_be_in_time(a, b)), None)
            if twin is not None:
                same.remove(twin)
                paired.add(id(twin))
                yield difference(self._context, Class.REORDERED, a, twin)
            else:
                yield self._unmatched_change(a, None)
        for b in right:
            if id(b) not in paired:
                yield self._unmatched_change(None, b)

    def _unmatched_change(self, a: Change | None, b: Change | None) -> Difference:
        kind = Class.MISSING if b is None else Class.EXTRA
        return difference(self._context, kind, a, b)

    def _altered(self, a: Change, b: Change) -> Iterator[Difference]:
        """Differences by cell; a column counts once, and an unexplained difference wins."""
        found: dict[str, Difference] = {}
        for x, y in ((a.after, b.after), (a.before, b.before)):
            if UNKNOWN in (x, y) or x == y:
                continue
            if x is None or y is None:
                found[""] = difference(self._context, Class.SHAPE, a, b, values=(message_op(a), message_op(b)))
                continue
            cells, others = self._weighing.cells(x), self._weighing.cells(y)
            for column in sorted(comparable(x, y, cells, others)):
                if column in found and found[column].divergence is None:
                    continue
                cell = self._cell(a, b, column, cells, others)
                if cell is not None and (column not in found or cell.divergence is None):
                    found[column] = cell
        yield from found.values()

    def _operation(self, a: Change, b: Change) -> Iterator[Difference]:
        """The difference in operation.

        Where the operations agree and only one change is half of an update (`moved`), only an explained difference.
        """
        if one_op(a, b) and a.moved == b.moved:
            return
        name = self._naming.of_steps((a,), (b,))
        if not one_op(a, b) or name is not None:
            self.mark((a,), (b,))
            yield difference(self._context, Class.SHAPE, a, b, values=(message_op(a), message_op(b)), name=name)

    def _cell(
        self, a: Change, b: Change, column: str, cells: Mapping[str, Any], others: Mapping[str, Any]
    ) -> Difference | None:
        left, right = cells.get(column), others.get(column)
        kind = Class.SHAPE
        if column in cells and column in others:
            if left == right:
                return None
            kind = Class.VALUE if type(left) is type(right) or None in (left, right) else Class.TYPE
        name = self._naming.of_cell(a, b, column, cells, others)
        return difference(self._context, kind, a, b, column=column, values=(text_of(left), text_of(right)), name=name)

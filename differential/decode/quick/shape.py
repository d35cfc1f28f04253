"""Reads messages of one shape into changes, a batch at a time and a column at a time.

A shape describes all ordinary messages of a table and an operation: one pattern of the whole message, with a group for
each value. Messages that do not match, or that hold a token whose meaning is unsure, are left to the slow path.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import compress, repeat
from operator import methodcaller, rshift
from typing import Any, NamedTuple, TypeAlias

import orjson

from differential.decode.quick.cells import Column, Token
from differential.decode.quick.change_columns import ChangeColumns, filtered, steps_of
from differential.decode.quick.plan import Plan
from reference_impl.tso import LOGICAL_BITS

__all__ = ["Row", "Rows", "Several", "Shape", "lister"]

_TRANSACTION_GROUPS = ("gtid", "transaction")
"""Groups of a pattern that hold the name of the transaction; the first that is not empty counts."""

Row: TypeAlias = "tuple[Token, ...]"
Rows: TypeAlias = "tuple[list[Row], list[Row]]"
"""The rows before and after the changes of a message; one list is empty for inserts or deletes."""
Several: TypeAlias = "Callable[[Sequence[Token]], Rows | None]"
"""From the groups of a message of several rows, without the time, to the tokens before and after each row.

None if the slow path must read the message.
"""


class Shape:
    """The messages of a table and an operation.

    Groups of the pattern:

    * `time`: the time of the change; `ms`: its milliseconds, if `time` is a TSO;
    * some of `_TRANSACTION_GROUPS`: the name of the transaction;
    * `b0` …, `a0` …: the images before and after; in messages of `several` rows those of the last row, while `rows`
      and, in an update, `olds` hold all others;
    * `fixed`: must equal the text `fixed`.

    With `partial` the image before holds changed columns only. With `alike` a group of the image after is empty if its
    token equals the one before.

    Messages become rows of groups, and these become columns; `unsure` collects the positions of messages that turn out
    to be for the slow path on the way, and whose rows are left out at the end.
    """

    def __init__(
        self,
        plan: Plan,
        op: str,
        pattern: str,
        *,
        partial: bool = False,
        alike: bool = False,
        several: Several | None = None,
        fixed: str = "",
    ) -> None:
        self.plan, self._op, self._text, self._several, self._fixed = plan, op, pattern, several, fixed.encode()
        self._has_partial_before, self._has_alike_after = partial, alike
        self._before_count = 0 if op == "insert" else len(plan.fields)

    @cached_property
    def _pattern(self) -> re.Pattern[bytes]:
        return _compiled(self._text)

    @cached_property
    def _pick(self) -> Callable[[re.Match[bytes]], Row]:
        numbers = range(len(self.plan.fields))
        before = [f"b{number}" for number in numbers if self._op != "insert"]
        after = [f"a{number}" for number in numbers if self._op != "delete"]
        more = () if self._several is None else ("rows", "olds") if self._op == "update" else ("rows",)
        last = [name for name in ("ms", "fixed") if name in self._pattern.groupindex]
        return _picker(self._pattern, ("time", *self._transaction_groups, *before, *after, *more, *last))

    @cached_property
    def _transaction_groups(self) -> Sequence[str]:
        return [name for name in _TRANSACTION_GROUPS if name in self._pattern.groupindex]

    @cached_property
    def _has_ms(self) -> bool:
        return "ms" in self._pattern.groupindex

    @cached_property
    def _has_fixed(self) -> bool:
        return "fixed" in self._pattern.groupindex

    @cached_property
    def _time_count(self) -> int:
        """The number of groups for the time and the transaction, which come first."""
        return 1 + len(self._transaction_groups)

    @staticmethod
    def _times(columns: Sequence[Sequence[Any]]) -> Sequence[bytes]:
        """The times, each followed by the name of its transaction, if any, from the first `_time_count` columns."""
        times, *named = columns
        if not named:
            return times
        names = named[0]
        if all(names):
            return list(map(b"%b %b".__mod__, zip(times, names, strict=True)))
        names = [next(filter(None, of_one), None) for of_one in zip(*named, strict=True)]
        return [b"%b %b" % (time, name) if name else time for time, name in zip(times, names, strict=True)]

    def read(self, values: Sequence[bytes], positions: Sequence[int]) -> tuple[list[ChangeColumns], list[int]]:
        """The changes of messages, and the positions of the messages that the slow path must read."""
        pick = self._pick
        # Matches are dropped at once: fewer objects mean less work for the garbage collector.
        picked = [None if match is None else pick(match) for match in map(self._pattern.fullmatch, values)]
        rows = [row for row in picked if row is not None]
        rest: list[int] = []
        if len(rows) < len(picked):
            rest = [position for position, row in zip(positions, picked, strict=True) if row is None]
            positions = [position for position, row in zip(positions, picked, strict=True) if row is not None]
        if not rows:
            return [], rest
        times: Any
        before: Sequence[Column]
        after: Sequence[Column]
        unsure: set[int] = set()
        if self._has_fixed and [row[-1] for row in rows].count(self._fixed) < len(rows):
            unsure.update(position for position, row in zip(positions, rows, strict=True) if row[-1] != self._fixed)
        if self._several is not None:
            times, before, after, positions = self._flat(self._several, rows, positions, unsure)
        else:
            columns = [*zip(*rows, strict=True)]
            if self._has_fixed:
                columns.pop()
            if self._has_ms:
                unsure.update(_untimely(columns[0], columns.pop(), positions))
            times, columns = self._times(columns[: self._time_count]), columns[self._time_count :]
            before, after = columns[: self._before_count], columns[self._before_count :]
        return self._changes_of(times, before, after, positions, unsure), rest + sorted(unsure)

    def _flat(
        self, several: Several, messages: Sequence[Row], positions: Sequence[int], unsure: set[int]
    ) -> tuple[list[Any], list[Column], list[Column], list[int]]:
        """The rows of messages of several, one after the other: times, columns before and after, positions."""
        times: list[Any] = []
        before: list[Row] = []
        after: list[Row] = []
        flat: list[int] = []
        times_of_messages = self._times([*zip(*(message[: self._time_count] for message in messages), strict=True)])
        for time, message, position in zip(times_of_messages, messages, positions, strict=True):
            rows = several(message[self._time_count :])
            if rows is None:
                unsure.add(position)
                continue
            count = max(map(len, rows))
            times += repeat(time, count)
            before += rows[0]
            after += rows[1]
            flat += repeat(position, count)
        return times, list(zip(*before, strict=True)), list(zip(*after, strict=True)), flat

    def _changes_of(
        self,
        times: Sequence[bytes],
        before: Sequence[Column],
        after: Sequence[Column],
        positions: Sequence[int],
        unsure: set[int],
    ) -> list[ChangeColumns]:
        """The changes of rows, without those of unsure messages."""
        old = self.plan.read(before, positions, unsure) if before else None
        new = self.plan.read(after, positions, unsure) if after else None
        if self._has_alike_after and old and new:
            new = [_completed(a, b) for b, a in zip(old, new, strict=True)]
        if self._has_partial_before and old and new:
            old = [_filled(b, a, positions, unsure) for b, a in zip(old, new, strict=True)]
        if unsure:
            keep = [position not in unsure for position in positions]
            positions, times = list(compress(positions, keep)), list(compress(times, keep))
            old, new = old and filtered(old, keep), new and filtered(new, keep)
        return list(self._split_moved(times, old, new, positions)) if positions else []

    def _split_moved(
        self, times: Sequence[bytes], old: list[Column] | None, new: list[Column] | None, positions: Sequence[int]
    ) -> Iterator[ChangeColumns]:
        """The changes of rows; an update that changes the key becomes a delete and an insert."""
        plan = self.plan
        keys = plan.keys(new or old or ())
        if not (old and new and plan.key_differs(old, new)):
            steps = steps_of(positions) if self._several else [0] * len(positions)
            yield self._change_columns(self._op, positions, steps, times, keys, old, new)
            return
        keys_before = plan.keys(old)
        moved = [a != b for a, b in zip(keys_before, keys, strict=True)]
        rows = _RowColumns(positions, steps_of(positions, moved), times)
        if any(moved):
            some = rows.only(moved)
            gone, come = list(compress(keys_before, moved)), list(compress(keys, moved))
            yield self._change_columns("delete", *some, gone, filtered(old, moved), None, moved=True)
            after = some._replace(steps=[step + 1 for step in some.steps])
            yield self._change_columns("insert", *after, come, None, filtered(new, moved), moved=True)
        kept = [not has_moved for has_moved in moved]
        if any(kept):
            some = rows.only(kept)
            yield self._change_columns(
                self._op, *some, list(compress(keys, kept)), filtered(old, kept), filtered(new, kept)
            )

    def _change_columns(
        self,
        op: str,
        positions: Sequence[int],
        steps: Sequence[int],
        times: Sequence[bytes],
        keys: Sequence[bytes],
        old: Sequence[Column] | None,
        new: Sequence[Column] | None,
        *,
        moved: bool = False,
    ) -> ChangeColumns:
        plan = self.plan
        clock, instants = (times, None) if plan.has_commit_ts else (None, times)
        return ChangeColumns(plan, op, moved, positions, steps, clock, instants, keys, old or None, new or None)


def _untimely(times: Sequence[Any], shown: Sequence[Any], positions: Sequence[int]) -> Iterator[int]:
    """The positions of messages whose milliseconds contradict their time stamp."""
    stamps, ms = (orjson.loads(b"[%b]" % b",".join(column)) for column in (times, shown))  # faster than int()
    due = list(map(rshift, stamps, repeat(LOGICAL_BITS)))
    if due != ms:
        yield from (position for position, a, b in zip(positions, due, ms, strict=True) if a != b)


def _filled(old: Column, new: Column, positions: Sequence[int], unsure: set[int]) -> Column:
    """The complete column before an update whose message holds only changed values.

    `unsure` gets the positions of messages with a value that did not change.
    """
    if old.count(None) == len(old):
        return new
    filled = list(new)
    for n in [n for n, cell in enumerate(old) if cell is not None]:
        filled[n] = old[n]
        if old[n] == new[n]:
            unsure.add(positions[n])
    return filled


def _completed(new: Column, old: Column) -> Column:
    """The complete column after an update whose message holds only changed values."""
    if new.count(None) == len(new):
        return old
    return [o if n is None else n for o, n in zip(old, new, strict=True)]


class _RowColumns(NamedTuple):
    """By row: the position of its message, its number in the message, and its time."""

    positions: Sequence[int]
    steps: Sequence[int]
    times: Sequence[bytes]

    def only(self, keep: Sequence[bool]) -> _RowColumns:
        return _RowColumns(
            list(compress(self.positions, keep)), list(compress(self.steps, keep)), list(compress(self.times, keep))
        )


def lister(text: str, names: Sequence[str]) -> Callable[[bytes], list[Row]]:
    """A function that finds every match of a pattern and returns the named groups of each."""
    pattern = _compiled(text)
    pick = _picker(pattern, names)
    return lambda data: list(map(pick, pattern.finditer(data)))


def _picker(pattern: re.Pattern[bytes], names: Sequence[str]) -> Callable[[re.Match[bytes]], Row]:
    """A function from a match to the groups of these names."""
    groups = [pattern.groupindex[name] for name in names]
    if len(groups) == 1:
        return lambda match: (match[groups[0]],)
    pick: Callable[[re.Match[bytes]], Row] = methodcaller("group", *groups)
    return pick


@lru_cache(maxsize=8192)
def _compiled(text: str) -> re.Pattern[bytes]:
    """A cached pattern: compiling one takes longer than reading a hundred messages."""
    return re.compile(text.encode(), re.DOTALL)

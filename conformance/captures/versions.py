"""Chooses the version of each table by which a record of a capture is judged.

A user may give several versions of an altered table. In each partition the first version is in force, until a record
is right by a later version and wrong by the one in force.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import NamedTuple, TypeAlias

from conformance.captures.results import CaptureResult, CaptureVerdict
from conformance.oracle.sent import Sent
from reference_impl.model import DdlEvent, RowChange, Table

__all__ = ["GIVEN_ONCE", "JudgedRecord", "Versions"]

GIVEN_ONCE = "a statement about a table that is given once: it is unknown from here on; give each of its versions"

_TableId: TypeAlias = tuple[str, str]
"""Schema and name."""


class JudgedRecord(NamedTuple):
    """The result of a record, and its messages for the rules between records."""

    result: CaptureResult
    sent: Sequence[Sent] = ()


@dataclass(frozen=True, slots=True)
class _Advance:
    """The advance of a table to a later version, made for one record.

    It is confirmed by a record that is wrong by the version before.
    """

    before: int
    """The number of the version before."""
    by_before: CaptureResult
    """The result of the record by the version before."""


@dataclass(slots=True)
class _Partition:
    """The versions in a partition of a topic."""

    in_force: dict[_TableId, int] = field(default_factory=dict)
    """The number of the version in force, from 0."""
    advances: dict[_TableId, _Advance] = field(default_factory=dict)
    """The unconfirmed advances."""


class Versions:
    """Sets for each record the versions in force, in `now`: tables by schema and name, changed in place."""

    def __init__(self, tables: Iterable[Table]) -> None:
        self.now: dict[_TableId, Table] = {}
        self._versions: dict[_TableId, list[Table]] = {}
        self._partitions: dict[tuple[str | None, int | None], _Partition] = {}
        self._withdrawn: list[CaptureResult] = []
        for table in tables:
            if self.now.setdefault(table.id, table) != table:
                self._versions.setdefault(table.id, [self.now[table.id]]).append(table)

    def judge(self, topic: str | None, partition: int | None, judge_by_now: Callable[[], JudgedRecord]) -> JudgedRecord:
        """Judge the next record of a partition; `judge_by_now` judges it by the tables in `now`.

        The result is the first of these that applies:

        1. by the versions in force, if the record is right by them;
        2. by later versions, if the record is right by them; they are then in force, but unconfirmed;
        3. by the version before an unconfirmed advance, if the record is right by it; the advance was an error, and the
           version before is in force again (see `withdrawn`);
        4. by later versions, if only they have the columns of the record; they do not come into force;
        5. by the versions in force.
        """
        in_partition = self._partitions.setdefault((topic, partition), _Partition())
        judged = self._by(in_partition.in_force, judge_by_now)
        if self._versions and _is_right(judged.result):
            self._confirm(in_partition, judge_by_now)
        elif self._versions:
            later = self._advanced(in_partition, judged, judge_by_now)
            judged = later if _is_right(later.result) else self._undone(in_partition, judge_by_now) or later
        return _noted(judged, GIVEN_ONCE) if self._forget(judged.result) else judged

    def withdrawn(self) -> Iterator[CaptureResult]:
        """The results, by the version before, of records that passed by an advance made in error; each result once."""
        while self._withdrawn:
            yield replace(self._withdrawn.pop(0), is_stream=True)

    def _by(self, numbers: Mapping[_TableId, int], judge_by_now: Callable[[], JudgedRecord]) -> JudgedRecord:
        """The result by versions of these numbers, and by the first version of any other table."""
        self._set_now(numbers)
        return judge_by_now()

    def _set_now(self, numbers: Mapping[_TableId, int]) -> None:
        self.now |= {table: versions[numbers.get(table, 0)] for table, versions in self._versions.items()}

    def _confirm(self, partition: _Partition, judge_by_now: Callable[[], JudgedRecord]) -> None:
        """Confirm each advance that a right record needs: by the version before, the record is wrong."""
        for table, advance in list(partition.advances.items()):
            if not _is_right(self._by({**partition.in_force, table: advance.before}, judge_by_now).result):
                del partition.advances[table]
        self._set_now(partition.in_force)

    def _undone(self, partition: _Partition, judge_by_now: Callable[[], JudgedRecord]) -> JudgedRecord | None:
        """Undo an advance if the record is right by the version before, and return that result; else None."""
        for table, advance in partition.advances.items():
            judged = self._by({**partition.in_force, table: advance.before}, judge_by_now)
            if _is_right(judged.result):
                partition.in_force[table] = advance.before
                self._withdrawn.append(partition.advances.pop(table).by_before)
                return judged
        self._set_now(partition.in_force)
        return None

    def _advanced(
        self, partition: _Partition, first: JudgedRecord, judge_by_now: Callable[[], JudgedRecord]
    ) -> JudgedRecord:
        """The result by later versions if the record is right by them, or only they have its columns; else `first`."""
        has_other_columns = _is_wrong(first.result) and not _is_wrong_with_columns(first.result, self.now)
        with_columns = None
        for numbers in self._later(first.result, partition.in_force):
            judged = self._by({**partition.in_force, **numbers}, judge_by_now)
            if _is_right(judged.result):
                for table in numbers:
                    partition.advances[table] = _Advance(partition.in_force.get(table, 0), first.result)
                partition.in_force |= numbers
                named = "; ".join(f"version {n + 1} of {'.'.join(table)}" for table, n in numbers.items())
                return _noted(judged, f"{named} {'is' if len(numbers) == 1 else 'are'} in force from here on")
            if has_other_columns and with_columns is None and _is_wrong_with_columns(judged.result, self.now):
                with_columns = judged
        self._set_now(partition.in_force)
        return with_columns or first

    def _later(self, result: CaptureResult, in_force: Mapping[_TableId, int]) -> list[Mapping[_TableId, int]]:
        """Combinations of later versions of a record's tables, the nearest first, as numbers of versions.

        For an unreadable record, any table may advance, but only one at a time.
        """
        tables_of_rows = {(event.schema, event.table) for event in result.events if isinstance(event, RowChange)}
        steps = {  # by table, from 0: how many versions it may advance
            table: range(len(versions) - in_force.get(table, 0))
            for table, versions in self._versions.items()
            if table in tables_of_rows or not result.events
        }
        if tables_of_rows:
            combinations = [dict(zip(steps, counts, strict=True)) for counts in product(*steps.values())]
        else:
            combinations = [{table: count} for table, counts in steps.items() for count in counts]
        combinations.sort(key=lambda combination: sum(combination.values()))
        return [
            {table: in_force.get(table, 0) + count for table, count in combination.items() if count}
            for combination in combinations
            if any(combination.values())
        ]

    def _forget(self, result: CaptureResult) -> bool:
        """Forget each table with a single version that a statement changes; returns whether there are any."""
        statements = [event for event in result.events if isinstance(event, DdlEvent)]
        forgotten = [
            (schema, table)
            for schema, table in self.now.keys() - self._versions.keys()
            if any(event.schema == schema and event.table in ("", table) for event in statements)
        ]
        for table_id in forgotten:
            del self.now[table_id]
        return bool(forgotten)


def _noted(judged: JudgedRecord, note: str) -> JudgedRecord:
    """The same result with a further sentence in `not_judged`."""
    return judged._replace(result=replace(judged.result, not_judged=(*judged.result.not_judged, note)))


def _is_right(result: CaptureResult) -> bool:
    """Whether a record was judged, and broke no requirement above `may`."""
    return result.verdict is CaptureVerdict.PASS and result.problem is None


def _is_wrong(result: CaptureResult) -> bool:
    return result.verdict in (CaptureVerdict.FAIL, CaptureVerdict.WARN)


def _is_wrong_with_columns(result: CaptureResult, tables: Mapping[_TableId, Table]) -> bool:
    """Whether a record is wrong although its rows were read and have the columns of the tables."""
    rows = [event for event in result.events if isinstance(event, RowChange)]
    fits = all(_has_columns(row, tables.get((row.schema, row.table))) for row in rows)
    return _is_wrong(result) and bool(result.events) and fits


def _has_columns(change: RowChange, table: Table | None) -> bool:
    """Whether the row after a change has the columns of its table; true for a delete, which may have only its key."""
    if table is None or not change.after:
        return True
    names = {column.name for column in table.columns}
    stored = {column.name for column in table.columns if column.generated != "virtual"}
    return stored <= change.after.keys() <= names

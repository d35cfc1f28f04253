"""The tables of a capture as they are at a record; of one that was given in several versions, the one that fits.

A comparison needs every version of an altered table, and the same file serves here: in each partition the first version
is in force, a later one from the first record on that is right by it, and by no earlier one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from enum import IntEnum

from conformance.captures.results import CaptureResult, CaptureVerdict
from reference_impl.model import DdlEvent, RowChange, Table

__all__ = ["GIVEN_ONCE", "Versions"]

GIVEN_ONCE = "a statement about a table that is given once: it is unknown from here on; give each of its versions"

_Name = tuple[str, str]


class _Fit(IntEnum):
    """How a record is read by the tables in force, the best first."""

    RIGHT = 0
    NOT_JUDGED = 1
    WRONG = 2
    OF_OTHER_COLUMNS = 3


class Versions:
    """`now` has the tables in force, by schema and name; it is changed in place."""

    def __init__(self, tables: Iterable[Table]) -> None:
        self.now: dict[_Name, Table] = {}
        self._versions: dict[_Name, list[Table]] = {}
        self._in_force: dict[tuple[str | None, int | None], dict[_Name, int]] = {}
        for table in tables:
            if self.now.setdefault(table.id, table) != table:
                self._versions.setdefault(table.id, [self.now[table.id]]).append(table)

    def judged(self, topic: str | None, partition: int | None, judge: Callable[[], CaptureResult]) -> CaptureResult:
        """The result of the next record of a partition; `judge` judges it by the tables in force.

        It is judged by the versions in force if it is right by them; else by a later one by which it is right, which is
        then in force; else, for itself alone, by a later one if only that has its columns.
        """
        in_force = self._in_force.setdefault((topic, partition), {})
        self._put(in_force)
        result = judge()
        found = _fit(result, self.now)
        for name, number in self._later(result, in_force) if found is not _Fit.RIGHT else ():
            self.now[name] = self._versions[name][number]
            other = judge()
            fit = _fit(other, self.now)
            if fit is _Fit.RIGHT:
                in_force[name], result = number, other
                break
            if found is _Fit.OF_OTHER_COLUMNS and fit is _Fit.WRONG:
                result, found = other, fit
            self._put(in_force)
        return replace(result, not_judged=(*result.not_judged, GIVEN_ONCE)) if self._forget(result) else result

    def _put(self, in_force: Mapping[_Name, int]) -> None:
        self.now |= {name: versions[in_force.get(name, 0)] for name, versions in self._versions.items()}

    def _later(self, result: CaptureResult, in_force: Mapping[_Name, int]) -> Iterator[tuple[_Name, int]]:
        """Later versions of the tables of a record; of all tables where it was refused, and shows no row."""
        shown = {(event.schema, event.table) for event in result.events if isinstance(event, RowChange)}
        for name, versions in self._versions.items():
            if name in shown or not result.events:
                yield from ((name, number) for number in range(in_force.get(name, 0) + 1, len(versions)))

    def _forget(self, result: CaptureResult) -> bool:
        """Whether a statement makes a table unknown: it does not describe what it leaves; several given versions do."""
        statements = [event for event in result.events if isinstance(event, DdlEvent)]
        gone = [
            name
            for name in self.now.keys() - self._versions.keys()
            if any(name[0] == event.schema and event.table in ("", name[1]) for event in statements)
        ]
        for name in gone:
            del self.now[name]
        return bool(gone)


def _fit(result: CaptureResult, tables: Mapping[_Name, Table]) -> _Fit:
    if not result.findings:
        is_judged = result.verdict is CaptureVerdict.PASS and result.problem is None
        return _Fit.RIGHT if is_judged else _Fit.NOT_JUDGED
    rows = [event for event in result.events if isinstance(event, RowChange)]
    fits = bool(result.events) and all(_has_columns(row, tables.get((row.schema, row.table))) for row in rows)
    return _Fit.WRONG if fits else _Fit.OF_OTHER_COLUMNS


def _has_columns(change: RowChange, table: Table | None) -> bool:
    """Whether the row after a change has the columns of its table; a delete may show its key alone."""
    if table is None or not change.after:
        return True
    names = {column.name for column in table.columns}
    stored = {column.name for column in table.columns if column.generated != "virtual"}
    return stored <= change.after.keys() <= names

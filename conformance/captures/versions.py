"""Chooses the version of each table by which a record of a capture is judged.

A user may give several versions of an altered table. In each partition the first version is in force, until a record
is right by a later version and wrong by the one in force.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, TypeAlias, TypeVar

from conformance.captures.results import CaptureResult, CaptureVerdict
from reference_impl.model import DdlEvent, RowChange, Table

__all__ = ["GIVEN_ONCE", "Versions"]

GIVEN_ONCE = "a statement about a table that is given once: it is unknown from here on; give each of its versions"

T = TypeVar("T")
Judged: TypeAlias = tuple[CaptureResult, T]
"""The result of a record, and further data of its judge."""

_Name: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Advance:
    """The unconfirmed advance of a table to a later version, made for one record."""

    before: int  # the number of the version before
    wrong: CaptureResult  # the result of the record by that version


@dataclass(slots=True)
class _Lane:
    """The state of a partition of a topic."""

    in_force: dict[_Name, int] = field(default_factory=dict)
    """The number of the version in force, from 0."""
    advances: dict[_Name, _Advance] = field(default_factory=dict)
    """The unconfirmed advances."""


class Versions:
    """Sets for each record the versions in force, in `now`: tables by schema and name, changed in place."""

    def __init__(self, tables: Iterable[Table]) -> None:
        self.now: dict[_Name, Table] = {}
        self._versions: dict[_Name, list[Table]] = {}
        self._lanes: dict[tuple[str | None, int | None], _Lane] = {}
        self._withdrawn: list[CaptureResult] = []
        for table in tables:
            if self.now.setdefault(table.id, table) != table:
                self._versions.setdefault(table.id, [self.now[table.id]]).append(table)

    def judged(self, topic: str | None, partition: int | None, judge: Callable[[], Judged[T]]) -> Judged[T]:
        """The result of the next record of a partition; `judge` judges it by the tables in `now`.

        The result is the first of these that applies:

        1. by the versions in force, if the record is right by them;
        2. by later versions, if the record is right by them; they are then in force, but unconfirmed;
        3. by the version before an unconfirmed advance, if the record is right by it; the advance was an error, and the
           version before is in force again (see `withdrawn`);
        4. by later versions, if only they have the columns of the record; they do not come into force;
        5. by the versions in force.
        """
        lane = self._lanes.setdefault((topic, partition), _Lane())
        found = self._by(lane.in_force, judge)
        if self._versions and _is_right(found):
            found = self._confirmed(lane, found, judge)
        elif self._versions:
            later = self._advanced(lane, found, judge)
            found = later if _is_right(later) else self._undone(lane, found, judge) or later
        result, more = found
        if self._forget(result):
            return replace(result, not_judged=(*result.not_judged, GIVEN_ONCE)), more
        return found

    def withdrawn(self) -> Iterator[CaptureResult]:
        """The results of records that passed by an advance made in error, by the version before; each result once."""
        while self._withdrawn:
            yield replace(self._withdrawn.pop(0), is_stream=True)

    def _by(self, numbers: Mapping[_Name, int], judge: Callable[[], Judged[T]]) -> Judged[T]:
        """The result by these versions, and by the first version of any other table."""
        self._set_now(numbers)
        return judge()

    def _set_now(self, numbers: Mapping[_Name, int]) -> None:
        self.now |= {name: versions[numbers.get(name, 0)] for name, versions in self._versions.items()}

    def _confirmed(self, lane: _Lane, found: Judged[T], judge: Callable[[], Judged[T]]) -> Judged[T]:
        """Return the result of a right record; it confirms an advance if it is wrong by the version before."""
        for name, advance in [*lane.advances.items()]:
            other = self._by({**lane.in_force, name: advance.before}, judge)
            if not _is_right(other):
                del lane.advances[name]
        self._set_now(lane.in_force)
        return found

    def _undone(self, lane: _Lane, found: Judged[T], judge: Callable[[], Judged[T]]) -> Judged[T] | None:
        """Undo an advance if the record is right by the version before, and return that result; else None."""
        for name, advance in lane.advances.items():
            other = self._by({**lane.in_force, name: advance.before}, judge)
            if _is_right(other):
                lane.in_force[name] = advance.before
                self._withdrawn.append(lane.advances.pop(name).wrong)
                return other
        self._set_now(lane.in_force)
        return None

    def _advanced(self, lane: _Lane, found: Judged[T], judge: Callable[[], Judged[T]]) -> Judged[T]:
        """The result by later versions if the record is right by them, or only they have its columns; else `found`."""
        first = found[0]
        has_columns = not _is_wrong(first) or _is_wrong_in_its_columns(first, self.now)
        for numbers in self._later(first, lane.in_force):
            other = self._by({**lane.in_force, **numbers}, judge)
            if _is_right(other):
                for name in numbers:
                    lane.advances[name] = _Advance(lane.in_force.get(name, 0), first)
                lane.in_force |= numbers
                named = "; ".join(f"version {n + 1} of {'.'.join(name)}" for name, n in numbers.items())
                note = f"{named} {'is' if len(numbers) == 1 else 'are'} in force from here on"
                return replace(other[0], not_judged=(*other[0].not_judged, note)), other[1]
            if not has_columns and (has_columns := _is_wrong_in_its_columns(other[0], self.now)):
                found = other
        self._set_now(lane.in_force)
        return found

    def _later(self, result: CaptureResult, in_force: Mapping[_Name, int]) -> Iterator[Mapping[_Name, int]]:
        """Later versions of the tables of a record, the nearest first; one table at a time for an unreadable record."""
        shown = {(event.schema, event.table) for event in result.events if isinstance(event, RowChange)}
        left = {
            name: range(in_force.get(name, 0), len(versions))
            for name, versions in self._versions.items()
            if name in shown or not result.events
        }
        if shown:
            combinations = [dict(zip(left, numbers, strict=True)) for numbers in product(*left.values())]
        else:
            combinations = [{name: number} for name, numbers in left.items() for number in numbers]
        later = [{name: n for name, n in numbers.items() if n > in_force.get(name, 0)} for numbers in combinations]
        yield from sorted(
            filter(None, later),
            key=lambda numbers: sum(n - in_force.get(name, 0) for name, n in numbers.items()),
        )

    def _forget(self, result: CaptureResult) -> bool:
        """Forget the tables that a statement changes and that have one version; returns whether there are any."""
        statements = [event for event in result.events if isinstance(event, DdlEvent)]
        gone = [
            name
            for name in self.now.keys() - self._versions.keys()
            if any(name[0] == event.schema and event.table in ("", name[1]) for event in statements)
        ]
        for name in gone:
            del self.now[name]
        return bool(gone)


def _is_right(found: Judged[Any]) -> bool:
    """Whether a record was judged, and broke no requirement above `may`."""
    return found[0].verdict is CaptureVerdict.PASS and found[0].problem is None


def _is_wrong(result: CaptureResult) -> bool:
    return result.verdict in (CaptureVerdict.FAIL, CaptureVerdict.WARN)


def _is_wrong_in_its_columns(result: CaptureResult, tables: Mapping[_Name, Table]) -> bool:
    """Whether a record is wrong although it was read and its rows have the columns of the tables."""
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

"""The tables of a capture as they are at a record; of one that was given in several versions, the one that fits.

A comparison needs every version of an altered table, and the same file serves here: in each partition the first version
is in force, a later one from the first record on that fits no earlier one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import DdlEvent, Event, Record, RowChange, Table
from reference_impl.protocols import Decoder

__all__ = ["Versions"]

_Name = tuple[str, str]


class Versions:
    """`now` has the tables in force, by schema and name; it is changed in place."""

    def __init__(self, tables: Iterable[Table]) -> None:
        self.now: dict[_Name, Table] = {}
        self._versions: dict[_Name, list[Table]] = {}
        self._in_force: dict[tuple[str | None, int | None], dict[_Name, int]] = {}
        for table in tables:
            if self.now.setdefault(table.id, table) != table:
                self._versions.setdefault(table.id, [self.now[table.id]]).append(table)

    def decode(self, decoder: Decoder, record: Record) -> list[Event]:
        """The events of a record. Raises what the decoder raises, if no later version of a table fits."""
        in_force = self._in_force.setdefault((record.topic, record.partition), {})
        for name, versions in self._versions.items():
            self.now[name] = versions[in_force.get(name, 0)]
        events, problem = _decoded(decoder, record, self.now)
        if events is not None and _fit(events, self.now):
            return events
        for name, versions in self._versions.items():
            for number in range(in_force.get(name, 0) + 1, len(versions)):
                tables = {**self.now, name: versions[number]}
                found, _ = _decoded(decoder, record, tables)
                if found is not None and _fit(found, tables):
                    self.now[name], in_force[name] = versions[number], number
                    return found
        if events is None:
            assert problem is not None
            raise problem
        return events

    def forget(self, events: Iterable[Event]) -> None:
        """Statements make their tables unknown: they do not describe what they leave."""
        for event in events:
            if isinstance(event, DdlEvent):
                gone = [t for t in self.now if t[0] == event.schema and event.table in ("", t[1])]
                for name in gone:
                    del self.now[name]
                    self._versions.pop(name, None)


def _decoded(
    decoder: Decoder, record: Record, tables: Mapping[_Name, Table]
) -> tuple[list[Event] | None, Rejected | Unsupported | None]:
    """The events of a record, or the problem."""
    try:
        return decoder.decode([record], tables.values()), None
    except (Rejected, Unsupported) as problem:
        return None, problem


def _fit(events: Iterable[Event], tables: Mapping[_Name, Table]) -> bool:
    """Whether the rows after changes have the columns of their tables.

    A message that carries its schema, as Avro's does, is read whatever the table is.
    """
    return all(
        _has_columns(event, tables.get((event.schema, event.table))) for event in events if isinstance(event, RowChange)
    )


def _has_columns(change: RowChange, table: Table | None) -> bool:
    if table is None or not change.after:
        return True
    names = {column.name for column in table.columns}
    stored = {column.name for column in table.columns if column.generated != "virtual"}
    return stored <= change.after.keys() <= names

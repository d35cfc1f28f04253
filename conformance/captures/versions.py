"""The tables of a capture as they are at a record; of one that was given in several versions, the one that fits.

A comparison needs every version of an altered table, and the same file serves here: the first version is in force, a
later one from the first record on that fits no earlier one.
"""

from __future__ import annotations

from collections.abc import Iterable

from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import DdlEvent, Event, Record, Table
from reference_impl.protocols import Decoder

__all__ = ["Versions"]


class Versions:
    """`now` has the tables in force, by schema and name; it is changed in place."""

    def __init__(self, tables: Iterable[Table]) -> None:
        self.now: dict[tuple[str, str], Table] = {}
        self._later: dict[tuple[str, str], list[Table]] = {}
        for table in tables:
            if self.now.setdefault(table.id, table) != table:
                self._later.setdefault(table.id, []).append(table)

    def decode(self, decoder: Decoder, record: Record) -> list[Event]:
        """The events of a record. Raises what the decoder raises, if no later version of a table fits."""
        try:
            return decoder.decode([record], self.now.values())
        except Rejected:
            for name, versions in self._later.items():
                for number, version in enumerate(versions, 1):
                    tables = {**self.now, name: version}
                    try:
                        events = decoder.decode([record], tables.values())
                    except (Rejected, Unsupported):
                        continue
                    self.now[name], self._later[name] = version, versions[number:]
                    return events
            raise

    def forget(self, events: Iterable[Event]) -> None:
        """Statements make their tables unknown: they do not describe what they leave."""
        for event in events:
            if isinstance(event, DdlEvent):
                gone = [t for t in self.now if t[0] == event.schema and event.table in ("", t[1])]
                for name in gone:
                    del self.now[name]
                    self._later.pop(name, None)

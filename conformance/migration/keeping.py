"""How a job applies changes to its table: it retracts the old row of a change, or overwrites the row of the same key.

A job that writes by key needs no row before an update, and only the key of a deleted row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from conformance.consumers.model import Model, Row
from conformance.consumers.truth import Change, Values, changes_of_rows

__all__ = ["Keeping", "writes_by_key"]


def writes_by_key(model: Model | None, options: Mapping[str, str]) -> bool:
    """Whether a job of the model, with these options, keeps one row for each key and overwrites it."""
    if model is None:
        return False
    return model.name == "spark" or (model.name == "flink-avro" and options.get("connector") == "upsert-kafka")


@dataclass(frozen=True, slots=True)
class Keeping:
    """How a job keeps the rows of a table. `key` has the key's columns if the job writes by key; else it is empty."""

    key: tuple[str, ...] = ()

    def left(self, rows: Iterable[Row]) -> Mapping[object, object]:
        """The effect of rows on a table; empty if they leave the table unchanged."""
        return self._by_key(rows) if self.key else _counted(rows)

    def changes(self, rows: Sequence[Row]) -> list[Change]:
        """Rows as the changes that the job needs, see `kept`."""
        return self.kept(changes_of_rows(rows))

    def kept(self, changes: Iterable[Change]) -> list[Change]:
        """Changes as the job needs them. By key, the row before has only its key, and only if that key is removed."""
        return [self._kept(*change) for change in changes] if self.key else [*changes]

    def _kept(self, before: Values | None, after: Values | None) -> Change:
        if before is None or (after is not None and self._key_of(before) == self._key_of(after)):
            return None, after
        return {name: value for name, value in before.items() if name in self.key}, after

    def _key_of(self, row: Values) -> tuple[str | None, ...]:
        return tuple(row.get(name) for name in self.key)

    def _by_key(self, rows: Iterable[Row]) -> Mapping[object, object]:
        """Key → its last row, or None if it was deleted. A row that is inserted and deleted again is left out."""
        found: dict[object, object] = {}
        new: set[object] = set()
        for kind, row in rows:
            key = self._key_of(row)
            if kind == "+I" and key not in found:
                new.add(key)
            found[key] = row if kind.startswith("+") else None
        return {key: row for key, row in found.items() if row is not None or key not in new}


def _counted(rows: Iterable[Row]) -> Mapping[object, object]:
    """Row → how often it was added less how often it was removed, without zeros."""
    counts: Counter[tuple[tuple[str, str | None], ...]] = Counter()
    for kind, row in rows:
        counts[tuple(sorted(row.items()))] += 1 if kind.startswith("+") else -1
    return {row: count for row, count in counts.items() if count}

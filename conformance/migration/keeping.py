"""How a job keeps a table: it takes back each row that it had, or writes over the row of a key.

A job that writes by key is sent no row before an update, and of a deletion perhaps the key alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from conformance.consumers.model import Model, Row
from conformance.consumers.truth import Change, Values, changes_of_rows

__all__ = ["Keeping", "writes_by_key"]


def writes_by_key(model: Model | None, options: Mapping[str, str]) -> bool:
    """Whether a job of the model, with these options, has one row a key and writes over it."""
    if model is None:
        return False
    return model.name == "spark" or (model.name == "flink-avro" and options.get("connector") == "upsert-kafka")


@dataclass(frozen=True, slots=True)
class Keeping:
    """How the rows of a table are kept; `key` has its columns where the job writes by key, and is empty elsewhere."""

    key: tuple[str, ...] = ()

    def left(self, rows: Iterable[Row]) -> Mapping[object, object]:
        """What rows do to a table. It is empty where they leave the table as it was."""
        return self._by_key(rows) if self.key else _counted(rows)

    def changes(self, rows: Sequence[Row]) -> list[Change]:
        """Rows as changes, see `kept`."""
        return self.kept(changes_of_rows(rows))

    def kept(self, changes: Iterable[Change]) -> list[Change]:
        """Changes as the job needs them: by key, of the row before no more than a key that is gone."""
        return [self._kept(*change) for change in changes] if self.key else [*changes]

    def _kept(self, before: Values | None, after: Values | None) -> Change:
        if before is None or (after is not None and self._of(before) == self._of(after)):
            return None, after
        return {name: value for name, value in before.items() if name in self.key}, after

    def _of(self, row: Values) -> tuple[str | None, ...]:
        return tuple(row.get(name) for name in self.key)

    def _by_key(self, rows: Iterable[Row]) -> Mapping[object, object]:
        """The last row of each key, None for one that is deleted. A row that comes and goes leaves nothing."""
        found: dict[object, object] = {}
        new: set[object] = set()
        for kind, row in rows:
            key = self._of(row)
            if kind == "+I" and key not in found:
                new.add(key)
            found[key] = row if kind.startswith("+") else None
        return {key: row for key, row in found.items() if row is not None or key not in new}


def _counted(rows: Iterable[Row]) -> Mapping[object, object]:
    """Each row that is left, less each that is taken away."""
    counts: Counter[tuple[tuple[str, str | None], ...]] = Counter()
    for kind, row in rows:
        counts[tuple(sorted(row.items()))] += 1 if kind.startswith("+") else -1
    return {row: count for row, count in counts.items() if count}

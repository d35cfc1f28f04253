"""The counts of a comparison; the counts of its parts can be added up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

__all__ = ["SHOWN", "SUITE_ERRORS", "Counts", "PlacedText", "SpelledColumn"]

SHOWN = 3  # examples of each count
SUITE_ERRORS = "suite errors"
_MOST_SUITE_ERRORS = 100
_LISTS = ("statements", "suite_errors")
_SUMS = ("control", "changes", "ops", "alike", "rows", "checksum", "named", "partitions", "clocks", "ways")


class SpelledColumn(NamedTuple):
    """A column, and a divergence by which the sides spell its values differently: such values are counted by it."""

    pair: str
    schema: str
    table: str
    column: str
    divergence: str


PlacedText: TypeAlias = tuple["str | int | None", ...]
"""A text with its place: an entry of `Counts.statements` or `Counts.suite_errors`."""


def _place_of(entry: PlacedText) -> Any:
    return entry[:5]


@dataclass(slots=True)
class Counts:
    """The counts of a comparison, or of a part of it."""

    # (side, kind of message): messages that are not row changes; `messages` counts all of the side
    control: Counter[tuple[int, str]] = field(default_factory=Counter)
    # (side, schema, table): row changes
    changes: Counter[tuple[int, str, str]] = field(default_factory=Counter)
    # (side, schema, table, op): row changes
    ops: Counter[tuple[int, str, str, str]] = field(default_factory=Counter)
    # (pair, schema, table): changes that both sides have without a difference
    alike: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    # (side, schema, table): final rows
    rows: Counter[tuple[int, str, str]] = field(default_factory=Counter)
    # (side, schema, table): the sum, modulo 2**64, of a hash of each final row
    checksum: Counter[tuple[int, str, str]] = field(default_factory=Counter)
    # values that the sides spell differently
    named: Counter[SpelledColumn] = field(default_factory=Counter)
    # (side, topic, partition): messages, for sides that copy statements to every partition
    partitions: Counter[tuple[int, str, int]] = field(default_factory=Counter)
    # examples of `named`: pairs of key and value
    shown: dict[SpelledColumn, list[list[str]]] = field(default_factory=dict)
    # side, topic, partition, offset, number in the message, schema, table, texts of the slim record
    statements: list[PlacedText] = field(default_factory=list)
    # side or pair, schema, table, key, topic, partition, offset, message; sorted, at most the first hundred
    suite_errors: list[PlacedText] = field(default_factory=list)
    # (pair, seconds): changes with this offset between the clocks
    clocks: Counter[tuple[str, int]] = field(default_factory=Counter)
    # how messages were read and changes compared; not part of equality
    ways: Counter[tuple[str, str]] = field(default_factory=Counter, compare=False)
    # examples of `clocks`: topic, partition, offset and milliseconds, left and right
    offset_examples: dict[tuple[str, int], list[list[Any]]] = field(default_factory=dict)

    def fail(self, side: int, entry: PlacedText) -> None:
        """Count a failure of the suite itself, at a message of a side or at a key group."""
        self.control[side, SUITE_ERRORS] += 1
        self._keep([entry])

    def _keep(self, entries: list[PlacedText]) -> None:
        self.suite_errors = sorted([*self.suite_errors, *entries], key=str)[:_MOST_SUITE_ERRORS]

    def count_spelled(self, key: SpelledColumn, count: int, examples: list[list[str]]) -> None:
        """Count values under a divergence, and keep the smallest examples (key, value)."""
        self.named[key] += count
        self.shown[key] = sorted([*self.shown.get(key, ()), *examples])[:SHOWN]

    def show_offset(self, key: tuple[str, int], examples: list[list[Any]]) -> None:
        """Keep the first examples of changes with a clock offset."""
        self.offset_examples[key] = sorted([*self.offset_examples.get(key, ()), *examples])[:SHOWN]

    def add(self, other: Counts) -> None:
        """Add the counts of another part."""
        self.control.update(other.control)
        self.changes.update(other.changes)
        self.ops.update(other.ops)
        self.alike.update(other.alike)
        self.rows.update(other.rows)
        self.checksum.update(other.checksum)
        self.partitions.update(other.partitions)
        for named, count in other.named.items():
            self.count_spelled(named, count, other.shown.get(named, []))
        self.statements = sorted([*self.statements, *other.statements], key=_place_of)
        self._keep(other.suite_errors)
        self.clocks.update(other.clocks)
        self.ways.update(other.ways)
        for offset, examples in other.offset_examples.items():
            self.show_offset(offset, examples)
        for key in other.checksum:
            self.checksum[key] %= 2**64

    def to_json(self) -> dict[str, list[Any]]:
        """The counts as JSON, with large numbers as texts."""
        sums = {name: [[*key, str(n)] for key, n in sorted(getattr(self, name).items())] for name in _SUMS}
        shown = [[*key, examples] for key, examples in sorted(self.shown.items())]
        offsets = [[*key, examples] for key, examples in sorted(self.offset_examples.items())]
        lists = {name: [list(entry) for entry in getattr(self, name)] for name in _LISTS}
        return sums | {"shown": shown, "offset_examples": offsets} | lists

    @classmethod
    def from_json(cls, given: Mapping[str, list[Any]]) -> Counts:
        """The counts that `to_json` wrote."""
        sums: dict[str, Any] = {
            name: Counter({tuple(key): int(n) for *key, n in given.get(name, ())}) for name in _SUMS
        }
        sums["named"] = Counter({SpelledColumn(*key): n for key, n in sums["named"].items()})
        shown = {SpelledColumn(*key): examples for *key, examples in given["shown"]}
        lists: dict[str, Any] = {name: [tuple(entry) for entry in given.get(name, ())] for name in _LISTS}
        offsets = {tuple(key): examples for *key, examples in given.get("offset_examples", ())}
        return cls(**sums, shown=shown, offset_examples=offsets, **lists)

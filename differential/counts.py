"""What a comparison counts: sums alone, so that the counts of parts add up to those of the whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

__all__ = ["SHOWN", "SUITE_ERRORS", "Counts", "Named", "PlacedText"]

SHOWN = 3
SUITE_ERRORS = "suite errors"
_MOST_SUITE_ERRORS = 100
_LISTS = ("statements", "suite_errors")
_SUMS = ("control", "changes", "alike", "rows", "checksum", "named", "partitions", "clocks", "ways")

Named: TypeAlias = tuple[str, str, str, str, str]
"""Pair, schema, table, column, divergence."""

PlacedText: TypeAlias = tuple["str | int | None", ...]


def _place_of(entry: PlacedText) -> Any:
    return entry[:5]


@dataclass(slots=True)
class Counts:
    """What was seen. Every member is a sum, so that counts of parts add up to those of the whole.

    `control`: (side, what) → messages that are no change of a row, and all `messages`. `changes`: (side, schema,
    table). `alike`: (pair, schema, table) → changes that both sides have and that take part in no difference, the same
    number whichever side is the left one. `rows` and `checksum`: (side, schema, table) → rows left at the end, and the
    sum, modulo 2**64, of a hash of each. `partitions`: (side, topic, partition) → messages, of sides that copy their
    statements to every partition. `statements`: the DDL messages in order, each as side, topic, partition,
    offset, number in its message, schema, table, and the texts of its slim record. `suite_errors`: where the suite
    itself failed, the first of them in order: sides (a pair for a key group), schema, table, key, topic, partition,
    offset, and how; `control` counts all of them. `clocks`: (pair, seconds) → changes whose times are so far apart on
    its two sides, and `offset_examples` some of them: topic, partition, offset and milliseconds, left and right.
    `ways`: how messages were read and changes compared, on which nothing else depends; equal counts may differ there.
    """

    control: Counter[tuple[int, str]] = field(default_factory=Counter)
    changes: Counter[tuple[int, str, str]] = field(default_factory=Counter)
    alike: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    rows: Counter[tuple[int, str, str]] = field(default_factory=Counter)
    checksum: Counter[tuple[int, str, str]] = field(default_factory=Counter)
    named: Counter[Named] = field(default_factory=Counter)
    partitions: Counter[tuple[int, str, int]] = field(default_factory=Counter)
    shown: dict[Named, list[list[str]]] = field(default_factory=dict)
    statements: list[PlacedText] = field(default_factory=list)
    suite_errors: list[PlacedText] = field(default_factory=list)
    clocks: Counter[tuple[str, int]] = field(default_factory=Counter)
    ways: Counter[tuple[str, str]] = field(default_factory=Counter, compare=False)
    offset_examples: dict[tuple[str, int], list[list[Any]]] = field(default_factory=dict)

    def fail(self, side: int, entry: PlacedText) -> None:
        """Count a failure of the suite itself at a message of a side, or at a key group whose first side that is."""
        self.control[side, SUITE_ERRORS] += 1
        self._keep([entry])

    def _keep(self, entries: list[PlacedText]) -> None:
        self.suite_errors = sorted([*self.suite_errors, *entries], key=str)[:_MOST_SUITE_ERRORS]

    def name(self, key: Named, count: int, examples: list[list[str]]) -> None:
        """Count values under a divergence; of examples, each a key and a value, the smallest are kept."""
        self.named[key] += count
        self.shown[key] = sorted([*self.shown.get(key, ()), *examples])[:SHOWN]

    def show_offset(self, key: tuple[str, int], examples: list[list[Any]]) -> None:
        """Keep the first of some examples of changes that are so far apart."""
        self.offset_examples[key] = sorted([*self.offset_examples.get(key, ()), *examples])[:SHOWN]

    def add(self, other: Counts) -> None:
        """Add the counts of another part."""
        self.control.update(other.control)
        self.changes.update(other.changes)
        self.alike.update(other.alike)
        self.rows.update(other.rows)
        self.checksum.update(other.checksum)
        self.partitions.update(other.partitions)
        for named, count in other.named.items():
            self.name(named, count, other.shown.get(named, []))
        self.statements = sorted([*self.statements, *other.statements], key=_place_of)
        self._keep(other.suite_errors)
        self.clocks.update(other.clocks)
        self.ways.update(other.ways)
        for offset, examples in other.offset_examples.items():
            self.show_offset(offset, examples)
        for key in other.checksum:
            self.checksum[key] %= 2**64

    def to_json(self) -> dict[str, list[Any]]:
        """As JSON, without a number above 64 bits."""
        sums = {name: [[*key, str(n)] for key, n in sorted(getattr(self, name).items())] for name in _SUMS}
        shown = [[*key, examples] for key, examples in sorted(self.shown.items())]
        offsets = [[*key, examples] for key, examples in sorted(self.offset_examples.items())]
        lists = {name: [list(entry) for entry in getattr(self, name)] for name in _LISTS}
        return sums | {"shown": shown, "offset_examples": offsets} | lists

    @classmethod
    def from_json(cls, given: Mapping[str, list[Any]]) -> Counts:
        """What `to_json` wrote."""
        sums: dict[str, Any] = {
            name: Counter({tuple(key): int(n) for *key, n in given.get(name, ())}) for name in _SUMS
        }
        shown = {tuple(key): examples for *key, examples in given["shown"]}
        lists: dict[str, Any] = {name: [tuple(entry) for entry in given.get(name, ())] for name in _LISTS}
        offsets = {tuple(key): examples for *key, examples in given.get("offset_examples", ())}
        return cls(**sums, shown=shown, offset_examples=offsets, **lists)

"""Compares a recording with the committed one, record by record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from conformance.catalogue.recordings import Recording
from conformance.drift.masks import ClockColumns, Masked, masked, without_positions
from reference_impl.model import Record

__all__ = ["Change", "Drift", "Pair", "drift_of"]


@dataclass(frozen=True, slots=True)
class Change:
    """A path at which two paired records differ, with the values; None for a record without that path.

    `path` ends in `(bytes)` where all values are equal and only the bytes around them differ. The values of the path
    `headers` are the numbers of headers.
    """

    path: str
    committed: str | None
    recorded: str | None

    @property
    def place(self) -> str:
        """The path without positions, by which equal kinds of drift are grouped."""
        return without_positions(self.path)


@dataclass(frozen=True, slots=True)
class Pair:
    """A pair of records, by their numbers in both recordings; None if a record is in only one recording."""

    committed: int | None
    recorded: int | None
    changes: tuple[Change, ...] = ()

    @property
    def is_same(self) -> bool:
        """Whether the two are equal."""
        return self.committed is not None and self.recorded is not None and not self.changes


@dataclass(frozen=True, slots=True)
class Drift:
    """The result for a recording; `pairs` has every record of both sides, in order."""

    name: str
    pairs: tuple[Pair, ...]

    @property
    def drifted(self) -> tuple[Pair, ...]:
        """The pairs that differ."""
        return tuple(pair for pair in self.pairs if not pair.is_same)

    def by_place(self) -> Mapping[str, list[tuple[Pair, Change]]]:
        """Path without positions → the differences of paired records there."""
        found: dict[str, list[tuple[Pair, Change]]] = {}
        for pair in self.drifted:
            for change in pair.changes:
                found.setdefault(change.place, []).append((pair, change))
        return found


def drift_of(committed: Recording, recorded: Recording, clocks: ClockColumns) -> Drift:
    """Compare a recording with the committed one of its name; `clocks` are columns that are masked."""

    def masked_records(recording: Recording) -> list[Masked]:
        return [masked(one.record or _EMPTY_RECORD, recording.protocol, clocks) for one in recording.records]

    return Drift(committed.name, tuple(_pairs(masked_records(committed), masked_records(recorded))))


_EMPTY_RECORD = Record(None, None)
"""Stands for a record that could not be read."""


def _pairs(old: Sequence[Masked], new: Sequence[Masked]) -> Iterator[Pair]:
    """Equal records as they are aligned, and between them those that differ."""
    matcher = SequenceMatcher(None, [m.texts for m in old], [m.texts for m in new], autojunk=False)
    for tag, i, last_i, j, last_j in matcher.get_opcodes():
        if tag == "equal":
            yield from (Pair(n, m) for n, m in zip(range(i, last_i), range(j, last_j), strict=True))
        else:
            yield from _differing(old, new, range(i, last_i), range(j, last_j))


def _differing(old: Sequence[Masked], new: Sequence[Masked], old_numbers: range, new_numbers: range) -> Iterator[Pair]:
    """Pair the records that differ: first those with the same subject, then those at the same position."""
    identities = [old[n].identity for n in old_numbers], [new[m].identity for m in new_numbers]
    for tag, i, last_i, j, last_j in SequenceMatcher(None, *identities, autojunk=False).get_opcodes():
        left, right = old_numbers[i:last_i], new_numbers[j:last_j]
        together = min(len(left), len(right)) if tag in ("equal", "replace") else 0
        for n, m in zip(left[:together], right[:together], strict=True):
            yield Pair(n, m, tuple(_changes(old[n], new[m])))
        yield from (Pair(n, None) for n in left[together:])
        yield from (Pair(None, m) for m in right[together:])


_PARTS = ("topic", "key", "value")


def _changes(old: Masked, new: Masked) -> Iterator[Change]:
    """The paths at which two records differ; empty for equal records."""
    if old.texts == new.texts:
        return
    found = [
        Change(path, old.values.get(path), new.values.get(path))
        for path in dict.fromkeys((*old.values, *new.values))
        if old.values.get(path) != new.values.get(path)
    ]
    if old.texts[0] != new.texts[0]:
        found.insert(0, Change("topic", old.texts[0], new.texts[0]))
    yield from found
    if found:
        return
    # All values are equal: the headers are more or fewer, or bytes around the values differ.
    names = [*_PARTS, *("header" for _ in old.texts[len(_PARTS) :])]
    if len(old.texts) != len(new.texts):
        yield Change("headers", *(str((len(side.texts) - len(_PARTS)) // 2) for side in (old, new)))
    for name, one, other in zip(names, old.texts, new.texts, strict=False):
        if one != other:
            yield Change(f"{name} (bytes)", *_excerpts(one, other))


_SHOWN = 30


def _excerpts(one: str | None, other: str | None) -> tuple[str | None, str | None]:
    """The parts of two texts around the first place where they differ."""
    if one is None or other is None:
        return one, other
    at = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    part = slice(max(at - _SHOWN, 0), at + _SHOWN)
    return one[part], other[part]

"""Aligns the changes of a key by fingerprints, and reads only the values that are needed.

The alignment (`align`) compares images for equality, and fingerprints suffice for that. It reads an image only if it
needs the values: of a lost row, of a column that differs, of a row of which the other side has only a part, or for a
divergence that depends on a value. Changes that are clearly steps of one change (`folding`) need no alignment.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import eq
from typing import Any

from differential.align.merging import compare_changes, differing_columns
from differential.align.pairs import Pair
from differential.decode.fingerprints import NO_ROW, SIZE, UNKNOWN_IMAGE
from differential.model import PARTLY, UNKNOWN, Change, Difference, Place
from differential.prints.folding import Folding, Steps
from differential.prints.layout import OPS, PARTIAL_IMAGE
from differential.prints.ways import ComparedBy

__all__ = ["Aligned", "Aligner", "instant_of"]


class _Print(bytes):
    """An image that stands for its fingerprint until its values are needed.

    Fingerprints compare like images. Code that needs the values calls `removeprefix`, which reads the image.
    """

    image: Callable[[], bytes]
    is_partial = False

    def removeprefix(self, prefix: Any, /) -> bytes:
        """The image itself."""
        return self.image().removeprefix(prefix)

    def startswith(self, prefix: Any, *_: Any) -> bool:
        """Whether the image is partial (`PARTLY`), whatever the first byte of its fingerprint is."""
        assert prefix == PARTLY
        return self.is_partial


@dataclass(frozen=True, slots=True)
class Aligned:
    """The result for a key group."""

    differences: list[Difference]
    alike: list[int]  # by pair, the number of changes that are alike
    # By pair, and by number of a change on its left side, the columns in which the change differs; None for a change
    # that the right side lacks.
    columns: list[dict[int, frozenset[str] | None]]
    way: ComparedBy = ComparedBy.ALIGNED


class Aligner:
    """Compares key groups of a part of the keys.

    `columns` are those of `KeyGroups`. `image_of` and `cells_of` read an image, given the number of a row and `before`
    or `after`: as a whole, or as names and cells.
    """

    def __init__(
        self,
        pairs: Sequence[Pair],
        tables: Sequence[tuple[str, str]],
        columns: dict[str, Any],
        image_of: Callable[[int, str], bytes | None],
        cells_of: Callable[[int, str], tuple[Sequence[str], bytes] | None],
    ) -> None:
        self._pairs, self._tables, self._columns, self._image_of = pairs, tables, columns, image_of
        # Python lists: taking a few rows out of them is ten times faster than out of arrays.
        self._lists = {name: columns[name].tolist() for name in {*_CHANGE_COLUMNS, *_STEP_COLUMNS}}
        self._prints = {name: columns[name].tobytes() for name in ("before", "after")}
        self._foldings = [Folding(pair, cells_of) for pair in pairs]

    def __call__(self, key: bytes, table: int, firsts: Sequence[int], each: Sequence[int]) -> Aligned | None:
        """The result for a key; None if our own code fails, so that the exact way reports the fault.

        By side, `firsts` has the number of the key's first row, and `each` the number of its rows.
        """
        result, is_aligned = Aligned([], [], []), False
        try:
            for pair, fold in zip(self._pairs, self._foldings, strict=True):
                steps = [self._steps(firsts[side], each[side]) for side in (pair.a, pair.b)]
                folded = fold(self._tables[table], partial(self._changes, key, table), *steps)
                if folded is not None:
                    result.differences.extend(folded.differences)
                    result.alike.append(folded.alike)
                    result.columns.append({})  # a fold differs as a whole, not in single columns
                    continue
                left, right = (self._changes(key, table, firsts[side], each[side]) for side in (pair.a, pair.b))
                is_aligned = True
                differences, alike = compare_changes(pair, left, right)
                result.differences.extend(differences)
                result.alike.append(alike)
                result.columns.append(differing_columns(left, differences))
        except Exception:  # noqa: BLE001 - the exact way compares the key again and reports the fault
            return None
        return result if is_aligned else replace(result, way=ComparedBy.STEPS)

    def _steps(self, first: int, count: int) -> Steps:
        """The changes of a side in the form of `folding`."""
        rows = slice(first, first + count)
        op_code, step, offsets, *stamps = (self._lists[name][rows] for name in _STEP_COLUMNS)
        before, after = (self._pieces(name, first, count) for name in ("before", "after"))
        transactions = self._columns["transactions"]
        # Values that are equal where `align.groups.of_one_time` and `transaction_of` find one transaction.
        times: list[tuple[int, int, int]] = []
        transaction_ids: list[object] = []
        for row, (stamp, instant, transaction) in enumerate(zip(*stamps, strict=True), 1):
            is_named = bool(transactions[transaction])
            if is_named:
                times.append((stamp, -1, transaction))
            elif max(stamp, instant) >= 0:
                times.append((stamp, instant, transaction))
            else:
                times.append((-1, -1, -row))  # without a time: equal to no other
            name = (transaction,) if is_named else None
            transaction_ids.append(stamp if stamp > 0 else name)
        several = any(step) and any(map(eq, offsets, offsets[1:]))
        return Steps(first, op_code, before, after, times, transaction_ids, several)

    def _changes(self, key: bytes, table: int, first: int, count: int) -> list[Change]:
        """Changes of a key, whose images are `_Print`s."""
        columns = [self._lists[name][first : first + count] for name in _CHANGE_COLUMNS]
        before, after = (self._images(name, first, count) for name in ("before", "after"))
        schema, name = self._tables[table]
        topics, transactions = self._columns["topics"], self._columns["transactions"]
        changes = []
        rows = zip(*columns, before, after, strict=True)
        for op_code, topic, partition, offset, commit_ts, instant, transaction, old, new in rows:
            is_partial, kind = divmod(op_code, PARTIAL_IMAGE)
            moved, op = divmod(kind, len(OPS))
            if is_partial:
                old.is_partial = True
            time = instant_of(instant, transactions[transaction])
            place = Place(topics[topic], partition, offset)
            stamp = None if commit_ts < 0 else commit_ts
            changes.append(Change(schema, name, key, OPS[op], old, new, place, stamp, time, bool(moved)))
        return changes

    def _images(self, name: str, first: int, count: int) -> list[bytes | None]:
        pieces = self._pieces(name, first, count)
        return [
            None if piece == NO_ROW else UNKNOWN if piece == UNKNOWN_IMAGE else self._print(piece, name, row)
            for row, piece in enumerate(pieces, first)
        ]

    def _pieces(self, name: str, first: int, count: int) -> list[bytes]:
        """The fingerprints of rows, one by one."""
        data = self._prints[name]
        return [data[place : place + SIZE] for place in range(SIZE * first, SIZE * (first + count), SIZE)]

    def _print(self, piece: bytes, name: str, row: int) -> _Print:
        found = _Print(piece)
        found.image = partial(self._image, row, name)
        return found

    def _image(self, row: int, name: str) -> bytes:
        image = self._image_of(row, name)
        assert image is not None
        return image


_STEP_COLUMNS = ("op_code", "step", "offset", "commit_ts", "instant", "transaction")
_CHANGE_COLUMNS = ("op_code", "topic", "partition", "offset", "commit_ts", "instant", "transaction")


def instant_of(ms: int, transaction: str) -> str:
    """The instant of a change: milliseconds, name of the transaction, or both."""
    if ms < 0:
        return transaction
    return f"{ms} {transaction}" if transaction else str(ms)

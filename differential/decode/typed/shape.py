"""Reads messages of one table: cuts the rows out and decodes them together into structs.

A message is ordinary if the text around its rows equals the expected bytes, and its rows equal what their struct
encodes, so that members and their order are right. Then only the values are left to check, a column at a time. All
other messages take a slower path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, compress, repeat
from operator import rshift
from typing import Any, Final, TypeAlias

import msgspec
import orjson
from msgspec import UNSET, UnsetType
from msgspec.structs import astuple

from differential.decode.quick.engine import Plan
from differential.decode.quick.family import Member
from differential.decode.typed.values import Column, Reader, Readers
from reference_impl.tso import LOGICAL_BITS

__all__ = ["SEVERAL", "Pieces", "Shape", "TypedChanges"]

_MOST_TYPES = 256  # texts of type codes in the cache
_FEW = 48  # up to so many changes are deleted one by one
_LIMIT = 10**18  # times and other numbers are below it


@dataclass(frozen=True, slots=True)
class TypedChanges:
    """Row changes of one table and operation, stored by column."""

    plan: Plan
    op: str
    """`insert`, `update` or `delete`."""
    positions: Sequence[int]
    """By change, the position of its message in the batch."""
    times: Sequence[int]
    """By change, its commit time stamp (TSO) if the plan has them, else milliseconds since 1970."""
    before: Sequence[Column] | None
    """By column, the cells before the changes; None if the operation has no such image."""
    after: Sequence[Column] | None
    """By column, the cells after the changes; None if the operation has no such image."""
    steps: Sequence[int] | None = None
    """By change, its number in its message, from 0; None if every message has one change."""

    def only(self, keep: Sequence[bool]) -> TypedChanges:
        """The changes whose flag in `keep` is set."""

        dropped = [n for n, is_kept in enumerate(keep) if not is_kept]
        dropped.reverse()

        def kept(column: Sequence[Any]) -> list[Any]:
            if len(dropped) > _FEW:
                return list(compress(column, keep))
            found = list(column)  # copying and deleting is several times faster than filtering
            for n in dropped:
                del found[n]
            return found

        before, after = (image and list(map(kept, image)) for image in (self.before, self.after))
        steps = None if self.steps is None else kept(self.steps)
        return TypedChanges(self.plan, self.op, kept(self.positions), kept(self.times), before, after, steps)


def row_struct(members: Sequence[Member], *, partial: bool = False) -> type[msgspec.Struct]:
    """A struct type with a field for each column, in message order.

    Its values are texts or NULL, with `partial` also `UNSET`.
    """
    kind: Any = str | None | UnsetType if partial else str | None
    more = {"default": UNSET} if partial else {}
    fields: list[Any] = [
        (f"m{number}", kind, msgspec.field(name=orjson.loads(member.literal), **more))
        for number, member in enumerate(members)
    ]
    return msgspec.defstruct("Row", fields, forbid_unknown_fields=True, gc=False, kw_only=True)


Pieces: TypeAlias = tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes, bool]
"""The bytes cut out of a message; the rest of the message equals the expected text.

One is made for each message, so it is a plain tuple, which is several times faster to create than a named one.
"""

# The indexes of `Pieces`.
_CODES: Final = 0  # the type codes of the columns
_ID: Final = 1  # a number that is only checked for its form
_WALL: Final = 2  # another one
_TIME: Final = 3  # the time of the change
_MS: Final = 4  # the milliseconds that must agree with the time
_ROWS: Final = 5  # the objects of the rows; of a delete the deleted ones
_OLDS: Final = 6  # the objects of the rows before an update, else empty
_IS_SEVERAL: Final = 7  # whether there are several rows

SEVERAL = b'},{"'
"""Separates two objects; it never occurs inside a string."""


class _NotOrdinary(Exception):
    """At least one of the messages is not ordinary."""


_UNREADABLE = (_NotOrdinary, msgspec.MsgspecError, UnicodeDecodeError, orjson.JSONDecodeError)


def _escaped(text: bytes) -> bytes:
    """A JSON text with `<`, `>` and `&` escaped, as Go writes them.

    They occur only inside strings.
    """
    for plain, escape in ((b"<", b"\\u003c"), (b">", b"\\u003e"), (b"&", b"\\u0026")):
        text = text.replace(plain, escape)
    return text


class Shape:
    """Reads the messages of one table and operation.

    `cut` returns the pieces of a message, None for a message of another form. With `is_partial` an update holds the old
    values of changed columns only. With `has_ms` the time is a TSO, and the pieces have its milliseconds too.
    """

    def __init__(
        self,
        plan: Plan,
        readers: Readers,
        op: str,
        cut: Callable[[bytes], Pieces | None],
        *,
        is_partial: bool,
        has_ms: bool = False,
    ) -> None:
        self.plan, self._op, self._partial, self._has_ms = plan, op, is_partial, has_ms
        self.cut, self._readers, members = cut, readers, readers.members
        self._decode_rows = msgspec.json.Decoder(row_struct(members)).decode_lines
        self._decode_olds = msgspec.json.Decoder(row_struct(members, partial=is_partial)).decode_lines
        self._encode = msgspec.json.Encoder().encode_lines
        self._checks = lru_cache(maxsize=_MOST_TYPES)(self._checks_of)

    def read(self, messages: Sequence[Pieces], positions: Sequence[int]) -> tuple[list[TypedChanges], list[int]]:
        """The changes of ordinary messages, and the positions of the messages that a slower path must read."""
        left: list[int] = []
        found: list[TypedChanges] = []
        several = [pieces[_IS_SEVERAL] for pieces in messages]
        if True in several:
            more = list(compress(positions, several)), list(compress(messages, several))
            self._read_together(self._of_several, *more, found, left)
            one = [not is_several for is_several in several]
            positions, messages = list(compress(positions, one)), list(compress(messages, one))
        if messages:
            self._read_together(self._of_one, positions, messages, found, left)
        return found, left

    def _read_together(
        self,
        read: Callable[[Sequence[int], Sequence[Pieces], list[int]], list[TypedChanges]],
        positions: Sequence[int],
        messages: Sequence[Pieces],
        found: list[TypedChanges],
        left: list[int],
    ) -> None:
        """Append the changes of ordinary messages to `found`, other positions to `left`."""
        try:
            found += read(positions, messages, left)
        except _UNREADABLE:
            sound = [self._is_sound(message) for message in messages]
            if len(messages) == 1 or all(sound):
                left += positions
                return
            left += [position for position, is_sound in zip(positions, sound, strict=True) if not is_sound]
            if any(sound):
                rest = list(compress(positions, sound)), list(compress(messages, sound))
                self._read_together(read, *rest, found, left)

    def _is_sound(self, message: Pieces) -> bool:
        """Whether the numbers and rows of a message can be read."""
        try:
            times = [message[_TIME], message[_MS]] if self._has_ms else [message[_TIME]]
            _numbers([times], [message[_ID], message[_WALL]])
            rows, olds = _objects(message[_ROWS]), _objects(message[_OLDS])
            if self._op == "update" and len(rows) != len(olds):
                return False
            are_rows = len(self._decode_rows(b"\n".join(rows))) == len(rows)
            return are_rows and (self._op != "update" or len(self._decode_olds(b"\n".join(olds))) == len(olds))
        except _UNREADABLE:
            return False

    def _times(self, messages: Sequence[Pieces], unsure: set[int]) -> list[int]:
        """The times of messages.

        Adds to `unsure` the numbers of messages whose milliseconds contradict theirs.
        """
        _, ids, walls, stamps, stamp_ms, *_ = zip(*messages, strict=True)
        times, *ms = _numbers([stamps, stamp_ms] if self._has_ms else [stamps], [*ids, *walls])
        if self._has_ms and [*map(rshift, times, repeat(LOGICAL_BITS))] != ms[0]:
            unsure.update(n for n, (a, b) in enumerate(zip(times, ms[0], strict=True)) if a >> LOGICAL_BITS != b)
        return times

    def _of_one(self, positions: Sequence[int], messages: Sequence[Pieces], left: list[int]) -> list[TypedChanges]:
        """The changes of messages with one row each.

        Adds the positions of messages with unsure values to `left`. Raises one of `_UNREADABLE` if a message is not
        ordinary.
        """
        unsure: set[int] = set()
        times = self._times(messages, unsure)
        rows = list(map(astuple, self._rows(self._decode_rows, [one[_ROWS] for one in messages], unsure)))
        unsure.update(self._other_codes([one[_CODES] for one in messages], rows))
        new, before = _read(self._readers.of_any, rows, unsure), None
        if self._op == "update":
            olds = self._rows(self._decode_olds, [one[_OLDS] for one in messages], unsure)
            before = _read(self._readers.of_any, map(astuple, olds), unsure)
        cells = TypedChanges(self.plan, self._op, positions, times, *self._images(before, new, unsure))
        if unsure:
            left += [positions[n] for n in sorted(unsure)]
            cells = cells.only([n not in unsure for n in range(len(positions))])
        return [cells] if cells.positions else []

    def _of_several(self, positions: Sequence[int], messages: Sequence[Pieces], left: list[int]) -> list[TypedChanges]:
        """Like `_of_one`, for messages with several rows each, whose type codes describe the last row."""
        unsure: set[int] = set()
        times = self._times(messages, set())  # no dialect has both several rows and milliseconds that could contradict
        rows, olds = [_objects(one[_ROWS]) for one in messages], [_objects(one[_OLDS]) for one in messages]
        message_of = [n for n, objects in enumerate(rows) for _ in objects]
        steps = [step for objects in rows for step in range(len(objects))]
        if self._op == "update" and [*map(len, rows)] != [*map(len, olds)]:
            raise _NotOrdinary
        new = [*map(astuple, self._rows(self._decode_rows, [*chain.from_iterable(rows)], unsure))]
        before = None
        if self._op == "update":
            old_rows = [*map(astuple, self._rows(self._decode_olds, [*chain.from_iterable(olds)], unsure))]
            before = _read(self._readers.of_any, _newly_changed(old_rows, new, steps, unsure), unsure)
        lasts = [n for n, step in enumerate([*steps[1:], 0]) if not step]
        unsure.update(lasts[n] for n in self._other_codes([one[_CODES] for one in messages], [new[n] for n in lasts]))
        images = self._images(before, _read(self._readers.of_any, new, unsure), unsure)
        cells = TypedChanges(
            self.plan, self._op, [positions[n] for n in message_of], [times[n] for n in message_of], *images, steps
        )
        if odd := {message_of[n] for n in unsure}:
            left += [positions[n] for n in sorted(odd)]
            cells = cells.only([n not in odd for n in message_of])
        return [cells] if cells.positions else []

    def _images(
        self, before: list[Column] | None, new: list[Column], unsure: set[int]
    ) -> tuple[Sequence[Column] | None, Sequence[Column] | None]:
        """The images before and after; adds to `unsure` the numbers of rows whose key changes."""
        if before is not None and self._partial:
            before = [_filled(a, b, unsure) for a, b in zip(before, new, strict=True)]
        if before is not None:
            for key in self.plan.key:
                if before[key] != new[key]:
                    unsure.update(n for n, (a, b) in enumerate(zip(before[key], new[key], strict=True)) if a != b)
        return (new, None) if self._op == "delete" else (before, new)

    def _rows(
        self, decode: Callable[[bytes], Sequence[Any]], objects: Sequence[bytes], unsure: set[int]
    ) -> Sequence[Any]:
        """The decoded objects.

        Adds to `unsure` the numbers of those that their struct encodes differently.
        """
        text = b"\n".join(objects)  # JSON strings hold no line feed
        rows = decode(text)
        if len(rows) != len(objects):
            raise _NotOrdinary
        written = self._encode(rows)
        if len(written) != len(text) + 1 or not written.startswith(text):
            lines = zip(objects, written.split(b"\n"), strict=False)
            unsure.update(n for n, (a, b) in enumerate(lines) if a != b and a != _escaped(b))
        return rows

    def _other_codes(self, codes_of: Sequence[bytes], rows: Sequence[tuple[Any, ...]]) -> set[int]:
        """The numbers of rows with a value that does not fit the type code in its message."""
        by_codes: dict[bytes, list[int]] = {}
        for n, codes in enumerate(codes_of):
            by_codes.setdefault(codes, []).append(n)
        found: set[int] = set()
        for codes, numbers in by_codes.items():
            checks = self._checks(codes)
            if checks is None:
                found.update(numbers)
                continue
            for column, check in checks:
                _, bad = check([rows[n][column] for n in numbers])
                found.update(numbers[n] for n in bad)
        return found

    def _checks_of(self, codes: bytes) -> Sequence[tuple[int, Reader]] | None:
        """The readers of columns whose type code decides which values fit, by number.

        None for impossible codes.
        """
        try:
            by_column = orjson.loads(codes)
        except orjson.JSONDecodeError:
            return None
        if not isinstance(by_column, dict) or any(type(code) is not int for code in by_column.values()):
            return None
        pairs = zip(self._readers.members, by_column.values(), strict=False)
        if codes != b"{%b}" % b",".join([f"{one.literal}:{code}".encode() for one, code in pairs]):
            return None
        if len(by_column) != len(self._readers.members):
            return None
        found = [(number, self._readers.of(number, code)) for number, code in enumerate(by_column.values())]
        if any(reader is None for _, reader in found):
            return None
        return [(number, reader) for number, reader in found if reader is not None and self._readers.may_differ(number)]


def _numbers(columns: Sequence[Sequence[bytes]], others: Sequence[bytes]) -> list[list[int]]:
    """Columns of equal length, from texts to numbers.

    Raises `_NotOrdinary` if a text in them or in `others` is not a plain number.
    """
    texts = [*chain.from_iterable(columns), *others]
    if not b"".join(texts).isdigit():
        raise _NotOrdinary
    numbers = orjson.loads(b"[%b]" % b",".join(texts))  # refuses empty texts and leading zeros
    if max(numbers) >= _LIMIT:
        raise _NotOrdinary
    size = len(columns[0])
    return [numbers[n * size : (n + 1) * size] for n in range(len(columns))]


def _objects(text: bytes) -> list[bytes]:
    """The objects of a JSON array; `text` is the array without its brackets."""
    parts = text.split(SEVERAL)
    if len(parts) == 1:
        return parts
    return [parts[0] + b"}", *(b'{"%b}' % part for part in parts[1:-1]), b'{"' + parts[-1]]


def _newly_changed(
    olds: Sequence[tuple[Any, ...]], rows: Sequence[tuple[Any, ...]], steps: Sequence[int], unsure: set[int]
) -> list[tuple[Any, ...]]:
    """The old values of the columns that each row itself changed, `UNSET` for all others.

    A row repeats the old values of the columns that the row before it in its message changed. Adds to `unsure` the
    numbers of rows that fail to repeat one. `steps` are the numbers of rows in their messages.
    """
    changed: list[tuple[Any, ...]] = []
    changed_before: list[int] = []
    for n, (old, new, step) in enumerate(zip(olds, rows, steps, strict=True)):
        changed_before = changed_before if step else []
        if any(old[number] is UNSET for number in changed_before):
            unsure.add(n)
        same = {number for number in changed_before if old[number] == new[number]}
        changed.append(tuple(UNSET if number in same else cell for number, cell in enumerate(old)))
        changed_before = [number for number, cell in enumerate(old) if cell is not UNSET]
    return changed


def _read(readers: Sequence[Reader], rows: Iterable[tuple[Any, ...]], unsure: set[int]) -> list[Column]:
    """The cells of rows, by column.

    Adds to `unsure` the numbers of rows with a value that its reader is unsure of.
    """
    cells = []
    for reader, column in zip(readers, zip(*rows, strict=True), strict=True):
        found, bad = reader(column)
        unsure.update(bad)
        cells.append(found)
    return cells


def _filled(old: Column, new: Column, unsure: set[int]) -> Column:
    """The whole column before updates, from the old values of changed columns and the new ones.

    Adds to `unsure` the numbers of rows whose old value equals the new one.
    """
    if old.count(UNSET) == len(old):
        return new
    filled = list(new)
    for n in [n for n, cell in enumerate(old) if cell is not UNSET]:
        filled[n] = old[n]
        if old[n] == new[n]:
            unsure.add(n)
    return filled

"""From messages of one table to cells: each is decoded into a struct of its columns, and must be what that writes.

A struct knows the members of its message and their order, so that nothing but the values of columns has to be looked
at, a column at a time. What is not quite so is left to a longer way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress, repeat
from operator import attrgetter, rshift
from typing import Any

import msgspec
import orjson
from msgspec import UNSET, UnsetType
from msgspec.structs import astuple

from differential.decode.quick.engine import Plan
from differential.decode.quick.family import Member
from differential.decode.typed.values import Column, Reader, never_null, only_null, reader_of, wide_reader_of
from reference_impl.tso import LOGICAL_BITS

__all__ = ["Cells", "Shape", "one_row", "struct"]

_MOST_TYPES = 256


@dataclass(frozen=True, slots=True)
class Cells:
    """Changes of one table and operation: the cells of their images by field, None for an image that is not there.

    `times` are commit time stamps where the plan has them, else milliseconds.
    """

    plan: Plan
    op: str
    positions: Sequence[int]
    times: Sequence[int]
    before: Sequence[Column] | None
    after: Sequence[Column] | None

    def only(self, keep: Sequence[bool]) -> Cells:
        """Those of the changes that are to be kept."""

        def kept(column: Sequence[Any]) -> list[Any]:
            return list(compress(column, keep))

        before, after = (image and list(map(kept, image)) for image in (self.before, self.after))
        return Cells(self.plan, self.op, kept(self.positions), kept(self.times), before, after)


def struct(name: str, members: Mapping[str, Any]) -> type[msgspec.Struct]:
    """A struct with these members of a JSON object, in this order, and no others."""
    fields: list[Any] = [
        (f"m{place}", kind, msgspec.field(name=member, **({"default": UNSET} if _may_lack(kind) else {})))
        for place, (member, kind) in enumerate(members.items())
    ]
    return msgspec.defstruct(name, fields, forbid_unknown_fields=True, gc=False, kw_only=True)


def _may_lack(kind: Any) -> bool:
    return UnsetType in getattr(kind, "__args__", ())


def one_row(members: Sequence[Member], *, partial: bool = False) -> Any:
    """The type of a list of one row: the columns of a table, each a text or NULL; some of them with `partial`."""
    kind: Any = str | None | UnsetType if partial else str | None
    row: Any = struct("Row", {orjson.loads(member.literal): kind for member in members})
    return tuple[row]


class Shape:
    """The messages of a table and an operation, as `message` has them.

    `values` are the names in the struct of what is looked at: time, `sqlType`, the members that `fixed` has the texts
    of, the milliseconds of a time that is a time stamp of TiDB, the rows of `old` and of `data`.
    """

    def __init__(
        self,
        plan: Plan,
        members: Sequence[Member],
        op: str,
        message: type[msgspec.Struct],
        values: Sequence[str],
        fixed: Sequence[bytes],
        *,
        partial: bool,
    ) -> None:
        self.plan, self._members, self._op, self._partial = plan, members, op, partial
        self._decode, self._encode = msgspec.json.Decoder(message).decode, msgspec.json.Encoder().encode
        self._pick, self._fixed = attrgetter(*values), [msgspec.Raw(text) for text in fixed]
        self._old = [reader_of(member, with_wide=True) for member in members]
        self._by_code = _Readers(members)
        self._readers = lru_cache(maxsize=_MOST_TYPES)(self._readers_of)

    def read(self, values: Sequence[bytes], positions: Sequence[int]) -> tuple[list[Cells], list[int]]:
        """The cells of messages, and the positions of those that are left over."""
        decode, encode, pick = self._decode, self._encode, self._pick
        left: list[int] = []
        by_types: dict[bytes, list[tuple[int, tuple[Any, ...]]]] = {}
        for position, value in zip(positions, values, strict=True):
            try:
                message = decode(value)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                left.append(position)
                continue
            if encode(message) == value:
                told = pick(message)
                of_types = by_types.get(types := bytes(told[1]))
                if of_types is None:
                    of_types = by_types[types] = []
                of_types.append((position, told))
            else:
                left.append(position)
        found: list[Cells] = []
        for types, same in by_types.items():
            places, rows = zip(*same, strict=True)
            readers = self._readers(types)
            if readers is None:
                left += places
            else:
                found += self._cells(readers, places, rows, left)
        return found, left

    def _cells(
        self,
        readers: Sequence[Reader],
        positions: Sequence[int],
        messages: Sequence[tuple[Any, ...]],
        left: list[int],
    ) -> Iterator[Cells]:
        """The cells of messages whose columns have one code each."""
        times, _, *fixed, old, data = zip(*messages, strict=True)
        unsure: set[int] = set()
        for told, text in zip(fixed, self._fixed, strict=False):
            if told.count(text) < len(told):
                unsure.update(n for n, one in enumerate(told) if one != text)
        for ms in fixed[len(self._fixed) :]:
            if [*map(rshift, times, repeat(LOGICAL_BITS))] != [*ms]:
                unsure.update(n for n, (a, b) in enumerate(zip(times, ms, strict=True)) if a >> LOGICAL_BITS != b)
        new = self._read(readers, data, unsure)
        before = self._read(self._old, old, unsure) if self._op == "update" else None
        if before is not None and self._partial:
            before = [_filled(a, b, unsure) for a, b in zip(before, new, strict=True)]
        if before is not None:
            for key in self.plan.key:
                if before[key] != new[key]:
                    unsure.update(n for n, (a, b) in enumerate(zip(before[key], new[key], strict=True)) if a != b)
        images = (new, None) if self._op == "delete" else (before, new)
        cells = Cells(self.plan, self._op, positions, times, *images)
        if unsure:
            left += [positions[n] for n in sorted(unsure)]
            cells = cells.only([n not in unsure for n in range(len(positions))])
        if cells.positions:
            yield cells

    @staticmethod
    def _read(readers: Sequence[Reader], rows: Sequence[Any], unsure: set[int]) -> list[Column]:
        """The cells of the only rows of messages."""
        cells = []
        for reader, column in zip(readers, zip(*[astuple(row) for (row,) in rows], strict=True), strict=True):
            found, bad = reader(column)
            unsure.update(bad)
            cells.append(found)
        return cells

    def _readers_of(self, types: bytes) -> Sequence[Reader] | None:
        """How columns are read that have these codes; None where they have no such codes."""
        try:
            codes = orjson.loads(types)
        except orjson.JSONDecodeError:
            return None
        if not isinstance(codes, dict):
            return None
        pairs = zip(self._members, codes.values(), strict=False)
        if types != b"{%b}" % b",".join([f"{one.literal}:{code}".encode() for one, code in pairs]):
            return None
        if len(codes) != len(self._members):
            return None
        found = [self._by_code.of(place, code) for place, code in enumerate(codes.values())]
        return None if None in found else [one for one in found if one is not None]


class _Readers:
    """The readers of the columns of a table, by the code that a message tells of the column."""

    def __init__(self, members: Sequence[Member]) -> None:
        self._members = members
        self._plain = [reader_of(member) for member in members]

    def of(self, place: int, code: object) -> Reader | None:
        member, plain = self._members[place], self._plain[place]
        if member.wide and code == member.wide_code:
            return wide_reader_of(member)
        if member.null_code is not None and code == member.null_code:
            return only_null
        if code != member.code:
            return None
        return plain if member.null_code is None else never_null(plain)


def _filled(old: Column, new: Column, unsure: set[int]) -> Column:
    """A column before an update that tells only what has changed; what it tells must have changed."""
    if old.count(UNSET) == len(old):
        return new
    filled = list(new)
    for place in [place for place, cell in enumerate(old) if cell is not UNSET]:
        filled[place] = old[place]
        if old[place] == new[place]:
            unsure.add(place)
    return filled

"""Cuts the rows out of Canal's flat messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from differential.decode.quick.canal import members_of
from differential.decode.quick.family import OPS, plan_of
from differential.decode.typed.shape import SEVERAL, Pieces, Shape
from differential.decode.typed.values import Readers
from differential.sides import Side
from reference_impl.model import Table
from reference_impl.upstream.canal.json_text import literal
from reference_impl.upstream.canal.options import Options

__all__ = ["shapes"]

_DATA, _TYPES, _TABLE = b'{"data":[', b'"sqlType":', b',"table":'
_MOST_TYPES = 256  # texts of type codes in the cache
_LOOKS = 8  # brackets that are tried as the end of the rows of a message
_MS, _ZEROS = 13, 3  # digits of an ordinary time in milliseconds; how many of them are zeros
_SECONDS = b'000,"gtid":"","id":'


def shapes(side: Side, table: Table, options: Options) -> Iterator[tuple[object, Shape]]:
    """The shapes of a table, with the heads of the fast path. Raises `Rejected` as that does."""
    members = members_of(side, table, options)
    plan = plan_of(table, members, has_commit_ts=False)
    if plan is None or options.gtid:
        return
    keys = [literal(column.name) for column in table.columns if column.name in table.primary_key]
    names = "[" + ",".join(keys) + "]" if keys else "null"
    shown = "{" + ",".join(f"{member.literal}:{member.shown}" for member in members) + "}"
    named_table = f'"table":{literal(table.name)}'
    readers = Readers(members)
    for op, name in OPS.items():
        cut = _cutter(
            f'],"database":{literal(table.schema)},"es":'.encode(),
            f',"isDdl":false,"mysqlType":{shown},"old":'.encode(),
            f',"pkNames":{names},"sql":"",'.encode(),
            f',{named_table},"ts":'.encode(),
            f',"type":"{name}"}}'.encode(),
            updates=op == "update",
        )
        head = named_table.encode(), f'"type":"{name}"}}'.encode()
        yield head, Shape(plan, readers, op, cut, is_partial=True)


def _cutter(
    named: bytes, shown: bytes, keys: bytes, table: bytes, end: bytes, *, updates: bool
) -> Callable[[bytes], Pieces | None]:
    """A function that cuts the pieces out of a message that has these texts between them."""
    opening, behind_number = _SECONDS, len(end) + _MS
    texts: dict[bytes, bytes] = {}
    ordinary, behind = b"", b""

    def of_types(types: bytes) -> bytes:
        """The text with the codes of the columns, from the row before up to the last time."""
        found = texts.get(types)
        if found is None:
            found = b"%b%b%b%b" % (keys, _TYPES, types, table)
            if len(texts) < _MOST_TYPES:
                texts[types] = found
        return found

    def cut(value: bytes) -> Pieces | None:
        nonlocal ordinary, behind
        stop = value.find(b"]")
        for _ in range(_LOOKS):  # searching for one letter is ten times faster, unless a row has many arrays
            if stop < 0 or value.startswith(named, stop):
                break
            stop = value.find(b"]", stop + 1)
        else:
            stop = value.find(named, stop) if stop >= 0 else stop
        es = stop + len(named)
        id_at = es + _MS - _ZEROS + len(opening)
        id_end = value.find(b",", id_at)
        ts = len(value) - behind_number
        if not behind or not value.startswith(behind, ts - len(behind)):
            at = value.rfind(_TABLE, 0, ts)
            ordinary = value[value.rfind(_TYPES, 0, at) + len(_TYPES) : at]
            behind = of_types(ordinary)
        data, seconds, id_ = value[len(_DATA) : stop], value[es : es + _MS - _ZEROS], value[id_at:id_end]
        old, wall = value[id_end + len(shown) : ts - len(behind)], value[ts : ts + _MS]
        # The pieces put together again must equal the message; if not, the cut is wrong.
        if b"".join((_DATA, data, named, seconds, opening, id_, shown, old, behind, wall, end)) != value:
            return None
        time, several = seconds + b"000", SEVERAL in data
        if not updates:
            return (ordinary, id_, wall, time, b"", data, b"", several) if old == b"null" else None
        if old[:1] != b"[" or old[-1:] != b"]":
            return None
        return ordinary, id_, wall, time, b"", data, old[1:-1], several

    return cut

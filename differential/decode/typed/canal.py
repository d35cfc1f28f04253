"""Where the rows stand in Canal's flat messages."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from differential.decode.quick.canal import members_of
from differential.decode.quick.family import OPS, plan_of
from differential.decode.typed.shape import Pieces, Shape
from differential.sides import Side
from reference_impl.model import Table
from reference_impl.upstream.canal.json_text import literal
from reference_impl.upstream.canal.options import Options

__all__ = ["shapes"]

_DATA, _TYPES, _TABLE = b'{"data":[', b'"sqlType":', b',"table":'
_SEVERAL = b'},{"'  # rows in a message
_MS = 13  # digits of the times that are ordinary


def shapes(side: Side, table: Table, options: Options) -> Iterator[tuple[object, Shape]]:
    """The shapes of a table, with their heads as the short way has them. Raises `Rejected` as that does."""
    members = members_of(side, table, options)
    plan = plan_of(table, members, has_commit_ts=False)
    if plan is None or options.gtid:
        return
    keys = [literal(column.name) for column in table.columns if column.name in table.primary_key]
    names = "[" + ",".join(keys) + "]" if keys else "null"
    shown = "{" + ",".join(f"{member.literal}:{member.shown}" for member in members) + "}"
    of = f'"table":{literal(table.name)}'
    for op, name in OPS.items():
        cut = _cutter(
            f'],"database":{literal(table.schema)},"es":'.encode(),
            f',"isDdl":false,"mysqlType":{shown},"old":'.encode(),
            f',"pkNames":{names},"sql":"",'.encode(),
            f',{of},"ts":'.encode(),
            f',"type":"{name}"}}'.encode(),
            updates=op == "update",
        )
        head = of.encode(), f'"type":"{name}"}}'.encode()
        yield head, Shape(plan, members, op, cut, partial=True)


def _cutter(
    named: bytes, shown: bytes, keys: bytes, table: bytes, end: bytes, *, updates: bool
) -> Callable[[bytes], Pieces | None]:
    """Takes the pieces out of a message with these texts between them."""
    seconds = b'000,"gtid":"","id":'  # the last digits of a time, and what is behind it
    ordinary = b"", b""

    def of_types(value: bytes) -> tuple[bytes, bytes]:
        """The codes of the columns in a message, and the text with them from the row before it up to the last time."""
        stop = value.rfind(_TABLE)
        types = value[value.rfind(_TYPES, 0, stop) + len(_TYPES) : stop]
        return types, b"%b%b%b%b" % (keys, _TYPES, types, table)

    def cut(value: bytes) -> Pieces | None:
        nonlocal ordinary
        data = value.find(named)
        es = data + len(named)
        number = es + _MS - 3 + len(seconds)
        begin = value.find(b",", number)
        old = begin + len(shown)
        ts = len(value) - len(end) - _MS
        types, behind = ordinary
        if not behind or not value.startswith(behind, ts - len(behind)):
            types, behind = of_types(value)
            if not value.startswith(behind, ts - len(behind)):
                return None
            ordinary = types, behind
        stop = ts - len(behind)
        if not (
            data > 0
            and value.startswith(_DATA)
            and value.startswith(seconds, es + _MS - 3)
            and value.startswith(shown, begin)
            and value.endswith(end)
        ):
            return None
        row = value[old:stop]
        if value.find(_SEVERAL, 0, data) > 0:
            return None
        if (row[:1] != b"[" or row[-1:] != b"]") if updates else row != b"null":
            return None
        return Pieces(
            types,
            value[number:begin],
            value[ts : ts + _MS],
            value[es : es + _MS],
            b"",
            value[len(_DATA) : data],
            row[1:-1] if updates else b"",
        )

    return cut

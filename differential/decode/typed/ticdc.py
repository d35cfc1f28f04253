"""Cuts the rows out of messages of TiCDC's Canal-JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from differential.decode.quick.family import OPS, plan_of
from differential.decode.quick.ticdc import members_of
from differential.decode.typed.shape import Pieces, Shape
from differential.decode.typed.values import Readers
from differential.sides import Side
from reference_impl.canal_json.json_text import literal
from reference_impl.canal_json.options import Options
from reference_impl.canal_json.style import Style, style_of
from reference_impl.model import Table

__all__ = ["shapes"]

_ID, _ES, _TS = b'{"id":', b',"es":', b',"ts":'
_MS, _TSO = 13, 18  # digits of an ordinary time in milliseconds, and of an ordinary TSO
_TYPES, _SHOWN = b',"sql":"","sqlType":', b',"mysqlType":'


def shapes(side: Side, table: Table, options: Options) -> Iterator[tuple[object, Shape]]:
    """The shapes of a table, with the heads of the fast path. Raises `Rejected` as that does."""
    style = style_of(side.profile)
    members = members_of(side, table, options)
    plan = plan_of(table, members, has_commit_ts=options.enable_tidb_extension)
    if plan is None or style.old_on_delete:
        return
    keys = ",".join(literal(column.name) for column in table.columns if column.name in table.primary_key)
    names = f',"database":{literal(table.schema)},"table":{literal(table.name)},"pkNames":[{keys}],"isDdl":false,'
    shown = "{" + ",".join(f"{member.literal}:{member.shown}" for member in members) + "}"
    readers = Readers(members)
    for op, name in OPS.items():
        head = f'{names}"type":"{name}"'.encode()
        cut = _cutter(head, shown.encode(), style, updates=op == "update", stamped=options.enable_tidb_extension)
        yield (
            head,
            Shape(plan, readers, op, cut, is_partial=options.changed_only, has_ms=options.enable_tidb_extension),
        )


def _cutter(
    head: bytes, shown: bytes, style: Style, *, updates: bool, stamped: bool
) -> Callable[[bytes], Pieces | None]:
    """A function that cuts the pieces out of a message with a head.

    With `stamped` the message has a TSO.
    """
    if style.data_first:
        first, between, last = b'"data":[', b'],"old":[', b"]" if updates else b'],"old":null'
    else:
        first, between, last = b'"old":[' if updates else b'"old":null,"data":[', b'],"data":[', b"]"
    end, close = last + (b',"_tidb":{"commitTs":' if stamped else b""), b"}}" if stamped else b"}"
    opening = head + _ES
    behind = len(end) + len(close) + (_TSO if stamped else 0)
    texts: dict[bytes, bytes] = {}
    ordinary, middle = b"", b""

    def of_types(types: bytes) -> bytes:
        """The text with the codes of the columns, from the time up to the first row."""
        found = texts.get(types)
        if found is None:
            found = b"%b%b%b%b,%b" % (_TYPES, types, _SHOWN, shown, first)
            if len(texts) < _MOST_TYPES:
                texts[types] = found
        return found

    def cut(value: bytes) -> Pieces | None:
        nonlocal ordinary, middle
        begin = value.find(b",")
        es = begin + len(opening)
        text = es + _TIMES
        number, ms, ts = value[_NUMBER:begin], value[es : es + _MS], value[es + _MS + len(_TS) : text]
        if not middle or not value.startswith(middle, text):
            ordinary = value[text + len(_TYPES) : value.find(_SHOWN, text)]
            middle = of_types(ordinary)
        rows, time = value[text + len(middle) : -behind], value[-_TSO - 2 : -2] if stamped else b""
        # The pieces put together again must equal the message; if not, the cut is wrong.
        if b"".join((_ID, number, opening, ms, _TS, ts, middle, rows, end, time, close)) != value:
            return None
        time = time or ms
        if not updates:
            return ordinary, number, ts, time, ms, rows, b"", False
        one, found, other = rows.partition(between)
        if not found:
            return None
        data, old = (one, other) if style.data_first else (other, one)
        return ordinary, number, ts, time, ms, data, old, False

    return cut


_MOST_TYPES = 256  # texts of type codes in the cache
_NUMBER = len(_ID)
_TIMES = 2 * _MS + len(_TS)

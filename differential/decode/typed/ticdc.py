"""Where the rows stand in the messages of TiCDC's Canal-JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from differential.decode.quick.family import OPS, plan_of
from differential.decode.quick.ticdc import members_of
from differential.decode.typed.shape import Pieces, Shape
from differential.sides import Side
from reference_impl.canal_json.json_text import literal
from reference_impl.canal_json.options import Options
from reference_impl.canal_json.style import Style, style_of
from reference_impl.model import Table

__all__ = ["shapes"]

_ID, _ES, _TS = b'{"id":', b',"es":', b',"ts":'
_MS, _TSO = 13, 18  # digits of the times that are ordinary
_TYPES, _SHOWN = b',"sql":"","sqlType":', b',"mysqlType":'


def shapes(side: Side, table: Table, options: Options) -> Iterator[tuple[object, Shape]]:
    """The shapes of a table, with their heads as the short way has them. Raises `Rejected` as that does."""
    style = style_of(side.profile)
    members = members_of(side, table, options)
    plan = plan_of(table, members, has_commit_ts=options.enable_tidb_extension)
    if plan is None or style.old_on_delete:
        return
    keys = ",".join(literal(column.name) for column in table.columns if column.name in table.primary_key)
    names = f',"database":{literal(table.schema)},"table":{literal(table.name)},"pkNames":[{keys}],"isDdl":false,'
    shown = "{" + ",".join(f"{member.literal}:{member.shown}" for member in members) + "}"
    for op, name in OPS.items():
        head = f'{names}"type":"{name}"'.encode()
        cut = _cutter(head, shown.encode(), style, updates=op == "update", stamped=options.enable_tidb_extension)
        yield (
            head,
            Shape(plan, members, op, cut, partial=options.changed_only, has_ms=options.enable_tidb_extension),
        )


def _cutter(
    head: bytes, shown: bytes, style: Style, *, updates: bool, stamped: bool
) -> Callable[[bytes], Pieces | None]:
    """Takes the pieces out of a message with a head; with `stamped` it has a time stamp of TiDB."""
    first, between, last = (
        (b'"data":[', b'],"old":[', b"]")
        if style.data_first
        else (b'"old":[', b'],"data":[', b"]")
        if updates
        else (b'"data":[', b"", b'],"old":null')
        if style.data_first
        else (b'"old":null,"data":[', b"", b"]")
    )
    end = last + (b',"_tidb":{"commitTs":' if stamped else b"}")
    size, behind = len(head), len(end) + (_TSO + 2 if stamped else 0)
    around: dict[bytes, bytes] = {}
    ordinary = b"", b""

    def of_types(value: bytes, at: int) -> tuple[bytes, bytes]:
        """The codes of the columns in a message, and the text with them from the time up to the first row."""
        types = value[at + len(_TYPES) : value.find(_SHOWN, at)]
        found = around.get(types)
        if found is None:
            found = b"%b%b%b%b,%b" % (_TYPES, types, _SHOWN, shown, first)
            if len(around) < _MOST_TYPES:
                around[types] = found
        return types, found

    def cut(value: bytes) -> Pieces | None:
        nonlocal ordinary
        begin = value.find(b",")
        es = begin + size + len(_ES)
        ts = es + _MS + len(_TS)
        text = ts + _MS
        types, middle = ordinary
        if not middle or not value.startswith(middle, text):
            types, middle = of_types(value, text)
            if not value.startswith(middle, text):
                return None
            ordinary = types, middle
        stop = len(value) - behind
        if not (
            value.startswith(_ID)
            and value.startswith(head, begin)
            and value.startswith(_ES, es - len(_ES))
            and value.startswith(_TS, es + _MS)
            and value.startswith(end, stop)
            and (not stamped or value.endswith(b"}}"))
        ):
            return None
        data, old = value[text + len(middle) : stop], b""
        if updates:
            one, found, other = data.partition(between)
            if not found:
                return None
            data, old = (one, other) if style.data_first else (other, one)
        ms = value[es : es + _MS]
        return Pieces(
            types, value[len(_ID) : begin], value[ts:text], value[-_TSO - 2 : -2] if stamped else ms, ms, data, old
        )

    return cut


_MOST_TYPES = 256

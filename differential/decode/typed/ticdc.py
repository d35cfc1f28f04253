"""Structs of the row messages of TiCDC's Canal-JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import msgspec

from differential.decode.quick.family import OPS, plan_of
from differential.decode.quick.ticdc import members_of
from differential.decode.typed.shape import Shape, one_row, struct
from differential.sides import Side
from reference_impl.canal_json.json_text import literal
from reference_impl.canal_json.options import Options
from reference_impl.canal_json.style import style_of
from reference_impl.model import Table

__all__ = ["shapes"]

_NUMBER = Annotated[int, msgspec.Meta(ge=0, lt=10**18)]
_TSO = Annotated[int, msgspec.Meta(ge=1, le=2**63 - 1)]


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
    rows, olds = one_row(members), one_row(members, partial=options.changed_only)
    tidb = {"_tidb": struct("TiDB", {"commitTs": _TSO})} if options.enable_tidb_extension else {}
    for op, name in OPS.items():
        old: Any = olds if op == "update" else None
        images: dict[str, Any] = {"data": rows, "old": old} if style.data_first else {"old": old, "data": rows}
        kinds: dict[str, Any] = {
            "id": _NUMBER,
            "database": Literal[table.schema],
            "table": Literal[table.name],
            "pkNames": msgspec.Raw,
            "isDdl": msgspec.Raw,
            "type": Literal[name],
            "es": _NUMBER,
            "ts": _NUMBER,
            "sql": Literal[""],
            "sqlType": msgspec.Raw,
            "mysqlType": msgspec.Raw,
            **images,
            **tidb,
        }
        places = {member: f"m{place}" for place, member in enumerate(kinds)}
        time, ms = (f"{places['_tidb']}.m0", [places["es"]]) if tidb else (places["es"], [])
        fixed = {"isDdl": b"false", "mysqlType": shown.encode(), "pkNames": f"[{keys}]".encode()}
        images_at = [places["old"], places["data"]]
        looked_at = [time, places["sqlType"], *(places[one] for one in fixed), *ms, *images_at]
        head = f'{names}"type":"{name}"'.encode()
        message = struct("Message", kinds)
        yield head, Shape(plan, members, op, message, looked_at, [*fixed.values()], partial=options.changed_only)

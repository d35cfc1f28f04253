"""Structs of the row messages of Canal's flat message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec

from differential.decode.quick.canal import members_of
from differential.decode.quick.family import OPS, plan_of
from differential.decode.typed.shape import Shape, one_row, struct
from differential.sides import Side
from reference_impl.model import Table
from reference_impl.upstream.canal.json_text import literal
from reference_impl.upstream.canal.options import Options

__all__ = ["shapes"]

_TYPE = len(b'"type":"INSERT"}')
_NUMBER = Annotated[int, msgspec.Meta(ge=0, lt=10**18)]
_TIME = Annotated[int, msgspec.Meta(ge=0, lt=10**16, multiple_of=1000)]


def shapes(side: Side, table: Table, options: Options) -> Iterator[tuple[object, Shape]]:
    """The shapes of a table, with their heads as the short way has them. Raises `Rejected` as that does."""
    members = members_of(side, table, options)
    plan = plan_of(table, members, has_commit_ts=False)
    if plan is None or options.gtid:
        return
    keys = [literal(column.name) for column in table.columns if column.name in table.primary_key]
    names = "[" + ",".join(keys) + "]" if keys else "null"
    shown = "{" + ",".join(f"{member.literal}:{member.shown}" for member in members) + "}"
    rows, olds = one_row(members), one_row(members, partial=True)
    for op, name in OPS.items():
        kinds = {
            "data": rows,
            "database": Literal[table.schema],
            "es": _TIME,
            "gtid": Literal[""],
            "id": _NUMBER,
            "isDdl": msgspec.Raw,
            "mysqlType": msgspec.Raw,
            "old": olds if op == "update" else None,
            "pkNames": msgspec.Raw,
            "sql": Literal[""],
            "sqlType": msgspec.Raw,
            "table": Literal[table.name],
            "ts": _NUMBER,
            "type": Literal[name],
        }
        places = {member: f"m{place}" for place, member in enumerate(kinds)}
        looked_at = [places[one] for one in ("es", "sqlType", "isDdl", "mysqlType", "pkNames", "old", "data")]
        fixed = [b"false", shown.encode(), names.encode()]
        head = f'"table":{literal(table.name)}'.encode(), f'"type":"{name}"}}'.encode()
        message = struct("Message", kinds)
        yield head, Shape(plan, members, op, message, looked_at, fixed, partial=True)

"""Infers from captured records of an upstream dialect the producer's options, a connector's name, and tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from conformance.cases.upstream.lenient import number_at, payload_of, tree_of
from reference_impl.column_types import Family
from reference_impl.model import Column, Record, RowChange, Table
from reference_impl.protocols import CANAL, CONNECTOR, Rows
from reference_impl.upstream.canal.types import read_mysql_type

__all__ = ["SHOWN", "Shown"]


@dataclass(frozen=True, slots=True)
class Shown:
    """What the records of a dialect show."""

    options: Callable[[Iterable[Record]], tuple[dict[str, str], str]]
    """The options, and the common beginning of topic names, or ""."""
    table: Callable[[RowChange, Record], Table | None]
    """The table of a row; None if its message does not name the types of all columns."""
    is_heartbeat: Callable[[Record], bool] = lambda record: False
    """Whether a message only says that its producer is running."""


# -- Canal -------------------------------------------------------------------------------------------------------------


def _of_canal(records: Iterable[Record]) -> tuple[dict[str, str], str]:
    trees = (tree_of(record.value) for record in records)
    has_gtid = any(isinstance(tree, dict) and tree.get("gtid") for tree in trees)
    return {"gtid": "true"} if has_gtid else {}, ""


def _canal_table(row: RowChange, record: Record) -> Table | None:
    """The table by `mysqlType`, which names the type of every column; None without any, and if one is a geometry."""
    tree = tree_of(record.value)
    types = {name: read_mysql_type(text) for name, text in (tree["mysqlType"] or {}).items()}
    if not types or any(column_type.family is Family.GEOMETRY for column_type in types.values()):
        return None
    columns = tuple(Column(name, column_type) for name, column_type in types.items())
    return Table(row.schema, row.table, columns, tuple(tree["pkNames"] or ()))


# -- Debezium ----------------------------------------------------------------------------------------------------------


def _of_connector(records: Iterable[Record]) -> tuple[dict[str, str], str]:
    names, seen = Counter[str](), Counter[tuple[str, str]]()  # `seen`: options, each with a value
    for record in records:
        if record.key is not None and record.value is None:
            seen["tombstones.on.delete", "true"] += 1
        tree = tree_of(record.value)
        payload = payload_of(tree)
        source = payload.get("source") if isinstance(payload, dict) else None
        if not isinstance(tree, dict) or not isinstance(payload, dict) or not isinstance(source, dict):
            continue
        names[str(source.get("name"))] += 1
        seen["version", str(source.get("version")).removesuffix(".Final")] += 1
        seen["server", str(source.get("connector"))] += 1
        seen["schemas.enable", "true" if "schema" in tree else "false"] += 1
        seen["provide.transaction.metadata", "true" if payload.get("transaction") else "false"] += 1
    # The most frequent value counts: a single wrong record proves nothing.
    hints = {option: value for (option, value), _ in reversed(seen.most_common())}
    return hints, names.most_common(1)[0][0] if names else ""


def _is_heartbeat(record: Record) -> bool:
    """Whether a message has only a time: the topic of heartbeats depends on the connector's options."""
    payload = payload_of(tree_of(record.value))
    return isinstance(payload, dict) and payload.keys() == {"ts_ms"} and number_at(payload, "ts_ms") is not None


SHOWN: Rows[Shown] = Rows(
    {
        CANAL: Shown(_of_canal, _canal_table),
        # A record of the connector shows how values are written, but not the types of the columns.
        CONNECTOR: Shown(_of_connector, lambda row, record: None, _is_heartbeat),
    }
)

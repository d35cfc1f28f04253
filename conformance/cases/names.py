"""Inputs about names: of schemas, tables and columns, and columns with the names of message members."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from conformance.cases.inputs import NOW, Input, column, ddl, history, table, timed
from conformance.cases.sql import identifier
from conformance.catalogue.corpora import load_names
from reference_impl.model import Row

__all__ = ["name_inputs"]


def name_inputs(protocol: str) -> Iterator[Input]:
    """Every name for a schema, a table, a key column and a column; and columns with the names of message members.

    Protocols without known members lack the latter. Its cluster id has characters that the name of a schema cannot
    have.
    """
    names = load_names()
    for label, name in names.names.items():
        columns = (column(name, "int", nullable=False), column(f"{name[:60]} 2", "varchar(10)"))
        table_ = table(name, columns, [name], schema=name)
        row: Row = {columns[0].name: "1", columns[1].name: "x"}
        comment = f"ALTER TABLE {identifier(name)} COMMENT = ''"
        statement = ddl(table_, comment, "modify table comment", 17, table_before=table_, table_after=table_)
        yield Input(
            f"name/{label}",
            (table_,),
            timed([*history(table_, [row, {**row, columns[1].name: None}, None]), statement]),
            styles=("newarch", "classic"),
            axes={"name": label},
        )
    members = names.members.get(protocol)
    if members is None:
        return
    table_ = table("members", [column(n, "varchar(20)", nullable=i > 0) for i, n in enumerate(members)], members[:1])
    row = {n: f"<{n}>" for n in members}
    changed: Row = {**row, members[1]: None, members[-1]: "null"}
    yield Input(
        "name/members of the message",
        (table_,),
        history(table_, [row, changed, None]),
        settings=replace(NOW, cluster_id="my-cluster.1"),
        styles=("newarch", "classic"),
        axes={"name": "members"},
    )

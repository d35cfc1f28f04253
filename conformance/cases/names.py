"""Inputs about names: of schemas, tables and columns, and columns that are called like members of a message."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from conformance.cases.inputs import NOW, Input, column, ddl, history, table, timed
from conformance.cases.sql import identifier
from conformance.catalogue.corpora import load_names
from reference_impl.model import Row

__all__ = ["name_inputs"]


def name_inputs(protocol: str) -> Iterator[Input]:
    """Every name as that of a schema, a table, a key column and a column; and columns named like members,

    where the members of the protocol are known.

    The cluster of the latter has a name that cannot stand in the name of a schema as it is.
    """
    names = load_names()
    for label, name in names.names.items():
        columns = (column(name, "int", nullable=False), column(f"{name[:60]} 2", "varchar(10)"))
        made = table(name, columns, [name], schema=name)
        row: Row = {columns[0].name: "1", columns[1].name: "x"}
        comment = f"ALTER TABLE {identifier(name)} COMMENT = ''"
        statement = ddl(made, comment, "modify table comment", 17, table_before=made, table_after=made)
        yield Input(
            f"name/{label}",
            (made,),
            timed([*history(made, [row, {**row, columns[1].name: None}, None]), statement]),
            styles=("newarch", "classic"),
            axes={"name": label},
        )
    members = names.members.get(protocol)
    if members is None:
        return
    made = table("members", [column(n, "varchar(20)", nullable=i > 0) for i, n in enumerate(members)], members[:1])
    row = {n: f"<{n}>" for n in members}
    changed: Row = {**row, members[1]: None, members[-1]: "null"}
    yield Input(
        "name/members of the message",
        (made,),
        history(made, [row, changed, None]),
        settings=replace(NOW, cluster_id="my-cluster.1"),
        styles=("newarch", "classic"),
        axes={"name": "members"},
    )

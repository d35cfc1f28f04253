"""Inputs about names: of schemas, tables and columns, and columns with the names of message members."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from conformance.cases.inputs import NOW, Input, altered, column, history, table, timed
from conformance.cases.sql import identifier
from conformance.catalogue.corpora import load_names
from reference_impl.model import Row

__all__ = ["name_inputs"]


def name_inputs(protocol: str) -> Iterator[Input]:
    """Every name, for a schema, table, key column and column; and columns named like members of messages.

    The latter exist for protocols with known members, under a cluster id with characters that no schema name has.
    """
    names = load_names()
    for label, name in names.names.items():
        columns = (column(name, "int", nullable=False), column(f"{name[:60]} 2", "varchar(10)"))
        table_ = table(name, columns, [name], schema=name)
        row: Row = {columns[0].name: "1", columns[1].name: "x"}
        comment = f"ALTER TABLE {identifier(name)} COMMENT = ''"
        statement = altered(table_, table_, comment, "modify table comment")
        yield Input(
            f"name/{label}",
            (table_,),
            timed([*history(table_, [row, {**row, columns[1].name: None}, None]), statement]),
            in_both_styles=True,
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
        in_both_styles=True,
        axes={"name": "members"},
    )

"""Differences of DDL statements have the names that the catalogue gives them, and nothing beyond them has."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from conformance.catalogue.corpora import load_statements
from conformance.catalogue.divergences import Divergence, Edit, Met, load_divergences
from differential.sides import Side
from differential.statements.naming import KINDS, SILENT, WORDS
from differential.statements.sql_text import steps
from reference_impl.model import DdlEvent
from tests.unit.differential.ddl_streams import CANAL_JSON, TABLES, Compared, compared, ddl, sent, side
from tests.unit.differential.reproducing import SCHEMA, edited

ENTRIES = {one.id: one for pair in load_divergences().values() for one in pair.divergences if one.met is Met.STATEMENT}
ADD = ddl("ALTER TABLE `t` ADD COLUMN `n` INT", "add column")
# What TiDB makes of the statement of an entry; where no action follows, its text stays as it is.
TICDC: Mapping[str, list[DdlEvent]] = {
    "DV-80": [ADD],
    "DV-81": [ddl("DROP TABLE `shop`.`t`", "drop table"), ddl("DROP TABLE `shop`.`u`", "drop table", "u")],
    "DV-82": [ddl("RENAME TABLE `x` TO `t`", "rename table"), ddl("RENAME TABLE `y` TO `u`", "rename table", "u")],
    "DBZ-607": [ddl("ALTER TABLE `t` ADD COLUMN `d` INT", "add column")],
}
ACTIONS: Mapping[str, str] = {
    "DV-83": "drop primary key", "DV-84": "drop foreign key", "DV-85": "add foreign key",
    "DV-86": "multi-schema change", "DV-87": "create view", "DV-88": "exchange partition", "DV-91": "alter ttl info",
    "DV-114": "remove partitioning", "DV-115": "alter schema charset", "DV-116": "create table",
    "DV-118": "drop check constraint", "DV-119": "set tiflash replica", "DBZ-591": "truncate table",
    "DBZ-592": "drop index", "DBZ-593": "drop index", "DBZ-594": "add index", "DBZ-595": "create view",
    "DBZ-606": "add foreign key",
}  # fmt: skip
# MySQL and MariaDB do not have these.
TIDB_ALONE = {"DV-91", "DV-119"}


def scene(entry: Divergence, near: Edit | None = None) -> Compared:
    """The statement of an entry as both sides tell it."""
    assert entry.reproducer is not None
    events = [ddl(query, ACTIONS.get(entry.id, "add column")) for query in entry.reproducer.statements]
    options = {dialect: {name: v[0] for name, v in named.items()} for dialect, named in entry.when.items()}
    sides = [
        Side(name, dialect, options.get(dialect, {}), tables=TABLES)
        for name, dialect in (("left", entry.upstream), ("right", entry.ticdc))
    ]
    made = [[] if entry.id in TIDB_ALONE else events, TICDC.get(entry.id, events)]
    streams = [edited(sent(of, given), near, of.dialect) for of, given in zip(sides, made, strict=True)]
    return compared(sides, streams)


@pytest.mark.parametrize("id_", ENTRIES)
def test_the_statement_of_an_entry_has_its_name_and_no_other(id_: str) -> None:
    found = scene(ENTRIES[id_])
    assert (found.names, {d.divergence for d in found.differences}) == ({id_}, {id_} if found.differences else set())


@pytest.mark.parametrize("id_", ENTRIES)
def test_what_is_just_beyond_an_entry_has_no_name(id_: str) -> None:
    near = ENTRIES[id_].near_miss
    assert near is not None
    assert None in {d.divergence for d in scene(ENTRIES[id_], near).differences}


def test_every_predicate_of_statements_is_an_entry_s() -> None:
    used = {one.predicate for one in ENTRIES.values()}
    assert used == {*KINDS, *WORDS}
    silent = [one.id for pair in load_divergences().values() for one in pair.divergences if one.predicate == SILENT]
    assert silent == ["DBZ-540a"]


SIDES = {
    "canal": (side("left", "canal"), CANAL_JSON),
    **{
        f"debezium-connector {version}": (
            side("left", "debezium-connector", version=version),
            side("right", "debezium"),
        )
        for version in ("2.4.0", "3.6.1")
    },
}
# TiDB has made other actions of these for long; TiCDC has no message for them.
OF_OLD = (37, 38)


@pytest.mark.parametrize("name", SIDES)
def test_every_action_with_two_kinds_has_a_name(name: str) -> None:
    alone = [KINDS[which].test for which in ("statements of TiDB alone", "TTL")]
    unnamed = []
    for given in load_statements():
        [step] = steps(given.query, SCHEMA, given.table)
        if given.code not in OF_OLD and not any(test(step, given.query) for test in alone):
            event = ddl(given.query.replace("`test`.", ""), table=given.table, code=given.code)
            found = compared(SIDES[name], [sent(of, [event]) for of in SIDES[name]])
            unnamed += [(given.code, given.query, d.kind) for d in found.differences if d.divergence is None]
    assert unnamed == []

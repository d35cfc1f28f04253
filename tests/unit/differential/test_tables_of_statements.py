"""Tables that DDL messages tell are held against those of the other side, and against the versions given."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from differential.model import Class, Difference
from differential.sides import Side
from reference_impl.model import Record, Table
from tests.unit.differential.ddl_streams import TABLE, compared, ddl, left_by, sent, side
from tests.unit.differential.reproducing import SCHEMA

ADD = ddl(f"ALTER TABLE `{SCHEMA}`.`t` ADD COLUMN `n4` INT", "add column", code=5)
COLUMNS = "`id` INT PRIMARY KEY, `c` INT, KEY i (`c`)"
MADE = ddl(f"CREATE TABLE `{SCHEMA}`.`t` ({COLUMNS}) CHARSET=utf8mb4", "create table", code=3)
WITH_CHARSET = replace(TABLE, charset="utf8mb4")
MADE = replace(MADE, table_after=WITH_CHARSET)
GIVEN = (WITH_CHARSET, left_by(ADD.query))
DEBEZIUM, CONNECTOR = side("left", "debezium"), side("right", "debezium-connector")

DEFAULT = '"defaultValueExpression":'
ODD = {
    "type": ('"typeName":"INT"', '"typeName":"BIGINT"', "tableChanges.columns.0.typeName"),
    "code of the type": ('"jdbcType":4', '"jdbcType":5', "tableChanges.columns.0.jdbcType"),
    "length": ('"length":null', '"length":9', "tableChanges.columns.0.length"),
    "position": ('"position":2', '"position":3', "tableChanges.columns.1.position"),
    "optional": ('"optional":false,"auto', '"optional":true,"auto', "tableChanges.columns.0.optional"),
    "charset": ('"defaultCharsetName":[^,]+', '"defaultCharsetName":"latin1"', "tableChanges.defaultCharsetName"),
    "default": (f'{DEFAULT}null', f'{DEFAULT}"7"', "tableChanges.columns.0.defaultValueExpression"),
}  # fmt: skip


def altered(records: Sequence[Record], old: str, new: str) -> list[Record]:
    made = [replace(one, value=re.sub(old.encode(), new.encode(), one.value or b"", count=1)) for one in records]
    assert made != [*records]
    return made


def differences(sides: Sequence[Side], streams: Sequence[Sequence[Record]], given: Sequence[Table]) -> list[Difference]:
    found = compared([replace(of, tables=tuple(given)) for of in sides], streams).differences
    return [d for d in found if d.divergence is None]


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("number", [0, 1], ids=["left", "right"])
def test_sides_that_describe_a_version_differently_differ(name: str, number: int) -> None:
    old, new, path = ODD[name]
    sides = DEBEZIUM, CONNECTOR
    streams = [sent(of, [MADE]) for of in sides]
    assert differences(sides, streams, GIVEN) == []
    streams[number] = altered(streams[number], old, new)
    assert [(d.kind, d.column) for d in differences(sides, streams, GIVEN)] == [(Class.SHAPE, path)]


@pytest.mark.parametrize(("name", "given"), [("default", GIVEN), ("type", [TABLE])], ids=["a default", "a version"])
def test_defaults_of_an_altered_table_and_versions_that_were_not_given_are_not_compared(
    name: str, given: Sequence[Table]
) -> None:
    streams = [sent(of, [ADD]) for of in (DEBEZIUM, CONNECTOR)]
    old, new, _ = ODD[name]
    assert differences((DEBEZIUM, CONNECTOR), [streams[0], altered(streams[1], old, new)], given) == []


def test_sides_of_one_dialect_must_agree_whatever_was_given() -> None:
    sides = replace(CONNECTOR, name="left"), CONNECTOR
    streams = [sent(of, [ADD]) for of in sides]
    assert differences(sides, streams, [TABLE]) == []
    for name in ("type", "default"):
        old, new, _ = ODD[name]
        found = differences(sides, [streams[0], altered(streams[1], old, new)], [TABLE])
        assert [(d.kind, d.column) for d in found] == [(Class.SHAPE, "tableChanges")]

"""What Debezium JSON delivers of a stream, and what a decoder must answer: expectations written by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.cases.model import Case
from conformance.oracle.debezium import ORACLE
from conformance.oracle.debezium.expected_events import OF_SCHEMAS, OF_TABLES, _knows_table
from reference_impl.actions import ACTIONS
from reference_impl.debezium_json.ddl import CHANGE_TYPES
from reference_impl.model import RowChange
from reference_impl.profiles import CLASSIC, DOC, NEWARCH, Profile
from reference_impl.wire import events_from_json
from tests.unit.oracle.debezium_answers import BARE, EXTENDED, NOW, case_of, ddl, row
from tests.unit.oracle.judging import OLD, SMALL, beside_id, carried, mark, options_of

UPDATE = row("update", base=OLD, a="3")
SPREAD = replace(NOW, partitions=3)


def sent(case: Case, profile: Profile = NEWARCH) -> list[tuple[str, int | None]]:
    """What kind of event an encoder sends to which partition."""
    found = ORACLE.deliveries(case, options_of(case), profile)
    return [(type(delivery.event).__name__, delivery.partition) for delivery in found]


def told(kind: str, value: Any, **more: Any) -> Any:
    """What must be answered for a value of a column of that type; `more` are members of the column and of the case."""
    given = {name: more.pop(name) for name in ("nullable", "default") if name in more}
    table = beside_id({"name": "a", "type": kind, "nullable": True, **given})
    [found] = carried(case_of("decode", row("insert", base={"id": "1", "a": value}), table=table, **more))
    return found["after"]["a"]


def test_statements_and_watermarks_are_sent_to_every_partition_and_rows_to_one():
    case = case_of("encode", ddl(after=SMALL), UPDATE, mark(8 << 18), table=SMALL, options=EXTENDED, settings=SPREAD)
    # The state after schema and table name, as upstream's tests have it, modulo 3, is that of `test`.`t`.
    found = sent(case)
    assert [kind for kind, _ in found] == ["DdlEvent"] * 3 + ["RowChange"] + ["Watermark"] * 3
    assert [partition for kind, partition in found if kind != "RowChange"] == [0, 1, 2] * 2


@pytest.mark.parametrize(
    ("profile", "options", "kinds"),
    [
        (NEWARCH, EXTENDED, ["DdlEvent", "RowChange", "Watermark"]),
        (DOC, EXTENDED, ["DdlEvent", "RowChange", "Watermark"]),
        (NEWARCH, {}, ["DdlEvent", "RowChange"]),
        (CLASSIC, EXTENDED, ["RowChange"]),
    ],
)
def test_the_classic_writer_sends_rows_alone_and_watermarks_need_the_extension(
    profile: Profile, options: dict[str, str], kinds: list[str]
):
    case = case_of("encode", ddl(after=SMALL), UPDATE, mark(8 << 18), table=SMALL, options=options)
    assert [kind for kind, _ in sent(case, profile)] == kinds


def test_a_statement_without_a_message_is_not_sent():
    view = ddl(after=None, query="DROP VIEW `v`", action="drop view", action_code=24)
    sequence = ddl(after=None, query="DROP SEQUENCE `s`", action="drop sequence", action_code=36)
    assert [len(sent(case_of("encode", event, table=SMALL))) for event in (view, sequence)] == [1, 0]


def test_a_statement_is_told_by_its_text_and_its_table():
    [found] = carried(case_of("decode", ddl(after=SMALL), table=SMALL))
    told = {name: part for name, part in found.items() if name not in ("action", "action_code")}
    assert told == {"kind": "ddl", "schema": "test", "table": "t", "commit_ts": str(7 << 18), "query": ddl()["query"]}


def test_of_an_action_the_type_of_the_change_is_told():
    [found] = carried(case_of("decode", ddl(after=SMALL), table=SMALL))
    assert {5, 6, 12} < found["action_code"].value
    assert {3, 4}.isdisjoint(found["action_code"].value)
    assert "modify column" in found["action"].value


@pytest.mark.parametrize(
    ("code", "action", "table"), [(11, "truncate table", "t"), (1, "create schema", ""), (2, "drop schema", "")]
)
def test_without_a_table_change_a_message_shows_no_other_action(code: int, action: str, table: str):
    event = ddl(after=SMALL if table else None, table=table, query="…", action=action, action_code=code)
    [found] = carried(case_of("decode", event, table=SMALL))
    assert (found["action_code"].value, found["action"].value) == ({code}, {action})


@pytest.mark.parametrize(
    ("kind", "value", "column", "expected"),
    [
        ("int", None, {"default": "5"}, "5"),
        ("int", None, {}, None),
        ("date", "0000-00-00", {"nullable": False}, "1970-01-01"),
        ("set('a','b')", {"mask": "3"}, {}, "a,b"),
        ("timestamp", "0000-00-00 00:00:00", {}, frozenset({"0000-00-00 00:00:00", "1970-01-01 00:00:00"})),
        ("varchar(9)", {"base64": "Yf9i"}, {}, "a\ufffdb"),
        # what recorded producers write by a defect, no reader can undo
        ("bigint unsigned", None, {"default": "9223372036854775808"}, frozenset({"9223372036854775808", "0"})),
    ],
)
def test_a_value_comes_as_what_the_format_keeps_of_it(kind: str, value: Any, column: dict[str, Any], expected: Any):
    """The table of all types is that of `known_value`."""
    assert told(kind, value, **column) == expected


def test_nothing_but_a_type_tells_that_a_large_integer_has_no_sign():
    large = "18446744073709551615"
    assert told("bigint unsigned", large, options=EXTENDED, send_tables=False) == large
    assert told("bigint unsigned", large, send_tables=False) == frozenset({large, "-1"})
    assert told("bigint unsigned", large, options=BARE, send_tables=False) == frozenset({large, "-1"})
    assert told("bigint unsigned", None, options=BARE, send_tables=False, default=large) == frozenset(
        {large, "-1", "0"}
    )


def test_without_the_tables_trailing_zeros_of_a_decimal_are_free():
    assert told("decimal(5,2)", "1.50", options=EXTENDED, send_tables=False) == frozenset({"1.50"})


def test_the_statements_that_have_a_message_are_those_with_a_type_of_change():
    assert set(CHANGE_TYPES) == OF_SCHEMAS | OF_TABLES
    assert {ACTIONS[code] for code in OF_SCHEMAS} == {
        "create schema",
        "drop schema",
        "modify schema charset and collate",
    }
    assert not OF_SCHEMAS & OF_TABLES


def test_a_watermark_comes_with_its_time_stamp():
    assert carried(case_of("decode", mark(9), table=SMALL, options=EXTENDED)) == [
        {"kind": "watermark", "commit_ts": "9"}
    ]


@pytest.mark.parametrize(
    ("table", "schema", "ts", "is_known"),
    [
        ("t", "test", 5, False),
        ("t", "test", 9, False),
        ("t", "test", 10, True),
        ("", "test", 5, False),
        ("o", "test", 5, True),
        ("t", "other", 5, True),
    ],
)
def test_a_table_is_known_until_a_statement_about_it(table: str, schema: str, ts: int, is_known: bool) -> None:
    case = case_of("encode", row("insert", base=OLD, ts=9), table=SMALL)
    statement = events_from_json([ddl(ts, after=None, table=table, schema=schema)], case.tables)
    [change] = case.events
    assert isinstance(change, RowChange)
    told_of = replace(case, events=(*statement, change))
    assert _knows_table(change, told_of) is is_known
    assert not _knows_table(change, replace(told_of, send_tables=False))

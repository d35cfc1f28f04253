"""Each thing that an encoder or a decoder can do wrong is held against the requirement that speaks of it, alone."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from debezium_answers import at, blamed, drop, last, put, twice, with_message
from debezium_cases import (
    ADD_INDEX,
    AFTER,
    BEFORE,
    BEGUN,
    CHANGE,
    CREATE,
    DDL,
    DELETE,
    DROP,
    DROP_INDEX,
    FIELDS,
    HIDDEN,
    INSERT,
    KEYED,
    LZ4,
    MARK,
    NULLS,
    PLAIN,
    RENAME,
    SCHEMALESS,
    SOURCE,
    TABLE_AFTER,
    UPDATE,
    ZERO,
)

from conformance.cases.model import Case
from tests.unit.oracle.judging import Change, answer_of, judged


def both(*changes: Change) -> Change:
    """One after the other."""

    def change(tree: Any) -> None:
        for each in changes:
            each(tree)

    return change


def described(column: str, member: str, value: Any) -> Change:
    """A member of the description of a column, in both images and, of a column of the key, there too."""

    def change(tree: Any) -> None:
        for image in ("before", "after"):
            at(tree, f"{FIELDS}.{image}.fields.{column}")[member] = value

    return change


def undescribed(column: str, member: str) -> Change:
    """Without a member of the description of a column, in both images."""
    return both(*(drop(f"{FIELDS}.{image}.fields.{column}.{member}") for image in ("before", "after")))


def exchanged(tree: Any) -> None:
    """Each image in the place of the other."""
    payload = tree["value"]["payload"]
    payload["before"], payload["after"] = payload["after"], payload["before"]


def with_a_column_in_the_key(tree: Any) -> None:
    """A column that is in no key stands in it, described."""
    tree["key"]["payload"]["o"] = None
    tree["key"]["schema"]["fields"].append(at(tree, f"{FIELDS}.after.fields.o"))


MESSAGES: list[tuple[str, Case, Change]] = [
    # the record and its parts
    ("010a", INSERT, put("value", b"{oops")),
    ("010a", INSERT, put("value", b"[]")),
    ("010b 040", INSERT, put("value", None)),
    ("010a", INSERT, put("key", b"[]")),
    ("016", LZ4, put("value", b"garbage")),
    ("040", INSERT, drop("value.payload")),
    ("040a", INSERT, put("value.more", 1)),
    ("040a", INSERT, put("value.payload.more", 1)),
    ("040a", INSERT, put(f"{SOURCE}.more", 1)),
    ("040a", INSERT, put(f"{AFTER}.more", 1)),
    ("040b", INSERT, twice("value", "payload")),
    # payload
    ("041", INSERT, drop(SOURCE)),
    ("041", INSERT, drop(f"{SOURCE}.gtid")),
    ("041a", INSERT, put(f"{SOURCE}.version", "2.5")),
    ("041b", INSERT, put(f"{SOURCE}.connector", "mysql")),
    ("041c", INSERT, put(f"{SOURCE}.name", "other")),
    ("041d", INSERT, put(f"{SOURCE}.ts_ms", 8)),
    ("041e", INSERT, put(f"{SOURCE}.snapshot", False)),
    ("041f", INSERT, put(f"{SOURCE}.db", "TEST")),
    ("041g", INSERT, put(f"{SOURCE}.table", "T")),
    ("041h", INSERT, put(f"{SOURCE}.server_id", 1)),
    ("041o", INSERT, put(f"{SOURCE}.commit_ts", 7)),
    ("041o", INSERT, put(f"{SOURCE}.commit_ts", str(7 << 18))),
    ("041p", INSERT, put(f"{SOURCE}.cluster_id", 1)),
    ("041q", INSERT, put(f"{SOURCE}.sequence", None)),
    ("042", INSERT, put("value.payload.ts_ms", 1)),
    ("042a", INSERT, drop("value.payload.transaction")),
    ("042b", INSERT, put("value.payload.op", "r")),
    ("042c", INSERT, last("value.payload.source")),
    ("043", INSERT, drop(BEFORE)),
    ("043a", DELETE, drop(AFTER)),
    ("043b", UPDATE, drop(BEFORE)),
    ("043c", INSERT, put(AFTER, None)),
    ("043b 043c", UPDATE, exchanged),
    ("043d", DELETE, last(AFTER)),
    ("045a", INSERT, drop(f"{AFTER}.o")),
    ("045", INSERT, put(f"{AFTER}.gen", 9)),
    ("045b", INSERT, last(f"{AFTER}.id")),
    ("013", HIDDEN, put(BEFORE, None)),
    ("014", BEGUN, drop(f"{SOURCE}.start_ts")),
    ("014b", INSERT, put(f"{SOURCE}.start_ts", 5)),
    # keys
    ("030", INSERT, with_a_column_in_the_key),
    ("030a", INSERT, put("key.payload.id", 2)),
    ("030a", INSERT, put("key.payload.id", "1")),
    ("030f", INSERT, put("key.payload", None)),
    ("030f", INSERT, put("key.payload", 5)),
    ("030f", SCHEMALESS, drop("key.payload")),
    ("030c", INSERT, put("key.schema.type", "map")),
    ("030d", INSERT, put("key.schema.optional", True)),
    ("030e", INSERT, put("key.schema.version", 1)),
    ("031", INSERT, put("key.schema.name", "x")),
    ("031a", INSERT, put("key.schema.name", "my-cluster.test.t.Key")),
    ("030a 037", KEYED, put("key.payload.id", 1)),
    ("030a", INSERT, put("key.payload.id", True)),  # to Python, true is 1
    # values
    ("112a", INSERT, put(f"{AFTER}.ti", -4)),
    ("112b", INSERT, put(f"{AFTER}.bo", True)),
    ("114a", INSERT, put(f"{AFTER}.su", -1)),
    ("117a", INSERT, put(f"{AFTER}.iu", -1)),
    ("118a", INSERT, put(f"{AFTER}.b", 9007199254740992)),
    ("119b", INSERT, put(f"{AFTER}.bu", 18446744073709551615)),
    ("120a", INSERT, put(f"{AFTER}.f", 1)),
    ("120b", INSERT, put(f"{AFTER}.f", Decimal("0.10000000149011612"))),
    ("122a", INSERT, put(f"{AFTER}.g", "0.25")),
    ("123a", INSERT, put(f"{AFTER}.m", "1.50")),
    ("100a", INSERT, put(f"{AFTER}.b1", 1)),
    ("101a", INSERT, put(f"{AFTER}.bt", 513)),
    ("101a", INSERT, put(f"{AFTER}.bt", "AgE=")),
    ("102a", INSERT, put(f"{AFTER}.c", "Y")),
    ("102a", INSERT, put(f"{AFTER}.x", "dGV4dA==")),
    ("103a", INSERT, put(f"{AFTER}.q", "AQI=")),
    ("424", INSERT, put(f"{AFTER}.q", "AQL_")),
    ("424", INSERT, put(f"{AFTER}.bt", "AQI==")),
    ("101b", INSERT, put(f"{AFTER}.bt", "AQIA")),
    ("104a", INSERT, put(f"{AFTER}.e", 2)),
    ("105a", INSERT, put(f"{AFTER}.s", "b,a")),
    ("111a", INSERT, put(f"{AFTER}.j", '{"a": 2}')),
    ("139b", INSERT, put(f"{AFTER}.j", '{"a":1}')),
    ("106a", INSERT, put(f"{AFTER}.d", "2024-02-29")),
    ("107a", INSERT, put(f"{AFTER}.dt", 1709168523)),
    ("108a", INSERT, put(f"{AFTER}.d6", 1709168523456)),
    ("109a", INSERT, put(f"{AFTER}.w", "2024-02-29T01:02:04.500Z")),
    ("109b", INSERT, put(f"{AFTER}.w", "2024-02-29T01:02:03.5Z")),
    ("110a", INSERT, put(f"{AFTER}.tm", 3723000000)),
    ("124a", INSERT, put(f"{AFTER}.y", "2024")),
    ("043c 125a", INSERT, put(f"{AFTER}.v", "[1,2]")),
    ("125a", INSERT, put(f"{AFTER}.v", "[1, 0.5]")),
    ("160", NULLS, put(f"{AFTER}.ti", None)),
    ("043c 162a", NULLS, put(f"{AFTER}.ti", 0)),
    ("043c 162", NULLS, put(f"{AFTER}.c", "")),
    ("043c 160a", NULLS, put(f"{AFTER}.x", "")),
    ("135", ZERO, put(f"{AFTER}.d", 0)),
    ("136", ZERO, put(f"{AFTER}.w", None)),
    ("104c", ZERO, put(f"{AFTER}.e", None)),
    # schemas of rows
    ("011a", INSERT, drop("value.schema")),
    ("011a", INSERT, drop("key.schema")),
    ("011", SCHEMALESS, put("value.schema", {})),
    ("011b", SCHEMALESS, put("value.schema", None)),
    ("050", INSERT, put("value.schema.type", "map")),
    ("050a", INSERT, put("value.schema.optional", True)),
    ("050b", INSERT, put("value.schema.name", "x")),
    ("031a", INSERT, put("value.schema.name", "my-cluster.test.t.Envelope")),
    ("050c", INSERT, put("value.schema.version", 2)),
    ("051", INSERT, drop(f"{FIELDS}.op")),
    ("051a", INSERT, put(f"{FIELDS}.after.optional", False)),
    ("051b", INSERT, drop(f"{FIELDS}.after.fields.o")),
    ("051c", INSERT, last(f"{FIELDS}.after.fields.id")),
    ("057a", INSERT, last(f"{FIELDS}.after.fields.gen")),
    ("051b 057a", INSERT, both(last(f"{FIELDS}.after.fields.gen"), drop(f"{FIELDS}.after.fields.c"))),
    ("051d", INSERT, put(f"{FIELDS}.op.optional", True)),
    ("051e", INSERT, put(f"{FIELDS}.ts_ms.type", "int32")),
    ("051f", INSERT, put(f"{FIELDS}.transaction.name", "x")),
    ("052", INSERT, put(f"{FIELDS}.source.name", "x")),
    ("052a", INSERT, drop(f"{FIELDS}.source.fields.gtid")),
    ("052b", INSERT, put(f"{FIELDS}.source.fields.snapshot.default", "true")),
    ("055", INSERT, described("o", "optional", False)),
    ("055a", INSERT, described("o", "default", 0)),
    ("140", INSERT, described("ti", "default", "5")),
    ("140", INSERT, undescribed("ti", "default")),
    ("148", INSERT, undescribed("c", "default")),
    ("112", INSERT, described("ti", "type", "int8")),
    ("118", INSERT, described("b", "type", "int32")),
    ("104b", INSERT, described("e", "parameters", {"allowed": "a"})),
    ("106", INSERT, described("d", "name", "io.debezium.time.Timestamp")),
    ("054a", INSERT, described("d", "version", 2)),
    ("150", INSERT, undescribed("o", "tidb_type")),
    ("151", INSERT, described("o", "tidb_type", "bigint")),
    ("151a", INSERT, described("o", "tidb_type", "INT")),
    ("152", INSERT, described("iu", "tidb_type", "int")),
    ("153", INSERT, described("c", "tidb_type", "varchar(20)")),
    ("012", PLAIN, described("o", "tidb_type", "int")),
    ("150a", replace(PLAIN, options={"enable-tidb-extension": "false"}), described("o", "tidb_type", "int")),
    ("057", INSERT, drop(f"{FIELDS}.after.fields.gen")),
    # watermarks
    ("401", MARK, put("value.payload.op", "r")),
    ("401a", MARK, put(f"{SOURCE}.db", "test")),
    ("401b", MARK, put(BEFORE, None)),
    ("401c", MARK, put(f"{SOURCE}.commit_ts", 6)),
    ("401d", MARK, put(f"{SOURCE}.table", "t")),
    ("400b", MARK, put("key.payload.ts", 1)),
    ("400c", MARK, put("key.schema.name", "x")),
    ("402", MARK, put("value.schema.name", "x")),
    # DDL messages
    ("310", DDL, drop("key.payload.databaseName")),
    ("311", DDL, put("key.payload.databaseName", "TEST")),
    ("310b", DDL, put("key.schema.name", "x")),
    ("320", DDL, put("value.payload.ddl", "x")),
    ("320a", DDL, put("value.payload.databaseName", "x")),
    ("320b", DDL, drop("value.payload.schemaName")),
    ("321", DDL, put(f"{SOURCE}.table", "T")),
    ("321d", DDL, put(f"{SOURCE}.db", "x")),
    ("304a", DDL, put("value.payload.op", "c")),
    ("300a", DDL, put(f"{CHANGE}.type", "CREATE")),
    ("300", CREATE, put(f"{CHANGE}.type", "ALTER")),
    ("300b", DROP, put(f"{CHANGE}.type", "ALTER")),
    ("300c", ADD_INDEX, put(f"{CHANGE}.type", "CREATE")),
    ("300c", DROP_INDEX, put(f"{CHANGE}.type", "ALTER")),
    ("323", DDL, put(f"{CHANGE}.id", "test.t")),
    ("323", DDL, put(f"{CHANGE}.id", '"test"."t","test"."t"')),
    ("323c", RENAME, put(f"{CHANGE}.id", '"test"."t2","test"."t"')),  # as in the document's example
    ("323a", RENAME, put(f"{CHANGE}.id", '"test"."t2"')),
    ("323a", RENAME, put(f"{CHANGE}.id", '"test"."t""test"."t2"')),
    ("324", DROP, put(f"{CHANGE}.table", {})),
    ("302", DDL, put("value.payload.tableChanges", None)),
    ("325", DDL, put(f"{TABLE_AFTER}.defaultCharsetName", "latin1")),
    ("325a", DDL, put(f"{TABLE_AFTER}.primaryKeyColumnNames", None)),
    ("325b", DDL, drop(f"{TABLE_AFTER}.columns.n")),
    ("327", DDL, put(f"{TABLE_AFTER}.columns.n.position", 1)),
    ("330a", DDL, put(f"{TABLE_AFTER}.columns.n.nativeType", 3)),
    ("333", DDL, put(f"{TABLE_AFTER}.columns.c.comment", "")),
    ("333a", DDL, put(f"{TABLE_AFTER}.columns.n.comment", "")),
    ("334", DDL, put(f"{TABLE_AFTER}.columns.c.defaultValueExpression", None)),
    ("334b", DDL, put(f"{TABLE_AFTER}.columns.m.defaultValueExpression", "")),
    ("335", DDL, put(f"{TABLE_AFTER}.columns.e.enumValues", None)),
    ("335a", DDL, put(f"{TABLE_AFTER}.columns.n.enumValues", [])),
    ("336", DDL, put(f"{TABLE_AFTER}.columns.id.autoIncremented", False)),
    ("336a", DDL, put(f"{TABLE_AFTER}.columns.n.autoIncremented", True)),
    ("336b", DDL, put(f"{TABLE_AFTER}.columns.g.generated", True)),
    ("336c", DDL, put(f"{TABLE_AFTER}.columns.n.generated", True)),
    ("337", DDL, put(f"{TABLE_AFTER}.columns.n.optional", False)),
    ("338", DDL, put(f"{TABLE_AFTER}.columns.id.jdbcType", 5)),
    ("338a", DDL, put(f"{TABLE_AFTER}.columns.n.jdbcType", 4)),
    ("338b", DDL, put(f"{TABLE_AFTER}.columns.n.typeName", "INT8")),
    ("338d", DDL, put(f"{TABLE_AFTER}.columns.c.charsetName", "latin1")),
    ("338f", DDL, put(f"{TABLE_AFTER}.columns.n.charsetName", "utf8")),
    ("338g", DDL, put(f"{TABLE_AFTER}.columns.c.length", 80)),
    ("338i", DDL, put(f"{TABLE_AFTER}.columns.m.scale", 0)),
    ("340", DDL, put("value.schema.name", "x")),
    ("341", DDL, drop(f"{FIELDS}.ddl")),
]


@pytest.mark.parametrize(
    ("requirements", "case", "change"), MESSAGES, ids=[f"{i}-{m[0].replace(' ', '+')}" for i, m in enumerate(MESSAGES)]
)
def test_a_wrong_message_is_held_against_the_requirement_that_speaks_of_it(
    requirements: str, case: Case, change: Change
):
    assert blamed(case, answer_of(case)) == []
    assert blamed(case, with_message(case, change)) == requirements.split()


@pytest.mark.parametrize(
    ("case", "orders"),
    [
        (DELETE, {"DBZ-042c", "DBZ-043d", "DBZ-051c", "DBZ-057a"}),
        (BEGUN, {"DBZ-042c", "DBZ-051c", "DBZ-052e", "DBZ-057a"}),
        (INSERT, {"DBZ-042c", "DBZ-051c", "DBZ-057a"}),
    ],
)
def test_members_in_the_right_order_bear_out_every_rule_on_it(case: Case, orders: set[str]):
    of_order = {"DBZ-042c", "DBZ-043d", "DBZ-051c", "DBZ-052e", "DBZ-057a"}
    assert judged(case, answer_of(case)).evaluated & of_order == orders

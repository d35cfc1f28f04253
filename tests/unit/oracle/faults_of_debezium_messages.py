"""Faults of Debezium JSON: what an encoder writes wrong in a message."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.oracle.tree import MISSING
from tests.unit.oracle.changes import Fault, at, both, drop, faults, last, twice
from tests.unit.oracle.debezium_answers import BARE, CHANGED, EXTENDED, NO_OLD, STARTED, case_of, ddl, row
from tests.unit.oracle.judging import Change, mark

INSERT = case_of("encode", row("insert"), options=EXTENDED)
PLAIN = case_of("encode", row("insert"))
UPDATE = case_of("encode", row("update", c="z"))
UPDATE_OF_TYPES = case_of("encode", row("update", ti="7", d="2024-03-04", e={"index": "2"}))
DELETE = case_of("encode", row("delete"))
HIDDEN = case_of("encode", row("update", c="z"), options=NO_OLD)
SCHEMALESS = case_of("encode", row("insert"), options=BARE)
BEGUN = case_of("encode", row("insert") | {"start_ts": "5"}, options=STARTED)
NULLS = case_of("encode", row("insert", ti=None, c=None, x=None))
DDL = case_of("encode", ddl(), table=CHANGED)
CREATE = case_of(
    "encode", ddl(query="CREATE TABLE `t` (…)", action="create table", action_code=3), table=CHANGED, options=EXTENDED
)
DROP = case_of(
    "encode",
    ddl(after=None, query="DROP TABLE `t`", action="drop table", action_code=4, table_before=CHANGED),
    table=CHANGED,
)
RENAME = case_of(
    "encode",
    ddl(
        after={**CHANGED, "name": "t2"},
        table="t2",
        query="RENAME TABLE `t` TO `t2`",
        action="rename table",
        action_code=14,
        table_before=CHANGED,
    ),
    table=CHANGED,
)
MARK = case_of("encode", mark(), options=EXTENDED)
LZ4 = case_of("encode", row("insert"), options={"large-message-handle-compression": "lz4"})

AFTER, SOURCE = "value.payload.after", "value.payload.source"
FIELDS = "value.schema.fields"
CHANGE = "value.payload.tableChanges.0"
TABLE_AFTER = f"{CHANGE}.table"
COLUMNS = f"{TABLE_AFTER}.columns"


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


def with_the_new_row_as_before(tree: Any) -> None:
    """`before` is the row after the change."""
    payload = tree["value"]["payload"]
    payload["before"] = payload["after"]


def with_a_column_in_the_key(tree: Any) -> None:
    """A column that is in no key stands in it, described."""
    tree["key"]["payload"]["o"] = None
    tree["key"]["schema"]["fields"].append(at(tree, f"{FIELDS}.after.fields.o"))


MESSAGES: list[Fault] = [
    *faults(
        INSERT,
        ("010a", "value", b"[]"),
        ("010b 040", "value", None),
        ("010a", "key", b"[]"),
        ("040b", twice("value", "payload")),
        ("042c", last("value.payload.source")),
        ("045b", last(f"{AFTER}.id")),
        ("030", with_a_column_in_the_key),
        ("030f", "key.payload", None),
        ("030f", "key.payload", 5),
        ("051c", last(f"{FIELDS}.after.fields.id")),
        ("057a", last(f"{FIELDS}.after.fields.gen")),
        ("051b 057a", both(last(f"{FIELDS}.after.fields.gen"), drop(f"{FIELDS}.after.fields.c"))),
        ("055", described("o", "optional", False)),
        ("055a", described("o", "default", 0)),
        ("055a", described("j", "default", None)),
        ("148c", described("j", "default", "{}")),
        ("140", described("ti", "default", "5")),
        ("140", undescribed("ti", "default")),
        ("148", undescribed("c", "default")),
        ("112", described("ti", "type", "int8")),
        ("118", described("b", "type", "int32")),
        ("104b", described("e", "parameters", {"allowed": "a"})),
        ("106", described("d", "name", "io.debezium.time.Timestamp")),
        ("054a", described("d", "version", 2)),
        ("150", undescribed("o", "tidb_type")),
        ("151", described("o", "tidb_type", "bigint")),
        ("151a", described("o", "tidb_type", "INT")),
        ("152", described("iu", "tidb_type", "int")),
        ("153", described("c", "tidb_type", "varchar(20)")),
        "value",
        ("040a", "more", 1),
        ("011a", "schema", MISSING),
        "value.payload",
        ("040a", "more", 1),
        ("041", "source", MISSING),
        ("043", "before", MISSING),
        ("043c", "after", None),
        SOURCE,
        ("040a", "more", 1),
        ("041", "gtid", MISSING),
        ("041a", "version", "2.5"),
        ("041c", "name", "other"),
        ("041e", "snapshot", False),
        ("041o", "commit_ts", str(7 << 18)),
        ("041p", "cluster_id", 1),
        AFTER,
        ("040a", "more", 1),
        ("045a", "o", MISSING),
        ("112a", "ti", -4),
        ("114a", "su", -1),
        ("117a", "iu", -1),
        ("118a", "b", 9007199254740992),
        ("119b", "bu", 18446744073709551615),
        ("120a", "f", 1),
        ("122a", "g", "0.25"),
        ("123a", "m", "1.50"),
        ("100a", "b1", 1),
        ("101a", "bt", 513),
        ("101a", "bt", "AgE="),
        ("102a", "x", "dGV4dA=="),
        ("424", "q", "AQL_"),
        ("424", "bt", "AQI=="),
        ("104a", "e", 2),
        ("111a", "j", '{"a": 2}'),
        ("139b", "j", '{"a":1}'),
        ("106a", "d", "2024-02-29"),
        ("107a", "dt", 1709168523),
        ("108a", "d6", 1709168523456),
        ("110a", "tm", 3723000000),
        ("124a", "y", "2024"),
        ("125a / 043c", "v", "[1,2]"),
        ("125a", "v", "[1, 0.5]"),
        "key.payload",
        ("030a", "id", 2),
        ("030a", "id", "1"),
        ("030a", "id", True),  # to Python, true is 1
        "key.schema",
        ("030c", "type", "map"),
        ("031", "name", "x"),
        ("031a", "name", "my-cluster.test.t.Key"),
        "value.schema",
        ("050", "type", "map"),
        ("050b", "name", "x"),
        ("031a", "name", "my-cluster.test.t.Envelope"),
        FIELDS,
        ("051", "op", MISSING),
        ("051a", "after.optional", False),
        ("051e", "ts_ms.type", "int32"),
        ("051f", "transaction.name", "x"),
        ("052a", "source.fields.gtid", MISSING),
        ("057", "after.fields.gen", MISSING),
    ),
    *faults(LZ4, ("016", "value", b"garbage")),
    *faults(DELETE, ("043a", "value.payload.after", MISSING)),
    *faults(UPDATE, ("043b 043c", exchanged)),
    *faults(UPDATE_OF_TYPES, ("043b", with_the_new_row_as_before)),
    *faults(HIDDEN, ("013", "value.payload.before", None)),
    *faults(BEGUN, ("014", "value.payload.source.start_ts", MISSING)),
    *faults(SCHEMALESS, "value", ("011", "schema", {}), ("011b", "schema", None)),
    *faults(NULLS, AFTER, ("162 / 043c", "c", ""), ("160a / 043c", "x", "")),
    *faults(PLAIN, ("012", described("o", "tidb_type", "int"))),
    *faults(replace(PLAIN, options={"enable-tidb-extension": "false"}), ("150a", described("o", "tidb_type", "int"))),
    *faults(
        MARK,
        ("400b", "key.payload.ts", 1),
        ("400c", "key.schema.name", "x"),
        ("402", "value.schema.name", "x"),
        SOURCE,
        ("401d", "table", "t"),
    ),
    *faults(
        DDL,
        ("341", "value.schema.fields.ddl", MISSING),
        "key.payload",
        ("310", "databaseName", MISSING),
        "value.payload",
        ("302", "tableChanges", None),
        CHANGE,
        ("323", "id", "test.t"),
        ("323", "id", '"test"."t","test"."t"'),
        TABLE_AFTER,
        ("325", "defaultCharsetName", "latin1"),
        ("325a", "primaryKeyColumnNames", None),
        COLUMNS,
        ("325b", "n", MISSING),
        ("330a", "n.nativeType", 3),
        ("333a", "n.comment", ""),
        ("334b", "m.defaultValueExpression", ""),
        ("337", "n.optional", False),
        ("338d", "c.charsetName", "latin1"),
        ("338f", "n.charsetName", "utf8"),
    ),
    *faults(
        RENAME,
        CHANGE,
        ("323c", "id", '"test"."t2","test"."t"'),  # as in the document's example
    ),
]

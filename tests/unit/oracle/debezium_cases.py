"""What tests of the Debezium JSON oracle ask an encoder for, and the places of what it writes."""

from __future__ import annotations

from debezium_answers import BARE, CHANGED, EXTENDED, NO_OLD, RAW, STARTED, case_of, ddl, row

from tests.unit.oracle.judging import mark

INSERT = case_of("encode", row("insert"), options=EXTENDED)
PLAIN = case_of("encode", row("insert"))
UPDATE = case_of("encode", row("update", c="z"))
DELETE = case_of("encode", row("delete"))
KEYED = case_of("encode", row("update", id="2"), options=RAW)
HIDDEN = case_of("encode", row("update", c="z"), options=NO_OLD)
SCHEMALESS = case_of("encode", row("insert"), options=BARE)
BEGUN = case_of("encode", row("insert") | {"start_ts": "5"}, options=STARTED)
NULLS = case_of("encode", row("insert", ti=None, c=None, x=None))
ZERO = case_of("encode", row("insert", d="0000-00-00", w="0000-00-00 00:00:00.000", e={"index": "0"}))
DDL = case_of("encode", ddl(), table=CHANGED)
CREATE = case_of(
    "encode", ddl(query="CREATE TABLE `t` (…)", action="create table", action_code=3), table=CHANGED, options=EXTENDED
)
DROP = case_of(
    "encode",
    ddl(after=None, query="DROP TABLE `t`", action="drop table", action_code=4, table_before=CHANGED),
    table=CHANGED,
)
ADD_INDEX = case_of(
    "encode", ddl(query="CREATE INDEX `i` ON `t` (`n`)", action="add index", action_code=7), table=CHANGED
)
DROP_INDEX = case_of("encode", ddl(query="DROP INDEX `i` ON `t`", action="drop index", action_code=8), table=CHANGED)
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

AFTER, BEFORE, SOURCE = "value.payload.after", "value.payload.before", "value.payload.source"
FIELDS = "value.schema.fields"
CHANGE = "value.payload.tableChanges.0"
TABLE_AFTER = f"{CHANGE}.table"

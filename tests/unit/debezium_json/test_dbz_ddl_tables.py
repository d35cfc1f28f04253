"""Rows without a schema after a statement: their types are those that the statement's message told."""

import pytest

from conformance.cases.inputs import NOW, column, ddl, insert, table, timed
from reference_impl import options
from reference_impl.debezium_json import Decoder, Encoder, Options
from reference_impl.debezium_json.ddl_tables import table_of_change
from reference_impl.profiles import NEWARCH

OPTIONS = options.parse(Options, {"debezium-disable-schema": "true", "enable-tidb-extension": "true"})

VALUES = {
    "bit(7)": "5", "bit(64)": "18446744073709551615", "bigint unsigned": "18446744073709551615", "tinyint(1)": "1",
    "date": "2001-01-01", "datetime(3)": "2024-02-29 12:34:56.100", "timestamp(6)": "2024-02-29 12:34:56.000001",
    "time(2)": "-00:00:01.50", "decimal(6,2)": "1.50", "varbinary(5)": b"\x00\xff", "blob": b"\x00",
    "enum('a','it''s')": "it's", "set('a','b')": "a,b", "year": "2024", "json": '{"a": 1}', "vector(2)": "[1,2]",
}  # fmt: skip


@pytest.mark.parametrize(("kind", "value"), VALUES.items(), ids=list(VALUES))
def test_a_value_is_read_by_the_type_of_the_statement(kind, value):
    before = table("t", (column("id", "int", nullable=False),))
    after = table("t", (*before.columns, column("c", kind)))
    query = f"ALTER TABLE `t` ADD COLUMN `c` {kind}"
    added = ddl(after, query, "add column", 5, table_before=before, table_after=after)
    events = timed([added, insert(after, {"id": "1", "c": value})])
    records = Encoder(OPTIONS, NEWARCH, settings=NOW).encode(events, [before]).records
    assert Decoder(OPTIONS, settings=NOW).decode(records, [before])[1].after == {"id": "1", "c": value}


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"table": None},
        {"table": {"columns": []}},
        {"table": {"columns": [{}]}},
        {"table": {"columns": [{"name": "a", "typeName": "NONE", "optional": True}]}},
        {"table": {"columns": [{"name": "a", "typeName": "ENUM", "enumValues": None, "optional": True}]}},
    ],
)
def test_a_change_without_columns_has_no_table(change):
    assert table_of_change("test", "t", change) is None

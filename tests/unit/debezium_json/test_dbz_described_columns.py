"""How a statement's message describes columns, type by type, and how it is read again.  [DBZ-300, DBZ-331 … DBZ-339]"""

from __future__ import annotations

import json
from typing import Any

import pytest

from conformance.cases.inputs import NOW, column, ddl, insert, table, timed
from reference_impl import options
from reference_impl.column_types import Family, parse_column_type
from reference_impl.debezium_json import Decoder, Encoder, Options
from reference_impl.debezium_json.ddl import CHANGE_TYPES, sent_code
from reference_impl.debezium_json.ddl_tables import table_of_change
from reference_impl.debezium_json.table_changes import default_length
from reference_impl.errors import Rejected
from reference_impl.model import ABSENT, Column, DdlEvent, Default, Expression, RowChange, Table, Value
from reference_impl.profiles import NEWARCH
from reference_impl.settings import Settings
from tests.unit.debezium_json.messages import BARE, write


def described(
    kind: str, query: str = "x", table: dict[str, Any] | None = None, timezone: str = "UTC", **members: Any
) -> dict[str, Any]:
    """The column `c` of a table as the message of a statement describes it."""
    column = Column("c", parse_column_type(kind, members.get("charset")), **members)
    after = Table("test", "t", (column,), **(table or {}))
    event = DdlEvent("test", "t", query, action_code=5, commit_ts=1, table_after=after)
    [(_, value)] = write(event, tables=(), options=BARE, settings=Settings(timezone=timezone))
    [found] = json.loads(value)["payload"]["tableChanges"][0]["table"]["columns"]
    return dict(found)


# Family, jdbcType, the omitted length of a signed and of an unsigned column.  [DBZ-338]
LENGTHS: list[tuple[str, int, int, int]] = [
    ("tinyint", 5, 4, 3),
    ("smallint", 5, 6, 5),
    ("mediumint", 4, 9, 8),
    ("int", 4, 11, 10),
    ("bigint", -5, 20, 20),
]


@pytest.mark.parametrize(("word", "jdbc", "signed", "unsigned"), LENGTHS)
def test_an_integer_has_its_length_unless_it_is_the_usual_one(word: str, jdbc: int, signed: int, unsigned: int) -> None:
    for suffix, usual in (("", signed), (" unsigned", unsigned)):
        for width in range(1, 25):
            found = described(f"{word}({width}){suffix}")
            expected = None if width == usual else width
            assert (found["jdbcType"], found["length"], found["scale"]) == (jdbc, expected, None)
            assert found["typeName"] == found["typeExpression"] == f"{word}{suffix}".upper()
        assert described(f"{word}{suffix}")["length"] is None
        assert default_length(Family(word), unsigned=bool(suffix)) == usual


def test_the_usual_length_of_a_tinyint_with_zeros_is_that_of_a_signed_one() -> None:
    lengths = {width: described(f"tinyint({width}) zerofill")["length"] for width in (3, 4, 5)}
    assert lengths == {3: 3, 4: None, 5: 5}


@pytest.mark.parametrize(
    ("word", "jdbc", "usual", "has_charset"),
    [
        ("bit", -7, 1, False),
        ("char", 1, 1, True),
        ("varchar", 12, 5, True),
        ("binary", -2, 1, False),
        ("varbinary", -3, 5, False),
    ],
)
def test_a_sized_column_has_its_length_unless_it_is_the_usual_one(
    word: str, jdbc: int, usual: int, has_charset: bool
) -> None:
    for length in range(1, 9):
        found = described(f"{word}({length})")
        assert (found["jdbcType"], found["length"]) == (jdbc, None if length == usual else length)
        assert (found["typeName"], found["typeExpression"]) == (word.upper(), word.upper())
        assert found["charsetName"] == ("utf8mb4" if has_charset else None)
    assert {default_length(Family(word), unsigned=unsigned) for unsigned in (False, True)} == {usual}


@pytest.mark.parametrize(("word", "jdbc", "usual"), [("float", 6, 12), ("double", 8, 22)])
def test_a_float_has_its_width_if_it_has_decimals(word: str, jdbc: int, usual: int) -> None:
    for suffix in ("", " unsigned"):
        bare = described(f"{word}{suffix}")
        assert (bare["jdbcType"], bare["length"], bare["scale"]) == (jdbc, None, None)
        for width in (usual - 1, usual, usual + 1):
            found = described(f"{word}({width},3){suffix}")
            assert (found["length"], found["scale"]) == (None if width == usual else width, 3)
    assert {default_length(Family(word), unsigned=unsigned) for unsigned in (False, True)} == {usual}


# Column type, jdbcType, charsetName, length, scale.  [DBZ-338]
OTHERS: list[tuple[str, int, str | None, int | None, int | None]] = [
    ("decimal(10,0)", 3, None, 10, 0),
    ("decimal(65,30)", 3, None, 65, 30),
    ("date", 91, None, None, None),
    *((f"time({n})" if n else "time", 92, None, n, None) for n in range(7)),
    *((f"datetime({n})" if n else "datetime", 93, None, n, None) for n in range(7)),
    *((f"timestamp({n})" if n else "timestamp", 2014, None, n, None) for n in range(7)),
    ("year", 4, None, 4, None),
    *((word, 12, "utf8mb4", None, None) for word in ("tinytext", "text", "mediumtext", "longtext")),
    *((word, 2004, None, None, None) for word in ("tinyblob", "blob", "mediumblob", "longblob")),
    ("enum('a')", 1, "utf8mb4", 1, None),
    ("enum('a','b','c')", 1, "utf8mb4", 1, None),
    ("set('a')", 1, "utf8mb4", 1, None),
    ("set('a','b')", 1, "utf8mb4", 3, None),
    ("json", 1111, None, None, None),
    ("vector", 12, None, None, None),
    ("vector(5)", 12, None, 5, None),
]


@pytest.mark.parametrize(("kind", "jdbc", "charset", "length", "scale"), OTHERS)
def test_another_column_has_the_attributes_of_its_type(
    kind: str, jdbc: int, charset: str | None, length: int | None, scale: int | None
) -> None:
    found = described(kind)
    assert [found[name] for name in ("jdbcType", "charsetName", "length", "scale")] == [jdbc, charset, length, scale]
    name = kind.partition("(")[0].upper()
    assert (found["typeName"], found["typeExpression"]) == (name, kind.upper() if name == "VECTOR" else name)


@pytest.mark.parametrize("word", ["decimal", "date", "json", "text", "blob", "year", "enum", "vector", "geometry"])
def test_a_family_without_a_usual_length_has_none(word: str) -> None:
    assert default_length(Family(word), unsigned=False) is None


def test_a_type_that_tidb_lacks_has_no_description() -> None:
    with pytest.raises(Rejected) as caught:
        described("point")
    assert (caught.value.reason, caught.value.message) == ("type", "point: TiDB has no such column type")


@pytest.mark.parametrize(
    ("column", "table", "charset"),
    [
        ({}, {}, "utf8mb4"),
        ({}, {"charset": "latin1"}, "latin1"),
        ({}, {"charset": "utf8mb3"}, "utf8"),
        *(({"charset": "latin1"}, {}, "latin1"), ({"charset": "utf8mb3"}, {}, "utf8")),
        ({"collation": "utf8_unicode_ci"}, {}, "utf8"),
        ({"collation": "gbk_chinese_ci"}, {"charset": "latin1"}, "gbk"),
        ({"charset": "ascii", "collation": "gbk_chinese_ci"}, {"charset": "latin1"}, "ascii"),
    ],
)
def test_a_column_has_its_own_charset_or_that_of_its_table(
    column: dict[str, Any], table: dict[str, Any], charset: str
) -> None:
    assert described("text", table=table, **column)["charsetName"] == charset


# Column type, jdbcType, typeName, typeExpression, charsetName, length, scale.
NAMES: list[tuple[str, int, str, str, str | None, int | None, int | None]] = [
    ("tinyint(3) unsigned zerofill", 5, "TINYINT UNSIGNED ZEROFILL", "TINYINT UNSIGNED ZEROFILL", None, 3, None),
    ("int(8) unsigned zerofill", 4, "INT UNSIGNED ZEROFILL", "INT UNSIGNED ZEROFILL", None, 8, None),
    ("float(24)", 6, "FLOAT", "FLOAT", None, None, None),
    ("float(10,2) unsigned", 6, "FLOAT UNSIGNED", "FLOAT UNSIGNED", None, 10, 2),
    ("double(10,3)", 8, "DOUBLE", "DOUBLE(10,3)", None, 10, 3),
    ("decimal", 3, "DECIMAL", "DECIMAL", None, 10, 0),
    ("decimal(10,2) unsigned", 3, "DECIMAL", "DECIMAL", None, 10, 2),
]


@pytest.mark.parametrize(("kind", "jdbc", "name", "expression", "charset", "length", "scale"), NAMES)
def test_a_column_has_a_name_and_an_expression_of_its_type(
    kind: str, jdbc: int, name: str, expression: str, charset: str | None, length: int | None, scale: int | None
) -> None:
    found = described(kind)
    members = ("jdbcType", "typeName", "typeExpression", "charsetName", "length", "scale")
    assert [found[member] for member in members] == [jdbc, name, expression, charset, length, scale]


def test_the_members_of_a_column_have_their_order() -> None:
    assert list(described("int")) == [
        *("name", "jdbcType", "nativeType", "comment", "defaultValueExpression", "enumValues", "typeName"),
        *("typeExpression", "charsetName", "length", "scale", "position", "optional", "autoIncremented", "generated"),
    ]


@pytest.mark.parametrize(
    ("kind", "members", "counts"),
    [
        ("int", {}, False),
        ("int", {"auto_increment": True}, True),
        ("int", {"generated": "stored"}, False),
        ("timestamp", {"on_update_now": True}, True),
        ("datetime", {"on_update_now": True}, False),
    ],
)
def test_generated_means_counted_or_touched(kind: str, members: dict[str, Any], counts: bool) -> None:
    found = described(kind, **members)
    assert (found["autoIncremented"], found["generated"]) == (counts, counts)


def test_labels_stand_in_single_quotes_and_are_not_escaped() -> None:
    assert described("enum('a','it''s')")["enumValues"] == ["'a'", "'it's'"]
    assert described("set('x')")["enumValues"] == ["'x'"]


@pytest.mark.parametrize(
    ("kind", "default", "expected"),
    [
        ("int", ABSENT, None),
        ("int", None, None),
        ("int", "5", "5"),
        ("varchar(5)", "it's", "it's"),
        ("bit(5)", "5", "00101"),
        ("bit(8)", "5", "101"),
        ("bit(10)", "322", "0101000010"),
        ("bit(16)", "256", "100000000"),
        *(("bit(1)", bit, bit) for bit in "01"),
        *(("bit(7)", "5", "0000101"), ("bit(8)", "255", "11111111"), ("bit(9)", "1", "000000001")),
        *(("bit(12)", "4095", "1" * 12), ("bit(24)", "65537", "1" + "00000000" + "00000001"), ("bit(8)", "256", "256")),
        *(("time", "00:00:01", "00:00:01"), ("year", "2024", "2024"), ("date", "2024-01-01", "2024-01-01")),
        ("datetime", Expression("CURRENT_TIMESTAMP"), "1970-01-01 00:00:00"),
        ("timestamp(6)", Expression("current_timestamp(6)"), "1970-01-01 00:00:00"),
        ("varchar(40)", Expression("uuid()"), "uuid()"),
        ("timestamp", "2020-01-01 08:00:00", "2020-01-01 00:00:00"),
        ("timestamp", "0000-00-00 00:00:00", "0000-00-00 00:00:00"),
    ],
)
def test_a_default_is_written_as_the_catalogue_keeps_it(kind: str, default: Default, expected: str | None) -> None:
    assert described(kind, timezone="+08:00", default=default)["defaultValueExpression"] == expected


# What the statement says of the columns that it defines.


def test_the_comment_of_a_defined_column_is_dropped_any_other_stays() -> None:
    assert described("int", "ALTER TABLE t ADD x int", comment="hi")["comment"] == "hi"
    assert described("int", "ALTER TABLE t ADD c int COMMENT 'hi'", comment="hi")["comment"] is None
    assert described("int", comment="")["comment"] is None


@pytest.mark.parametrize(
    ("kind", "query", "default", "length", "expected"),
    [
        ("datetime", "ALTER TABLE t ADD c datetime default current_timestamp", None, None, "1970-01-01 00:00:00"),
        ("time(2)", "ALTER TABLE t ADD c time(2) default 0", "00:00:00.00", 2, "0"),
        ("timestamp(3)", "ALTER TABLE t ADD c timestamp(3) default now()", None, 3, "1970-01-01 00:00:00"),
        ("year", "ALTER TABLE t ADD c year(4) default 1970 comment 'first'", "1970", 4, "1970"),
        ("year", "ALTER TABLE t ADD c year", ABSENT, None, None),
        ("datetime", "ALTER TABLE t ADD c datetime default '2020-01-01'", "2020-01-01 00:00:00", None, "2020-01-01"),
        ("datetime", "ALTER TABLE t ADD x datetime", "2020-01-01 00:00:00", 0, "2020-01-01 00:00:00"),
        ("datetime", "ALTER TABLE t MODIFY c datetime DEFAULT NULL", None, None, None),
        ("datetime", "ALTER TABLE t CHANGE x c datetime(3)", ABSENT, 3, None),
        ("time", "ALTER TABLE t ADD c time DEFAULT -1", "-00:00:01", None, "-00:00:01"),
        ("time", "ALTER TABLE t ADD c time DEFAULT (now())", ABSENT, None, None),
        (
            "timestamp",
            "ALTER TABLE t ADD c timestamp DEFAULT '2020-01-01 08:00:00'",
            "2020-01-01 08:00:00",
            None,
            "2020-01-01 08:00:00",
        ),
        ("datetime", "CREATE TABLE t (C datetime(3), c datetime)", ABSENT, None, None),
        ("int", "ALTER TABLE t ADD c int(5) DEFAULT 5", "6", None, "6"),
    ],
)
def test_temporal_columns_take_fraction_and_default_from_the_statement_that_defines_them(
    kind: str, query: str, default: Default, length: int | None, expected: str | None
) -> None:
    given = described(kind, query, timezone="+08:00", default=default)
    assert (given["length"], given["defaultValueExpression"]) == (length, expected)


# typeName, other members, column type.
READ: list[tuple[str, dict[str, Any], str]] = [
    ("BIT", {}, "bit(1)"),
    ("BIT", {"length": 5}, "bit(5)"),
    ("TINYINT", {}, "tinyint(4)"),
    ("TINYINT", {"length": 1}, "tinyint(1)"),
    ("TINYINT UNSIGNED", {}, "tinyint(3) unsigned"),
    ("SMALLINT", {}, "smallint(6)"),
    ("MEDIUMINT UNSIGNED", {}, "mediumint(8) unsigned"),
    ("INT", {}, "int(11)"),
    ("INT UNSIGNED ZEROFILL", {"length": 5}, "int(5) unsigned zerofill"),
    ("BIGINT UNSIGNED", {}, "bigint(20) unsigned"),
    ("DECIMAL", {"length": 10, "scale": 2}, "decimal(10,2)"),
    ("DOUBLE", {"length": 10, "scale": 3}, "double(10,3)"),
    ("CHAR", {}, "char(1)"),
    ("VARCHAR", {}, "varchar(5)"),
    ("VARCHAR", {"length": 20}, "varchar(20)"),
    ("BINARY", {}, "binary(1)"),
    ("VARBINARY", {}, "varbinary(5)"),
    ("DATETIME", {"length": 3}, "datetime(3)"),
    ("DATETIME", {}, "datetime"),
    ("TEXT", {}, "text"),
    ("VECTOR", {"length": 3}, "vector(3)"),
    ("ENUM", {"length": 1, "enumValues": ["'a'", "'it's'"]}, "enum('a','it''s')"),
    ("SET", {"length": 3, "enumValues": ["'a'", "'b'"]}, "set('a','b')"),
]


def _change(*columns: dict[str, Any]) -> dict[str, Any]:
    return {"table": {"columns": list(columns)}}


@pytest.mark.parametrize("optional", [False, True])
@pytest.mark.parametrize(("name", "members", "kind"), READ)
def test_a_description_is_read_as_the_column_type(
    name: str, members: dict[str, Any], kind: str, optional: bool
) -> None:
    change = _change({"name": "c", "typeName": name, "optional": optional, **members})
    column = Column("c", parse_column_type(kind), optional)
    assert table_of_change("test", "t", change) == Table("test", "t", (column,))


OPTIONS = options.parse(Options, {"debezium-disable-schema": "true", "enable-tidb-extension": "true"})

VALUES = {
    "bit(7)": "5", "bit(64)": "18446744073709551615", "bigint unsigned": "18446744073709551615", "tinyint(1)": "1",
    "date": "2001-01-01", "datetime(3)": "2024-02-29 12:34:56.100", "timestamp(6)": "2024-02-29 12:34:56.000001",
    "time(2)": "-00:00:01.50", "decimal(6,2)": "1.50", "varbinary(5)": b"\x00\xff", "blob": b"\x00",
    "enum('a','it''s')": "it's", "set('a','b')": "a,b", "year": "2024", "json": '{"a": 1}', "vector(2)": "[1,2]",
}  # fmt: skip


@pytest.mark.parametrize(("kind", "value"), VALUES.items(), ids=list(VALUES))
def test_a_value_is_read_by_the_type_of_the_statement(kind: str, value: Value) -> None:
    before = table("t", (column("id", "int", nullable=False),))
    after = table("t", (*before.columns, column("c", kind)))
    query = f"ALTER TABLE `t` ADD COLUMN `c` {kind}"
    added = ddl(after, query, "add column", table_before=before, table_after=after)
    events = timed([added, insert(after, {"id": "1", "c": value})])
    records = Encoder(OPTIONS, NEWARCH, settings=NOW).encode(events, [before]).records
    change = Decoder(OPTIONS, settings=NOW).decode(records, [before])[1]
    assert isinstance(change, RowChange)
    assert change.after == {"id": "1", "c": value}


@pytest.mark.parametrize("column", [{"name": 5}, {"typeName": "NOTHING"}, {"typeName": "ENUM"}, {"length": "x"}])
def test_a_table_with_a_column_that_cannot_be_read_is_unknown(column: dict[str, Any]) -> None:
    good = {"name": "c", "typeName": "INT", "optional": True}
    assert table_of_change("test", "t", _change(good)) is not None
    assert table_of_change("test", "t", _change(good, good | column)) is None


@pytest.mark.parametrize(
    "change",
    [None, [], "x", {}, *({"table": one} for one in (None, [], {}, *({"columns": c} for c in (None, [], [{}]))))],
)
def test_what_is_no_table_is_unknown(change: Any) -> None:
    assert table_of_change("test", "t", change) is None


# Kind of change, and TiDB's numbers of its actions.  [DBZ-300]
ACTIONS = {
    "CREATE": (1, 3, 60, 21),
    "ALTER": (5, 6, 12, 61, 19, 20, 23, 64, 42, 71, 72, 13, 15, 17, 22, 26, 7, 41, 18, 14, 47, 32, 33),
    "DROP": (2, 4, 8, 24, 11),
}


def test_the_actions_with_a_message_are_these() -> None:
    assert {code: kind for kind, codes in ACTIONS.items() for code in codes} == CHANGE_TYPES
    for code in range(256):
        assert sent_code(DdlEvent("d", "t", "x", None, code)) == (code if code in CHANGE_TYPES else None)
    assert sent_code(DdlEvent("d", "t", "x", "Add Table Partition")) == 19


@pytest.mark.parametrize("name", ["add foreign key", "drop foreign key", "alter ttl info", "recover table", "x", ""])
def test_an_action_without_a_message_has_no_number(name: str) -> None:
    assert sent_code(DdlEvent("d", "t", "x", name)) is None


def test_an_event_without_an_action_is_refused() -> None:
    with pytest.raises(Rejected, match=r"^a ddl event without an action$"):
        sent_code(DdlEvent("d", "t", "x"))

"""Fields of columns in a schema: nullability, defaults, the branch that comes first.  [AV-045 … AV-071, TV-AV-089]"""

from __future__ import annotations

import pytest

from reference_impl.errors import Rejected
from reference_impl.model import ABSENT, Default, Expression, Value
from reference_impl.profiles import CLASSIC, DOC, NEWARCH, Profile
from tests.unit.avro.samples import body_of, column, insert, options, table_of, write

_T = '{{"type":"{}","connect.parameters":{{"tidb_type":"{}"}}}}'
_ALLOWED = '{{"type":"string","connect.parameters":{{"allowed":"a,b,c","tidb_type":"{}"}}}}'
_STRING = {"avro_bigint_unsigned_handling_mode": "string", "avro_decimal_handling_mode": "string"}

# Column type, default, value, options; the default and the type as JSON, and the value's bytes after the branch.
DEFAULTS: list[tuple[str, Default, Value, dict[str, str], str, str, str]] = [
    ("tinyint unsigned", "2", "128", {}, "2", _T.format("int", "INT UNSIGNED"), "8002"),
    ("int unsigned", "17", "2147483648", {}, "17", _T.format("long", "INT UNSIGNED"), "8080808010"),
    ("int", "-9", "0", {}, "-9", _T.format("int", "INT"), "00"),
    ("bigint unsigned", "21", str(2**63), {}, "21", _T.format("long", "BIGINT UNSIGNED"), "ffffffffffffffffff01"),
    ("bigint unsigned", str(2**64 - 1), "0", {}, "-1", _T.format("long", "BIGINT UNSIGNED"), "00"),
    (
        *("bigint unsigned", "21", "9223372036854775808", _STRING, '"21"', _T.format("string", "BIGINT UNSIGNED")),
        "2639323233333732303336383534373735383038",
    ),
    ("float", "3.14", "3.14", {}, "3.140000104904175", _T.format("float", "FLOAT"), "c3f54840"),
    ("float", "1", "0", {}, "1", _T.format("float", "FLOAT"), "00000000"),
    ("double", "2.7182818284", "2.71", {}, "2.7182818284", _T.format("double", "DOUBLE"), "ae47e17a14ae0540"),
    ("double", "1e-7", "0", {}, "1e-7", _T.format("double", "DOUBLE"), "00" * 8),
    ("decimal(10,2)", "3.14", "3.14", _STRING, '"3.14"', _T.format("string", "DECIMAL"), "08332e3134"),
    (
        *("bit(10)", "682", "65", {}, '"Aqo="'),
        *('{"type":"bytes","connect.parameters":{"length":"10","tidb_type":"BIT"}}', "040041"),
    ),
    (
        *("varchar(99)", "测试Varchar default", "测试Varchar", {}, '"测试Varchar default"'),
        _T.format("string", "TEXT"),
        "1ae6b58be8af9556617263686172",
    ),
    ("char(5)", "", "", {}, '""', _T.format("string", "TEXT"), "00"),
    ("varchar(9)", "<&>\b", "x", {}, r'"\u003c\u0026\u003e\b"', _T.format("string", "TEXT"), "0278"),
    ("varchar(9)", "\r\n\t\f\v\x1f", "x", {}, r'"\r\n\t\f\u000b\u001f"', _T.format("string", "TEXT"), "0278"),  # AV-029
    ("varbinary(9)", "ab", b"\1\2\xff", {}, '"YWI="', _T.format("bytes", "BLOB"), "060102ff"),
    ("binary(4)", "ab", b"ab\0\0", {}, '"YWIAAA=="', _T.format("bytes", "BLOB"), "0861620000"),
    ("enum('a','b','c')", "b", "a", {}, '"b"', _ALLOWED.format("ENUM"), "0261"),
    ("set('a','b','c')", "c", "a,b", {}, '"c"', _ALLOWED.format("SET"), "06612c62"),
    ("date", "2023-12-27", "2020-02-20", {}, '"2023-12-27"', _T.format("string", "DATE"), "14323032302d30322d3230"),
    ("time", "12:27:23", "02:20:20", {}, '"12:27:23"', _T.format("string", "TIME"), "1030323a32303a3230"),
    ("year", "2023", "2020", {}, "2023", _T.format("int", "YEAR"), "c81f"),
    ("varchar(9)", "null", "", {}, '"null"', _T.format("string", "TEXT"), "00"),
    ("varchar(40)", Expression("uuid()"), "", {}, '"uuid()"', _T.format("string", "TEXT"), "00"),
    *(
        (
            *("timestamp(3)", Expression(text), "2020-02-20 10:20:20.000", {}, '"CURRENT_TIMESTAMP"'),
            *(_T.format("string", "TIMESTAMP"), "2e323032302d30322d32302031303a32303a32302e303030"),
        )
        for text in ("CURRENT_TIMESTAMP", "current_timestamp(3)", "now(3)")
    ),
]


@pytest.mark.parametrize(("kind", "default", "value", "given", "json", "type_", "body"), DEFAULTS)
def test_a_default_stands_first_and_so_does_its_branch_where_null_is_allowed(
    kind: str, default: Default, value: Value, given: dict[str, str], json: str, type_: str, body: str
) -> None:
    table = table_of(column("c", kind, default=default))
    written = write(table, insert(table, c=value), insert(table, c=None), given=options(**given))
    assert f'{{"default":{json},"name":"c","type":[{type_},"null"]}}' in written.text()  # AV-048
    assert [body_of(record.value) for record in written.records] == ["0200" + body, "0202"]
    table = table_of(column("c", kind, nullable=False, default=default))
    written = write(table, insert(table, c=value), given=options(**given))
    assert f'{{"default":{json},"name":"c","type":{type_}}}' in written.text()  # AV-046
    assert body_of(written.records[0].value) == "02" + body


@pytest.mark.parametrize("default", [ABSENT, None])
def test_null_is_the_default_of_a_nullable_column_without_one(default: Default) -> None:
    table = table_of(column("c", "int", default=default))
    text = write(table, insert(table, c=None)).text()
    assert '{"default":null,"name":"c","type":["null",{"type":"int",' in text  # AV-047


def test_a_logical_decimal_has_no_default_of_its_own() -> None:
    logical = (
        '{"type":"bytes","connect.parameters":{"tidb_type":"DECIMAL"},"logicalType":"decimal","precision":12,"scale":6}'
    )
    table = table_of(
        column("a", "decimal(12,6)", default="1.000000"),
        column("b", "decimal(12,6)", nullable=False, default="1.000000"),
    )
    written = write(table, insert(table, a="2333.654321", b="0.000000"))
    assert f'{{"default":null,"name":"a","type":["null",{logical}]}}' in written.text()  # AV-049
    assert f'{{"name":"b","type":{logical}}}' in written.text()  # AV-050
    assert body_of(written.records[0].value) == "02" + "020a008b18bd31" + "0200"


@pytest.mark.parametrize(
    ("kind", "default"),
    [
        ("int", "x"),
        ("int", Expression("next value for s")),
        ("bit(4)", "b'1'"),
        ("year", "now"),
        ("double", "x"),
        ("float", "1e99"),
    ],
)
def test_a_default_that_is_no_value_of_its_column_is_refused(kind: str, default: Default) -> None:
    table = table_of(column("c", kind, default=default))
    with pytest.raises(Rejected) as refused:
        write(table, insert(table, c=None))
    assert refused.value.reason == "type"  # AV-071


@pytest.mark.parametrize(
    ("zone", "stored"),
    [
        ("UTC", "2024-02-29 01:02:03.456"),
        ("+05:30", "2024-02-28 19:32:03.456"),
        ("America/New_York", "2024-02-29 06:02:03.456"),
    ],
)
def test_a_timestamp_default_stands_in_utc_whatever_the_zone_of_the_rows(zone: str, stored: str) -> None:
    table = table_of(column("c", "timestamp(3)", default="2024-02-29 01:02:03.456"))
    written = write(table, insert(table, c="2024-02-29 01:02:03.456"), settings={"timezone": zone})
    assert f'"default":"{stored}"' in written.text()  # AV-066
    assert b"2024-02-29 01:02:03.456".hex() in body_of(written.records[0].value)


def test_the_zero_timestamp_has_no_zone() -> None:
    table = table_of(column("c", "timestamp", default="0000-00-00 00:00:00"))
    text = write(table, insert(table, c=None), settings={"timezone": "+05:30"}).text()
    assert '"default":"0000-00-00 00:00:00"' in text


def test_the_key_has_the_defaults_of_its_columns() -> None:
    table = table_of(column("k", "int", nullable=False, default="7"), key=("id", "k"))
    written = write(table, insert(table, k="7"))
    assert '{"default":7,"name":"k","type":{"type":"int"' in written.text("key")  # AV-030


@pytest.mark.parametrize("profile", [NEWARCH, CLASSIC, DOC])
def test_names_in_a_schema_are_clean_and_the_record_is_named_by_the_table_alone(profile: Profile) -> None:
    table = table_of(column("a-b", "int"), schema="my.db", name="9ta.ble")
    written = write(table, insert(table, **{"a-b": None}), profile=profile)
    schema = written.schema()
    assert (schema["name"], schema["namespace"]) == ("_9ta_ble", "default.my_db")  # AV-035, AV-036
    assert [field["name"] for field in schema["fields"]] == ["id", "a_b"]
    assert written.subjects == ["my.db_9ta.ble-key", "my.db_9ta.ble-value"]


@pytest.mark.parametrize("names", [("a-b", "a_b"), ("a.b", "a b"), ("1", "_1")], ids=lambda names: "|".join(names))
def test_names_that_collide_make_no_schema(names: tuple[str, str]) -> None:
    table = table_of(*(column(name, "int") for name in names))
    with pytest.raises(Rejected) as refused:
        write(table, insert(table, **dict.fromkeys(names)))
    assert refused.value.reason == "schema"  # AV-038


@pytest.mark.parametrize("name", ["_tidb_op", "_tidb_commit_ts", "_ticdc_before"])
def test_a_column_named_like_a_field_of_the_extension_collides_with_it(name: str) -> None:
    table = table_of(column(name, "int"))
    given = options(enable_tidb_extension="true", avro_include_before_value="true")
    with pytest.raises(Rejected) as refused:
        write(table, insert(table, **{name: None}), given=given)
    assert refused.value.reason == "schema"

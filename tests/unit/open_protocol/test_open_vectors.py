"""Inputs and exact wire text: the vectors TV-OP of the protocol, one table a theme."""

from __future__ import annotations

import pytest
from open_samples import AB, A, column, column_text, delete, events_of, insert, record, table, texts, update

from reference_impl.errors import Rejected, Unsupported
from reference_impl.keys import handle_key
from reference_impl.model import Column, DdlEvent, Index, Key, Mask, RawText, Record, RowChange, Value, Watermark
from reference_impl.open_protocol import Options, decode, encode
from reference_impl.open_protocol.framing import unframe
from reference_impl.profiles import CLASSIC, NEWARCH

PNG = bytes.fromhex("89504e470d0a1a0a")
TEN = bytes(range(1, 11))
BASE64_LOOKALIKE = "5rWL6K+VdGV4dA=="
ENCODED_TWICE = '"NXJXTDZLK1ZkR1Y0ZEE9PQ=="'

# (type, value, code, flags, text of `v`)
TYPES: list[tuple[str, Value, int, int, str]] = [
    ("tinyint(1)", "1", 1, 65, "1"),  # TV-OP-003
    ("smallint", "-1", 2, 65, "-1"),
    ("int", "123", 3, 65, "123"),
    ("float", "153.123", 4, 65, "153.123"),
    ("double", "153.123", 5, 65, "153.123"),
    ("timestamp", "1973-12-30 15:30:00", 7, 65, '"1973-12-30 15:30:00"'),
    ("bigint", "123", 8, 65, "123"),
    ("mediumint", "123", 9, 65, "123"),
    ("date", "2000-01-01", 10, 65, '"2000-01-01"'),
    ("time", "23:59:59", 11, 65, '"23:59:59"'),
    ("datetime", "2015-12-20 23:58:58", 12, 65, '"2015-12-20 23:58:58"'),
    ("year", "1970", 13, 193, "1970"),
    ("varchar(10)", "测试", 15, 64, '"测试"'),
    ("varbinary(10)", TEN, 15, 65, r'"\\x01\\x02\\x03\\x04\\x05\\x06\\a\\b\\t\\n"'),
    ("bit(10)", "81", 16, 193, "81"),
    ("json", '{"key1": "value1"}', 245, 65, r'"{\"key1\": \"value1\"}"'),
    ("decimal(10,2)", "129012.12", 246, 65, '"129012.12"'),
    ("enum('a','b','c')", "a", 247, 64, "1"),
    ("set('a','b','c')", "b", 248, 64, "2"),
    ("tinytext", BASE64_LOOKALIKE, 249, 64, ENCODED_TWICE),
    ("tinyblob", PNG, 249, 65, '"iVBORw0KGgo="'),
    ("mediumtext", BASE64_LOOKALIKE, 250, 64, ENCODED_TWICE),
    ("mediumblob", bytes.fromhex("4944330300000000"), 250, 65, '"SUQzAwAAAAA="'),
    ("longtext", BASE64_LOOKALIKE, 251, 64, ENCODED_TWICE),
    ("longblob", bytes.fromhex("504b0304140000000800"), 251, 65, '"UEsDBBQAAAAIAA=="'),
    ("text", BASE64_LOOKALIKE, 252, 64, ENCODED_TWICE),
    ("blob", bytes.fromhex("255044462d312e34"), 252, 65, '"JVBERi0xLjQ="'),
    ("char(10)", "Alice", 254, 64, '"Alice"'),
    ("binary(10)", TEN, 254, 65, r'"\\x01\\x02\\x03\\x04\\x05\\x06\\a\\b\\t\\n"'),  # TV-OP-031
    ("varbinary(9)", b"", 15, 65, '""'),  # TV-OP-097
    ("text", "", 252, 64, '""'),
    ("blob", b"", 252, 65, '""'),
    ("bigint unsigned", "18446744073709551615", 8, 193, "18446744073709551615"),  # TV-OP-104
    ("bit(10)", "341", 16, 193, "341"),
    ("vector(5)", "[1,2,3,4,5]", 225, 65, '"[1,2,3,4,5]"'),  # TV-OP-110
    ("vector", "[1.50, -0.1]", 225, 65, '"[1.5,-0.1]"'),  # OP-109: shortest digits, no blanks
    ("enum('a','b')", Index(0), 247, 64, "0"),
    ("set('a','b','c')", "a,c", 248, 64, "5"),
    ("set('a','b','c')", Mask(6), 248, 64, "6"),
    ("time(3)", "-838:59:58.120", 11, 65, '"-838:59:58.120"'),
    ("text", RawText(b"\xff"), 252, 64, '"/w=="'),
]

EXTREMES = [  # TV-OP-109
    ("tinyint", ("-128", "127")), ("tinyint unsigned", ("0", "255")),
    ("smallint", ("-32768", "32767")), ("smallint unsigned", ("0", "65535")),
    ("mediumint", ("-8388608", "8388607")), ("mediumint unsigned", ("0", "16777215")),
    ("int", ("-2147483648", "2147483647")), ("int unsigned", ("0", "4294967295")),
    ("bigint", ("-9223372036854775808", "9223372036854775807")), ("bigint unsigned", ("0", "18446744073709551615")),
]  # fmt: skip

# (type, value, as newarch writes it, as classic writes it)
FLOATS = [  # TV-OP-101 … TV-OP-103, and the width of OP-080
    ("double", "1e-6", "0.000001", "0.000001"),
    ("double", "9.99e-7", "9.99e-07", "9.99e-7"),
    ("double", "1e-7", "1e-07", "1e-7"),
    ("double", "1e20", "100000000000000000000", "100000000000000000000"),
    ("double", "1e21", "1e+21", "1e+21"),
    ("double", "1.5e21", "1.5e+21", "1.5e+21"),
    ("double", "5e-324", "5e-324", "5e-324"),
    ("double", "1.7976931348623157e308", "1.7976931348623157e+308", "1.7976931348623157e+308"),
    ("double", "123456789.125", "123456789.125", "123456789.125"),
    ("double", "-0.5", "-0.5", "-0.5"),
    ("double", "0", "0", "0"),
    ("double", "-0", "-0", "-0"),
    ("float", "0.1", "0.1", "0.1"),
    ("float", "16777216", "16777216", "16777216"),
    ("float", "123456789", "123456790", "123456790"),
    ("float", "3.4028234663852886e38", "3.4028235e+38", "3.4028235e+38"),
]

TEXTS = [  # TV-OP-098 … TV-OP-100, OP-076
    (RawText(b"<a&b>"), '"<a&b>"', r'"\u003ca\u0026b\u003e"'),
    ("\b\f\n\r\t\0\x1f\x7f", '"\\u0008\\u000c\\n\\r\\t\\u0000\\u001f\x7f"', '"\\b\\f\\n\\r\\t\\u0000\\u001f\x7f"'),
    ("\u2028\u2029", '"\u2028\u2029"', r'"\u2028\u2029"'),
    ("/é中😀", '"/é中😀"', '"/é中😀"'),
    ('"\\', r'"\"\\"', r'"\"\\"'),
]


@pytest.mark.parametrize(("kind", "value", "code", "flags", "text"), TYPES)
def test_a_value_has_its_type_code_its_flags_and_its_form(
    kind: str, value: Value, code: int, flags: int, text: str
) -> None:
    assert column_text(kind, value) == f'{{"t":{code},"f":{flags},"v":{text}}}'


@pytest.mark.parametrize(("kind", "code", "flags"), sorted({(kind, code, flags) for kind, _, code, flags, _ in TYPES}))
def test_null_keeps_the_type_code_and_the_flags_of_its_column(kind: str, code: int, flags: int) -> None:
    assert column_text(kind, None) == f'{{"t":{code},"f":{flags},"v":null}}'


@pytest.mark.parametrize(("kind", "value"), [(kind, value) for kind, values in EXTREMES for value in values])
def test_an_integer_is_written_plainly_at_the_ends_of_its_type(kind: str, value: str) -> None:
    assert column_text(kind, value).endswith(f'"v":{value}}}')


@pytest.mark.parametrize(("kind", "value", "newarch", "classic"), FLOATS)
def test_a_float_has_the_shortest_digits_of_its_width(kind: str, value: str, newarch: str, classic: str) -> None:
    assert column_text(kind, value).endswith(f'"v":{newarch}}}')
    assert column_text(kind, value, CLASSIC).endswith(f'"v":{classic}}}')


@pytest.mark.parametrize(("value", "newarch", "classic"), TEXTS)
def test_a_text_has_the_escapes_of_its_profile(value: Value, newarch: str, classic: str) -> None:
    assert column_text("varchar(20)", value).endswith(f'"v":{newarch}}}')
    assert column_text("varchar(20)", value, CLASSIC).endswith(f'"v":{classic}}}')


def test_a_byte_of_a_text_that_is_not_utf_8_becomes_the_replacement_character() -> None:
    assert column_text("varchar(9)", RawText(b"a\xffb"), CLASSIC).endswith(r'"v":"a\ufffdb"}')


KEY = '{"ts":%d,"scm":"test","tbl":"t","t":1}'
ONE = {"a": "1", "b": "123"}
TWO = {"a": "1", "b": "456"}
B123, B456 = '"b":{"t":3,"f":65,"v":123}', '"b":{"t":3,"f":65,"v":456}'


@pytest.mark.parametrize(
    ("change", "key", "value"),
    [
        (insert(ONE), KEY % 1, f'{{"u":{{{A},{B123}}}}}'),  # TV-OP-032
        (update(ONE, TWO), KEY % 2, f'{{"u":{{{A},{B456}}},"p":{{{A},{B123}}}}}'),  # TV-OP-033
        (delete(TWO), KEY % 3, f'{{"d":{{{A},{B456}}}}}'),  # TV-OP-034
        (insert({"a": "1"}), KEY % 1, f'{{"u":{{{A}}}}}'),  # TV-OP-040: what a column selector leaves
    ],
)
def test_a_row_change_has_the_images_of_its_operation(change: RowChange, key: str, value: str) -> None:
    assert texts(change) == [(key, value)]


WIDE = table(
    *(column("a", "tinyint", nullable=False), column("b", "int"), column("c", "decimal(10,2)"), column("d", "json")),
    *(column("e", "char(10)"), column("f", "binary(10)"), column("g", "blob")),
    primary_key=("a",),
)
WIDE_ROW = {
    "a": "1", "b": "123", "c": "123.12", "d": '{"key1": "value1"}', "e": "Alice", "f": TEN,
    "g": bytes.fromhex("4944330300000000"),
}  # fmt: skip


def test_only_output_updated_columns_leaves_the_changed_columns_in_p() -> None:
    [(_, value)] = texts(
        update(WIDE_ROW, WIDE_ROW | {"b": "456", "c": "456.45"}), tables=[WIDE], only_output_updated_columns=True
    )  # TV-OP-036
    new, _, previous = value.partition(',"p":')
    assert previous == '{"b":{"t":3,"f":65,"v":123},"c":{"t":246,"f":65,"v":"123.12"}}}'
    assert new.count('"t":') == len(WIDE.columns)


@pytest.mark.parametrize(("profile", "tail"), [(NEWARCH, ',"p":{}}'), (CLASSIC, "}")])
def test_an_update_without_changes_has_an_empty_p_or_no_p(profile: object, tail: str) -> None:
    [(_, value)] = texts(update(ONE, ONE), profile=profile, only_output_updated_columns=True)  # type: ignore[arg-type]
    assert value == f'{{"u":{{{A},{B123}}}{tail}'  # TV-OP-047


@pytest.mark.parametrize(
    ("old", "new", "member"), [(None, "5", '"b":{"t":3,"f":65,"v":null}'), ("5", None, '"b":{"t":3,"f":65,"v":5}')]
)
def test_a_change_from_or_to_null_is_a_change(old: Value, new: Value, member: str) -> None:
    [(_, value)] = texts(update({"a": "1", "b": old}, {"a": "1", "b": new}), only_output_updated_columns=True)
    assert value.endswith(f',"p":{{{member}}}}}')  # OP-058


def test_only_output_updated_columns_touches_neither_inserts_nor_deletes() -> None:
    assert texts(insert(ONE), delete(ONE), only_output_updated_columns=True) == texts(insert(ONE), delete(ONE))


def test_without_old_values_an_update_has_no_p() -> None:
    assert texts(update(ONE, TWO), open_output_old_value=False) == [(KEY % 2, f'{{"u":{{{A},{B456}}}}}')]  # TV-OP-044


def test_an_option_limits_a_delete_to_the_handle_key() -> None:
    got = texts(insert(ONE), update(ONE, TWO), delete(TWO), delete_only_output_handle_key_columns=True)  # TV-OP-046
    assert [value for _, value in got] == [
        f'{{"u":{{{A},{B123}}}}}',
        f'{{"u":{{{A},{B456}}},"p":{{{A},{B123}}}}}',
        f'{{"d":{{{A}}}}}',
    ]


def test_a_changed_key_is_a_delete_and_an_insert_of_one_time_stamp() -> None:
    moved = update({"a": "2", "b": None}, {"a": "4", "b": None})
    assert [key for key, _ in texts(moved)] == [KEY % 2, KEY % 2]  # OP-180
    assert [value[:5] for _, value in texts(moved)] == ['{"d":', '{"u":']
    [(_, raw)] = texts(moved, output_raw_change_event=True)
    assert ',"p":' in raw


def test_a_virtual_column_is_never_sent_and_a_stored_one_is() -> None:
    made = table(
        *(column("a", "int"), column("v", "int", generated="virtual"), column("s", "int", generated="stored")),
    )
    [(_, value)] = texts(insert({"a": "1", "v": "2", "s": "3"}, of=made), tables=[made])
    assert value == '{"u":{"a":{"t":3,"f":65,"v":1},"s":{"t":3,"f":69,"v":3}}}'  # OP-046, OP-124


CREATE = "create table test.t(a tinyint primary key, b int)"


def test_a_ddl_event_has_its_query_and_its_code() -> None:
    event = DdlEvent("test", "t", CREATE, action_code=3, commit_ts=1)
    assert texts(event) == [('{"ts":1,"scm":"test","tbl":"t","t":2}', f'{{"q":"{CREATE}","t":3}}')]  # TV-OP-038


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ("create table", 3), ("drop partition", 20), ("modify table charset and collate", 22),
        ("truncate partition", 23), ("exchange partition", 42), ("alter table multi-schema change", 61),
        ("Create Table", 3),
    ],
)  # fmt: skip
def test_an_action_without_a_code_is_found_by_its_name(action: str, code: int) -> None:
    [(_, value)] = texts(DdlEvent("test", "t", "x", action=action, commit_ts=1))
    assert value == f'{{"q":"x","t":{code}}}'  # OP-143


@pytest.mark.parametrize("code", [0, 77, 84, 231, 255])
def test_any_code_of_a_byte_is_carried_both_ways(code: int) -> None:
    encoded = encode([DdlEvent("test", "t", "x", action_code=code, commit_ts=1)])
    [event] = decode(encoded.records)
    assert isinstance(event, DdlEvent)
    assert event.action_code == code  # OP-144, OP-145


@pytest.mark.parametrize("ts", [1, 2333, 12345678, 424316592563683329, 2**64 - 1])
def test_a_resolved_event_is_a_key_and_eight_zero_bytes(ts: int) -> None:
    [got] = encode([Watermark(ts)]).records
    assert got.value == bytes(8)  # TV-OP-039, TV-OP-042
    assert unframe(got.key, got.value) == [(f'{{"ts":{ts},"t":3}}'.encode(), b"")]
    assert decode([got]) == [Watermark(ts)]


def test_three_resolved_events_are_three_messages() -> None:
    marks = [Watermark(ts) for ts in (424316594097225729, 424316594214141953, 424316594345213953)]  # TV-OP-041
    records = encode(marks).records
    assert [len(unframe(r.key, r.value)) for r in records] == [1, 1, 1]
    assert decode(records) == marks


BYTES = [
    ('{"ts":1,"t":3}', "", "0000000000000001000000000000000e7b227473223a312c2274223a337d", "0000000000000000"),
    (
        '{"ts":415508856908021766,"t":3}', "",
        "0000000000000001000000000000001f7b227473223a3431353530383835363930383032313736362c2274223a337d",
        "0000000000000000",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("key", "value", "key_hex", "value_hex"), BYTES)
def test_a_message_is_these_bytes(key: str, value: str, key_hex: str, value_hex: str) -> None:
    assert record(key, value) == Record(bytes.fromhex(key_hex), bytes.fromhex(value_hex))  # TV-OP-084, TV-OP-085


def test_the_first_log_line_of_the_document_is_these_bytes() -> None:
    query = "CREATE TABLE test.t1(id int primary key, val varchar(16))"
    [got] = encode([DdlEvent("test", "t1", query, action_code=3, commit_ts=415508856908021766)]).records
    assert got.key == bytes.fromhex("00000000000000010000000000000037") + (
        b'{"ts":415508856908021766,"scm":"test","tbl":"t1","t":2}'
    )  # TV-OP-086
    assert got.value == bytes.fromhex("0000000000000047") + f'{{"q":"{query}","t":3}}'.encode()  # TV-OP-087


def test_flags_follow_the_keys_of_the_table() -> None:
    flagged = table(
        *(column("a", "int", nullable=False), column("b", "int", nullable=False), column("c", "int")),
        *(column("d", "int unsigned"), column("e", "blob")),
        primary_key=("a",),
        unique_keys=(Key("idx", ("b", "c")),),
        indexes=(Key("idx2", ("c", "d")),),
    )
    [(_, value)] = texts(insert(dict.fromkeys("abcde"), of=flagged), tables=[flagged])  # TV-OP-106
    assert [part.split(",")[0] for part in value.split('"f":')[1:]] == ["11", "49", "113", "225", "65"]


@pytest.mark.parametrize(
    ("columns", "primary_key", "unique_keys", "flags"),
    [
        ((column("c", "varchar(9)", nullable=False),), ("c",), (), [10]),
        ((column("c", "int", nullable=False), column("d", "int", nullable=False)), (), (("c", "d"),), [51, 51]),
        ((column("c", "int", nullable=False),), (), (), [1]),
        ((column("c", "text", nullable=False),), (), (), [0]),
        ((column("c", "bit(1)"),), (), (), [193]),
        ((column("c", "int unsigned"),), (), (), [193]),
    ],
)
def test_the_frequent_flag_values_come_out(
    columns: tuple[Column, ...],
    primary_key: tuple[str, ...],
    unique_keys: tuple[tuple[str, ...], ...],
    flags: list[int],
) -> None:
    keyed = table(*columns, primary_key=primary_key, unique_keys=tuple(Key("u", names) for names in unique_keys))
    [(_, value)] = texts(insert(dict.fromkeys(c.name for c in columns), of=keyed), tables=[keyed])
    assert [int(part.split(",")[0]) for part in value.split('"f":')[1:]] == flags


def test_the_shortest_not_null_unique_key_is_the_handle() -> None:
    many = table(
        *(column(name, "int", nullable=name == "d", generated="virtual" if name == "e" else None) for name in "abcde"),
        unique_keys=(
            Key("id6", ("e",)), Key("id7", ("d",)), Key("id8", ("b",)), Key("id9", ("c",)), Key("id10", ("a", "b")),
        ),
    )  # fmt: skip
    assert handle_key(many, virtual_counts=False) == ("b",)  # TV-OP-108


def test_a_table_without_a_key_has_no_handle_column() -> None:
    bare = table(column("id", "bigint"), column("age", "int"))
    [(_, value)] = texts(insert({"id": "1", "age": "2"}, of=bare), tables=[bare])  # TV-OP-107
    assert '"h"' not in value


def test_a_geometry_column_is_not_offered() -> None:
    shapes = table(column("g", "geometry"))
    with pytest.raises(Unsupported):
        encode([insert({"g": b""}, of=shapes)], [shapes])  # OP-118


@pytest.mark.parametrize("option", ["none", "handle-key-only", "claim-check"])
def test_a_delete_of_the_handle_key_alone_needs_a_handle_key(option: str) -> None:
    bare = table(column("a", "int"))
    uri = "file:///x" if option == "claim-check" else ""
    options = Options(
        delete_only_output_handle_key_columns=True, large_message_handle_option=option, claim_check_storage_uri=uri
    )
    with pytest.raises(Rejected, match="handle key") as refused:
        encode([delete({"a": "1"}, of=bare)], [bare], options)  # OP-049
    assert refused.value.reason == "semantics"


FIXTURES = [
    ([('{"ts":1,"scm":"a","tbl":"b","t":2}', '{"q":"create table a","t":1}')], 34, 28),  # TV-OP-080
    ([('{"ts":1,"t":3}', "")], 14, 0),  # TV-OP-082
]


@pytest.mark.parametrize(("events", "key_length", "value_length"), FIXTURES)
def test_the_lengths_of_the_binary_fixtures_are_met(
    events: list[tuple[str, str]], key_length: int, value_length: int
) -> None:
    got = record(*events[0])
    assert got.key is not None
    assert got.value is not None
    assert (got.key[15], got.value[7]) == (key_length, value_length)
    assert events_of([got]) == events


def test_every_row_of_the_table_ab_reads_back() -> None:
    changes = [insert(ONE), update(ONE, TWO), delete(TWO)]
    assert decode(encode(changes, [AB]).records, [AB]) == changes

"""Inputs and exact wire text: the vectors TV-OP of the protocol, one table a theme."""

from __future__ import annotations

import pytest
from open_samples import A, column, column_text, delete, insert, table, texts, update

from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import DdlEvent, Mask, RawText, Value, Watermark
from reference_impl.open_protocol import Options, decode, encode
from reference_impl.open_protocol.framing import unframe
from reference_impl.profiles import CLASSIC, NEWARCH, Profile

PNG = bytes.fromhex("89504e470d0a1a0a")
TEN = bytes(range(1, 11))
BASE64_LOOKALIKE = "5rWL6K+VdGV4dA=="
ENCODED_TWICE = '"NXJXTDZLK1ZkR1Y0ZEE9PQ=="'

# (type, value, code, flags, text of `v`)
TYPES: list[tuple[str, Value, int, int, str]] = [
    ("smallint", "-1", 2, 65, "-1"),
    ("varchar(10)", "测试", 15, 64, '"测试"'),
    ("varbinary(10)", TEN, 15, 65, r'"\\x01\\x02\\x03\\x04\\x05\\x06\\a\\b\\t\\n"'),
    ("bit(10)", "81", 16, 193, "81"),
    ("decimal(10,2)", "129012.12", 246, 65, '"129012.12"'),
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
    ("bit(10)", "341", 16, 193, "341"),
    ("vector(5)", "[1,2,3,4,5]", 225, 65, '"[1,2,3,4,5]"'),  # TV-OP-110
    ("vector", "[1.50, -0.1]", 225, 65, '"[1.5,-0.1]"'),  # OP-109: shortest digits, no blanks
    ("vector", "[0.1234567891234,16777217]", 225, 65, '"[0.12345679,16777216]"'),  # OP-109: of 32 bits
    ("vector", "[0.0, -0.0, 0, -0]", 225, 65, '"[0,-0,0,-0]"'),
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


@pytest.mark.parametrize("byte", [0x80, 0x81, 0xC0, 0xFE, 0xFF])
@pytest.mark.parametrize("profile", [NEWARCH, CLASSIC])
def test_a_byte_of_a_text_that_is_not_utf_8_becomes_the_replacement_character(profile: Profile, byte: int) -> None:
    text = column_text("varchar(9)", RawText(b"a" + bytes([byte]) + b"b"), profile)
    assert text.endswith(r'"v":"a\ufffdb"}')  # OP-077


KEY = '{"ts":%d,"scm":"test","tbl":"t","t":1}'
ONE = {"a": "1", "b": "123"}
TWO = {"a": "1", "b": "456"}
B123, B456 = '"b":{"t":3,"f":65,"v":123}', '"b":{"t":3,"f":65,"v":456}'


@pytest.mark.parametrize(("profile", "tail"), [(NEWARCH, ',"p":{}}'), (CLASSIC, "}")])
def test_an_update_without_changes_has_an_empty_p_or_no_p(profile: object, tail: str) -> None:
    [(_, value)] = texts(update(ONE, ONE), profile=profile, only_output_updated_columns=True)  # type: ignore[arg-type]
    assert value == f'{{"u":{{{A},{B123}}}{tail}'  # TV-OP-047


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


def test_a_virtual_column_is_never_sent_and_a_stored_one_is() -> None:
    made = table(*(column("a", "int"), column("v", "int", generated="virtual"), column("s", "int", generated="stored")))
    [(_, value)] = texts(insert({"a": "1", "v": "2", "s": "3"}, of=made), tables=[made])
    assert value == '{"u":{"a":{"t":3,"f":65,"v":1},"s":{"t":3,"f":69,"v":3}}}'  # OP-046, OP-124


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

"""Column types: families, other words for them, widths, bounds, and what their parentheses may hold."""

from __future__ import annotations

import pytest

from reference_impl.column_types import BINARY, INTEGERS, TEMPORAL, TEXT, ColumnType, Family, parse_column_type
from reference_impl.errors import Rejected

# By family: the words for it, as MySQL's manual lists them. A family's own word is its value.
WORDS: dict[str, str] = {
    "tinyint": "int1, bool, boolean", "smallint": "int2", "mediumint": "int3, middleint", "int": "integer, int4",
    "bigint": "int8, serial", "float": "float4", "double": "real, double precision, float8",
    "decimal": "numeric, dec, fixed", "bit": "",
    "char": "nchar, national char, national character, character",
    "varchar": "nvarchar, national varchar, national varcharacter, national char varying, national character varying, "
    "nchar varchar, nchar varying, varcharacter, char varying, character varying", "binary": "", "varbinary": "",
    "tinytext": "", "text": "",
    "mediumtext": "long, long varchar, long varcharacter, long char varying, long character varying", "longtext": "",
    "tinyblob": "", "blob": "",
    "mediumblob": "long varbinary", "longblob": "", "date": "", "datetime": "", "timestamp": "", "time": "", "year": "",
    "enum": "", "set": "", "json": "", "vector": "",
    "geometry": "point, linestring, polygon, multipoint, multilinestring, multipolygon, geometrycollection, "
    "geomcollection",
}  # fmt: skip


@pytest.mark.parametrize(
    ("word", "family"),
    [(word, family) for family, words in WORDS.items() for word in (family, *words.split(", ")) if word],
)
def test_a_family_has_the_words_of_the_manual_in_any_case_and_spacing(word: str, family: str) -> None:
    for text in (word, word.upper(), f"  {word.replace(' ', '   ')}\n"):
        found = parse_column_type(text)
        assert (found.family, found.family.value, found.text) == (Family(family), family, text)
        assert found.family.name == family.upper()


def test_every_family_is_listed() -> None:
    assert {family.value for family in Family} == set(WORDS)


@pytest.mark.parametrize(
    ("group", "words"),
    [
        (INTEGERS, "tinyint smallint mediumint int bigint"),
        (TEXT, "char varchar tinytext text mediumtext longtext"),
        (BINARY, "binary varbinary tinyblob blob mediumblob longblob geometry"),
        (TEMPORAL, "date datetime timestamp time year"),
    ],
)
def test_families_are_grouped_by_their_values(group: frozenset[Family], words: str) -> None:
    assert group == {Family(word) for word in words.split()}


@pytest.mark.parametrize(
    ("text", "own", "binary"),
    [
        ("char(3)", "char", "binary"), ("varchar(3)", "varchar", "varbinary"), ("tinytext", "tinytext", "tinyblob"),
        ("text", "text", "blob"), ("mediumtext", "mediumtext", "mediumblob"), ("longtext", "longtext", "longblob"),
        ("int", "int", "int"), ("enum('a')", "enum", "enum"), ("json", "json", "json"), ("blob", "blob", "blob"),
    ],
)  # fmt: skip
def test_a_character_type_of_the_character_set_binary_holds_bytes(text: str, own: str, binary: str) -> None:
    assert [parse_column_type(text, charset).family for charset in (None, "utf8mb4", "binary")] == [own, own, binary]


@pytest.mark.parametrize(
    ("text", "length", "scale", "fsp", "characters"),
    [
        ("int", None, None, 0, 1), ("int(11)", 11, None, 11, 11), ("bool", 1, None, 1, 1), ("boolean", 1, None, 1, 1),
        ("tinyint", None, None, 0, 1), ("decimal", 10, 0, 10, 10), ("decimal(5)", 5, 0, 5, 5),
        ("decimal(5,2)", 5, 2, 5, 5), ("decimal( 5 , 2 )", 5, 2, 5, 5), ("decimal (5,2)", 5, 2, 5, 5),
        ("decimal(0)", 10, 0, 10, 10), ("decimal(0,0)", 10, 0, 10, 10), ("bit(0)", 1, None, 1, 1),
        ("float(10,0)", 10, 0, 10, 10),
        ("bit", 1, None, 1, 1), ("bit(64)", 64, None, 64, 64), ("char", 1, None, 1, 1), ("char(0)", 0, None, 0, 0),
        ("binary", 1, None, 1, 1), ("binary(0)", 0, None, 0, 0), ("varchar(255)", 255, None, 255, 255),
        ("text", None, None, 0, 1), ("datetime", None, None, 0, 1), ("datetime(6)", 6, None, 6, 6),
        ("time(3)", 3, None, 3, 3), ("vector", None, None, 0, 1), ("vector(3)", 3, None, 3, 3),
        ("year(4)", 4, None, 4, 4), ("double(10,2)", 10, 2, 10, 10),
        ("varchar(4294967295)", 2**32 - 1, None, 2**32 - 1, 2**32 - 1),
    ],
)  # fmt: skip
def test_parentheses_hold_a_length_and_a_scale_which_some_types_have_by_default(
    text: str, length: int | None, scale: int | None, fsp: int, characters: int
) -> None:
    found = parse_column_type(text)
    assert (found.length, found.scale, found.fsp, found.characters) == (length, scale, fsp, characters)


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("float", "float"), ("float(1)", "float"), ("float(24)", "float"), ("float(25)", "double"),
        ("float(53)", "double"), ("float(53,2)", "float"), ("float4(25)", "double"), ("double(3,1)", "double"),
    ],
)  # fmt: skip
def test_a_float_of_more_than_24_bits_is_a_double_unless_it_has_a_scale(text: str, family: str) -> None:
    assert parse_column_type(text).family == family


@pytest.mark.parametrize(
    ("text", "unsigned", "zerofill"),
    [
        ("int", False, False), ("int unsigned", True, False), ("INT(5) UNSIGNED", True, False),
        ("int signed", False, False), ("int zerofill", True, True), ("int(5) unsigned zerofill", True, True),
        ("decimal(5,2) unsigned", True, False), ("float unsigned", True, False), ("serial", True, False),
        ("bigint", False, False),
    ],
)  # fmt: skip
def test_a_type_is_unsigned_where_it_says_so_and_where_it_is_filled_with_zeros(
    text: str, unsigned: bool, zerofill: bool
) -> None:
    found = parse_column_type(text)
    assert (found.unsigned, found.zerofill, found.members) == (unsigned, zerofill, ())


def test_a_type_of_a_family_alone_is_signed_and_has_no_numbers_and_no_labels() -> None:
    assert ColumnType("int", Family.INT) == ColumnType("int", Family.INT, None, None, False, False, ())
    assert (ColumnType("bit", Family.BIT).bits, ColumnType("char", Family.CHAR).characters) == (1, 1)


# The type, its width in bits, and its bounds: those of the MySQL manual.
BOUNDS = [
    ("tinyint", 8, -128, 127),
    ("tinyint unsigned", 8, 0, 255),
    ("tinyint(1)", 8, -128, 127),
    ("smallint", 16, -32768, 32767),
    ("smallint unsigned", 16, 0, 65535),
    ("mediumint", 24, -8388608, 8388607),
    ("mediumint unsigned", 24, 0, 16777215),
    ("int", 32, -2147483648, 2147483647),
    ("int(3) unsigned", 32, 0, 4294967295),
    ("bigint", 64, -9223372036854775808, 9223372036854775807),
    ("bigint unsigned", 64, 0, 18446744073709551615),
    ("bit", 1, 0, 1),
    ("bit(1)", 1, 0, 1),
    ("bit(8)", 8, 0, 255),
    ("bit(64)", 64, 0, 18446744073709551615),
]


@pytest.mark.parametrize(("text", "bits", "minimum", "maximum"), BOUNDS)
def test_integers_and_bits_have_a_width_and_bounds(text: str, bits: int, minimum: int, maximum: int) -> None:
    found = parse_column_type(text)
    assert (found.bits, found.minimum, found.maximum) == (bits, minimum, maximum)


def test_a_year_is_0_or_up_to_2155() -> None:
    assert (parse_column_type("year").minimum, parse_column_type("year").maximum) == (0, 2155)


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("enum('a','b')", ("a", "b")),
        ("ENUM ( 'a' , 'b' )", ("a", "b")),
        ("set('a',   'b'  )", ("a", "b")),
        ("enum('it''s','''','a''''b')", ("it's", "'", "a''b")),
        ("enum('a,b','(c)',' d ')", ("a,b", "(c)", " d ")),
        ("enum('a\nb')", ("a\nb",)),
        ("enum('')", ("",)),
        ("enum('A','a')", ("A", "a")),
    ],
)
def test_labels_are_in_quotes_which_are_doubled_inside(text: str, members: tuple[str, ...]) -> None:
    found = parse_column_type(text)
    assert (found.members, found.length, found.scale) == (members, None, None)


@pytest.mark.parametrize(
    "text",
    [
        *("", "int5x", "integers", "float2", "blob2", "double varying", "int(", "int)", "int()", "int(1))", "(1)"),
        *("int(x)", "int(-1)", "int(1.5)", "int(1,2,3)", "int(,1)", "int(1,)", "int(١)", "int(²)", "int[1]"),
        *("enum(a)", "enum('a'", "enum('a)", "enum('a' 'b'x)", "enum('a';'b')", "enum(,'a')", 'enum("a")'),
        *("bit(65)", "bit(64,1)", "datetime(7)", "timestamp(7)", "time(7)", "time(6,1)", "datetime(10)"),
        *("char(4294967296)", "varchar(99999999999)", "decimal(66)", "decimal(65,39)", "binary(256)"),
    ],
)  # fmt: skip
def test_what_is_no_type_is_refused_as_one(text: str) -> None:
    with pytest.raises(Rejected) as refused:
        parse_column_type(text)
    assert refused.value.reason == "type"


def test_a_refusal_shows_no_more_than_80_characters_of_a_type() -> None:
    for text in ("decimal(x)".ljust(80), "decimal(9999999999)".ljust(80)):
        for given, shown in ((text, repr(text)), (text + " ", repr(text) + "…")):
            with pytest.raises(Rejected) as refused:
                parse_column_type(given)
            assert refused.value.message.startswith(f"{shown}: ")


@pytest.mark.parametrize(
    ("text", "longest"),
    [
        *(("char", 1), ("char(3)", 3), ("varchar(9)", 9), ("binary(0)", 0), ("varbinary(5)", 5)),
        *(("text(20)", None), ("blob(20)", None), ("bit(3)", None), ("datetime(3)", None), ("int(5)", None)),
    ],
)
def test_only_texts_and_bytes_of_a_length_are_no_longer_than_it(text: str, longest: int | None) -> None:
    assert parse_column_type(text).longest == longest

"""What Avro's documents list: options and their defaults, choices of profiles, the types of columns."""

from __future__ import annotations

import pytest

from reference_impl.avro import Options
from reference_impl.avro.records import RecordReader
from reference_impl.avro.registered import read_schema
from reference_impl.avro.schemas import extension_field
from reference_impl.avro.style import style_of
from reference_impl.avro.types import AVRO_TYPES_OF_TIDB, AvroType, avro_type
from reference_impl.column_types import parse_column_type
from reference_impl.errors import Rejected
from reference_impl.profiles import CLASSIC, DOC, NEWARCH, Profile
from reference_impl.values import escaped_label
from tests.unit.avro.samples import schema

# Options


@pytest.mark.parametrize("text", ["claim-check", "handle-key-only"])
def test_avro_has_no_way_to_handle_a_large_message(text: str) -> None:
    with pytest.raises(Rejected, match="Avro sends whole rows only") as refused:
        Options(large_message_handle_option=text)
    assert refused.value.reason == "semantics"  # AV-168


@pytest.mark.parametrize(
    ("extension", "watermark", "mode"), [(0, 0, False), (0, 1, False), (1, 0, False), (1, 1, True)]
)
def test_the_mode_for_tests_needs_both_of_its_options(extension: int, watermark: int, mode: bool) -> None:
    given = Options(enable_tidb_extension=bool(extension), avro_enable_watermark=bool(watermark))
    assert given.watermarks == mode  # AV-130


# Styles

STYLE_ROWS: list[tuple[str, tuple[bool, bool, bool], str]] = [  # (choice, newarch, classic, doc; requirement)
    ("fixed_bits", (True, False, True), "AV-105"),
    ("handle_key", (False, True, True), "AV-112"),
    ("virtual_handle_key", (True, False, True), "OP-250"),
    ("virtual_columns", (True, False, True), "AV-110"),
    ("before_value", (True, False, False), "AV-120"),
    ("delete_marker", (True, False, False), "AV-131"),
    ("parameters_first", (False, False, True), "AV-027"),
    ("extension_defaults", (True, True, False), "AV-116"),
    ("refuses_virtual", (False, False, False), "a defect"),
]


@pytest.mark.parametrize(("choice", "made", "why"), STYLE_ROWS)
def test_a_profile_makes_the_choices_of_its_producer(choice: str, made: tuple[bool, bool, bool], why: str) -> None:
    assert tuple(getattr(style_of(profile), choice) for profile in (NEWARCH, CLASSIC, DOC)) == made, why


@pytest.mark.parametrize(
    ("profile", "members"),
    [(NEWARCH, "type name namespace"), (CLASSIC, "type name namespace"), (DOC, "name namespace type")],
)
def test_the_members_of_a_schema_have_the_order_of_the_profile(profile: Profile, members: str) -> None:
    assert style_of(profile).record_members == tuple(members.split())  # AV-025


EXTENSION_FIELDS = [  # TV-AV-021, TV-AV-022
    ("_tidb_op", "string", '""'),
    ("_tidb_commit_ts", "long", "0"),
    ("_tidb_commit_physical_time", "long", "0"),
]


@pytest.mark.parametrize(("name", "avro", "default"), EXTENSION_FIELDS)
def test_a_field_of_the_extension_has_a_default_but_in_the_document(name: str, avro: str, default: str) -> None:
    bare = f'"name":"{name}","type":"{avro}"}}'
    for profile in (NEWARCH, CLASSIC):
        assert extension_field(name, style_of(profile)) == f'{{"default":{default},{bare}'  # AV-116 … AV-118
    assert extension_field(name, style_of(DOC)) == f"{{{bare}"


def test_a_key_has_a_row_and_nothing_else() -> None:
    field = {"name": "id", "type": {"type": "int", "connect.parameters": {"tidb_type": "INT"}}}
    read = RecordReader(read_schema(schema(field)), {}).key(b"\2")
    assert read == ("test", "t", {"id": "1"}, None, False, None, None)  # AV-030


# Types

TIDB_TYPES = {
    "INT": "int", "INT UNSIGNED": "int long", "BIGINT": "long", "BIGINT UNSIGNED": "long string",
    "FLOAT": "float double", "DOUBLE": "double",
    "DECIMAL": "bytes string", "BIT": "bytes", "TEXT": "string", "BLOB": "bytes", "ENUM": "string",
    "SET": "string", "JSON": "string", "DATE": "string", "DATETIME": "string", "TIMESTAMP": "string", "TIME": "string",
    "YEAR": "int", "TiDBVECTORFloat32": "string",
}  # fmt: skip


def test_a_tidb_type_has_the_avro_types_of_some_mode_profile_or_release() -> None:
    assert {tidb: frozenset(avro.split()) for tidb, avro in TIDB_TYPES.items()} == dict(AVRO_TYPES_OF_TIDB)


STRINGS = Options(avro_decimal_handling_mode="string", avro_bigint_unsigned_handling_mode="string")
AVRO_TYPES: list[tuple[str, Options, str, dict[str, str], tuple[int, int] | None]] = [
    ("tinyint", Options(), "int", {"tidb_type": "INT"}, None),
    ("mediumint unsigned", Options(), "int", {"tidb_type": "INT UNSIGNED"}, None),
    ("int unsigned", Options(), "long", {"tidb_type": "INT UNSIGNED"}, None),
    ("bigint", STRINGS, "long", {"tidb_type": "BIGINT"}, None),
    ("bigint unsigned", Options(), "long", {"tidb_type": "BIGINT UNSIGNED"}, None),
    ("bigint unsigned", STRINGS, "string", {"tidb_type": "BIGINT UNSIGNED"}, None),
    ("float unsigned", Options(), "float", {"tidb_type": "FLOAT"}, None),
    ("double unsigned", Options(), "double", {"tidb_type": "DOUBLE"}, None),
    ("decimal", Options(), "bytes", {"tidb_type": "DECIMAL"}, (10, 0)),
    ("decimal(65,30)", Options(), "bytes", {"tidb_type": "DECIMAL"}, (65, 30)),
    ("decimal(5)", Options(), "bytes", {"tidb_type": "DECIMAL"}, (5, 0)),
    ("decimal(65,30)", STRINGS, "string", {"tidb_type": "DECIMAL"}, None),
    ("bit", Options(), "bytes", {"length": "1", "tidb_type": "BIT"}, None),
    ("bit(64)", Options(), "bytes", {"length": "64", "tidb_type": "BIT"}, None),
    ("year", Options(), "int", {"tidb_type": "YEAR"}, None),
    ("vector(3)", Options(), "string", {"tidb_type": "TiDBVECTORFloat32"}, None),
    ("json", Options(), "string", {"tidb_type": "JSON"}, None),
    ("enum('a','b')", Options(), "string", {"allowed": "a,b", "tidb_type": "ENUM"}, None),
    ("set('a','b')", Options(), "string", {"allowed": "a,b", "tidb_type": "SET"}, None),
]


@pytest.mark.parametrize(("kind", "given", "avro", "parameters", "decimal"), AVRO_TYPES)
def test_a_column_type_has_its_avro_type(
    kind: str, given: Options, avro: str, parameters: dict[str, str], decimal: tuple[int, int] | None
) -> None:
    made = avro_type(parse_column_type(kind), given, style_of(NEWARCH))
    assert made == AvroType(avro, parameters, decimal)
    assert made.tidb == parameters["tidb_type"]


@pytest.mark.parametrize(
    ("label", "text"), [("a", "a"), ("a,b", "a\\,b"), (",", "\\,"), ("''", "'"), ("\\'", "'"), ("'", "'"), ("", "")]
)
def test_a_label_has_its_commas_escaped(label: str, text: str) -> None:
    assert escaped_label(label) == text  # AV-106

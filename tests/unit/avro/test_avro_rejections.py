"""What the decoder refuses, one fault each, with the first class that applies.  [AV-017, AV-200 … AV-211]"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.unit.avro.samples import EXTENSION, ID, INT, WATERMARKS, numbered, record, refusal, schema

KEY = schema(ID)
TAIL = "888080f08eb8ceca0b 80f7c0f3d45c"  # commit time stamp and physical time


def _typed(avro: Any, tidb: str, **parameters: str) -> dict[str, Any]:
    return {"type": avro, "connect.parameters": {"tidb_type": tidb, **parameters}}


FRAMES: list[tuple[str, str | None, str | None, str]] = [
    ("a key with the header of another registry", "03 05" + "00" * 17, None, "framing"),
    ("a short value without a key", None, "00", "framing"),
    ("a value that begins with 5, with a key", "00 00000001 02", "05 00000001 02", "framing"),
    ("a watermark with a key", "00 00000001 02", "02" + "00" * 8, "framing"),
    ("a statement with a key", "00 00000001 02", "017b7d", "framing"),
    ("a watermark of nine bytes", None, "02" + "00" * 9, "framing"),
    ("a delete of seven bytes", "00 00000001 02", "03" + "00" * 7, "framing"),
    ("a delete of seven bytes without a key", None, "03" + "00" * 7, "framing"),
    ("a short value beside a key of no schema", "00 00000009 02", "00", "framing"),
]


@pytest.mark.parametrize(("what", "key", "value", "reason"), FRAMES, ids=[frame[0] for frame in FRAMES])
def test_a_record_that_is_not_framed_is_refused(what: str, key: str | None, value: str | None, reason: str) -> None:
    assert refusal(numbered(KEY), record(key, value), WATERMARKS) == reason


_ROW = (
    ID,
    {"name": "s", "type": ["null", _typed("string", "TEXT")]},
    {"name": "f", "type": ["null", _typed("float", "FLOAT")]},
)
BODIES = [
    ("nothing", "", "syntax"),
    ("a cut number", "80", "syntax"),
    ("a cut union", "02", "syntax"),
    ("a cut string", "02 02 0661", "syntax"),
    ("a cut float", "02 00 02 0000", "syntax"),
    ("bytes after the record", "02 00 00 00", "syntax"),
    ("branch 4", "02 08 00", "syntax"),
    ("branch 2", "02 04 00", "syntax"),
    ("branch -1", "02 01 0261 00", "syntax"),
    ("branch -2", "02 03 00", "syntax"),
    ("a string of length -1", "02 02 01 00", "syntax"),
    ("a string that is not UTF-8", "02 02 02ff 00", "syntax"),
    ("half of a surrogate pair", "02 02 06eda080 00", "syntax"),
    ("an int of 33 bits", "8080808020 00 00", "syntax"),
    ("an int of 70 bits", "ffffffffffffffffff7f 00 00", "syntax"),
    ("a number of eleven bytes", "8280808080808080808000 00 00", "syntax"),
    ("not a number", "02 00 02 0000c07f", "range"),
    ("infinity", "02 00 02 0000807f", "range"),
]


@pytest.mark.parametrize(("what", "body", "reason"), BODIES, ids=[body[0] for body in BODIES])
def test_a_body_that_is_not_avro_is_refused(what: str, body: str, reason: str) -> None:
    assert refusal(numbered(KEY, schema(*_ROW)), record(None, f"00 00000002 {body}")) == reason


def _column(type_: Any) -> str:
    return schema({"name": "id", "type": type_})


def decimal(precision: object, scale: object) -> dict[str, Any]:
    return _typed("bytes", "DECIMAL") | {"logicalType": "decimal", "precision": precision, "scale": scale}


def _marked_as_parsed(text: str) -> str:
    return json.dumps({**json.loads(text), "__fastavro_parsed": True, "__named_schemas": {}})


_BEFORE = {"type": "record", "name": "t_before", "fields": [ID]}
SCHEMAS = [
    ("no JSON", "{", "schema"),
    ("an empty text", "", "schema"),
    ("a doubled member", KEY.replace('"name": "t"', '"name": "t", "name": "t"'), "schema"),
    ("an object of nothing", "{}", "schema"),
    ("null", "null", "schema"),
    ("an enum", '{"type":"enum","name":"e","symbols":["a"]}', "schema"),
    ("no name", '{"type":"record","fields":[]}', "schema"),
    ("no fields", '{"type":"record","name":"t"}', "schema"),
    ("a namespace that is a number", schema(ID, namespace=5), "schema"),  # type: ignore[arg-type]
    ("a field without a type", schema({"name": "id"}), "schema"),
    ("a field without a type, marked as parsed", _marked_as_parsed(schema({"name": "id"})), "schema"),
    ("a field that is no object, marked as parsed", _marked_as_parsed(schema(1)), "schema"),  # type: ignore[arg-type]
    ("an unknown type", _column("foo"), "schema"),
    ("a record with the name of a type", '{"type":"record","name":"null","fields":[]}', "schema"),
    ("a union without null", _column([INT, "string"]), "schema"),
    ("a union of null", _column(["null"]), "schema"),
    ("a default of the wrong type", schema({"name": "id", "type": INT, "default": "x"}), "schema"),
    ("no connect.parameters", _column({"type": "int"}), "schema"),
    ("parameters that are no object", _column({"type": "int", "connect.parameters": "INT"}), "schema"),
    ("a record that is no before value", schema({"name": "id", "type": ["null", _BEFORE]}), "schema"),
    ("a before value that is not null", schema({"name": "_ticdc_before", "type": _BEFORE}), "schema"),
    ("a tidb_type in lower case", _column(_typed("int", "int")), "type"),
    ("an unsigned float", _column(_typed("float", "FLOAT UNSIGNED")), "type"),
    ("a text of numbers", _column(_typed("int", "TEXT")), "type"),
    ("an INT of strings", _column(_typed("string", "INT")), "type"),
    ("a BIGINT of strings", _column(_typed("string", "BIGINT")), "type"),
    ("a BIT of no number", _column(_typed("bytes", "BIT", length="x")), "type"),
    ("a BIT of a digit of another script", _column(_typed("bytes", "BIT", length="٣")), "type"),
    ("a BIT of 1000", _column(_typed("bytes", "BIT", length="1000")), "type"),
    ("a BIT of 0", _column(_typed("bytes", "BIT", length="0")), "type"),
    *(
        (f"a decimal of {precision} and {scale}", _column(decimal(precision, scale)), reason)
        for precision, scale, reason in (
            (None, 0, "schema"),
            ("2", 0, "schema"),
            (2.0, 0, "schema"),
            (2, None, "schema"),
            (2, "0", "schema"),
            (2, 3, "schema"),
            (2, -1, "schema"),
            (2, True, "schema"),
            (0, 0, "type"),
            (66, 65, "type"),
        )
    ),
    ("a decimal of another logical type", _column(decimal(2, 0) | {"logicalType": "date"}), "schema"),
    *(
        (f"bits whose number has {len(length)} digits", _column(_typed("bytes", "BIT", length=length)), "type")
        for length in ("0640", "001" + "0" * 5000)
    ),
]


@pytest.mark.parametrize(("what", "text", "reason"), SCHEMAS, ids=[one[0] for one in SCHEMAS])
def test_a_schema_of_another_producer_is_refused(what: str, text: str, reason: str) -> None:
    # Each body is one of its schema's, so that nothing is wrong but the schema.
    one_byte = "00 00000001 00"
    bodies = {
        "an unsigned float": "00 00000001 00000000",
        "a before value that is not null": "00 00000001 04",
        "an enum": one_byte,
    }
    assert refusal(numbered(text), record(bodies.get(what, one_byte), None)) == reason


def test_an_id_that_the_registry_does_not_have_is_refused() -> None:
    assert refusal(numbered(KEY), record("00 00000009 02", None)) == "schema"


def test_a_cut_body_comes_before_a_schema_that_is_not_of_ticdc() -> None:
    assert refusal(numbered(_column("int")), record("00 00000001", None)) == "syntax"


def test_of_two_wrong_values_the_class_that_comes_first_counts() -> None:
    year, date, wide = _typed("int", "YEAR"), _typed("string", "DATE"), _typed("int", "INT")
    fields = [{"name": name, "type": type_} for name, type_ in (("y", year), ("d", date), ("i", wide))]
    registry = numbered(schema(*fields))
    assert refusal(registry, record(None, "00 00000001 02 0278 00")) == "type"
    assert refusal(registry, record(None, "00 00000001 02 0278 8080808020")) == "syntax"


def test_of_key_and_value_the_class_that_comes_first_counts() -> None:
    registry = numbered(KEY, schema({"name": "id", "type": _typed("int", "YEAR")}))
    assert refusal(registry, record("00 00000002 02", "00 00000001")) == "syntax"
    assert refusal(registry, record("00 00000009 02", "00 00000001")) == "syntax"
    assert refusal(registry, record("00 00000002 02", "00 00000009 02")) == "schema"


_OP, _TS, _PHYSICAL = EXTENSION
_TEXT, _FLAG, _VERSION = (
    {"name": "_tidb_row_level_checksum", "type": "string"},
    {"name": "_tidb_corrupted", "type": "boolean"},
    {"name": "_tidb_checksum_version", "type": "int"},
)


def _before(*fields: dict[str, Any]) -> dict[str, Any]:
    return {"name": "_ticdc_before", "type": ["null", {"type": "record", "name": "before", "fields": fields}]}


_OLD = {"name": "_ticdc_before", "type": ["null", _BEFORE]}
EXTENSIONS: list[tuple[str, list[Any], str, str]] = [
    (
        "an operation that may be null",
        [_OP | {"type": ["null", "string"], "default": None}, _TS, _PHYSICAL],
        f"02 0263 {TAIL}",
        "schema",
    ),
    ("a time of 32 bits", [_OP, _TS | {"type": "int"}, _PHYSICAL], "0263 00 00", "schema"),
    ("a flag of 2", [_OP, _TS, _PHYSICAL, _TEXT, _FLAG, _VERSION], f"0263 {TAIL} 00 02 00", "syntax"),
    ("a row before it with a time", [_before(ID, _TS), _OP], "02 02 00 0275", "schema"),
    ("a row before it with another before it", [_before(ID, _OLD), _OP], "02 02 00 0275", "schema"),
    ("an insert with a row before it", [_OLD, _OP], "02 02 0263", "semantics"),
    ("an update without", [_OLD, _OP], "00 0275", "semantics"),
    ("a delete without", [_OLD, _OP], "00 0264", "semantics"),
    ("a delete of another row", [_OLD, _OP], "02 04 0264", "semantics"),
]


@pytest.mark.parametrize(("what", "fields", "body", "reason"), EXTENSIONS, ids=[one[0] for one in EXTENSIONS])
def test_an_extension_that_contradicts_itself_is_refused(what: str, fields: Any, body: str, reason: str) -> None:
    assert refusal(numbered(KEY, schema(ID, *fields)), record("00 00000001 02", f"00 00000002 02 {body}")) == reason


@pytest.mark.parametrize(
    ("what", "key", "value", "body"),
    [
        ("another value", KEY, schema(ID), "04"),
        ("another table", schema(ID, name="u"), schema(ID), "02"),
        ("another schema", schema(ID, namespace="default.other"), schema(ID), "02"),
        ("a column that the row has not", schema(ID), schema({"name": "x", "type": INT}), "02"),
    ],
)
def test_a_key_that_is_not_that_of_its_row_is_refused(what: str, key: str, value: str, body: str) -> None:
    sent = record("00 00000001 02", f"00 00000002 {body}")
    assert refusal(numbered(key, value), sent) == "semantics"


_DDL = '{"query":"q","type":3,"schema":"s","table":"t","commitTs":1}'
STATEMENTS = [
    ("no JSON", "{", "syntax"),
    ("not UTF-8", "\udcff", "syntax"),
    ("bytes after the object", _DDL + "x", "syntax"),
    ("a doubled member", _DDL.replace('"type":3', '"type":3,"type":3'), "schema"),
]


@pytest.mark.parametrize(("what", "text", "reason"), STATEMENTS, ids=[one[0] for one in STATEMENTS])
def test_a_statement_that_is_wrong_is_refused(what: str, text: str, reason: str) -> None:
    data = b"\1" + text.encode("utf-8", "surrogateescape")
    assert refusal(numbered(), record(None, data.hex()), WATERMARKS) == reason

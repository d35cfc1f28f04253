"""What a refusal says: the part of the record, schema or event that is wrong, and what was found there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reference_impl.avro import Encoder, Options
from reference_impl.errors import Rejected
from reference_impl.model import DdlEvent, Event, Index, Mask, RawText, Table
from reference_impl.settings import Settings
from tests.unit.avro.samples import (
    EXTENSION,
    ID,
    INT,
    PERSON,
    TS,
    WATERMARKS,
    column,
    decode,
    insert,
    numbered,
    options,
    record,
    schema,
    table_of,
)

KEY = schema(ID)
STATEMENT = {"query": "q", "type": 3, "schema": "s", "table": "t", "commitTs": 1}


def _typed(avro: str, tidb: Any, **parameters: str) -> dict[str, Any]:
    return {"type": avro, "connect.parameters": {"tidb_type": tidb, **parameters}}


def refusal_of(key: str | None, value: str | None, *schemas: str, given: Any = WATERMARKS) -> tuple[str, str]:
    """Class and words of the refusal of a record."""
    with pytest.raises(Rejected) as refused:
        decode(numbered(*schemas), record(key, value), given=given)
    return str(refused.value.reason), refused.value.message


RECORDS = [
    ("", None, "the key of 0 bytes: the header alone has 5"),
    ("00 000000", None, "the key of 4 bytes: the header alone has 5"),
    ("01 00000001 02", None, "the key begins with the byte 0x01, not with 0x00"),
    ("00 00000001 02", "00 00", "the value of 2 bytes: the header alone has 5"),
    (None, "", "a value that is empty, without a key"),
    ("00 00000001 02", "", "a value that is empty, with a key"),
    (None, "05", "a value that begins with 0x05, without a key"),
    ("00 00000001 02", "02", "a value that begins with 0x02, with a key"),
    (None, "02" + "00" * 7, "a control message of 8 bytes, not 9"),
    ("00 00000001 80", None, "the bytes end before the record does, or name a branch that does not exist"),
    ("00 00000001 0200", None, "1 bytes after the record"),
]


@pytest.mark.parametrize(("key", "value", "message"), RECORDS)
def test_a_refusal_names_the_faulty_part_of_a_record(key: str | None, value: str | None, message: str) -> None:
    reason = "syntax" if "record" in message else "framing"
    assert refusal_of(key, value, KEY) == (reason, message)


CONTROL = [
    (None, "02" + "00" * 8, "a watermark without enable-tidb-extension and avro-enable-watermark"),
    (
        *(None, "01" + json.dumps(STATEMENT).encode().hex()),
        "a DDL message without enable-tidb-extension and avro-enable-watermark",
    ),
    (
        *("00 00000001 02", "03" + "00" * 8),
        "a delete with a time stamp without enable-tidb-extension and avro-enable-watermark",
    ),
]


@pytest.mark.parametrize(("key", "value", "message"), CONTROL)
@pytest.mark.parametrize(
    "given", [options(), options(enable_tidb_extension="true"), options(avro_enable_watermark="true")]
)
def test_control_messages_are_for_the_mode_for_tests(key: str | None, value: str, message: str, given: Options) -> None:
    assert refusal_of(key, value, KEY, given=given) == ("semantics", message)


STATEMENTS = [
    ([], "schema", "a DDL message is not a JSON object"),
    *(
        (STATEMENT | {name: given}, "schema", f"a DDL message: {name!r} is missing or of the wrong JSON kind")
        for name, given in (*((name, None) for name in STATEMENT), *(("type", "3"), ("type", True), ("commitTs", 1.5)))
    ),
    *(
        (
            {member: given for member, given in STATEMENT.items() if member != name},
            *("schema", f"a DDL message: {name!r} is missing or of the wrong JSON kind"),
        )
        for name in STATEMENT
    ),
    *((STATEMENT | {"type": code}, "range", f"a DDL message of type {code} at 1") for code in (256, -1)),
    *((STATEMENT | {"commitTs": tso}, "range", f"a DDL message of type 3 at {tso}") for tso in (-1, 2**64)),
    (STATEMENT | {"query": ""}, "semantics", "a DDL message without a statement"),
]


@pytest.mark.parametrize(("tree", "reason", "message"), STATEMENTS)
def test_a_refusal_names_the_faulty_member_of_a_statement(tree: object, reason: str, message: str) -> None:
    assert refusal_of(None, "01" + json.dumps(tree).encode().hex()) == (reason, message)


@pytest.mark.parametrize(("code", "commit_ts"), [(0, 0), (255, 2**64 - 1)])
def test_a_statement_has_a_code_of_one_byte_and_a_time_stamp_of_eight(code: int, commit_ts: int) -> None:
    text = json.dumps(STATEMENT | {"type": code, "commitTs": commit_ts})
    [event] = decode(numbered(), record(None, "01" + text.encode().hex()), given=WATERMARKS)
    assert isinstance(event, DdlEvent)
    assert (event.action_code, event.commit_ts) == (code, commit_ts)


NO_SCHEMA = "the registered text is no schema of a record: "
SCHEMAS = [
    ('"int"', f"{NO_SCHEMA}it is another type"),
    (schema(ID, ID), f"{NO_SCHEMA}it has two fields of one name"),
    (schema({"name": "i.d", "type": INT}), f"{NO_SCHEMA}'i.d' is no name of a field"),
    (schema(ID, name="a-b"), f"{NO_SCHEMA}'a-b' is no name of a record"),
    (
        '{"type":"record","name":"t","fields":{}}',
        f"{NO_SCHEMA}its namespace is not a string, or its fields are not a list",
    ),
    (schema({"name": "id", "type": ["null", INT, "string"]}), f"{NO_SCHEMA}a union is not of null and one other type"),
    (
        schema({"name": "id", "type": {"type": "array", "items": "int"}}),
        f"{NO_SCHEMA}no field of TiCDC has the type 'array'",
    ),
    (schema({"name": "id", "type": "int"}), "column 'id' has no connect.parameters, or one that is not a string"),
    (
        schema({"name": "id", "type": _typed("int", 3)}),
        "column 'id' has no connect.parameters, or one that is not a string",
    ),
    (schema({"name": "id", "type": _typed("int", "FOO")}), "column 'id': tidb_type 'FOO' as Avro's int"),
    (
        schema({"name": "id", "type": {"type": "int", "connect.parameters": {}}}),
        "column 'id' has no 'tidb_type' in connect.parameters",
    ),
    *(
        (schema({"name": "id", "type": _typed(avro, tidb)}), f"column 'id' has no {member!r} in connect.parameters")
        for avro, tidb, member in (
            ("bytes", "BIT", "length"),
            ("string", "ENUM", "allowed"),
            ("string", "SET", "allowed"),
        )
    ),
    (schema({"name": "id", "type": _typed("bytes", "BIT", length="65")}), "column 'id' is a BIT of '65' bits"),
    (
        schema({"name": "id", "type": _typed("bytes", "DECIMAL")}),
        "column 'id' is not a logical decimal with precision and scale",
    ),
    (
        schema({"name": "id", "type": _typed("bytes", "DECIMAL") | {"logicalType": "decimal", "precision": 66}}),
        "column 'id' is a decimal of precision 66 and scale 0",
    ),
    (schema(ID, EXTENSION[0]), "a key has fields that are not columns"),
]


@pytest.mark.parametrize(("text", "message"), SCHEMAS)
def test_a_refusal_names_the_faulty_part_of_a_schema(text: str, message: str) -> None:
    body = "00" if message != "a key has fields that are not columns" else "00 00"
    of_type = ("FOO", "a BIT of", "a decimal of")
    reason = "type" if any(words in message for words in of_type) else "schema"
    assert refusal_of(f"00 00000001 {body}", None, text) == (reason, message)


TIME = "888080f08eb8ceca0b"
VALUES = [
    ([EXTENSION[0]], "0263", "schema", "a value with only ['_tidb_op'] of the extension", {}),
    *(
        (fields, body, "schema", "a value without '_tidb_commit_physical_time'", {"enable_tidb_extension": "true"})
        for fields, body in (([EXTENSION[0]], "0263"), ([], ""))
    ),
    *((EXTENSION, f"02{ord(op):02x} {TIME} 80f7c0f3d45c", "type", f"_tidb_op is {op!r}", {}) for op in ("x", "C")),
    (EXTENSION, f"00 {TIME} 80f7c0f3d45c", "type", "_tidb_op is ''", {}),
    (EXTENSION, f"0263 {TIME} 02", "semantics", f"_tidb_commit_physical_time 1 is not that of {TS}", {}),
    (EXTENSION, f"0264 {TIME} 80f7c0f3d45c", "semantics", "a delete whose row is not the row before it", {}),
]


@pytest.mark.parametrize(("fields", "body", "reason", "message", "given"), VALUES)
def test_a_refusal_names_the_faulty_field_of_the_extension(
    fields: list[Any], body: str, reason: str, message: str, given: dict[str, str]
) -> None:
    got = refusal_of(None, f"00 00000001 02 {body}", schema(ID, *fields), given=options(**given))
    assert got == (reason, message)


def _refused(*events: Event, table: Table = PERSON, given: Any = WATERMARKS) -> tuple[str, str]:
    with pytest.raises(Rejected) as refused:
        Encoder(given, settings=Settings()).encode(events, [table])
    return str(refused.value.reason), refused.value.message


FIELDS = [
    *(
        (kind, value, "type", f"{value!r} is not a value of a {kind} column")
        for kind, value in (
            ("int", "x"),
            ("int", "+1"),
            ("int", "1_0"),
            ("int", b"1"),
            ("bit(4)", "x"),
            ("varchar(5)", b"x"),
            ("blob", "x"),
        )
    ),
    *(
        (kind, value, "range", f"{value} is outside {kind}")
        for kind, value in (
            ("int", "2147483648"),
            ("tinyint unsigned", "-1"),
            ("bigint", "9223372036854775808"),
            ("bit(4)", "16"),
        )
    ),
    ("varchar(5)", RawText(b"\xff"), "type", "bytes of a varchar(5) column that are not UTF-8 are no Avro string"),
    *(("enum('a')", Index(n), "range", f"{n} is not the number of a member of enum('a')") for n in (0, 2)),
    *(("double", "x", "type", "'x' is not a number"), ("date", "x", "type", "'x' is not a date")),
    ("year", "1900", "range", "1900 is not a year from 1901 to 2155"),
    ("set('a')", Mask(2), "range", "2 is not a mask of set('a')"),
    ("point", b"", "type", "point: TiDB has no such column type"),
    *(
        (kind, value, "type", "")
        for kind, value in (
            ("decimal(4,2)", "1"),
            ("varchar(5)", "\ud800"),
            ("json", "{"),
            ("datetime(3)", "2024-01-01 00:00:00"),
        )
    ),
    *(
        (kind, value, "range", "")
        for kind, value in (
            ("float", "1e99"),
            ("decimal(4,2)", "100.00"),
            ("enum('a')", "b"),
            ("set('a')", "b"),
            ("vector(2)", "[1]"),
        )
    ),
]


@pytest.mark.parametrize(("kind", "value", "reason", "message"), FIELDS)
def test_a_refusal_names_the_value_that_does_not_fit(kind: str, value: Any, reason: str, message: str) -> None:
    table = table_of(column("c", kind))
    found = _refused(insert(table, c=value), table=table)
    assert found == (reason, message or found[1])


def test_a_refusal_names_the_length_of_a_message_and_its_limit() -> None:
    words = "a message of 50 bytes; max-message-bytes=9"
    assert _refused(insert(PERSON, age="1"), given=options(max_message_bytes="9")) == ("range", words)

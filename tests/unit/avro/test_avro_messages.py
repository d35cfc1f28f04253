"""What a refusal says: the part of the record, schema or event that is wrong, and what was found there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reference_impl.avro import Encoder
from reference_impl.errors import Rejected
from reference_impl.model import DdlEvent, Event, Index, Mask, RawText, RowChange, Table, Watermark
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


def message_of(key: str | None, value: str | None, *schemas: str, given: Any = WATERMARKS) -> str:
    with pytest.raises(Rejected) as refused:
        decode(numbered(*schemas), record(key, value), given=given)
    return refused.value.message


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
    assert message_of(key, value, KEY) == message


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
def test_a_refusal_names_the_control_message_of_another_mode(key: str | None, value: str, message: str) -> None:
    assert message_of(key, value, KEY, given=options()) == message


STATEMENTS = [
    ([], "a DDL message is not a JSON object"),
    *(
        (STATEMENT | {name: None}, f"a DDL message: {name!r} is missing or of the wrong JSON kind")
        for name in STATEMENT
    ),
    (STATEMENT | {"type": 256}, "a DDL message of type 256 at 1"),
    (STATEMENT | {"type": -1}, "a DDL message of type -1 at 1"),
    (STATEMENT | {"commitTs": 2**64}, f"a DDL message of type 3 at {2**64}"),
    (STATEMENT | {"query": ""}, "a DDL message without a statement"),
]


@pytest.mark.parametrize(("tree", "message"), STATEMENTS)
def test_a_refusal_names_the_faulty_member_of_a_statement(tree: object, message: str) -> None:
    assert message_of(None, "01" + json.dumps(tree).encode().hex()) == message


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
    assert message_of(f"00 00000001 {body}", None, text) == message


TIME = "888080f08eb8ceca0b"
VALUES = [
    ([EXTENSION[0]], "0263", "a value with only ['_tidb_op'] of the extension", {}),
    ([EXTENSION[0]], "0263", "a value without '_tidb_commit_physical_time'", {"enable_tidb_extension": "true"}),
    ([], "", "a value without '_tidb_commit_physical_time'", {"enable_tidb_extension": "true"}),
    (EXTENSION, f"0278 {TIME} 80f7c0f3d45c", "_tidb_op is 'x'", {}),
    (EXTENSION, f"0263 {TIME} 02", f"_tidb_commit_physical_time 1 is not that of {TS}", {}),
    (EXTENSION, f"0264 {TIME} 80f7c0f3d45c", "a delete whose row is not the row before it", {}),
]


@pytest.mark.parametrize(("fields", "body", "message", "given"), VALUES)
def test_a_refusal_names_the_faulty_field_of_the_extension(
    fields: list[Any], body: str, message: str, given: dict[str, str]
) -> None:
    got = message_of(None, f"00 00000001 02 {body}", schema(ID, *fields), given=options(**given))
    assert got == message


def _encoded(*events: Event, table: Table = PERSON, given: Any = WATERMARKS) -> str:
    with pytest.raises(Rejected) as refused:
        Encoder(given, settings=Settings()).encode(events, [table])
    return refused.value.message


def test_a_refusal_names_the_event_without_a_time_stamp() -> None:
    row = RowChange("insert", "test", "person", None, after={"id": "1", "age": None})
    delete = RowChange("delete", "test", "person", None, before={"id": "1", "age": None})
    assert _encoded(row) == "commit_ts of a row event is missing"
    assert _encoded(delete) == "commit_ts of a row event is missing"
    assert _encoded(DdlEvent("test", "t", "q", action_code=3)) == "commit_ts of a ddl event is missing"
    assert _encoded(Watermark(2**64)) == f"commit_ts of a watermark: {2**64} is no time stamp of 64 bits"


FIELDS = [
    ("int", "x", "'x' is not a value of a int column"),
    ("int", "2147483648", "2147483648 is outside int"),
    ("varchar(5)", RawText(b"\xff"), "bytes of a varchar(5) column that are not UTF-8 are no Avro string"),
    ("varchar(5)", b"x", "b'x' is not a value of a varchar(5) column"),
    ("enum('a')", Index(2), "2 is not the number of a member of enum('a')"),
    ("set('a')", Mask(2), "2 is not a mask of set('a')"),
    ("blob", "x", "'x' is not a value of a blob column"),
    ("point", b"", "point: TiDB has no such column type"),
]


@pytest.mark.parametrize(("kind", "value", "message"), FIELDS)
def test_a_refusal_names_the_value_that_does_not_fit(kind: str, value: Any, message: str) -> None:
    table = table_of(column("c", kind))
    assert _encoded(insert(table, c=value), table=table) == message


def test_a_refusal_names_what_is_missing() -> None:
    table = table_of(column("c", "int"))
    assert _encoded(insert(table), table=table) == "a row has no column 'c'"
    assert _encoded(insert(table, c=None)) == "a row of the table test.t, which is not known"
    twins = table_of(column("a-b", "int"), column("a b", "int"))
    assert _encoded(insert(twins), table=twins) == "two fields 'a_b' in the schema of test.t"


def test_a_refusal_names_the_length_of_a_message_and_its_limit() -> None:
    assert _encoded(insert(PERSON, age="1"), given=options(max_message_bytes="9")) == (
        "a message of 50 bytes; max-message-bytes=9"
    )

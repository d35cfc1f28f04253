"""Negatives of Avro: headers, data, schemas, and the records of the watermark mode."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from io import BytesIO

import fastavro
from fastavro.schema import SchemaParseException

from conformance.cases.model import Case
from conformance.cases.negatives.bases import base, key_of, negatives_of, value_of
from conformance.cases.negatives.model import (
    SCHEMA,
    SYNTAX,
    Negative,
    as_it_is,
    classes,
    cuts,
    described,
    flips,
    is_no_json,
)
from conformance.cases.negatives.parts import Part, with_side
from conformance.cases.negatives.texts import Amounts, DocumentForm, member, text_negatives

__all__ = ["avro_negatives", "avro_parts"]

_FRAMING = classes("framing")
# Requirements by their subject.
_HEADER, _BODY, _ID, _SCHEMA, _MARKED = "AV-017", "AV-018a", "AV-175a", "AV-032a", "AV-130g"
_HEADER_SIZE = 5
_MARKS = (1, 2, 3)
_SURELY_UNKNOWN = 1 << 16
_WATERMARKS = {"enable-tidb-extension": "true", "avro-enable-watermark": "true"}
_STATEMENT = DocumentForm(
    {
        **dict.fromkeys(("query", "schema", "table"), member("string")),
        **dict.fromkeys(("type", "commitTs"), member("number")),
    }
)
_FREE = DocumentForm(doubled=frozenset())


def _is_no_datum(body: bytes, schema: str) -> bool:
    """Whether an independent reader finds no datum of the schema at the beginning of the body.

    A schema that the reader refuses, as for a default of 0 for a double, decides nothing.
    """
    try:
        fastavro.schemaless_reader(BytesIO(body), json.loads(schema), None)
    except SchemaParseException:
        return False
    except (EOFError, IndexError, ValueError):
        return True
    return False


def _judged(negatives: Iterable[Negative], case: Case) -> Iterator[Negative]:
    """Changes of a key or value, each with its consequence by header, schema and data."""
    schemas = {schema.id: schema.schema for schema in case.schemas}
    return (_judged_by(schemas, negative) for negative in negatives)


def _judged_by(schemas: Mapping[int, str], negative: Negative) -> Negative:
    data = negative.data
    schema_id = int.from_bytes(data[1:_HEADER_SIZE], "big")
    if len(data) < _HEADER_SIZE or data[0] not in (0, *_MARKS):
        return replace(negative, refused=_FRAMING, requirement=_HEADER)
    if data[0] != 0:
        return negative
    if schema_id == 0 or schema_id >= _SURELY_UNKNOWN:
        return replace(negative, refused=SCHEMA, requirement=_ID)
    if schema_id in schemas and _is_no_datum(data[_HEADER_SIZE:], schemas[schema_id]):
        return replace(negative, refused=SYNTAX, requirement=_BODY)
    return negative


def _header_changes(data: bytes) -> Iterator[Negative]:
    """Other first bytes and ids; an additional header."""
    for first in (1, 2, 3, 4, 5, 0x4F, 0x7B, 0xC3, 0xFF):
        yield Negative("magic", f"first byte {first}", bytes([first]) + data[1:])
    for schema_id in (0, 1, 2, 7_777_777, 1 << 24, 1 << 25, (1 << 31) - 1, 1 << 31, (1 << 32) - 1):
        yield Negative("id", f"schema id {schema_id}", b"\0" + schema_id.to_bytes(4, "big") + data[_HEADER_SIZE:])
    yield Negative("magic", "header twice", data[:_HEADER_SIZE] + data)
    yield Negative("cut", "header alone", data[:_HEADER_SIZE])


_NUMBERS = {
    "negative": b"\x01",
    "beyond the record": b"\x7e",
    "2^62": b"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01",
    "-2^63": b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    "of eleven bytes": b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    "without an end": b"\xff",
    "0": b"\x00",
    "2": b"\x04",
    "4": b"\x08",
}
_BAD_UTF8 = (b"\xff\xfe\xfd", b"a\x80b", b"\xc0\xaf/", b"\xed\xa0\x80", b"ab\xc3", b"\xe4\xb8a", b"\xf4\x90\x80")


def _body_changes(data: bytes) -> Iterator[Negative]:
    """Other numbers, lengths and texts in the body of the short row: an int, and a string in a union."""
    length = data.index(b"\x06xyz")
    places = {"id": length - 2, "branch of a": length - 1, "length of a": length}
    for name, at in places.items():
        for what, number in _NUMBERS.items():
            yield Negative("varint", f"{name} made {what}", data[:at] + number + data[at + 1 :])
        padded = bytes([data[at] | 0x80]) + b"\x80\0"
        yield Negative("varint", f"{name} padded", data[:at] + padded + data[at + 1 :])
    for bad in _BAD_UTF8:
        yield Negative("UTF-8", f"a made {bad.hex()}", data.replace(b"xyz", bad))
    yield Negative("trailing", "a byte behind", data + b"\0")
    yield Negative("trailing", "body twice", data + data[_HEADER_SIZE:])


def _row_negatives() -> Iterator[Case]:
    short = base("avro", "short row")
    key, value = key_of(short), value_of(short)
    keys = [*cuts(key, SYNTAX), *flips(key, 12, "key"), *_header_changes(key)]
    yield from negatives_of(short, "key", _judged(keys, short), _BODY)
    values = [*cuts(value, SYNTAX), *_header_changes(value), *_body_changes(value)]
    values += [negative for seed in ("a", "b", "c") for negative in flips(value, len(value), seed)]
    yield from negatives_of(short, "value", _judged(values, short), _BODY)
    for options in ({}, _WATERMARKS):
        case = base("avro", "row", options)
        value = value_of(case)
        negatives = [*cuts(value, SYNTAX, 12), *flips(value, 24, f"row {len(options)}")]
        named = described(negatives, "in watermark mode") if options else negatives
        yield from negatives_of(case, "value", _judged(named, case), _BODY)


def _marked_negatives() -> Iterator[Case]:
    """Records of the watermark mode: a watermark of eight bytes, and a statement in JSON."""
    watermark = base("avro", "watermark", _WATERMARKS)
    value = value_of(watermark)
    negatives = [*cuts(value, _FRAMING), Negative("trailing", "a byte behind", value + b"\0", _FRAMING)]
    yield from negatives_of(watermark, "value", [*negatives, *flips(value, 4, "watermark")], _MARKED)
    statement = base("avro", "statement", _WATERMARKS)
    marked = value_of(statement)

    def with_data(case: Case, data: bytes) -> Case:
        return with_side(case, 0, "value", marked[:1] + data)

    amounts = Amounts(cuts=24, flips=12, utf8=3, doubled=5, missing=5, renamed=5, exchanged=3, kinds=12, numbers=8)
    texts = text_negatives(marked[1:], _STATEMENT, amounts, "statement")
    yield from negatives_of(statement, "statement", texts, _MARKED, with_data)


def avro_parts(case: Case) -> Iterator[Part]:
    """The key and the value of every record, with their headers."""
    schemas = {schema.id: schema.schema for schema in case.schemas}
    for number, record in enumerate(case.records):
        for side, data in (("key", record.key), ("value", record.value)):
            name, with_data = f"{side} of record {number}", partial(with_side, case, number, side)
            if data and data[0] in _MARKS:
                yield Part(name, data, with_data, as_it_is, frozenset(), _BODY)
            else:
                yield Part(name, data or b"", with_data, partial(_judged_by, schemas), SYNTAX, _BODY)


def _in_schema(position: int) -> Callable[[Case, bytes], Case]:
    def with_data(case: Case, data: bytes) -> Case:
        schemas = list(case.schemas)
        schemas[position] = replace(schemas[position], schema=data.decode())
        return replace(case, schemas=tuple(schemas))

    return with_data


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _schema_negatives() -> Iterator[Case]:
    """Texts of schemas; a text that is not JSON is not a schema. The outcome of other changed schemas is open."""
    case = base("avro", "short row", _WATERMARKS)
    amounts = Amounts(cuts=8, flips=16, utf8=0, doubled=4, missing=6, renamed=6, exchanged=3, kinds=12, numbers=2)
    for position, part in enumerate(("key schema", "value schema")):
        text = case.schemas[position].schema.encode()
        negatives = (n for n in text_negatives(text, _FREE, amounts, part, SCHEMA) if _is_text(n.data))
        judged = (replace(n, refused=SCHEMA if is_no_json(n.data) else frozenset()) for n in negatives)
        yield from negatives_of(case, part, judged, _SCHEMA, _in_schema(position))


def avro_negatives() -> Iterator[Case]:
    """Every negative of the protocol."""
    yield from _row_negatives()
    yield from _marked_negatives()
    yield from _schema_negatives()

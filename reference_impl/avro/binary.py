"""Writes and reads Avro's binary data of a record with fastavro, with strict checks.  [AV-018, AV-019, AV-210]

Schemas are reduced: they have neither defaults nor logical types, so that fastavro rounds no value and adds none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any, TypeAlias

import fastavro

from reference_impl.errors import Rejected

__all__ = ["Coding", "RecordCoding", "nullable", "prepared", "read", "record", "write"]

# A type reduced to what coding needs: the name of a primitive, a list of branches, or a record.
Coding: TypeAlias = Any
RecordCoding: TypeAlias = dict[str, Any]

_LONGEST_VARINT = 10
_WIDTH: Mapping[str, int] = {"float": 4, "double": 8}
_BITS: Mapping[str, int] = {"int": 32, "long": 64}


def record(name: str, fields: Sequence[tuple[str, Coding]]) -> RecordCoding:
    """The reduced record with that full name and these (name, type) fields."""
    return {"type": "record", "name": name, "fields": [{"name": field, "type": coding} for field, coding in fields]}


def nullable(coding: Coding, *, null_first: bool) -> Coding:
    """A union of null and another type."""
    return ["null", coding] if null_first else [coding, "null"]


def prepared(schema: RecordCoding) -> RecordCoding:
    """A whole reduced schema made ready for `read` and `write`."""
    ready: RecordCoding = fastavro.parse_schema(schema, named_schemas={})  # type: ignore[assignment]
    return ready


def write(schema: RecordCoding, datum: Mapping[str, Any]) -> bytes:
    """A datum of a prepared schema as bytes; a union's value is (name of the branch, value).

    Raises `Rejected` (class `type`) for a string that is not valid Unicode.
    """
    sink = BytesIO()
    try:
        fastavro.schemaless_writer(sink, schema, datum)
    except UnicodeEncodeError as e:
        raise Rejected("type", f"U+{ord(e.object[e.start]):04X} stands alone, which is not Unicode") from None
    return sink.getvalue()


def read(schema: RecordCoding, body: bytes) -> dict[str, Any]:
    """The datum of a prepared schema in the whole of `body`. Raises `Rejected` (class `syntax`)."""
    source = BytesIO(body)
    try:
        datum: dict[str, Any] = fastavro.schemaless_reader(source, schema, None)  # type: ignore[assignment]
    except (EOFError, IndexError):
        raise Rejected("syntax", "the bytes end before the record does, or name a branch that does not exist") from None
    except UnicodeDecodeError as e:
        raise Rejected("syntax", f"a string that is not UTF-8: {e.reason}") from None
    if source.tell() != len(body):
        raise Rejected("syntax", f"{len(body) - source.tell()} bytes after the record")
    if _rewritten(schema, datum) != body:
        # Avro permits overlong numbers; every other difference is a fault that fastavro tolerates.
        _Validator(body).check(schema)
    return datum


def _rewritten(schema: RecordCoding, datum: Mapping[str, Any]) -> bytes | None:
    """The bytes of a datum, None if it does not fit its schema: fastavro reads numbers that are too wide."""
    try:
        return write(schema, datum)
    except (ValueError, OverflowError):
        return None


class _Validator:
    """Refuses invalid Avro in the bytes of a record that fastavro has read."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._position = 0

    def _number(self, bits: int) -> int:
        number = 0
        for place in range(_LONGEST_VARINT):
            byte = self._body[self._position]
            self._position += 1
            number |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                break
        else:
            raise Rejected("syntax", f"a number of more than {_LONGEST_VARINT} bytes")
        if number >> bits:
            raise Rejected("syntax", f"a number of more than {bits} bits")
        return (number >> 1) ^ -(number & 1)

    def check(self, coding: Coding) -> None:
        """Check the next datum, which has that type."""
        if isinstance(coding, list):
            branch = self._number(64)
            if not 0 <= branch < len(coding):
                raise Rejected("syntax", f"{branch} is no branch of a union of {len(coding)}")
            self.check(coding[branch])
        elif isinstance(coding, dict):
            for field in coding["fields"]:
                self.check(field["type"])
        elif coding in _BITS:
            self._number(_BITS[coding])
        elif coding == "boolean":
            if self._body[self._position] > 1:
                raise Rejected("syntax", f"{self._body[self._position]:#04x} is neither true nor false")
            self._position += 1
        elif coding in ("string", "bytes"):
            length = self._number(64)
            if length < 0:
                raise Rejected("syntax", f"a length of {length}")
            self._position += length
        else:
            self._position += _WIDTH.get(coding, 0)

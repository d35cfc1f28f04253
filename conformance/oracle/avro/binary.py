"""Reads Avro binary data by a schema, independently of the reference decoder.

The oracle has a reader of its own, which shares nothing with the reference decoder. It returns values as texts, so that
equal values of different Avro types can be compared: numbers in decimal, `bytes` and `fixed` as hexadecimal digits,
NULL as None. A record is an `Object`, which remembers doubled fields. It cannot read the types `array` and `map`, which
TiCDC does not use.  [AV-018, AV-019]
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from reference_impl.errors import Rejected
from reference_impl.exact_json import Object

__all__ = ["Body", "Names", "full_name", "named_types"]

Names: TypeAlias = Mapping[str, Any]

# A datum may have 10,000 values, and 8 more for each of its bytes. Without a limit a few bytes could have billions: if
# records without bytes are nested, each twice in the next one, the number of values doubles from record to record.
_MOST_VALUES, _MOST_VALUES_A_BYTE = 10_000, 8
_LONGEST_VARINT = 10
# The limit of nesting. TiCDC nests fewer than ten types; a record that contains itself would never end.
_DEEPEST = 64


def full_name(schema: Mapping[str, Any], within: str = "") -> str:
    """The name of a named type with its namespace: its own, or by default that of the enclosing type, `within`."""
    name = str(schema.get("name"))
    space = schema.get("namespace", within)
    return name if "." in name or not space else f"{space}.{name}"


def named_types(schema: Any, within: str = "") -> dict[str, Any]:
    """Every record, enum and fixed defined in a schema, by full name."""
    if isinstance(schema, list):
        return {name: found for branch in schema for name, found in named_types(branch, within).items()}
    if not isinstance(schema, dict):
        return {}
    found: dict[str, Any] = {}
    if schema.get("type") in ("record", "enum", "fixed"):
        name = full_name(schema, within)
        found, within = {name: schema}, name.rpartition(".")[0]
    elif isinstance(schema.get("type"), (dict, list)):
        found = named_types(schema["type"], within)
    fields = schema.get("fields")
    for field in fields if isinstance(fields, list) else ():
        if isinstance(field, dict):
            found |= named_types(field.get("type"), within)
    return found


class Body:
    """Reads the bytes after a header, datum by datum.

    `is_minimal` says whether every variable-length number so far had as few bytes as possible. With `exchanged` it
    swaps the branches of every union of two, to recognize that fault. Raises `Rejected`: class `syntax` for bytes that
    are no datum of the schema, `schema` for a schema that it cannot read.
    """

    def __init__(self, data: bytes, names: Names, *, exchanged: bool = False) -> None:
        self._data = data
        self._at = 0
        self._names = names
        self._exchanged = exchanged
        self._depth = 0
        self._values_left = _MOST_VALUES + _MOST_VALUES_A_BYTE * len(data)
        self.is_minimal = True

    def datum(self, schema: Any, within: str = "") -> Any:
        """The next datum, read by the schema; `within` is the namespace around it."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Rejected("schema", f"the types of the schema nest more than {_DEEPEST} levels deep")
        self._values_left -= 1
        if self._values_left < 0:
            raise Rejected("schema", f"{len(self._data)} bytes have too many values: records of the schema hold none")
        found = self._datum(schema, within)
        self._depth -= 1
        return found

    def _datum(self, schema: Any, within: str) -> Any:
        if isinstance(schema, list):
            index = self._varint(64)
            if not 0 <= index < len(schema):
                raise Rejected("syntax", f"union branch {index} of {len(schema)}")
            if self._exchanged and len(schema) == 2:
                index = 1 - index
            return self.datum(schema[index], within)
        if isinstance(schema, dict):
            kind = schema.get("type")
            if isinstance(kind, (dict, list)):
                return self.datum(kind, within)
        else:
            kind = schema
        if kind in _READERS:
            return _READERS[kind](self)
        if not isinstance(schema, dict):
            name = str(kind) if str(kind) in self._names else f"{within}.{kind}"
            if name not in self._names:
                raise Rejected("schema", f"no Avro type is called {kind!r}")
            return self.datum(self._names[name], name.rpartition(".")[0])
        if kind == "record":
            inner = full_name(schema, within).rpartition(".")[0]
            return Object([(str(f["name"]), self.datum(f["type"], inner)) for f in schema["fields"]])
        if kind == "fixed":
            return self._take(int(schema["size"])).hex()
        if kind == "enum":
            index = self._varint(32)
            if not 0 <= index < len(schema["symbols"]):
                raise Rejected("syntax", f"symbol {index} of {len(schema['symbols'])}")
            return str(schema["symbols"][index])
        raise Rejected("schema", f"an Avro type {kind!r}")

    def end(self) -> None:
        """Raises `Rejected` if bytes follow the last datum."""
        if self._at != len(self._data):
            raise Rejected("syntax", f"{len(self._data) - self._at} bytes after the datum")

    def _take(self, count: int) -> bytes:
        if count < 0 or count > len(self._data) - self._at:
            raise Rejected("syntax", "the datum is cut")
        taken = self._data[self._at : self._at + count]
        self._at += count
        return taken

    def _varint(self, bits: int) -> int:
        raw = length = 0
        while True:
            [byte] = self._take(1)
            raw |= (byte & 0x7F) << 7 * length
            length += 1
            if byte < 0x80:
                break
            if length == _LONGEST_VARINT:
                raise Rejected("syntax", "a number of more than ten bytes")
        if raw >= 1 << bits:
            raise Rejected("syntax", f"a number of more than {bits} bits")
        self.is_minimal &= byte != 0 or length == 1
        return (raw >> 1) ^ -(raw & 1)

    def integer(self, bits: int) -> str:
        """An `int` or a `long`."""
        return str(self._varint(bits))

    def boolean(self) -> str:
        """A `boolean`."""
        [byte] = self._take(1)
        if byte > 1:
            raise Rejected("syntax", f"a boolean of {byte}")
        return "true" if byte else "false"

    def real(self, form: str) -> str:
        """A `float` or a `double`, with the fewest digits that read back as the same double."""
        [value] = struct.unpack(form, self._take(struct.calcsize(form)))
        return repr(value)

    def octets(self) -> bytes:
        """The bytes of a `bytes` or a `string`."""
        return self._take(self._varint(64))


_READERS: Mapping[Any, Callable[[Body], Any]] = {
    "null": lambda body: None,
    "boolean": Body.boolean,
    "int": lambda body: body.integer(32),
    "long": lambda body: body.integer(64),
    "float": lambda body: body.real("<f"),
    "double": lambda body: body.real("<d"),
    "bytes": lambda body: body.octets().hex(),
    "string": lambda body: body.octets().decode(errors="backslashreplace"),
}

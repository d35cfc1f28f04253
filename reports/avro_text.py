"""A small reader of Avro bodies for reports: the parts that TiCDC's schemas use, as readable values."""

from __future__ import annotations

import struct
from typing import Any

__all__ = ["avro_fields"]


def avro_fields(schema: Any, data: bytes) -> tuple[list[tuple[str, Any]], int]:
    """The fields of a record, and the number of bytes after them. Raises ValueError for unreadable bytes."""
    if not isinstance(schema, dict) or schema.get("type") != "record":
        raise ValueError("the schema is no record")
    body = _Body(data)
    fields = [(field["name"], body.value(field["type"])) for field in schema["fields"]]
    return fields, len(data) - body.at


class _Body:
    """Bytes, with a reading position."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0

    def _take(self, size: int) -> bytes:
        part = self._data[self.at : self.at + size] if size >= 0 else b""
        if len(part) != size:
            raise ValueError(f"the bytes end at {len(self._data)}, in a value of {size}")
        self.at += size
        return part

    def _long(self) -> int:
        number = shift = 0
        while True:
            [byte] = self._take(1)
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return (number >> 1) ^ -(number & 1)
            if shift > 63:
                raise ValueError("a number of more than 64 bits")

    def value(self, schema: Any) -> Any:
        """The next value, in the form of a run record."""
        if isinstance(schema, list):
            branch = self._long()
            if not 0 <= branch < len(schema):
                raise ValueError(f"branch {branch} of a union of {len(schema)}")
            return self.value(schema[branch])
        kind = schema["type"] if isinstance(schema, dict) else schema
        if isinstance(kind, (dict, list)):
            return self.value(kind)
        if kind == "record":
            return {field["name"]: self.value(field["type"]) for field in schema["fields"]}
        if kind not in _KINDS:
            raise ValueError(f"type {kind!r}")
        return _KINDS[kind](self)

    def text(self) -> Any:
        """A string; its bytes where they are not UTF-8."""
        data = self._take(self._long())
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return {"$bytes": data.hex(" "), "length": len(data)}

    def bytes(self) -> Any:
        """Bytes in hex."""
        data = self._take(self._long())
        return {"$bytes": data.hex(" "), "length": len(data)}

    def number(self) -> Any:
        """A whole number."""
        return {"$number": str(self._long())}

    def real(self, form: str) -> Any:
        """A floating point number."""
        return {"$number": repr(struct.unpack(form, self._take(struct.calcsize(form)))[0])}

    def truth(self) -> bool:
        """A boolean."""
        return self._take(1) != b"\x00"


_KINDS = {
    "null": lambda body: None,
    "boolean": _Body.truth,
    "int": _Body.number,
    "long": _Body.number,
    "float": lambda body: body.real("<f"),
    "double": lambda body: body.real("<d"),
    "bytes": _Body.bytes,
    "string": _Body.text,
}

"""Schema texts for the tests of the registry, short."""

from __future__ import annotations

import json
from typing import Any

Type = str | list[Any] | dict[str, Any]
NO_DEFAULT = object()


def field(name: str, type_: Type = "int", default: Any = NO_DEFAULT, **more: Any) -> dict[str, Any]:
    """A field of a record."""
    return {"name": name, "type": type_} | ({} if default is NO_DEFAULT else {"default": default}) | more


def record(*fields: dict[str, Any], name: str = "t", **more: Any) -> dict[str, Any]:
    """A record type."""
    return {"type": "record", "name": name, "fields": list(fields)} | more


def text(schema: Type) -> str:
    """The text of a schema."""
    return json.dumps(schema)


ONE = text(record(field("id")))
TWO = text(record(field("id"), field("a", ["null", "string"], None)))
DEMANDING = text(record(field("id"), field("a", "string")))
"""Cannot read what ONE wrote."""

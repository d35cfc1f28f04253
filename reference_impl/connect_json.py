"""JSON documents as Kafka Connect's converter writes them: payload and schema, and the fields of a schema."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from reference_impl.errors import Rejected
from reference_impl.exact_json import Tree
from reference_impl.model import RowOp

__all__ = [
    "IMAGES",
    "ROW_OPS",
    "Document",
    "boolean",
    "checked_field",
    "obj",
    "parameter",
    "parameter_number",
    "scalar",
]

ROW_OPS: Mapping[str, RowOp] = {"c": "insert", "u": "update", "d": "delete", "r": "read"}
IMAGES: Mapping[str, tuple[str, str | None]] = {
    "c": ("after", "before"),
    "r": ("after", "before"),
    "u": ("after", None),
    "d": ("before", "after"),
}
"""`op` → the image that it needs, and the image that it must not have.  [DBZ-043]"""


@dataclass(frozen=True, slots=True)
class Document:
    """A payload and its schema, None without one."""

    payload: dict[str, Tree]
    schema: dict[str, Tree] | None


def boolean(value: bool) -> str:
    """`true` or `false`."""
    return "true" if value else "false"


def obj(*members: str) -> str:
    """A JSON object of members that are JSON text already."""
    return "{" + ",".join(members) + "}"


def checked_field(field: Tree, members: Iterable[tuple[str, type, bool]]) -> Mapping[str, Tree]:
    """The field of a schema, whose `members` are (name, JSON kind, whether it is required).

    Raises `Rejected` (class `schema`) for a missing member and for a wrong JSON kind.
    """
    if not isinstance(field, dict):
        raise Rejected("schema", "a field of the schema is not an object")
    for name, kind, required in members:
        if name not in field:
            if required:
                raise Rejected("schema", f"a field of the schema has no member {name!r}")
        elif not isinstance(field[name], kind):
            raise Rejected("schema", f"a field of the schema: {name!r} has the wrong JSON kind")
    return field


def parameter(field: Mapping[str, Tree], name: str) -> str:
    """The text in `parameters` of a field. Raises `Rejected` (class `schema`) if it is missing or no text."""
    parameters = field.get("parameters")
    value = parameters.get(name) if isinstance(parameters, dict) else None
    if not isinstance(value, str):
        raise Rejected("schema", f"the schema has no parameter {name!r}")
    return value


def parameter_number(field: Mapping[str, Tree], name: str, least: int, most: int) -> int:
    """The number from `least` to `most` in `parameters` of a field. Raises `Rejected`."""
    text = parameter(field, name)
    if not (text.isascii() and text.isdigit()):
        raise Rejected("type", f"the parameter {name!r} is {text!r}")
    if len(text) > len(str(most)) or not least <= int(text) <= most:
        raise Rejected("range", f"the parameter {name!r} is {text}")
    return int(text)


def scalar(value: Tree) -> str | None:
    """The text of a string, a boolean or a number, in a column that nothing describes; None for another JSON kind.

    Raises `Rejected` (class `range`) for a number beyond a double, unless it is an integer.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, int):  # true and false too
        return str(int(value))
    if not isinstance(value, (float, Decimal)):
        return None
    number = float(value)
    if math.isinf(number):
        raise Rejected("range", f"{value} is beyond a double")
    return repr(number)

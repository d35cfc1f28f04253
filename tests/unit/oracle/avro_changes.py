"""Changes of one thing in an Avro message, which is a tree of key and value, each with its schema and its row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.unit.oracle.changes import edit


def field(tree: Any, name: str, part: str = "value") -> dict[str, Any]:
    """The field of that name in the schema of a part."""
    return next(field for field in tree[part]["schema"]["fields"] if field["name"] == name)


def typed(given: dict[str, Any]) -> dict[str, Any]:
    """The type of a field that is not null."""
    kind = given["type"]
    found: dict[str, Any] = next(b for b in kind if b != "null") if isinstance(kind, list) else kind
    return found


@edit
def avro(tree: Any, name: str, kind: str, text: str | None = None, part: str = "value") -> None:
    """Another Avro type of a column, and the value that it then has."""
    typed(field(tree, name, part))["type"] = kind
    if text is not None:
        tree[part]["row"][name] = text


@edit
def parameter(tree: Any, name: str, key: str, text: Any, part: str = "value") -> None:
    """Another member of `connect.parameters`; None takes it away."""
    parameters = typed(field(tree, name, part))["connect.parameters"]
    parameters[key] = text
    if text is None:
        del parameters[key]


@edit
def turned(tree: Any, name: str, part: str = "value") -> None:
    """The branches of a union the other way round."""
    field(tree, name, part)["type"].reverse()


@edit
def nullable(tree: Any, name: str, part: str = "value") -> None:
    """A column made nullable."""
    given = field(tree, name, part)
    given["type"] = ["null", given["type"]]


@edit
def renamed(tree: Any, name: str, new: str, part: str = "value") -> None:
    """Another name of a field, in schema and data."""
    field(tree, name, part)["name"] = new
    tree[part]["row"][new] = tree[part]["row"].pop(name)


@edit
def without(tree: Any, name: str, part: str = "value") -> None:
    """A field that is left out."""
    tree[part]["schema"]["fields"].remove(field(tree, name, part))
    del tree[part]["row"][name]


@edit
def added(tree: Any, name: str, kind: Any, text: str, part: str = "value", at: int = 99) -> None:
    """A field that is too much."""
    tree[part]["schema"]["fields"].insert(at, {"name": name, "type": kind})
    tree[part]["row"][name] = text


@edit
def reordered(tree: Any, part: str = "value") -> None:
    """The members of a schema the other way round."""
    tree[part]["schema"] = dict(reversed(tree[part]["schema"].items()))


@edit
def moved(tree: Any, name: str, to: int, part: str = "value") -> None:
    """A field at another place."""
    fields = tree[part]["schema"]["fields"]
    one = field(tree, name, part)
    fields.remove(one)
    fields.insert(to, one)


@edit
def before_as(tree: Any, name: str, kind: str, text: str) -> None:
    """Another Avro type of a column in the row before alone, and the value that it then has."""
    fields = typed(field(tree, "_ticdc_before"))["fields"]
    typed(next(field for field in fields if field["name"] == name))["type"] = kind
    tree["value"]["row"]["_ticdc_before"][name] = text


@edit
def renamed_before(tree: Any, name: str, new: str) -> None:
    """Another name of a field in the row before alone, in schema and data."""
    fields = typed(field(tree, "_ticdc_before"))["fields"]
    next(field for field in fields if field["name"] == name)["name"] = new
    row = tree["value"]["row"]["_ticdc_before"]
    row[new] = row.pop(name)


@edit
def turn_members(tree: Any, of: Callable[[Any], dict[str, Any]]) -> None:
    """The members of an object the other way round."""
    found = of(tree)
    items = list(found.items())
    found.clear()
    found.update(reversed(items))

"""Changes of one thing in an Avro message, which is a tree of key and value, each with its schema and its row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.unit.oracle.judging import Change


def field(tree: Any, name: str, part: str = "value") -> dict[str, Any]:
    """The field of that name in the schema of a part."""
    return next(field for field in tree[part]["schema"]["fields"] if field["name"] == name)


def typed(given: dict[str, Any]) -> dict[str, Any]:
    """The type of a field that is not null."""
    kind = given["type"]
    found: dict[str, Any] = next(b for b in kind if b != "null") if isinstance(kind, list) else kind
    return found


def avro(name: str, kind: str, text: str | None = None, part: str = "value") -> Change:
    """Another Avro type of a column, and the value that it then has."""

    def change(tree: Any) -> None:
        typed(field(tree, name, part))["type"] = kind
        if text is not None:
            tree[part]["row"][name] = text

    return change


def parameter(name: str, key: str, text: Any, part: str = "value") -> Change:
    """Another member of `connect.parameters`; None takes it away."""

    def change(tree: Any) -> None:
        parameters = typed(field(tree, name, part))["connect.parameters"]
        parameters[key] = text
        if text is None:
            del parameters[key]

    return change


def turned(name: str, part: str = "value") -> Change:
    """The branches of a union the other way round."""

    def change(tree: Any) -> None:
        field(tree, name, part)["type"].reverse()

    return change


def nullable(name: str, part: str = "value") -> Change:
    """A column made nullable."""

    def change(tree: Any) -> None:
        given = field(tree, name, part)
        given["type"] = ["null", given["type"]]

    return change


def renamed(name: str, new: str, part: str = "value") -> Change:
    """Another name of a field, in schema and data."""

    def change(tree: Any) -> None:
        field(tree, name, part)["name"] = new
        tree[part]["row"][new] = tree[part]["row"].pop(name)

    return change


def without(name: str, part: str = "value") -> Change:
    """A field that is left out."""

    def change(tree: Any) -> None:
        tree[part]["schema"]["fields"].remove(field(tree, name, part))
        del tree[part]["row"][name]

    return change


def added(name: str, kind: Any, text: str, part: str = "value", at: int = 99) -> Change:
    """A field that is too much."""

    def change(tree: Any) -> None:
        tree[part]["schema"]["fields"].insert(at, {"name": name, "type": kind})
        tree[part]["row"][name] = text

    return change


def reordered(part: str = "value") -> Change:
    """The members of a schema the other way round."""

    def change(tree: Any) -> None:
        tree[part]["schema"] = dict(reversed(tree[part]["schema"].items()))

    return change


def moved(name: str, to: int, part: str = "value") -> Change:
    """A field at another place."""

    def change(tree: Any) -> None:
        fields = tree[part]["schema"]["fields"]
        one = field(tree, name, part)
        fields.remove(one)
        fields.insert(to, one)

    return change


def before_as(name: str, kind: str, text: str) -> Change:
    """Another Avro type of a column in the row before alone, and the value that it then has."""

    def change(tree: Any) -> None:
        fields = typed(field(tree, "_ticdc_before"))["fields"]
        typed(next(field for field in fields if field["name"] == name))["type"] = kind
        tree["value"]["row"]["_ticdc_before"][name] = text

    return change


def renamed_before(name: str, new: str) -> Change:
    """Another name of a field in the row before alone, in schema and data."""

    def change(tree: Any) -> None:
        fields = typed(field(tree, "_ticdc_before"))["fields"]
        next(field for field in fields if field["name"] == name)["name"] = new
        row = tree["value"]["row"]["_ticdc_before"]
        row[new] = row.pop(name)

    return change


def turn_members(of: Callable[[Any], dict[str, Any]]) -> Change:
    """The members of an object the other way round."""

    def change(tree: Any) -> None:
        found = of(tree)
        items = list(found.items())
        found.clear()
        found.update(reversed(items))

    return change

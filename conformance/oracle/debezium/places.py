"""What the rules of Debezium JSON ask about a place: where it is, what the truth there is, what else was given."""

from __future__ import annotations

from typing import Any, Final

from conformance.oracle.conditions import event_kind, event_op, same
from conformance.oracle.debezium.known_values import default_text
from conformance.oracle.rules import Place
from conformance.oracle.tree import MISSING, equal
from reference_impl.column_types import ColumnType, Family
from reference_impl.model import Column, Row, RowChange, Value

__all__ = [
    "DESCRIPTIONS",
    "are_exchanged",
    "column_of",
    "expected_in",
    "given_in",
    "has_column",
    "has_default",
    "holds_value",
    "image_row",
    "is_boolean",
    "is_in_payload",
    "is_null_instead",
    "is_other_image",
    "truth",
    "type_of",
]

DESCRIPTIONS: Final = (
    "value.schema.fields.before.fields",
    "value.schema.fields.after.fields",
    "key.schema.fields",
)


def expected_in(place: Place, *path: str) -> Any:
    """The part of the expected message at that path of members, or `MISSING`."""
    return _part(place.expected_tree, path)


def given_in(place: Place, *path: str) -> Any:
    """The part of the given message at that path of members, or `MISSING`."""
    return _part(place.got_tree, path)


def _part(tree: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        tree = tree.get(name, MISSING) if isinstance(tree, dict) else MISSING
    return tree


def column_of(place: Place) -> Column:
    """The column of a place that has one."""
    assert place.column is not None
    return place.column


def type_of(place: Place) -> ColumnType:
    """Its type."""
    return column_of(place).type


def is_in_payload(place: Place) -> bool:
    """The place is a column of a row: in an image or in the key."""
    path = place.path
    if place.column is None or event_kind(place) != "row":
        return False
    return path[:2] == ("key", "payload") if len(path) == 3 else len(path) == 4 and path[:2] == ("value", "payload")


def image_row(place: Place) -> Row | None:
    """The row that the place's image, or the key, belongs to."""
    event = place.event
    if not isinstance(event, RowChange):
        return None
    image = place.path[1] if place.path[0] == "event" else place.path[2]
    if place.path[0] == "key":
        image = "after" if event.after is not None else "before"
    return event.before if image == "before" else event.after


def truth(place: Place) -> Value:
    """The value of the place's column in its row; None for NULL, and where there is none."""
    return (image_row(place) or {}).get(column_of(place).name) if place.column is not None else None


def has_column(place: Place) -> bool:
    """The place belongs to a column."""
    return place.column is not None


def holds_value(place: Place) -> bool:
    """The column is not NULL in the row."""
    return truth(place) is not None


def has_default(place: Place) -> bool:
    """The column has a default other than NULL."""
    return place.column is not None and default_text(place.column) is not None


def is_null_instead(place: Place) -> bool:
    """Null is given for something else."""
    return place.got is None and place.expected is not None


def is_boolean(place: Place) -> bool:
    """The column is a BOOLEAN, under whatever name."""
    column = place.column
    if column is None or column.type.family is not Family.TINYINT:
        return False
    return column.type.text.lower() in ("bool", "boolean", "tinyint(1)")


def is_other_image(place: Place) -> bool:
    """The image is the other one of the update, as a whole, and this differs by it."""
    return _is_of_update(place) and _is_other(place, str(place.path[-2]))


def are_exchanged(place: Place) -> bool:
    """The two images of an update stand in each other's place, and this differs by it."""
    return _is_of_update(place) and _is_other(place, "before") and _is_other(place, "after")


def _is_of_update(place: Place) -> bool:
    """The place is a column that differs in an image of an update."""
    return not same(place) and event_op(place) == "update" and place.path[-2] in ("before", "after")


def _is_other(place: Place, image: str) -> bool:
    at = ("event",) if place.path[0] == "event" else ("value", "payload")
    own, other = (expected_in(place, *at, name) for name in (image, "before" if image == "after" else "after"))
    return isinstance(other, dict) and own != other and _is_like(other, given_in(place, *at, image))


def _is_like(row: dict[str, Any], given: Any) -> bool:
    """The given image is that row, of whose values there may be alternatives."""
    if not (isinstance(given, dict) and row.keys() == given.keys()):
        return False
    return all(
        given[n] in value if isinstance(value, frozenset) else equal(given[n], value) for n, value in row.items()
    )

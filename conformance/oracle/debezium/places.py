"""Predicates and helpers on places of Debezium JSON: message, column, row, value."""

from __future__ import annotations

from typing import Any, Final

from conformance.oracle.conditions import event_kind, event_op, same, truth
from conformance.oracle.debezium.known_values import default_text
from conformance.oracle.rules import Place
from conformance.oracle.tree import MISSING, equal, part_in
from reference_impl.column_types import ColumnType
from reference_impl.model import Column

__all__ = [
    "DESCRIPTIONS",
    "column_of",
    "expected_in",
    "given_in",
    "has_column",
    "has_default",
    "holds_value",
    "is_in_payload",
    "is_null_instead",
    "is_other_image",
    "type_of",
]

# The objects whose members are descriptions of columns.
DESCRIPTIONS: Final = ("value.schema.fields.before.fields", "value.schema.fields.after.fields", "key.schema.fields")


def expected_in(place: Place, *path: str) -> Any:
    """The part of the expected message at a path of members, or `MISSING`."""
    return part_in(place.expected_tree, *path, default=MISSING)


def given_in(place: Place, *path: str) -> Any:
    """The part of the answered message at a path of members, or `MISSING`."""
    return part_in(place.got_tree, *path, default=MISSING)


def column_of(place: Place) -> Column:
    """The column of a place that has one."""
    assert place.column is not None
    return place.column


def type_of(place: Place) -> ColumnType:
    """The type of the place's column."""
    return column_of(place).type


def is_in_payload(place: Place) -> bool:
    """The place is a column of a row: in an image or in the key."""
    path = place.path
    if place.column is None or event_kind(place) != "row":
        return False
    return path[:2] == ("key", "payload") if len(path) == 3 else len(path) == 4 and path[:2] == ("value", "payload")


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
    """The answer has null in place of something else."""
    return place.got is None and place.expected is not None


def is_other_image(place: Place) -> bool:
    """The place differs, and the whole answered image is the other image of the update."""
    if same(place) or event_op(place) != "update" or place.path[-2] not in ("before", "after"):
        return False
    return _is_other(place, str(place.path[-2]))


def _is_other(place: Place, image: str) -> bool:
    """Whether the answer has the expected other image of the update in the place of `image`."""
    parent = ("event",) if place.path[0] == "event" else ("value", "payload")
    other_image = "before" if image == "after" else "after"
    own, other = expected_in(place, *parent, image), expected_in(place, *parent, other_image)
    return isinstance(other, dict) and own != other and _is_like(other, given_in(place, *parent, image))


def _is_like(row: dict[str, Any], image: Any) -> bool:
    """Whether an answered image is a row; a `frozenset` in the row holds alternatives."""
    if not (isinstance(image, dict) and row.keys() == image.keys()):
        return False
    return all(
        image[n] in value if isinstance(value, frozenset) else equal(image[n], value) for n, value in row.items()
    )

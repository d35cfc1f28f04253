"""The kinds of difference of a pair of sides, and the sides of an example of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from reports.texts import visible

__all__ = ["ExampleSide", "example_sides", "kinds_of_difference", "place_of", "side_names"]

Json: TypeAlias = Mapping[str, Any]


class ExampleSide(NamedTuple):
    """One side of an example."""

    side: str
    """The name of the side."""
    where: str
    """`topic[partition]@offset`, or `expected` or `no message`."""
    value: str


def side_names(pair: Json) -> tuple[str, str]:
    """The names of the two sides, `left` and `right` in the record."""
    left, _, right = pair["pair"].partition("-")
    return left, right


def kinds_of_difference(pair: Json) -> list[Json]:
    """The kinds of difference of a pair: unexplained ones first, then the most frequent."""
    return sorted(pair["cells"], key=lambda cell: (cell["status"] != "unexplained", -cell["count"]))


def place_of(place: Json) -> str:
    """Schema, table and column, as far as there are any."""
    parts = (place["schema"], place["table"], place["column"])
    return ".".join(part for part in parts if part) or "a message"


def example_sides(pair: Json, example: Json) -> Iterator[ExampleSide]:
    """Both sides of an example."""
    for name, member in zip(side_names(pair), ("left", "right"), strict=True):
        at, value = example[member], example[f"{member}_value"]
        where = f"{at['topic']}[{at['partition']}]@{at['offset']}" if at else "expected" if value else "no message"
        yield ExampleSide(name, where, "NULL" if value is None and at else visible(value or ""))

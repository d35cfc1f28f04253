"""The side of a comparison in an example: its name, the place of its message, and the value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from reports.texts import visible

__all__ = ["Shown", "ordered", "place_of", "shown", "sides_of"]

Json: TypeAlias = Mapping[str, Any]

_MEMBERS = ("left", "right")


class Shown(NamedTuple):
    """A side of an example: its name, `topic[partition]@offset` or a substitute, and its value."""

    side: str
    where: str
    text: str


def sides_of(pair: Json) -> tuple[str, str]:
    """The names of the two sides, `left` and `right` in the record."""
    left, _, right = pair["pair"].partition("-")
    return left, right


def ordered(pair: Json) -> list[Json]:
    """The kinds of difference: unexplained ones first, then the most frequent."""
    return sorted(pair["cells"], key=lambda cell: (cell["status"] != "unexplained", -cell["count"]))


def place_of(place: Json) -> str:
    """Schema, table and column, as far as there are any."""
    parts = (place["schema"], place["table"], place["column"])
    return ".".join(part for part in parts if part) or "a message"


def shown(pair: Json, example: Json) -> Iterator[Shown]:
    """Both sides of an example."""
    for name, member in zip(sides_of(pair), _MEMBERS, strict=True):
        at, value = example[member], example[f"{member}_value"]
        where = f"{at['topic']}[{at['partition']}]@{at['offset']}" if at else "expected" if value else "no message"
        yield Shown(name, where, "NULL" if value is None and at else visible(value or ""))

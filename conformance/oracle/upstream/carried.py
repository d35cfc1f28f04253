"""An event that must come back from a decoder, and its images."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reference_impl.model import Row, Table, Value
from reference_impl.values import to_wire

__all__ = ["UNCERTAIN", "Carried", "Image", "image_of"]

UNCERTAIN = object()
"""Any value is right here."""

Image = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Carried:
    """An event that must come back. Images are wire values by column; None if there is no image.

    With `whole` an image has these columns and no others; else those that are there must be right. `rest` is what a
    column of `before` may hold beside: its value in the after image.
    """

    kind: str
    schema: str
    table: str
    op: str = ""
    query: str = ""
    before: Image | None = None
    after: Image | None = None
    whole: bool = True
    rest: Image | None = None
    of: Table | None = None


def image_of(row: Row | None, names: Sequence[str] | None, certain: Callable[[str, Value], bool]) -> Image | None:
    """The wire values of a row, of these columns alone; `UNCERTAIN` where that is not certain of a value."""
    if row is None:
        return None
    kept = row if names is None else {name: row[name] for name in names if name in row}
    return {name: to_wire(value) if certain(name, value) else UNCERTAIN for name, value in kept.items()}

"""Corruptions of the images of a row: of other rows, and of other times."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

from corrupt_values import with_cell
from trees import Corruption, Image, Stream, Tree, in_any_order, rows_of

from reference_impl.model import Record


def _unlike(one: Image, other: Image) -> list[str]:
    """The columns of both images that have other cells in them."""
    return [name for name in one.cells if name in other.cells and one.cells[name] != other.cells[name]]


def _values_of_another_row(stream: Stream, draw: Random) -> list[Record] | None:
    """Two rows of a table exchange the values of a column."""
    tables: dict[str, list[int]] = {}
    for at in stream.rows:
        if "after" in stream.images(at):
            tables.setdefault(stream.names[at], []).append(at)
    for a, b in (pair for places in tables.values() for pair in pairwise(places)):
        one, other = stream.images(a)["after"], stream.images(b)["after"]
        name = next((name for name in _unlike(one, other) if name != next(iter(one.cells))), None)
        if name is not None and stream.keys[a] != stream.keys[b]:
            made = with_cell(stream, a, "after", name, other.cells[name]) or [*stream.records]
            edit = with_cell(stream, b, "after", name, one.cells[name]) or stream.records
            return [*made[:b], edit[b], *made[b + 1 :]]
    return None


def _stale_column(stream: Stream, draw: Random) -> list[Record] | None:
    """An update leaves a column as it was before."""
    for at in in_any_order(draw, stream.rows):
        images = stream.images(at)
        if len(images) == 2 and (names := _unlike(images["before"], images["after"])):
            return with_cell(stream, at, "after", names[0], images["before"].cells[names[0]])
    return None


def _before_of_earlier(stream: Stream, draw: Random) -> list[Record] | None:
    """An update tells before what its row was two changes ago."""
    last: dict[str, dict[str, Any]] = {}
    for at, key in stream.keys.items():
        images = stream.images(at)
        if len(images) == 2 and (names := _unlike(images["before"], Image("before", last.get(key, {})))):
            return with_cell(stream, at, "before", names[0], last[key][names[0]])
        if "before" in images:
            last[key] = {**last.get(key, {}), **images["before"].cells}
    return None


def _images_exchanged(stream: Stream, draw: Random) -> list[Record] | None:
    for at in in_any_order(draw, stream.rows):
        images = stream.images(at)
        if len(images) == 2 and (names := _unlike(images["before"], images["after"])):
            return stream.changed(at, lambda key, value: _exchange(stream.dialect, value, names))
    return None


def _exchange(dialect: str, value: Tree, names: list[str]) -> None:
    found = {image.name: image.cells for image in rows_of(dialect, value)}
    for name in names:
        found["before"][name], found["after"][name] = found["after"][name], found["before"][name]


def _default_for_a_value(stream: Stream, draw: Random) -> list[Record] | None:
    """The default of a column in place of a value, or of NULL."""
    for at in in_any_order(draw, stream.rows):
        table, after = stream.tables.get(stream.names.get(at, "")), stream.images(at).get("after")
        for column in table.columns if table and after else ():
            if after and column.name in after.cells and isinstance(column.default, str):
                value = after.get(column.name)
                if isinstance(value, str) and value != column.default:
                    return with_cell(stream, at, "after", column.name, after.cell(column.name, column.default))
    return None


ROWS = (
    Corruption("two rows with each other's value", "value", _values_of_another_row),
    Corruption("a column that stays as it was", "value", _stale_column),
    Corruption("the default in place of a value", "value", _default_for_a_value),
    Corruption("the row of two changes ago, in the row before", "before image", _before_of_earlier),
    Corruption("the row before and the new one exchanged", "before image", _images_exchanged),
)

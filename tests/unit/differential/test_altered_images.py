"""Both images of a change are judged, and what was done: a name for one of them does not stand for the others."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import orjson
import pytest

from differential.classify.naming import Name, Namer, Where
from differential.model import UNKNOWN, Cell, Change, Class, Difference, Status
from reference_impl.column_types import ColumnType
from tests.unit.differential.building import found_of_key, key_change

IMAGE = {"id": "1", "v": "x", "w": "y"}


class Lenient(Namer):
    """Texts that differ in case have a name, and so has a row that was read."""

    def cell(
        self, where: Where, column_type: ColumnType | None, left: Cell, right: Cell, ops: Collection[str]
    ) -> Name | None:
        named = isinstance(left, str) and isinstance(right, str) and left.lower() == right.lower()
        return Name("CASE", documented=True) if named else None

    def explains_cells(self, column_type: ColumnType | None) -> bool:
        return True

    def steps(self, left: Sequence[Change], right: Sequence[Change]) -> Name | None:
        named = len(left) == len(right) == 1 and left[0].op == "read"
        return Name("READ", documented=True) if named else None


def change(op: str, before: Mapping[str, str] | None, after: Mapping[str, str] | None) -> Change:
    return key_change(*(None if image is None else orjson.dumps(image) for image in (before, after)), op=op)


def compared(left: Change, right: Change) -> list[Difference]:
    return found_of_key([left], [right], Lenient())


def told(found: Sequence[Difference]) -> list[tuple[Class, str, str | None]]:
    return sorted(((d.kind, d.column, d.divergence) for d in found), key=repr)


@pytest.mark.parametrize("lied_in", ["before", "after"])
def test_a_lie_in_one_image_is_found_beside_a_named_difference_of_that_column_in_the_other(lied_in: str) -> None:
    images = [IMAGE, IMAGE | {"v": "X"}] if lied_in == "before" else [IMAGE | {"v": "X"}, IMAGE]
    lie, named = IMAGE | {"v": "lie"}, IMAGE
    others = [lie, named] if lied_in == "before" else [named, lie]
    [one] = compared(change("update", *images), change("update", *others))
    assert (one.kind, one.column, one.status, one.right_value) == (Class.VALUE, "v", Status.UNEXPLAINED, "lie")


def test_a_column_that_differs_in_both_images_by_a_name_is_one_difference() -> None:
    found = compared(change("update", IMAGE, IMAGE), change("update", IMAGE | {"v": "X"}, IMAGE | {"v": "X"}))
    assert told(found) == [(Class.VALUE, "v", "CASE")]


@pytest.mark.parametrize(("op", "name"), [("update", None), ("read", "READ")])
def test_another_operation_is_reported_beside_an_explained_cell(op: str, name: str | None) -> None:
    found = compared(change(op, None, IMAGE), change("insert", None, IMAGE | {"v": "X"}))
    assert told(found) == [(Class.SHAPE, "", name), (Class.VALUE, "v", "CASE")]


def test_another_operation_is_reported_where_no_image_shows_it() -> None:
    unsaid = replace(change("delete", IMAGE, None), after=UNKNOWN)
    found = compared(unsaid, change("update", IMAGE | {"v": "X"}, IMAGE))
    assert told(found) == [(Class.SHAPE, "", None), (Class.VALUE, "v", "CASE")]


def test_a_row_that_is_there_on_one_side_alone_is_one_difference() -> None:
    found = compared(change("insert", None, IMAGE), change("update", IMAGE | {"w": "q"}, IMAGE | {"w": "z"}))
    assert told(found) == [(Class.SHAPE, "", None), (Class.VALUE, "w", None)]

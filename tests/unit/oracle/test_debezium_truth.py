"""What a place of Debezium JSON is of: whether it is a column of a row, and the value that is the truth there."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.oracle.debezium.places import is_in_payload, truth
from conformance.oracle.debezium.values import PREDICATES
from tests.unit.oracle.judging import ddl_event, row_event
from tests.unit.oracle.places_of_debezium_images import BEFORE, BOTH
from tests.unit.oracle.places_of_debezium_values import AFTER, FIELD, IMAGE, KEY, at


@pytest.mark.parametrize(
    ("path", "is_row"),
    [
        (AFTER, True),
        (BEFORE, True),
        (KEY, True),
        ("key.schema.c", False),
        ("key.payload.x.c", False),
        (FIELD, False),
        ("value.schema.after.c", False),
        ("value.payload.c", False),
        ("value.payload.after.x.c", False),
        ("value.payload.after.x", False),
        (IMAGE, False),
    ],
)
def test_a_column_of_a_row_is_in_a_payload(path: str, is_row: bool) -> None:
    assert is_in_payload(at(path)) is is_row
    assert not is_in_payload(at(path, event=ddl_event()))


@pytest.mark.parametrize(
    ("path", "op", "value"),
    [
        (AFTER, "update", "2"),
        (BEFORE, "update", "1"),
        (KEY, "update", "2"),
        (KEY, "insert", "2"),
        (KEY, "delete", "1"),
        (BEFORE, "delete", "1"),
        (AFTER, "delete", None),
        (BEFORE, "insert", None),
        (IMAGE, "update", "2"),
        ("event.before.c", "update", "1"),
        ("value.payload.after.x", "update", None),
    ],
)
def test_the_truth_is_the_value_of_the_row_of_the_image(path: str, op: str, value: Any) -> None:
    assert truth(at(path, op=op, values=BOTH)) == value


def test_there_is_no_truth_where_no_row_has_the_column() -> None:
    assert truth(at(AFTER, event=ddl_event())) is None
    assert truth(at(AFTER, event=row_event("insert", base={"id": "1"}))) is None


def test_the_table_has_every_predicate_of_the_module() -> None:
    assert len({predicate.__name__ for predicate in PREDICATES}) == len(PREDICATES)

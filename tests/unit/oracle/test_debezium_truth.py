"""What a place of Debezium JSON is of: whether it is a column of a row, and the value that is the truth there."""

from __future__ import annotations

import pytest

from conformance.oracle.debezium.places import is_in_payload
from conformance.oracle.debezium.values import PREDICATES
from tests.unit.oracle.judging import ddl_event
from tests.unit.oracle.places_of_debezium_images import BEFORE
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


def test_the_table_has_every_predicate_of_the_module() -> None:
    assert len({predicate.__name__ for predicate in PREDICATES}) == len(PREDICATES)

"""What the predicates of every protocol say of places made by hand: each row shows what no recorded fault shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from conformance.oracle.rules import Place
from tests.unit.oracle import (
    places_of_avro_answers,
    places_of_avro_columns,
    places_of_avro_records,
    places_of_canal_json,
    places_of_debezium_columns,
    places_of_debezium_images,
    places_of_debezium_statements,
    places_of_debezium_values,
    places_of_open_answers,
    places_of_open_columns,
    places_of_open_values,
    test_debezium_counting,
    test_debezium_members,
)
from tests.unit.oracle.places import Row, holds, place

TABLES: Mapping[str, Sequence[list[Row]]] = {
    "avro": (
        places_of_avro_columns.ROWS,
        places_of_avro_records.NAMES,
        places_of_avro_records.PARTS,
        places_of_avro_answers.COUNTED,
        places_of_avro_answers.DECODED,
    ),
    "canal-json": (places_of_canal_json.ROWS,),
    "debezium": (
        places_of_debezium_columns.ROWS,
        places_of_debezium_statements.ROWS,
        places_of_debezium_values.ROWS,
        places_of_debezium_images.ROWS,
        test_debezium_counting.ROWS,
        test_debezium_members.ROWS,
    ),
    "open-protocol": (places_of_open_columns.ROWS, places_of_open_answers.ROWS, places_of_open_values.ROWS),
}
ROWS = [
    pytest.param(*row, id=f"{protocol}-{row[0]}-{n}")
    for protocol, tables in TABLES.items()
    for n, row in enumerate(row for table in tables for row in table)
]


@pytest.mark.parametrize(("predicate", "expected", "where"), ROWS)
def test_a_predicate_holds_where_its_sentence_is_true(predicate: str, expected: bool, where: Place) -> None:
    assert holds(predicate, where) is expected


@pytest.mark.parametrize(
    ("predicate", "complaint"),
    [
        *((f"{name}=OP-142", "OP-") for name in ("are_statements_of_it", "is_code_of_it")),
        *(("is_count_of_it=OP-151", "OP-"), ("is_reduced_by=none", "none"), ("lacks_kind=unknown", "unknown")),
        *(("is_escape_of_it=OP-077", "OP-"), ("is_quoting_of_it=OP-139", "OP-")),
        *(("concerns_bits=0x0", "0x"), ("concerns_bits=0x100", "0x")),  # a flag is one of eight bits
    ],
)
def test_a_predicate_is_not_of_any_argument(predicate: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        holds(predicate, place("open-protocol", "value.u.c", 0, 0))

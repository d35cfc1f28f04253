"""What the predicates of Debezium JSON say of members and their order, and of numbers as texts."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.oracle.rules import Place
from conformance.oracle.tree import MISSING
from reference_impl.profiles import CLASSIC, NEWARCH
from tests.unit.oracle.judging import ddl_event
from tests.unit.oracle.places import Row, holds, rows
from tests.unit.oracle.places_of_debezium_images import VIRTUAL, payload
from tests.unit.oracle.places_of_debezium_values import AFTER, at

TEXT = "text.value.number"


def members(names: str) -> dict[str, int]:
    return dict.fromkeys(names.split(), 1)


def ordered(expected: str, got: str, **more: Any) -> Place:
    """An object whose members stand in another order."""
    return at("value.payload", members(expected), members(got), **more)


ORDERS: list[tuple[str, str, str]] = [
    # expected, given, and what holds of the order
    ("a b c", "a b c", "kept"),
    ("a b c", "c b a", ""),
    ("a b", "a b z", "kept"),
    ("a z b", "a b", "kept"),
    ("before after op", "op before after", "images"),
    ("before after op", "before op after", "images after"),
    ("before op after x", "op after before x", "images second"),
    ("before after op x", "x op before after", ""),
    ("a start_ts b", "a b start_ts", "start_ts"),
    ("a start_ts b", "b start_ts a", ""),
    ("id c x", "id x c", "virtual"),
    ("before after op", "before after op", "kept second"),
    ("op after before", "before after op", "images second"),
    ("op x after before", "x after op before", "second"),
    ("op after before", "after op before", "images"),
]


@pytest.mark.parametrize(("expected", "got", "found"), ORDERS)
def test_members_move_alone_or_keep_their_order(expected: str, got: str, found: str) -> None:
    where = ordered(expected, got, column=VIRTUAL)
    words = found.split()
    is_kept, is_second = "kept" in words, got.split()[1] == "after"
    for moved in ("images", "start_ts", "virtual"):
        assert holds(f"moves_alone={moved}", where) is (moved in words)
        assert holds(f"keeps_order_beside={moved}", where) is (moved in words or is_kept)
    assert holds("keeps_order_or_has_after_second", where) is (is_kept or is_second)
    assert holds("is_after_moved_second", where) is (not is_kept and is_second)


@pytest.mark.parametrize(("expected", "got"), [(MISSING, {"a": 1}), ({"a": 1}, None), ([1], [2])])
def test_what_is_no_object_keeps_its_order(expected: Any, got: Any) -> None:
    where = at("value.payload", expected, got)
    assert holds("keeps_order_beside=images", where)
    assert holds("keeps_order_or_has_after_second", where)
    assert not holds("moves_alone=images", where)
    assert not holds("is_after_moved_second", where)


def test_columns_are_virtual_only_in_a_table() -> None:
    stored = {"type": "int", "generated": "stored"}
    assert not holds("moves_alone=virtual", ordered("id c x", "id x c", column=stored))
    assert not holds("moves_alone=virtual", ordered("id c x", "id x c", column=VIRTUAL)._replace(delivery=None))


ROWS: list[Row] = [
    # -- what is there
    *rows(
        "is_null_either_way",
        [at(AFTER, *pair) for pair in ((None, 1), (1, None), (None, None))],
        [at(AFTER, *pair) for pair in ((1, 1), (MISSING, MISSING))],
    ),
    *rows("is_classic", [at(AFTER, profile=CLASSIC)], [at(AFTER, profile=NEWARCH)]),
    ("is_generated", False, at("value.payload.after.x", column=VIRTUAL)),
    # -- numbers
    *(
        ("is_number_of_float", yes, at(TEXT, *pair, column=kind))
        for kind, pair, yes in (
            ("int", ("1.5", "1"), True),
            ("int", ("1e3", "1"), True),
            ("int", ("1E3", "1"), True),
            ("int", ("-0", "0"), True),
            ("int", ("-01", "0"), False),
            ("int", ("1", "1.5"), False),
            ("float", ("1", "1.5"), True),
            ("double", ("1", "1.5"), True),
            ("decimal(5,1)", ("1", "1.5"), True),
            ("float", ("1", "1"), False),
            ("int", ("10", "1"), False),
            ("int", ("-09", "5"), False),
        )
    ),
    *rows(
        "has_padded_exponent",
        [at(TEXT, expected) for expected in ("1e-07", "1e+05", "9e+09")],
        [at(TEXT, expected) for expected in ("1e-7", "1e-10", "1e-007", "1e-019", "e-07", "1e07", "1E-07")],
    ),
    *rows(
        "lacks_padding_alone",
        [at(TEXT, "1e-07", "1e-7"), at(TEXT, "1e+05", "1e+5")],
        [at(TEXT, "1e-07", "1e+7"), at(TEXT, "1e-07", "1e-8")],
    ),
    # -- DDL messages
    *(
        ("is_of_no_table", yes, at("value.payload", event=ddl_event(), tree=payload(tableChanges=changes)))
        for changes, yes in (([], True), ([1], False))
    ),
]

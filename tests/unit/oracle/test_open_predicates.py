"""What the predicates of Open Protocol say of places made by hand."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from conformance.oracle.rules import Place
from tests.unit.oracle.places import holds, place

at = partial(place, "open-protocol")
BEYOND = "is_beyond_double"


def numbered(expected: Any, column: str = "int") -> Place:
    return at("event.after.c", expected, column=column)


ROWS: list[tuple[str, bool, Place]] = [
    (BEYOND, False, numbered("-9007199254740992")),
    (BEYOND, True, numbered("-9007199254740993")),
    (BEYOND, False, numbered(9007199254740992)),
    (BEYOND, True, numbered(9007199254740993)),
    (BEYOND, True, numbered("5-")),
    (BEYOND, True, numbered(None)),
    (BEYOND, False, numbered("a", "enum('a')")),
    (BEYOND, True, numbered("x", "enum('a')")),
    ("is_beyond_signed_64", True, numbered(1 << 63)),
    ("is_beyond_signed_64", False, numbered((1 << 63) - 1)),
    ("is_beyond_signed_64", True, numbered((1 << 64) - 1)),
    ("is_beyond_signed_64", False, numbered(1 << 64)),
    ("is_quoted_by_flag", False, at("event.after.c", "a\\b", column="varchar(5)")),
    ("is_code_of_it=OP-144", False, at("event.action_code", "1")),
    ("is_code_of_it=OP-143", True, at("event.action_code", 36)),
    ("is_code_of_it=OP-143a", True, at("event.action_code", 37)),
    ("is_code_of_it=OP-143a", True, at("event.action_code", 77)),
    ("is_code_of_it=OP-144", True, at("event.action_code", 78)),
    ("is_code_of_it=OP-145", True, at("key.q", 78)),
]


@pytest.mark.parametrize(("predicate", "expected", "where"), ROWS, ids=[f"{r[0]}-{n}" for n, r in enumerate(ROWS)])
def test_a_predicate_holds_where_its_sentence_is_true(predicate: str, expected: bool, where: Place) -> None:
    assert holds(predicate, where) is expected

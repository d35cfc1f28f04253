"""JSON of columns at the ends of what numbers and members can be."""

from __future__ import annotations

import json
import random
from itertools import count
from pathlib import Path

import pytest
from pyarrow import parquet

from differential.classify.predicates import CELLS
from differential.classify.predicates.common import double_of, tree_of
from differential.decode.canonical import canonical
from differential.decode.member_differences import member_differences
from differential.model import Class, Difference, Place
from differential.rows import write_parquet
from reference_impl.column_types import parse_column_type
from reference_impl.model import Record

JSON = parse_column_type("json")
IN_ALL_DIGITS, ONE_DOUBLE = CELLS["JSON double in all digits"], CELLS["JSON number in other digits"]


@pytest.mark.parametrize(
    "text", ['{"a":1,"a":2}', '{"a":1.5,"a":2}', '[{"b":{"a": 1 ,"a" :2}}]', r'{"a":1,"a":"\u003a"}']
)
def test_a_text_with_a_member_twice_stays_as_it_is_and_explains_nothing(text: str) -> None:
    assert canonical(JSON, text) == text
    assert tree_of(text) is None


@pytest.mark.parametrize("text", ['{"a":1,"b":"::"}', r'{"a":"\u003a"}', '{"a" : 1}', '{"a":[{"a":1},{"a":2}]}'])
def test_members_of_several_objects_and_colons_of_texts_are_no_members_twice(text: str) -> None:
    assert tree_of(text) is not None


@pytest.mark.parametrize(
    ("upstream", "ticdc", "same"),
    [
        ("[0.1000000000000000055511151231257827021181583404541015625]", "[0.1]", True),
        ("[1234567890123456768]", "[1234567890123456789]", False),  # an integer cut to a double
        ("[12345678901234568]", "[12345678901234567]", False),
        ("[" + "9" * 401 + "]", "[" + "9" * 400 + "8]", False),
    ],
)
def test_all_digits_are_those_of_the_double_that_the_other_side_prints(upstream: str, ticdc: str, same: bool) -> None:
    assert IN_ALL_DIGITS(JSON, upstream, ticdc) is same


@pytest.mark.parametrize(
    ("upstream", "ticdc", "same"),
    [
        ("[2.5e-7]", "[2.50000000000000001e-7]", True),
        ("[9e500]", "[1e400]", False),
        ("[9e-500]", "[1e-400]", False),
        ("[1" + "0" * 399 + "]", "[2e400]", False),
    ],
)
def test_numbers_beyond_all_doubles_are_not_one_double(upstream: str, ticdc: str, same: bool) -> None:
    assert ONE_DOUBLE(JSON, upstream, ticdc) is same


def test_a_number_beyond_doubles_has_no_double() -> None:
    assert [double_of(node) for node in (10**400, True, "1", 0, 3)] == [None, None, None, 0.0, 3.0]


@pytest.mark.parametrize("value", [b"18446744073709551616", b"[" * 400 + b"]" * 400], ids=["beyond 64 bits", "deep"])
def test_a_member_that_orjson_does_not_print_is_shown(value: bytes) -> None:
    written, got = Record(None, b'{"a":1}'), Record(None, b'{"a":' + value + b"}")
    assert list(member_differences(written, got, ())) == [(("value", "a"), "1", value.decode())]


def test_the_rows_that_are_written_at_most_are_the_same_in_whatever_order_they_come(tmp_path: Path) -> None:
    found = [Difference("a-b", Class.MISSING, "s", "t", "", f"[{n}]", n, Place("x", 0, n), None) for n in range(20)]
    for seed in (1, 2):
        random.Random(seed).shuffle(found)
        left_out = count()
        write_parquet(found, tmp_path / str(seed), most=5, on_omitted=left_out.__next__)
        assert next(left_out) == 15
    one, other = (parquet.read_table(tmp_path / str(seed)) for seed in (1, 2))
    assert one.equals(other)


def test_differences_stand_in_the_order_of_the_members() -> None:
    names = [f"member {n}" for n in range(20)]
    members = dict.fromkeys(names, 1), {**dict.fromkeys(reversed(names), 2), "more": 3}
    written, other = (Record(None, json.dumps(of).encode()) for of in members)
    found = [path for path, _, _ in member_differences(written, other, ())]
    assert [path[-1] for path in found] == [*names, "more"]

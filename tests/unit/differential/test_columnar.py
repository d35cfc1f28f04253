"""The merge column by column is the merge row by row; what is not asked of every value would have said no."""

from __future__ import annotations

import random
import re
from typing import Any

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from differential.align.merging import Merge, Pair
from differential.batches import SLIM, differences_of, merge
from differential.classify.predicates import COLUMN_CELLS, OF_TYPE, PATTERNS, VALUES
from differential.counts import Counts
from differential.decode.reader import SlimReader
from differential.decode.slim import Slim
from differential.rows import row_of
from differential.sides import Side
from reference_impl.column_types import parse_column_type
from tests.unit.differential.building import pairs_for
from tests.unit.differential.generated import sent, side, transactions

CHANGES = 300
DIALECTS = {
    "canal": (("canal-json", {"enable_tidb_extension": "true"}), ("canal", {})),
    "debezium": (("debezium", {}), ("debezium-connector", {})),
    "one clock": (("canal-json", {"enable_tidb_extension": "true"}), ("open-protocol", {"max_batch_size": "1"})),
}


def sides_of(name: str, most: int) -> list[Side]:
    names = ("left", "right", "third")
    given = (*DIALECTS[name], *DIALECTS["one clock"])[:most]
    return [side(of, dialect, **options) for of, (dialect, options) in zip(names, given, strict=False)]


def slims(sides: list[Side], seed: int) -> list[Slim]:
    """The rows of all sides, of which some are lost or told twice."""
    random_ = random.Random(seed)
    rows: list[Slim] = []
    for number, one in enumerate(sides):
        read = SlimReader(number, one)
        for record in sent(one, transactions("shop", CHANGES, seed)):
            found = list(read(record))
            rows += found if random_.random() > 0.02 else []
    return rows


def batches_of(rows: list[Slim], size: int) -> list[Any]:
    parts = [rows[begin : begin + size] for begin in range(0, len(rows), size)]
    columns = [[pyarrow.array(c, type=f.type) for c, f in zip(zip(*p, strict=True), SLIM, strict=True)] for p in parts]
    return [pyarrow.RecordBatch.from_arrays(arrays, schema=SLIM) for arrays in columns]


def by_columns(pairs: tuple[Pair, ...], sides: int, batches: list[Any]) -> tuple[list[Any], dict[str, Any]]:
    found, counts = differences_of(pyarrow.Table.from_batches(merge(pairs, sides, batches)))
    return sorted(map(repr, zip(*(c.to_pylist() for c in found.columns), strict=True))), counts.to_json()


def by_rows(pairs: tuple[Pair, ...], sides: int, rows: list[Slim]) -> tuple[list[Any], dict[str, Any]]:
    one = Merge(pairs, sides)
    found = list(one.differences(sorted(rows, key=lambda row: row.order)))
    return sorted(repr(row_of(difference)) for difference in found), one.counts.to_json()


@pytest.mark.parametrize("name", DIALECTS)
@pytest.mark.parametrize("most", [2, 3])
def test_a_part_is_merged_by_columns_as_by_rows(name: str, most: int) -> None:
    sides = sides_of(name, most)
    rows = slims(sides, seed=most)
    expected = by_rows(pairs_for(sides), most, rows)
    random.Random(1).shuffle(rows)
    assert by_columns(pairs_for(sides), most, batches_of(rows, 97)) == expected
    assert expected[0] != []


def test_a_part_of_nothing_has_no_differences() -> None:
    assert by_columns(pairs_for(sides_of("canal", 2)), 2, []) == ([], Counts().to_json())


KINDS = [parse_column_type(text) for text in ("varchar(20)", "json", "enum('a,b','c')", "decimal(20,11)", "time(3)")]
TEXTS = st.one_of(
    st.text(max_size=12),
    st.text('{}[]":,.0123456789-eE\\nbf<&u', max_size=20),
    st.from_regex(r'\{"[a-c\\\\n]{1,3}":-?[0-9]{1,21}(\.[0-9])?([eE][0-9])?\}', fullmatch=True),
    st.floats().map(repr),
    st.decimals().map(str),
    st.decimals(-(10**9), 10**9, places=11).map("{:f}".format),
    st.from_regex(r"-?[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}", fullmatch=True),
)


@given(TEXTS)
def test_a_text_that_the_pattern_of_a_predicate_does_not_match_does_not_pass_it(text: str) -> None:
    for name, pattern in PATTERNS.items():
        kinds = KINDS[-1:] if "TIME" in name else KINDS[:-1]
        if "TIME" in name and not re.fullmatch(r"-?[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}", text):
            continue
        if any(VALUES[name](kind, text) for kind in kinds):
            assert re.search(pattern, text), name


@pytest.mark.parametrize(("text", "has"), [("-0", False), ("[-0]", False), ("0.0009", True), ("20000000.5", True)])
def test_a_double_of_zero_has_no_exponent_in_java(text: str, has: bool) -> None:
    assert VALUES["JSON with an exponent in Java"](parse_column_type("json"), text) is has


def test_null_passes_no_predicate_that_has_a_pattern() -> None:
    assert [name for name in PATTERNS for kind in KINDS if VALUES[name](kind, None)] == []


@given(st.sampled_from(sorted(OF_TYPE & VALUES.keys())), st.sampled_from(KINDS), st.none() | st.text(max_size=5))
def test_a_predicate_of_a_type_asks_for_no_value(name: str, kind: Any, text: str | None) -> None:
    try:
        expected = VALUES[name](kind, None)
    except KeyError:
        return  # it is of other types
    assert VALUES[name](kind, text) == expected


def test_what_is_of_a_type_is_a_predicate_of_values() -> None:
    assert OF_TYPE | PATTERNS.keys() <= VALUES.keys() | COLUMN_CELLS.keys()

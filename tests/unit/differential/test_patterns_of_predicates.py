"""A predicate with a pattern holds for no text that the pattern does not match, so such texts are not tested."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from differential.classify.predicates import COLUMN_CELLS, OF_TYPE, PATTERNS, VALUES
from reference_impl.column_types import parse_column_type

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

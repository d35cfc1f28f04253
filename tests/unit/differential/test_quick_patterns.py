"""The patterns of tokens and the cells of columns, against one token at a time."""

from __future__ import annotations

import re

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from differential.decode.canonical import canonical
from differential.decode.quick.cells import NULL, UNSURE, Token, Unsure, texts
from differential.decode.quick.grammar import LOOSE, STRING, between
from differential.decode.quick.scalars import compact_document, document, stored_document
from reference_impl.column_types import parse_column_type

JSON = parse_column_type("json")
LONGEST = 5
ODD = ['"', "\\", "\\\\", '\\"', "\\n", "\\u00e9", "\\ud83d\\ude00", "\\u0000", "é", "😀", "\x7f", " ", "a", "b", ","]


def one_by_one(token: Token, longest: int | None) -> Token:
    """The cell of a text, read on its own."""
    if token is None or token == NULL:
        return token
    try:
        text = orjson.loads(token)
    except ValueError:
        return UNSURE
    return UNSURE if longest is not None and len(text) > longest else orjson.dumps(text)


broken = st.sampled_from([b'"\xff"', b'"\xc3"', b'"\xed\xa0\x80"', b'"a\x1fb"', b'"\n"', b'"\\x"', b'"\\ud800"'])
drawn = st.lists(st.sampled_from(ODD[1:]), max_size=LONGEST + 2).map(
    lambda parts: '"{}"'.format("".join(parts)).encode()
)
tokens = drawn.filter(re.compile(STRING.encode(), re.DOTALL).fullmatch)


@given(
    st.lists(st.one_of(st.none(), st.just(NULL), tokens, broken), max_size=12),
    st.sampled_from([None, 0, 1, 3, LONGEST]),
)
def test_a_column_of_texts_is_read_as_each_of_its_texts_is(column: list[Token], longest: int | None) -> None:
    assert list(texts(longest)(column)) == [one_by_one(token, longest) for token in column]


@given(st.lists(st.sampled_from([*ODD, '"', "\\", "\n", "\x1f"]), max_size=9).map("".join), st.booleans())
def test_the_loose_pattern_ends_where_a_string_ends(text: str, opened: bool) -> None:
    data = b'"' * opened + text.encode()
    strict = re.compile(STRING.encode(), re.DOTALL).match(data)
    loose = re.compile(LOOSE.encode(), re.DOTALL).match(data)
    if strict is not None:
        assert loose is not None
        assert loose[0] == strict[0]
    elif loose is not None:
        assert min(loose[0]) < ord(" ")


@pytest.mark.parametrize(
    ("low", "high"), [(0, 255), (1, 127), (1, 2**31 - 1), (2**31, 2**32 - 1), (1901, 2155), (7, 99)]
)
def test_a_range_of_numbers_has_these_and_no_others(low: int, high: int) -> None:
    pattern = re.compile(between(low, high))
    edges = {low, high, *(10**n for n in range(12)), *(10**n - 1 for n in range(12)), *(3 * 10**n for n in range(12))}
    for number in {edge + more for edge in edges for more in (-1, 0, 1) if edge + more >= 0}:
        assert bool(pattern.fullmatch(str(number))) == (low <= number <= high)
        assert not pattern.fullmatch(f"0{number}")


numbers = st.one_of(
    st.integers(-(10**21), 10**21).map(str),
    st.decimals(places=4, min_value=-(10**9), max_value=10**9).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(
        ["-0", "0.0", "-0.0", "1.0", "0.001", "0.00099", "1e5", "1E16", "1e-7", "10000000.5", "18446744073709551616"]
    ),
)
leaves = st.one_of(numbers, st.sampled_from(["null", "true", '"e-1"', '"a, b: c"', '"1.50"', '"-0"', '"é"', '"a\\"b"']))
names = st.sampled_from(['"a"', '"b"', '"aa"', '"é"', '"z z"', '"e1"'])


def _holder(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    lists = st.lists(inner, max_size=4).map(lambda parts: "[" + ", ".join(parts) + "]")
    members = st.dictionaries(names, inner, max_size=4).map(dict.items)
    ordered = members.flatmap(
        lambda pairs: st.sampled_from([list(pairs), sorted(pairs, key=lambda p: (len(p[0].encode()), p[0]))])
    )
    return st.one_of(
        lists, ordered.map(lambda pairs: "{" + ", ".join(f"{name}: {value}" for name, value in pairs) + "}")
    )


documents = st.recursive(leaves, _holder, max_leaves=8)


def _left(token: bytes) -> bytes:
    raise Unsure


@given(documents, st.sampled_from([document, stored_document, compact_document]), st.booleans())
def test_a_document_is_canonical_or_left(text: str, way: object, compact: bool) -> None:
    if compact:
        text = text.replace(", ", ",").replace(": ", ":")
    token = orjson.dumps(text)
    try:
        cell = way(_left)(token)  # type: ignore[operator]
    except Unsure:
        return
    assert cell == orjson.dumps(canonical(JSON, text))


@pytest.mark.parametrize(
    "text", ['{"a": 1, "bb": [2.5, {"b": null}]}', '{"b": "x, y: z"}', "[1.0, 0.25, 12345678901234567]"]
)
def test_an_ordinary_document_is_not_left(text: str) -> None:
    assert stored_document(_left)(orjson.dumps(text)) == orjson.dumps(canonical(JSON, text))


@pytest.mark.parametrize(
    "text",
    [
        '{"bb": 1, "a": 2}',
        '{"b": 1, "a": 2}',
        '{"a":1}',
        "[1,2]",
        "[0.0001]",
        "[12345678.5]",
        '["a\\"b"]',
        "[1e16]",
        "[-0.0]",
    ],
)
def test_a_document_that_canal_writes_differently_goes_the_long_way(text: str) -> None:
    with pytest.raises(Unsure):
        stored_document(_left)(orjson.dumps(text))

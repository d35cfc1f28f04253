"""Values are counted change by change, and by the bits of many changes, as if each test saw each value."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from itertools import groupby
from typing import Any, TypeAlias

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.catalogue.divergences import Met, load_divergences
from differential.align.pair_context import PairContext
from differential.align.pairs import Pair
from differential.align.spellings import SpellingBits, SpellingCounter
from differential.classify.explaining import Explainer
from differential.classify.naming import Namer, Spelling
from differential.classify.predicates import VALUES
from differential.classify.predicates.common import nodes_of, tree_of
from differential.counts import Counts, SpelledColumn
from differential.decode.canonical import canonical, shown
from differential.model import Cell, Change, Place
from reference_impl.column_types import ColumnType, Family, parse_column_type
from reference_impl.floats import plain
from reference_impl.java_numbers import double_text
from reference_impl.model import Column, Table

TYPES = {
    "char": "varchar(40)",
    "clob": "text",
    "blob": "blob",
    "bits": "bit(12)",
    "bytes": "varbinary(20)",
    "fixed": "binary(4)",
    "json": "json",
    "number": "decimal(20,4)",
    "rate": "decimal(12,2)",
    "single": "float",
    "scaled": "float(7,3)",
    "double": "double",
    "real": "real",
    "truth": "boolean",
    "big": "bigint unsigned",
    "integer": "integer unsigned",
    "label": "enum('a','b,c','d')",
    "labels": "set('a','b')",
    "time": "time(3)",
    "moment": "timestamp(3)",
    "date": "date",
    'odd "name"': "varchar(10)",
}
TEXT_OF_BYTES = replace(parse_column_type("varchar(9)"), family=Family.VARBINARY)
TABLE = Table(
    "s",
    "t",
    (*(Column(name, parse_column_type(text)) for name, text in TYPES.items()), Column("binary text", TEXT_OF_BYTES)),
)
KINDS = {column.name: column.type for column in TABLE.columns}
OPS = ("insert", "update", "delete", "read")
NUMBERS = ("0", "-3", "1.5", "12345678.25", "0.0005", "5.61", "100.10", "2e23", "5e-324", "1e-45")
JSON = (
    '{"a":1,"bb":[2,null]}',
    '{"aa":1,"b":2}',
    '{"a\\"b":1}',
    "{}",
    "[1,2]",
    '"x\\\\b"',
    "1e-7",
    '{"n":12345678901234567890123}',
    '"<\x7f\u2028\U0001f600\\u000b"',
)
TEXTS = ("", "x", "a<b", "&", "\b", "\f", "\u2028", "\ufffd", "\U0001f600", "\x1f", 'say ",char":null', "\\", "NULL")


def drawn(column_type: ColumnType, name: str, rng: random.Random) -> Cell:
    """A value as canonical images have it, sometimes one that a message should not have."""
    if rng.random() < 0.2:
        return None
    if name in ("blob", "bytes", "fixed", "binary text"):
        return canonical(column_type, rng.choice((b"", b"a\0", b"\xfb\xff", b"<\b")))
    if name == "json":
        return canonical(column_type, rng.choice(JSON))
    if name in ("number", "rate", "single", "scaled", "double", "real"):
        return canonical(column_type, rng.choice(NUMBERS))
    if name in ("truth", "big", "integer", "bits"):
        return rng.choice(("0", "1", "4096", "77"))
    if name in ("label", "labels"):
        return rng.choice(("a", "b", "b,c", ""))
    if name in ("time", "moment", "date"):
        times = {"time": ("-00:00:01.000", "10:00:00.500"), "date": ("0000-00-00", "2024-02-29")}
        return rng.choice(times.get(name, ("0000-00-00 00:00:00.000", "2024-02-29 01:02:03.004")))
    return rng.choice(TEXTS)


def images_of(rng: random.Random, many: int, odd: float) -> list[bytes]:
    """Images of which some lack columns; `odd`: how likely a cell is tagged otherwise than its column's others."""
    names = [name for name in KINDS if rng.random() < 0.9]
    images = []
    for _ in range(many):
        there = names if rng.random() < 0.8 else rng.sample(names, len(names) // 2)
        cells = {name: drawn(KINDS[name], name, rng) for name in there}
        for name in there:
            if rng.random() < odd:
                cells[name] = rng.choice(({"raw": "/w=="}, {"index": "9"}, {"base64": "/w=="}))
        images.append(orjson.dumps(cells, option=orjson.OPT_SORT_KEYS))
    return images


Spellings: TypeAlias = Mapping[tuple[str, str], tuple[tuple[str, Spelling], ...]]


@cache
def watching(of: str) -> Spellings:
    """Every spelling that the catalogue has of two dialects, whatever the options are under which it is there."""
    pairs = (pair for names, pair in load_divergences().items() if of in names)
    texts = [replace(one, when={}) for pair in pairs for one in pair.divergences if one.met is Met.TEXT]
    explainer = Explainer(texts, flipped=False, tables=[TABLE])
    return {
        ("s", "t"): tuple(
            (name, w) for name, kind in KINDS.items() for w in explainer.spellings(("s", "t", name), kind)
        )
    }


@dataclass(frozen=True)
class Row:
    """A change of one row, by the image that identifies it."""

    op: str
    key: bytes
    image: bytes


def pair_of(spellings: Spellings) -> Pair:
    return Pair(0, 1, PairContext("left-right", "left", "right", {}), Namer(), spellings)


def one_by_one(spellings: Spellings, rows: Sequence[Row]) -> dict[str, Any]:
    counter, counts = SpellingCounter(pair_of(spellings)), Counts()
    for row in rows:
        images = (row.image, None) if row.op == "delete" else (None, row.image)
        counter.count(Change("s", "t", row.key, row.op, *images, Place()))
    counter.move_to(counts)
    return counts.to_json()


def by_hand(spellings: Spellings, rows: Sequence[Row]) -> dict[str, Any]:
    """Every value asked by every test."""
    counts = Counts()
    for row in rows:
        cells = orjson.loads(row.image)
        for name, spelling in spellings["s", "t"]:
            if name not in cells or (spelling.events and row.op not in spelling.events):
                continue
            if spelling.test is None or spelling.test(cells[name]):
                named = SpelledColumn("left-right", "s", "t", name, spelling.divergence)
                counts.count_spelled(named, 1, [[row.key.decode(), shown(cells[name])]])
    return counts.to_json()


def bits_together(spellings: Spellings, rows: Sequence[Row]) -> list[bytes]:
    """The bits of rows with one operation and the same columns, read as columns."""
    together: list[dict[str, Cell]] = [orjson.loads(row.image) for row in rows]
    columns = {name: [cells[name] for cells in together] for name in together[0]}
    return SpellingBits([pair_of(spellings)], 0).of_columns(("s", "t"), rows[0].op, lambda: columns, len(rows))


def rows_of(rng: random.Random, many: int, odd: float) -> list[Row]:
    keys = sorted({b'["%d"]' % rng.randrange(1000) for _ in range(rng.choice((2, many)))})
    return [Row(rng.choice(OPS), rng.choice(keys), image) for image in images_of(rng, many, odd)]


@pytest.mark.parametrize("of", ["canal", "debezium-connector"])
@pytest.mark.parametrize("odd", [0, 0.002])
def test_values_are_counted_as_if_each_test_saw_each_value(of: str, odd: float) -> None:
    rng, spellings = random.Random(7), watching(of)
    whole: list[Row] = []
    for many in (1, 3, 60, 200, 60):
        rows = rows_of(rng, many, odd)
        assert one_by_one(spellings, rows) == by_hand(spellings, rows)
        bits = SpellingBits([pair_of(spellings)], 0)
        for (op, _), alike in groupby(sorted(rows, key=_form), _form):
            same = list(alike)
            assert bits_together(spellings, same) == [bits.of_image(("s", "t"), op, row.image) for row in same]
        whole += rows
    expected = by_hand(spellings, whole)
    assert one_by_one(spellings, whole) == expected
    found = {divergence for *_, divergence, _ in expected["named"]}
    assert found == {spelling.divergence for _, spelling in spellings["s", "t"]}


def _form(row: Row) -> tuple[str, list[str]]:
    return row.op, [*orjson.loads(row.image)]


def test_the_values_of_any_number_of_changes_take_bounded_memory() -> None:
    seen: list[Cell] = []
    spellings = {("s", "t"): (("a", Spelling("DV-1", True, lambda cell: seen.append(cell) is None)),)}
    values = [f"{number}" for number in range(1 << 16)]
    one_by_one(spellings, [Row("insert", b"1", b'{"a":"%s"}' % value.encode()) for value in [*values, values[0]]])
    assert seen == [*values, values[0]]  # the first one is not remembered any more


def test_counts_read_from_json_name_the_columns_whose_values_are_spelled_differently() -> None:
    column = SpelledColumn("left-right", "s", "t", "a", "DV-1")
    counts = Counts()
    counts.count_spelled(column, 1, [["1", ""]])
    read = Counts.from_json(counts.to_json())
    assert [type(key) for key in (*read.named, *read.shown)] == [SpelledColumn, SpelledColumn]
    assert read == counts


def test_an_empty_text_is_no_null_in_an_example() -> None:
    rows = [Row("insert", b"1", b'{"a":""}'), Row("insert", b"2", b'{"a":null}')]
    [(*_, examples)] = one_by_one({("s", "t"): (("a", Spelling("DV-1", True, None)),)}, rows)["shown"]
    assert examples == [["1", ""], ["2", "NULL"]]


JSON_TREES = st.recursive(
    st.none() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)
JSON_TEXTS = st.one_of(
    JSON_TREES.map(json.dumps),
    st.text('{}[]":,.0123456789-eEab\\', max_size=20),
    st.from_regex(r'\{"aa":-?[0-9]{1,320}(\.[0-9])?([eE]-?[0-9]{1,20})?,"b":"(\\ud8[0-9]{2})?"\}', fullmatch=True),
    st.just('{"aa":' + "[" * 900 + "]" * 900 + ',"b":1}'),
)


@given(JSON_TEXTS)
def test_numbers_that_are_not_exact_do_not_change_how_names_are_sorted(text: str) -> None:
    objects = (node for node in nodes_of(tree_of(text)) if isinstance(node, dict))
    lengths = ([len(name) for name in sorted(name.encode("utf-8", "surrogatepass") for name in one)] for one in objects)
    expected = any(of != sorted(of) for of in lengths)
    assert VALUES["JSON with names of other lengths"](KINDS["json"], text) == expected


@given(st.integers(1, 9_999_999), st.text("0123456789", max_size=14), st.booleans())
def test_every_java_prints_the_fewest_digits_of_numbers_of_the_middle(whole: int, digits: str, negative: bool) -> None:
    text = plain(f"{'-' * negative}{whole}.{digits[: 15 - len(str(whole))]}", 64)
    for java in (18, 19):
        assert Decimal(double_text(float(text), java)) == Decimal(text)
        assert not VALUES[f"digits of Java {'before 19' if java < 19 else 'from 19 on'}"](KINDS["double"], text)

"""Values that are counted column by column are those that are counted row by row, whatever is asked of them."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Any

import numpy
import orjson
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import compute

from conformance.catalogue.divergences import Met, load_divergences
from differential.align.cells import Images
from differential.align.spellings import Rows, SpellingCounter, SpellingsByTable
from differential.classify.explaining import Explainer
from differential.classify.naming import Spelling
from differential.classify.predicates import PATTERNS, VALUES
from differential.classify.predicates.common import nodes_of, tree_of
from differential.counts import Counts, SpelledColumn
from differential.decode.canonical import canonical, shown
from differential.model import Cell
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


@cache
def watching(of: str) -> SpellingsByTable:
    """Every spelling that the catalogue has of two dialects, whatever the options are under which it is there."""
    pairs = (pair for names, pair in load_divergences().items() if of in names)
    texts = [replace(one, when={}) for pair in pairs for one in pair.divergences if one.met is Met.TEXT]
    explainer = Explainer(texts, {}, flipped=False, tables=[TABLE])
    return {
        ("s", "t"): [(name, w) for name, kind in KINDS.items() for w in explainer.spellings(("s", "t", name), kind)]
    }


def counted(counter: SpellingCounter) -> dict[str, Any]:
    counts = Counts()
    counter.move_to(counts)
    return counts.to_json()


def by_rows(watching: SpellingsByTable, rows: Rows) -> dict[str, Any]:
    counter = SpellingCounter("left-right", watching)
    for op, key, image in zip(rows.op.tolist(), rows.key.tolist(), rows.images, strict=True):
        counter.count_row(("s", "t"), rows.ops[op], rows.keys[key].decode(), image)
    return counted(counter)


def by_hand(watching: SpellingsByTable, rows: Rows) -> dict[str, Any]:
    """Every value asked by every test."""
    counts = Counts()
    for op, key, image in zip(rows.op.tolist(), rows.key.tolist(), rows.images, strict=True):
        cells = orjson.loads(image)
        for name, spelling in watching["s", "t"]:
            if name not in cells or (spelling.events and rows.ops[op] not in spelling.events):
                continue
            if spelling.test is None or spelling.test(cells[name]):
                named = ("left-right", "s", "t", name, spelling.divergence)
                counts.count_spelled(named, 1, [[rows.keys[key].decode(), shown(cells[name])]])
    return counts.to_json()


def rows_of(rng: random.Random, many: int, odd: float) -> Rows:
    keys = sorted({b'["%d"]' % rng.randrange(1000) for _ in range(rng.choice((2, many)))})
    op, key = (numpy.array([rng.randrange(len(of)) for _ in range(many)]) for of in (OPS, keys))
    return Rows(OPS, op, keys, key, images_of(rng, many, odd))


@pytest.mark.parametrize("of", ["canal", "debezium-connector"])
@pytest.mark.parametrize("odd", [0, 0.002])
def test_values_are_counted_by_columns_as_by_rows_and_by_hand(of: str, odd: float) -> None:
    rng = random.Random(7)
    together = SpellingCounter("left-right", watching(of))
    whole: list[Rows] = []
    for many in (1, 3, 60, 200, 60):
        rows = rows_of(rng, many, odd)
        one = SpellingCounter("left-right", watching(of))
        one.count_rows(("s", "t"), rows)
        expected = by_hand(watching(of), rows)
        assert counted(one) == expected == by_rows(watching(of), rows)
        together.count_rows(("s", "t"), rows)
        whole.append(rows)
    counts = Counts()
    for rows in whole:
        counts.add(Counts.from_json(by_hand(watching(of), rows)))
    assert counted(together) == counts.to_json()
    assert {named[-1] for named in counts.named} == {spelling.divergence for _, spelling in watching(of)["s", "t"]}


def test_counts_read_from_json_name_the_columns_whose_values_are_spelled_differently() -> None:
    column = SpelledColumn("left-right", "s", "t", "a", "DV-1")
    counts = Counts()
    counts.count_spelled(column, 1, [["1", ""]])
    read = Counts.from_json(counts.to_json())
    assert [type(key) for key in (*read.named, *read.shown)] == [SpelledColumn, SpelledColumn]
    assert read == counts


def test_an_empty_text_is_no_null_in_an_example() -> None:
    rows = Rows(("insert",), numpy.array([0, 0]), [b"1", b"2"], numpy.array([0, 1]), [b'{"a":""}', b'{"a":null}'])
    always: SpellingsByTable = {("s", "t"): [("a", Spelling("DV-1", True, None))]}
    counter = SpellingCounter("left-right", always)
    counter.count_rows(("s", "t"), rows)
    [(*_, examples)] = counted(counter)["shown"]
    assert examples == [["1", ""], ["2", "NULL"]]
    [(*_, examples)] = by_rows(always, rows)["shown"]
    assert examples == [["1", ""], ["2", "NULL"]]


PLAIN = st.dictionaries(st.text(min_size=1, max_size=6), st.none() | st.text(max_size=8), max_size=5)


@given(st.lists(PLAIN, min_size=1, max_size=6), st.data())
def test_columns_have_the_cells_of_the_images(rows: list[dict[str, str | None]], data: Any) -> None:
    names = {name for row in rows for name in row} or {"a"}
    images = [orjson.dumps(row) for row in rows]
    columns = Images(names).read(images)
    assert columns is not None
    for name in names:
        at = numpy.arange(len(rows))
        assert columns[name].values(at) == [row.get(name) for row in rows]
        assert columns[name].has_column.tolist() == [name in row for row in rows]


@given(st.text(max_size=12), st.sampled_from(sorted(PATTERNS.values())))
def test_arrow_finds_a_pattern_where_python_does(text: str, pattern: str) -> None:
    found = compute.match_substring_regex(pyarrow.array([text]), pattern)
    assert found.to_pylist() == [re.search(pattern, text) is not None]


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


def test_images_that_are_longer_than_arrow_reads_at_once_are_not_read_by_columns() -> None:
    image = b'{"a":"' + b"x" * 2**20 + b'"}'
    assert Images(["a"]).read([image] * 2048) is None

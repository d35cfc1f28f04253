"""JSON columns: a document that each dialect prints in its own way is no unexplained difference, another one is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import orjson
import pytest

from conformance.ddl import tables_of_sql
from differential.model import Class
from differential.sides import Side
from reference_impl.model import Record
from tests.unit.differential.building import NOON, differences, row_change, unexplained, written

TABLES = tuple(tables_of_sql("USE shop; CREATE TABLE t (id INT PRIMARY KEY, c JSON)", "the test"))
CANALS: Mapping[str, Mapping[str, str]] = {
    "Java 17": {},
    "Java 25": {"jdk": "25"},
    "without tsdb": {"tsdb": "false"},
    "MariaDB": {"server": "mariadb"},
}
DOCUMENTS = (
    *("{}", "[]", "null", "true", '""', '"a b"', '"a,b: c"', '{"a": 1}', '{"": [], "b c": {}}'),
    *("0", "-0", "-0.0", "1.0", "-1.5", "1e10", "1e-7", "9999999.5", "10000000.0", "0.001", "0.0009", "123456789.125"),
    *("2e23", "4.9e-324", "1.7976931348623157e308", "0.30000000000000004", "[12345678901234567890, 1e20]"),
    *("9223372036854775807", "-9223372036854775808", "18446744073709551615", "18446744073709551616"),
    *(r'"\"\\\/\b\f\n\r\t"', r'"\u0001\u001f\u007f\u0085\u00a0"', r'"\u2028\u2029\ufffd"', '"<&>é😀"', r'"a\u0000b"'),
    *('{"bb": 1, "a": {"ccc": [1.0, -0.0], "d": "é"}}', r'[[[{"a": ["\u0085", 1e7, {"bb": null, "a": 2}]}]]]'),
)
OTHERS = (
    ("-0", "0"),
    ('"a b"', '"a  b"'),
    ('{"a": 1}', '{"a ": 1}'),
    ('{"a": 1}', '{"a": "1"}'),
    ("[1, 2]", "[2, 1]"),
    ("1.5", "1.25"),
    ("1e20", "1.0000000000000001e20"),
    ("18446744073709551615", "18446744073709551614"),
    (r'"\u0085"', r'"\u0086"'),
    (r'"a\u0000b"', '"b"'),
    ('[[{"bb": [1.0, "é"]}]]', '[[{"bb": [1.0, "è"]}]]'),
    ("null", '"null"'),
)


def sent(of: Side, documents: Iterable[str]) -> list[Record]:
    """Of each document an insert and its delete, in a row of its own."""
    rows = [{"id": str(number), "c": document} for number, document in enumerate(documents)]
    made = [row_change(None, row, NOON + number) for number, row in enumerate(rows)]
    made += [row_change(row, None, NOON + 10**9 + number) for number, row in enumerate(rows)]
    return written(of, made)


def differing(canal: str, documents: Sequence[tuple[str, str]]) -> dict[tuple[str, str], set[tuple[Class, str]]]:
    """By document on either side, the kinds and columns of what is found."""
    options = {"enable-tidb-extension": "true"}
    sides = Side("left", "canal-json", options, tables=TABLES), Side("right", "canal", CANALS[canal], tables=TABLES)
    streams = [sent(of, (both[n] for both in documents)) for n, of in enumerate(sides)]
    found: dict[tuple[str, str], set[tuple[Class, str]]] = {}
    for d in unexplained(sides, streams):
        [number] = orjson.loads(d.key)
        found.setdefault(documents[int(number)], set()).add((d.kind, d.column))
    return found


@pytest.mark.parametrize("canal", CANALS)
def test_a_document_that_both_print_in_their_own_way_is_no_unexplained_difference(canal: str) -> None:
    assert differing(canal, [(text, text) for text in DOCUMENTS]) == {}


@pytest.mark.parametrize("canal", CANALS)
def test_another_document_is_an_unexplained_difference(canal: str) -> None:
    assert differing(canal, OTHERS) == {both: {(Class.VALUE, "c")} for both in OTHERS}


# Canal escapes no names: what it prints of these is no JSON, or JSON with other names.
NAMED = (
    *(r'{"a\"b": 1}', r'{"a\"": {"\"b": [{"\"": "x"}]}}', r'{"a\tb": 1}', r'{"\u0000": 1}', r'{"a\\q": [], "c": {}}'),
    *(r'{"a\\b": 1}', r'{"a\\n": "\n"}', r'{"a\\u0041": 1}', r'{"a\\\\b": "\\"}', r'{"a\\/": 1, "a/": 2}'),
    *(r'[[{"x": {"a\\b": "\"}, {: ,", "bb": "c\u0085"}}], 1.5]', r'{"\\\"": null, "": {"é\\": true}}'),
)
NAMED_OTHERWISE = (
    (r'{"a\\b": 1}', r'{"a\b": 1}'),
    (r'{"a\\n": 1}', r'{"a\n": 1}'),
    (r'{"a\\u0041": 1}', '{"aA": 1}'),
    (r'{"a\"b": 1}', r'{"a\"c": 1}'),
    (r'{"a\"b": 1}', r'{"a\"b": 2}'),
    (r'{"a\": 1, \"b": 2}', '{"a": 1, "b": 2}'),
)


@pytest.mark.parametrize("canal", [name for name in CANALS if name != "MariaDB"])
def test_names_that_canal_does_not_escape_are_read_as_it_writes_them(canal: str) -> None:
    assert differing(canal, [(text, text) for text in NAMED]) == {}


def test_a_name_with_an_escape_is_no_name_with_what_it_stands_for() -> None:
    found = differing("Java 17", NAMED_OTHERWISE)
    assert {both for both, kinds in found.items() if (Class.VALUE, "c") in kinds} == {*NAMED_OTHERWISE}


def test_a_text_that_canal_would_not_write_is_refused_though_its_names_can_be_read() -> None:
    """It lacks the blank behind a comma; so Canal writes no document."""
    sides = Side("left", "canal-json", tables=TABLES), Side("right", "canal", tables=TABLES)
    document = r'{"a\"b": 1, "c": 2}'
    left, right = (sent(of, [document]) for of in sides)
    broken = [replace(one, value=(one.value or b"").replace(b'": 2, ', b'": 2,')) for one in right]
    assert broken != right
    assert {d.kind for d in differences(sides, [left, broken])} == {Class.UNDECODABLE, Class.MISSING}

"""How values are shown: nothing invisible, long ones where they differ, and what was left out by its length."""

from __future__ import annotations

import re
from typing import Any

import pytest

from conformance.engine.shown import shown_values
from reports.run.side_by_side import bytes_side_by_side
from reports.shortening import row_text
from reports.texts import difference, options_text, value_text, visible, when_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("\x00\t\n\x7f", "␀␉␊␡"),
        ("  a  b ", "··a  b·"),
        ("\u2028\u200b\ufeff\u00a0", "<U+2028><U+200B><U+FEFF><U+00A0>"),
        ("\U0001f600ü", "\U0001f600ü"),
        ("   ", "···"),
    ],
)
def test_nothing_invisible_stays_invisible(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (5, "5"),
        ("x", '"x"'),
        ({"$number": "1.50"}, "1.50"),
        ({"$missing": True}, "(nothing there)"),
        ({"$any": ["a", 1]}, '"a" or 1'),
        ({"$bytes": "00 ff", "length": 2}, "00 ff (2 bytes)"),
        ({"$text": "ab", "length": 5000}, '"ab… 4,998 characters …"'),
        ({"$text": "ab", "length": 5000, "from": 4998}, '"… 4,998 characters …ab"'),
        ({"$bytes": "00 ff", "length": 9, "from": 3}, "from byte 3 on: 00 ff … (9 bytes)"),
        ({"a": [1, {"b": None}]}, "{a: [1, {b: null}]}"),
        ({"a": 2, "$doubled": ["a"]}, "{a: 2} with a doubled"),
        ([1, {"$more": 5}], "[1, … and 5 more]"),
        ({"a": 1, "$more": 5}, "{a: 1, … and more}"),
    ],
)
def test_a_value_reads_on_one_line(value: Any, text: str) -> None:
    assert value_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"$text": 5}, "{$text: 5}"),
        ({"$bytes": None}, "{$bytes: null}"),
        ({"$any": 5}, "{$any: 5}"),
        ({"$number": []}, "{$number: []}"),
        ({"$missing": 5}, "{$missing: 5}"),
        ({"a": {"$doubled": 5}}, "{a: {$doubled: 5}}"),
        ({"$text": "x", "length": "y"}, '{$text: "x", length: "y"}'),
        ({"$bytes": "00", "from": "y"}, '{$bytes: "00", from: "y"}'),
        ({"a": 1, "$text": "x"}, '{a: 1, $text: "x"}'),
    ],
)
def test_an_object_with_the_name_of_a_mark_and_another_form_is_shown_as_any_other(value: Any, text: str) -> None:
    assert value_text(value) == text
    assert difference(value, "1", 10, 2)[2] == ""
    assert bytes_side_by_side(value, "1") is None


def test_a_difference_deep_in_a_long_text_is_brought_into_view() -> None:
    want, have, pointer = difference("x" * 500 + "1", "x" * 500 + "2", 40)
    assert max(map(len, (want, have, pointer))) <= 40
    at = pointer.index("^")
    assert (want[at], have[at]) == ("1", "2")


def test_a_long_difference_shows_both_ends_and_the_place_where_they_part() -> None:
    head, tail = "begin" + "x" * 3000, "y" * 3000 + "end"
    want, have, place = difference(f"{head}1{tail}", f"{head}2{tail}", 60, 6)
    assert max(len(want), len(have)) < 7 * 60
    for text, digit in ((want, "1"), (have, "2")):
        assert text.startswith('"beginxxx')
        assert text.endswith('yyyend"')
        assert f"xxx{digit}yyy" in text
        left_out = [int(n.replace(",", "")) for n in re.findall(r" … ([0-9,]+) characters … ", text)]
        shown = len(re.sub(r" … [0-9,]+ characters … ", "", text)) - len('""')
        assert sum(left_out) + shown == len(head) + 1 + len(tail)
    assert place == "they first differ at character 3,006"


def test_values_that_fill_a_few_lines_are_whole() -> None:
    want, have, _ = difference("x" * 200 + "1", "x" * 200 + "2", 60, 6)
    assert (want, have) == ('"' + "x" * 200 + '1"', '"' + "x" * 200 + '2"')


@pytest.mark.parametrize("end", ["", "z" * 5000])
def test_texts_that_part_beyond_the_longest_shown_part_are_shown_where_they_part(end: str) -> None:
    head = "x" * 4000
    expected, got = shown_values(f"{head}1{end}", f"{head}2{end}")
    want, have, place = difference(expected, got, 60, 6)
    assert ("x1" in want, "x2" in have, place) == (True, True, "they first differ at character 4,001")
    expected, got = shown_values(f"{head}1".encode(), f"{head}2".encode())
    assert expected["$bytes"] != got["$bytes"]


@pytest.mark.parametrize(("length", "other"), [(5000, 3000), (5000, 901), (3000, 5000)])
def test_texts_of_different_lengths_first_differ_where_they_part(length: int, other: int) -> None:
    at = min(length, other) - 1
    expected, got = shown_values(f"{'x' * at}1{'y' * (length - at)}", f"{'x' * at}2{'y' * (other - at)}")
    assert difference(expected, got, 60, 6)[2] == f"they first differ at character {at + 1:,}"


def test_a_long_row_keeps_the_column_that_differs_whole() -> None:
    members = [(f"c{i}", "null") for i in range(40)]
    members[30] = ("c30", '"' + "v" * 300 + '"')
    text = row_text(members, "c30", 140)
    assert f"c30: {members[30][1]}" in text
    gaps = [int(n) for n in re.findall(r"… (\d+) columns? …", text)]
    assert sum(gaps) + len(re.findall(r"c\d+: ", text)) == 40


@pytest.mark.parametrize(
    ("time", "shown"),
    [
        ("2026-11-22T17:16:47+00:00", "2026-11-22 17:16:47 UTC"),
        ("2026-11-22T17:16:47+02:00", "2026-11-22 17:16:47+02:00"),
        ("", ""),
        (None, ""),
    ],
)
def test_a_time_is_shown_as_a_person_reads_it(time: object, shown: str) -> None:
    assert when_text(time) == shown


def test_of_what_configure_held_the_options_and_the_unusual_rest_are_shown() -> None:
    usual = {"timezone": "UTC", "partitions": 1, "topic": "{schema}_{table}"}
    assert options_text({"options": {}, "settings": usual}) == ""
    unusual = {**usual, "partitions": 3, "topic": "{table}"}
    assert options_text({"options": {"a": "1"}, "settings": unusual}) == "a=1, partitions=3, topic={table}"

"""What is given to an encoder is checked against the model: events, images and texts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from reference_impl.column_types import parse_column_type
from reference_impl.encoder_checks import check_images, checked, utf8
from reference_impl.errors import Rejected
from reference_impl.model import Column, DdlEvent, Event, Index, Mask, RawText, RowChange, Table, Watermark

TYPES = {"id": "int", "bin": "binary(2)", "e": "enum('a')", "s": "set('a')", "text": "text", "j": "json"}
TYPES |= {"u": "int unsigned", "d": "decimal(4,1)", "b": "blob", "dt": "datetime(3)"}
TABLE = Table("d", "t", tuple(Column(name, parse_column_type(text)) for name, text in TYPES.items()))
OTHER = replace(TABLE, name="o", columns=TABLE.columns[:1])
INSERT = RowChange("insert", "d", "t", 7, after={"id": "1"})


def after(name: str, value: Any) -> RowChange:
    return replace(INSERT, after={name: value})


@pytest.mark.parametrize(
    "event",
    [
        INSERT,
        replace(INSERT, commit_ts=None),
        replace(INSERT, commit_ts=0),
        replace(INSERT, after=None),
        replace(INSERT, table="unknown", after={"x": 1}),
        Watermark(7),
        DdlEvent("d", "t", "…", commit_ts=7),
        *(after(name, None) for name in TYPES),
        *(after(name, value) for name, value in (("bin", b"ab"), ("e", "a"), ("e", Index(0)), ("d", "-9.5"))),
        after("s", Mask(1)),
        *(after("text", value) for value in ("", RawText(b"\xff"))),
    ],
)
def test_an_event_of_the_model_comes_back(event: Event) -> None:
    assert [*checked([event, event], [TABLE])] == [event, event]


TSO = "a TSO, which is a whole number: milliseconds since 1970 << 18 | counter"


@pytest.mark.parametrize(
    ("event", "reason", "words"),
    [
        (replace(INSERT, commit_ts="7"), "type", f"commit_ts is {TSO}, not '7'"),  # type: ignore[arg-type]
        (replace(INSERT, commit_ts=True), "type", f"commit_ts is {TSO}, not True"),
        (replace(INSERT, commit_ts=7.0, table="x"), "type", f"commit_ts is {TSO}, not 7.0"),  # type: ignore[arg-type]
        (replace(INSERT, start_ts="7"), "type", f"start_ts is {TSO}, not '7'"),  # type: ignore[arg-type]
        (DdlEvent("d", "t", "…", commit_ts=1.5), "type", f"commit_ts is {TSO}, not 1.5"),  # type: ignore[arg-type]
        ({"op": "insert"}, "type", "{'op': 'insert'} is no RowChange, DdlEvent or Watermark"),
        (Watermark("7"), "type", f"commit_ts is {TSO}, not '7'"),  # type: ignore[arg-type]
        (after("x", "1"), "schema", "after: table d.t has no column 'x'"),
        (replace(INSERT, before={"x": "1"}), "schema", "before: table d.t has no column 'x'"),
        (replace(INSERT, before={"id": "x"}), "type", "before: column 'id': 'x' is not an integer"),
        (after("id", "2147483648"), "range", "after: column 'id': 2147483648 is outside int"),
        (after("id", 1), "type", "after: column 'id': a value of int is a text, not 1"),
        (after("id", b"1"), "type", "after: column 'id': a value of int is a text, not b'1'"),
        (after("id", RawText(b"1")), "type", "after: column 'id': a value of int is a text, not RawText(data=b'1')"),
        (after("bin", "ab"), "type", "after: column 'bin': a value of binary(2) is bytes, not 'ab'"),
        (after("e", Mask(1)), "type", "after: column 'e': a value of enum('a') is a text, not Mask(bits=1)"),
        (after("s", Index(1)), "type", "after: column 's': a value of set('a') is a text, not Index(number=1)"),
        (after("e", "b"), "range", "after: column 'e': 'b' is not a member of enum('a')"),
        (after("u", "-1"), "range", "after: column 'u': -1 is outside int unsigned"),
        (after("d", "1.25"), "type", "after: column 'd': 1.25 has 2 fractional digits"),
        (after("b", "text"), "type", "after: column 'b': a value of blob is bytes, not 'text'"),
        (after("text", b"bytes"), "type", "after: column 'text': a value of text is a text, not b'bytes'"),
        (after("dt", "2024-02-30"), "type", "after: column 'dt': '2024-02-30' is not a date and time"),
        (after("j", "{"), "type", "after: column 'j': a JSON column holds a text that is not JSON: not JSON: "),
    ],
)
def test_an_event_that_is_not_of_the_model_is_refused_by_its_number(event: Event, reason: str, words: str) -> None:
    events = checked([INSERT, event], [TABLE])
    assert next(events) == INSERT
    with pytest.raises(Rejected) as refused:
        next(events)
    assert refused.value.reason == reason
    assert refused.value.message.startswith(f"event 2: {words}")


@pytest.mark.parametrize(
    "ddl",
    [DdlEvent("d", "t", "…", table_after=OTHER), DdlEvent("d", "t", "…", table_after=TABLE, other_tables=(OTHER,))],
)
def test_the_tables_after_a_statement_are_those_of_the_rows_that_follow(ddl: DdlEvent) -> None:
    row = RowChange("insert", "d", "o", 7, after={"bin": b"ab"})
    assert [*checked([row, DdlEvent("d", "t", "…"), row], [TABLE])]
    assert [*checked([row, ddl], [TABLE])]
    with pytest.raises(Rejected, match=r"event 2: after: table d\.o has no column 'bin'"):
        [*checked([ddl, row], [TABLE])]


IMAGES = [("insert", False, True), ("update", True, True), ("delete", True, False)]


@pytest.mark.parametrize(("op", "before", "new"), IMAGES)
def test_an_operation_has_its_own_images_and_no_others(op: Any, before: bool, new: bool) -> None:
    for old, image in ((False, False), (False, True), (True, False), (True, True)):
        change = RowChange(op, "d", "t", 7, {} if old else None, {} if image else None)
        if (old, image) == (before, new):
            check_images(change, "Avro")
            continue
        with pytest.raises(Rejected) as refused:
            check_images(change, "Avro")
        assert refused.value.reason == "semantics"
        assert refused.value.message == f"the images of an event {op!r} are wrong: before {old}, after {image}"


@pytest.mark.parametrize("op", ["upsert", "read"])
def test_an_operation_that_a_database_has_not_is_refused_by_the_name_of_the_protocol(op: Any) -> None:
    with pytest.raises(Rejected, match=f"Avro has no row event '{op}'") as refused:
        check_images(RowChange(op, "d", "t", 7, after={}), "Avro")
    assert refused.value.reason == "semantics"


def test_a_text_has_its_bytes_unless_half_a_character_stands_alone() -> None:
    assert utf8("aé😀") == b"a\xc3\xa9\xf0\x9f\x98\x80"
    assert utf8("a\ud800", "surrogatepass") == b"a\xed\xa0\x80"
    assert utf8("a\ud800b", "replace") == b"a?b"
    with pytest.raises(Rejected, match=r"U\+D83D stands alone, which is not Unicode") as refused:
        utf8("ab\ud83d")
    assert refused.value.reason == "type"

"""Where in its source an answer was made: what is read of it, and that a wrong one costs no verdict."""

from __future__ import annotations

from typing import Any

import pytest
from frame_schemas import answer_validator

from conformance.transport.answers import Answer, read_answer
from conformance.transport.origin import Origin, parse_origin

RIGHT = [
    ({"file": "pkg/encoder.go", "line": 123}, Origin("pkg/encoder.go", 123)),
    ({"file": "encoder.go"}, Origin("encoder.go")),
    ({"file": "a b/ü.go", "line": 1, "later": []}, Origin("a b/ü.go", 1)),
]
WRONG = [
    (None, "it is not an object"),
    ("pkg/encoder.go:123", "it is not an object"),
    ({}, "its 'file' is not a text"),
    ({"file": 1}, "its 'file' is not a text"),
    ({"file": ""}, "not a path of 1 to 1000"),
    ({"file": "x" * 1001}, "not a path of 1 to 1000"),
    ({"file": "/usr/src/a.go"}, "not relative to the root of the source"),
    ({"file": "../a.go"}, "not relative to the root of the source"),
    ({"file": "a/.."}, "not relative to the root of the source"),
    ({"file": "pkg\\a.go"}, "not relative to the root of the source"),
    ({"file": "C:/a.go"}, "not relative to the root of the source"),
    ({"file": "https://example.org/a.go"}, "not relative to the root of the source"),
    ({"file": "a.go", "line": 0}, "not a number from 1 on"),
    ({"file": "a.go", "line": 2**40}, "not a number from 1 on"),
    ({"file": "a.go", "line": "7"}, "its 'line' is not an integer"),
    ({"file": "a.go", "line": True}, "its 'line' is not an integer"),
    ({"file": "a.go", "line": 7.5}, "its 'line' is not an integer"),
]


@pytest.mark.parametrize(("given", "origin"), RIGHT)
@pytest.mark.parametrize(
    "answer", [{"ok": {"records": []}}, {"unsupported": "x"}, {"error": "x"}], ids=lambda a: next(iter(a))
)
def test_an_origin_beside_an_answer_is_read_and_is_no_part_of_the_answer(given, origin, answer) -> None:
    frame = {"id": 1, **answer, "origin": given}
    read = read_answer("encode", frame)
    assert (read.origin, read.origin_problem) == (origin, "")
    assert read == Answer(*next(iter(answer.items())))  # type: ignore[arg-type]
    answer_validator("encode").validate(frame)


@pytest.mark.parametrize(("given", "problem"), WRONG)
def test_a_wrong_origin_is_ignored_and_named_and_the_answer_stands(given: Any, problem: str) -> None:
    frame = {"id": 1, "ok": {"records": []}, "origin": given}
    read = read_answer("encode", frame)
    assert read.origin is None
    assert problem in read.origin_problem
    assert read == Answer("ok", {"records": []})
    assert not answer_validator("encode").is_valid(frame)


@pytest.mark.parametrize(
    ("text", "origin"),
    [("decode.go:7", Origin("decode.go", 7)), ("decode.go", Origin("decode.go")), ("/src/decode.go:7", None)],
)
def test_the_text_of_a_rejection_stands_for_an_origin_and_is_never_wrong(text: str, origin: Origin | None) -> None:
    read = read_answer("decode", {"id": 1, "rejected": {"class": "type", "message": "m", "origin": text}})
    assert (read.origin, read.origin_problem) == (origin, "")


def test_the_origin_beside_a_rejection_goes_before_its_text() -> None:
    rejected = {"class": "type", "message": "m", "origin": "a.go:1"}
    assert read_answer("decode", {"id": 1, "rejected": rejected, "origin": {"file": "b.go"}}).origin == Origin("b.go")


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("pkg/a.go", Origin("pkg/a.go")),
        ("pkg/a.go:12", Origin("pkg/a.go", 12)),
        ("pkg/a.go:012", Origin("pkg/a.go:012")),
        ("pkg/a.go:x", Origin("pkg/a.go:x")),
    ],
)
def test_a_line_is_what_stands_behind_the_last_colon_and_is_a_number(text: str, origin: Origin) -> None:
    assert parse_origin(text) == (origin, "")

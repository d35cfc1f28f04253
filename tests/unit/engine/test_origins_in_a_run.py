"""Origins of answers in a run: they reach the verdict, and neither judge nor verdict sees them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from conformance.cases.model import Case
from conformance.cli.configuring import origin_of
from conformance.engine import run_suite
from conformance.errors import UsageError
from conformance.oracle.findings import Judgement
from conformance.transport.origin import Origin
from tests.toy import PROTOCOL, Toy, ToyJudge, case, config, only, run, target


def test_the_origin_of_an_answer_reaches_its_verdict_and_no_other() -> None:
    _, events = run({"a": "T-1 @pkg/a.go:7", "b": "T-1", "c": "ok @pkg/c.go"})
    told = {e["case"]: e.get("origin") for e in events if e["event"] == "verdict"}
    assert told == {"toy/a": {"file": "pkg/a.go", "line": 7}, "toy/b": None, "toy/c": {"file": "pkg/c.go"}}


def test_no_verdict_depends_on_an_origin() -> None:
    words = {"a": "T-1", "b": "ok", "c": "rejected", "d": "unsupported"}
    plain, there, wrong = (
        [
            (e["case"], e["verdict"], e["message"])
            for e in run({n: f"{w}{origin}" for n, w in words.items()})[1]
            if e["event"] == "verdict"
        ]
        for origin in ("", " @a.go:1", " @/a.go:1")
    )
    assert plain == there == wrong


def test_a_wrong_origin_is_noted_once_before_the_verdict_where_it_was_seen() -> None:
    _, events = run({"a": "ok", "b": "ok @/src/b.go:1", "c": "T-1 @/src/c.go:1"})
    note = only(events, "note")
    assert (note["case"], "not relative to the root" in note["text"]) == ("toy/b", True)
    following = events[events.index(note) + 1]
    assert (following["event"], following["case"]) == ("verdict", "toy/b")
    assert all("origin" not in e for e in events if e["event"] == "verdict")


def test_a_judge_is_given_the_answer_alone_so_that_an_equal_one_is_settled_by_comparison() -> None:
    seen: list[Mapping[str, Any]] = []

    class Seeing(ToyJudge):
        def judge(self, case: Case, answer: Mapping[str, Any], *, perfect: object = None) -> Judgement:
            seen.append(answer)
            return super().judge(case, answer)

    of = config(target(Toy({"a": "ok @a.go:1"}), [case("a")]))
    run_suite(replace(of, judges=lambda registers, target: {PROTOCOL: Seeing()}), [])
    assert [set(answer) for answer in seen] == [{"ok"}]
    assert set(seen[0]["ok"]) == {"records"}


def test_the_place_that_stands_where_an_answer_names_none_is_said_by_the_first_event() -> None:
    assert "origin" not in run({"a": "ok"})[1][0]
    assert run({"a": "ok"}, origin=Origin("go/main.go", 3))[1][0]["origin"] == {"file": "go/main.go", "line": 3}


def test_an_origin_asked_for_that_is_no_place_says_what_one_looks_like() -> None:
    with pytest.raises(UsageError, match=r"--origin /a\.go: .* it looks like pkg/encoder\.go or pkg/encoder\.go:123"):
        origin_of("/a.go")

"""The grammar of -k, shards, and the other filters."""

from __future__ import annotations

import pytest

from conformance.catalogue.register import Level
from conformance.engine.selection import Expression, Selection, Shard, subject_of
from conformance.errors import UsageError
from tests.toy import case, only, run, verdicts

SUBJECT = subject_of("canal-json/insert/decimal(10,4)[neg]", "canal-json", "encode", "must", ["CJ-031"], {"null": "no"})


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        ("insert", True),
        ("INSERT", True),
        ("cj-031", True),
        ("null=no", True),
        ("null=yes", False),
        ("encode and must", True),
        ("encode and decode", False),
        ("decode or must", True),
        ("not decode", True),
        ("not not insert", True),
        ("not (decode or insert)", False),
        ("decode and decode or insert", True),
        ("insert or decode and decode", True),
        ("not decode and insert", True),
        ('"decimal(10,4)"', True),
        ('"and"', False),
        ("canal-json/*", True),
        ("*/insert/*", True),
        ("insert/*", False),
        ("*[neg]", True),
        ('"canal-json/insert/decima?(10,4)[neg]"', True),
    ],
)
def test_an_expression_matches_as_pytest_users_expect(text: str, *, matches: bool) -> None:
    assert Expression(text).matches(SUBJECT) is matches


@pytest.mark.parametrize("text", ["", "and", "a and", "(a", "a)", "not", 'a "b', "()", "a b", "decimal(10,4)"])
def test_an_expression_that_cannot_be_read_is_a_usage_error_that_repeats_it(text: str) -> None:
    with pytest.raises(UsageError, match="-k"):
        Expression(text)


def test_terms_that_match_no_case_are_named() -> None:
    assert Expression("insert and not unsinged").unmatched([SUBJECT]) == ["unsinged"]


def test_every_case_is_in_exactly_one_shard() -> None:
    cases = [case(str(i)) for i in range(50)]
    parts = [[c for c in cases if Shard(i, 3).holds(c)] for i in (1, 2, 3)]
    assert sorted(c.id for part in parts for c in part) == sorted(c.id for c in cases)
    assert all(parts)


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "a/b", "1/0", "-1/2"])
def test_a_shard_that_is_none_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError, match="--shard"):
        Shard.parse(text)


def test_cases_that_an_expression_leaves_out_are_excluded_and_counted() -> None:
    status, events = run({"a": "ok", "b": "T-1"}, selection=Selection(expression=Expression("toy/a")))
    assert (status, verdicts(events)) == (0, {"a": "pass", "b": "excluded"})
    assert only(events, "end")["accounting"]["counts"] == {"pass": 1, "excluded": 1}


def test_an_expression_that_leaves_nothing_exits_with_5_and_names_the_term() -> None:
    status, events = run({"a": "ok"}, selection=Selection(expression=Expression("nosuch")))
    assert (status, only(events, "plan")["unmatched"]) == (5, ["nosuch"])


@pytest.mark.parametrize(
    ("level", "left"), [(Level.MUST, {"a"}), (Level.SHOULD, {"a", "b"}), (Level.MAY, {"a", "b", "c"})]
)
def test_a_level_leaves_the_cases_of_weaker_requirements_out(level: Level, left: set[str]) -> None:
    cases = [case("a", requirements=["T-3", "T-1"]), case("b", requirements=["T-2"]), case("c", requirements=["T-3"])]
    _, events = run(cases=cases, selection=Selection(level=level))
    assert {name for name, verdict in verdicts(events).items() if verdict == "pass"} == left


def test_a_role_narrows_the_plan() -> None:
    cases = [case("a"), case("b", "decode")]
    _, events = run(cases=cases, selection=Selection(roles=("decode",)))
    assert verdicts(events) == {"b": "pass"}


def test_one_case_is_found_by_its_replay_id() -> None:
    cases = [case("a"), case("b")]
    _, events = run(cases=cases, selection=Selection(only=frozenset({cases[1].replay_id})))
    assert verdicts(events) == {"a": "excluded", "b": "pass"}

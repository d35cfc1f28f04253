"""The grammar of -k, shards, and the other filters."""

from __future__ import annotations

from dataclasses import fields

import pytest

from conformance.cases.model import CaseHead, IndexedCase, Place
from conformance.catalogue.register import Level
from conformance.engine.plan import make_plan
from conformance.engine.selection import Expression, Selection, Shard, Subject, names_of, subject_of
from conformance.errors import UsageError
from reference_impl.profiles import NEWARCH
from tests.toy import PROTOCOL, REGISTER, case, only, run, verdicts

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


@pytest.mark.parametrize(
    "text",
    ["", "and", "a and", "(a", "a)", "not", 'a "b', "()", "a b", "decimal(10,4)", "(" * 5000, "not " * 5000],
    ids=lambda text: text[:20],
)
def test_an_expression_that_cannot_be_read_is_a_usage_error_that_repeats_it(text: str) -> None:
    with pytest.raises(UsageError, match="-k"):
        Expression(text)


def test_terms_that_match_no_case_are_named() -> None:
    assert Expression("insert and not unsinged").unmatched([SUBJECT]) == ["unsinged"]


def subject(name: str, *requirements: str, evaluated: tuple[str, ...] = ()) -> Subject:
    return subject_of(
        f"canal-json/{name}", "canal-json", "encode", "must", requirements, {"null": "no"}, frozenset(evaluated)
    )


def test_the_id_of_a_requirement_matches_every_case_that_evaluates_it() -> None:
    assert Expression("CJ-388").matches(subject("a", "CJ-388"))
    assert Expression("cj-388").matches(subject("a", "CJ-001", evaluated=("CJ-388",)))
    assert not Expression("CJ-388").matches(subject("a", "CJ-001", evaluated=("CJ-381",)))


def test_the_id_of_a_requirement_matches_no_other_whose_id_begins_so() -> None:
    assert not Expression("CJ-034").matches(subject("a", "CJ-034b", evaluated=("CJ-034c",)))


def test_a_plan_of_the_index_selects_what_evaluates_a_requirement() -> None:
    def indexed(name: str, *perfect: str) -> IndexedCase:
        head = {f.name: getattr(case(name), f.name) for f in fields(CaseHead)}
        return IndexedCase(**head, place=Place("toys", 0), evaluated=" ".join(perfect))

    cases = [indexed("a", "TY-388", "TY-001"), indexed("b", "TY-381")]
    selection = Selection(expression=Expression("TY-388"))
    plan = make_plan([cases], {PROTOCOL: REGISTER}, NEWARCH, selection)
    assert [item.case.id for item in plan.items if item.preset is None] == ["toy/a"]


def test_a_part_of_an_id_is_looked_for_in_the_requirements_that_a_case_was_written_for() -> None:
    assert Expression("CJ-38").matches(subject("a", "CJ-381"))
    assert not Expression("CJ-38").matches(subject("a", "CJ-001", evaluated=("CJ-381",)))


@pytest.mark.parametrize(
    ("term", "near"),
    [
        ("CJ-40", ("CJ-040", "CJ-040b")),
        ("cj-0040", ("CJ-040", "CJ-040b")),
        ("unsinged", ("unsigned",)),
        ("nul=no", ("null=no",)),
        ("encoed", ("encode",)),
        ("decode", ("encode",)),
        ("zzzz", ()),
    ],
)
def test_a_term_that_matches_nothing_is_answered_with_the_nearest_ids_and_axes(term: str, near: object) -> None:
    subjects = [subject("unsigned/a", "CJ-040b", "CJ-400"), subject("b", evaluated=("CJ-040",))]
    assert Expression.near(term, names_of(subjects)) == near


def test_a_run_that_selects_nothing_says_what_may_have_been_meant() -> None:
    cases = [case("bigint/unsigned"), case("text")]
    status, events = run(cases=cases, selection=Selection(expression=Expression("unsinged")))
    plan = only(events, "plan")
    assert (status, plan["unmatched"], plan["near"]) == (5, ["unsinged"], {"unsinged": ["unsigned"]})


def test_every_case_is_in_exactly_one_shard() -> None:
    cases = [case(str(i)) for i in range(50)]
    parts = [[c for c in cases if Shard(i, 3).holds(c)] for i in (1, 2, 3)]
    assert sorted(c.id for part in parts for c in part) == sorted(c.id for c in cases)
    assert all(parts)


@pytest.mark.parametrize(
    "text", ["0/3", "4/3", "1", "a/b", "1/0", "-1/2", "1/" + "9" * 5000], ids=lambda text: text[:20]
)
def test_a_shard_that_is_none_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError, match="--shard"):
        Shard.parse(text)


def test_cases_that_an_expression_leaves_out_are_excluded_and_counted() -> None:
    status, events = run({"a": "ok", "b": "T-1"}, selection=Selection(expression=Expression("toy/a")))
    assert (status, verdicts(events)) == (0, {"a": "pass"})
    assert only(events, "plan")["by"] == [
        {"protocol": "toy", "role": "encode", "planned": 2, "excluded": 1, "unsupported": 0}
    ]
    assert only(events, "end")["accounting"]["counts"] == {"pass": 1, "excluded": 1}


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
    assert verdicts(events) == {"b": "pass"}

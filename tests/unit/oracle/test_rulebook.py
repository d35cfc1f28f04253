"""How rules find their places, and when one has spoken: a protocol of a few rules, made up for the purpose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from conformance.cases.model import Case
from conformance.catalogue.harm import Harm
from conformance.catalogue.register import ALL_PROFILES, Level, Register, Requirement
from conformance.errors import SuiteError
from conformance.oracle.comparison import Comparison
from conformance.oracle.conditions import all_of, kind, no
from conformance.oracle.findings import Judgement, fingerprint
from conformance.oracle.rulebook import RuleBook
from conformance.oracle.rules import Condition, Delivery, Place, ProtocolOracle, Rule, always
from conformance.oracle.tree import MISSING, Kind
from reference_impl.column_types import parse_column_type
from reference_impl.exact_json import Object
from reference_impl.model import Column, RowChange, Table
from reference_impl.profiles import CLASSIC, NEWARCH, Profile

TABLE = Table(
    "d",
    "t",
    (Column("a", parse_column_type("int")), Column("v", parse_column_type("int"), generated="virtual")),
    primary_key=("a",),
)
INSERT = Delivery(RowChange("insert", "d", "t", 1, after={"a": 1}), TABLE)
CASE = Case("toy/one", "canal-json", "encode")


@pytest.fixture(autouse=True)
def _no_table_of_harms(monkeypatch: pytest.MonkeyPatch) -> None:
    """The made-up protocol has places that are in no table of harms; what they weigh is not looked at here."""
    monkeypatch.setattr("conformance.oracle.comparison.harm_at", lambda *_: Harm.CHANGED)


def requirement(id_: str, profiles: frozenset[str] = ALL_PROFILES, testable: bool = True) -> Requirement:
    """A requirement of the made-up protocol."""
    source = None
    return Requirement(id_, "toy", Level.MUST, "both", "", "", source, profiles, testable, "", None, None, (), (), "")


def absent(id_: str, at: str, when: Condition = always) -> Rule:
    """The rule that a place is absent."""
    return Rule(id_, at, when, frozenset({Kind.EXTRA}), when_absent=True)


def judged(
    rules: list[Rule],
    expected: Mapping[str, Any],
    got: Mapping[str, Any],
    delivery: Delivery | None = INSERT,
    ordered_at: frozenset[str] = frozenset(),
    profile: Profile = NEWARCH,
    case: Case = CASE,
) -> Judgement:
    """What is found between two values of the made-up protocol."""
    oracle = ProtocolOracle(
        "toy",
        "T-0",
        rules,
        read=None,  # type: ignore[arg-type]
        deliveries=None,  # type: ignore[arg-type]
        expected_event=None,  # type: ignore[arg-type]
        compare=lambda place: None if place.expected == place.got else Kind.VALUE,
        columns_at=frozenset({"value.data"}),
        ordered_at=ordered_at,
    )
    ids = {rule.requirement for rule in rules} | {"T-0"}
    register = Register("toy", {id_: requirement(id_) for id_ in ids})
    found = Comparison(oracle, RuleBook(oracle, register, profile), profile, case, None)
    found.compare({"value": expected}, {"value": got}, delivery)
    return found.judgement


def blamed(judgement: Judgement) -> set[tuple[str, str, Kind]]:
    return {(f.requirement, f.path, f.kind) for f in judgement.findings}


def test_a_rule_has_not_spoken_where_neither_side_has_its_place() -> None:
    assert judged([Rule("T-1", "value.x")], {"y": "1"}, {"y": "1"}).evaluated == set()


def test_a_rule_of_absence_has_spoken_where_neither_side_has_its_place() -> None:
    assert judged([absent("T-1", "value.x")], {"y": "1"}, {"y": "1"}).evaluated == {"T-1"}


def test_a_rule_of_absence_has_spoken_where_the_place_is_there_too() -> None:
    found = judged([absent("T-1", "value.x")], {}, {"x": "1"})
    assert (found.evaluated, blamed(found)) == ({"T-1"}, {("T-1", "value.x", Kind.EXTRA)})


@pytest.mark.parametrize("lacking", range(4))
def test_that_a_place_is_there_does_not_hide_that_it_is_absent_elsewhere(lacking: int) -> None:
    items: Any = [{} if i == lacking else {"x": "1"} for i in range(4)]
    rules = [absent("T-1", "value[].x", lambda place: place.path == ("value", lacking, "x")), Rule("T-2", "value[].x")]
    assert judged(rules, items, items).evaluated == {"T-1", "T-2"}


@pytest.mark.parametrize("there", ["x", "y", "z"])
def test_that_one_rule_of_absence_has_spoken_does_not_silence_the_others(there: str) -> None:
    rules = [absent(f"T-{name}", f"value.{name}") for name in "xyz"]
    assert judged(rules, {there: "1"}, {there: "1"}).evaluated == {"T-x", "T-y", "T-z"}


def test_an_absent_column_is_told_with_its_column() -> None:
    seen: list[str | None] = []

    def condition(place: Place) -> bool:
        if place.got is MISSING:
            seen.append(place.column.name if place.column else None)
        return False

    judged([absent("T-1", "value.data.{column}", condition)], {"data": {"a": "1"}}, {"data": {"a": "1"}})
    assert seen == ["v"]


def test_an_absence_is_told_with_both_trees() -> None:
    seen: list[object] = []

    def condition(place: Place) -> bool:
        seen.append((place.expected_tree, place.got_tree))
        return False

    judged([absent("T-1", "value.x", condition)], {"y": "1"}, {"y": "2"})
    assert seen == [({"value": {"y": "1"}}, {"value": {"y": "2"}})]


def test_what_is_absent_below_a_column_is_told_with_that_column() -> None:
    seen: list[str | None] = []

    def condition(place: Place) -> bool:
        seen.append(place.column.name if place.column else None)
        return True

    data = {"data": {"a": {"t": "1"}}}
    assert judged([absent("T-1", "value.data.{column}.h", condition)], data, data).evaluated == {"T-1"}
    assert set(seen) == {"a"}


def test_the_nearest_ancestor_that_has_rules_speaks_for_what_is_below_it() -> None:
    rules = [Rule("T-1", "value.*"), Rule("T-2", "value.a.*")]
    assert blamed(judged(rules, {"a": {"b": {"c": "1"}}}, {"a": {"b": {"c": "2"}}})) == {
        ("T-2", "value.a.b.c", Kind.VALUE)
    }


def test_a_place_with_rules_of_its_own_is_not_spoken_of_by_its_ancestors() -> None:
    rules = [Rule("T-1", "value.*"), Rule("T-2", "value.a", no(always))]
    assert blamed(judged(rules, {"a": "1"}, {"a": "2"})) == {("T-0", "value.a", Kind.VALUE)}


def test_a_difference_that_no_rule_claims_falls_to_the_fallback() -> None:
    rules = [Rule("T-1", "value.a", kinds=frozenset({Kind.EXTRA}))]
    found = judged(rules, {"a": "1"}, {"a": "2"})
    assert blamed(found) == {("T-0", "value.a", Kind.VALUE)}
    assert found.evaluated == {"T-0", "T-1"}


def test_every_rule_of_a_place_that_claims_the_difference_is_blamed_and_no_other() -> None:
    rules = [Rule("T-1", "value.a"), Rule("T-2", "value.a", no(always)), Rule("T-3", "value.a")]
    assert {id_ for id_, _, _ in blamed(judged(rules, {"a": "1"}, {"a": "2"}))} == {"T-1", "T-3"}


def test_all_conditions_of_a_rule_must_hold_whether_settled_or_not() -> None:
    """Those that the kind of event decides are asked apart from those that each place decides."""
    on_one = lambda place: place.got == "1"  # noqa: E731
    never = lambda place: False  # noqa: E731
    conditions: dict[str, Condition] = {
        "settled and true": all_of(kind("row"), on_one),
        "settled, not true": all_of(kind("ddl"), on_one),
        "true, not settled": all_of(kind("row"), on_one, never),
        "settled alone": all_of(kind("row")),
        "none": all_of(),
    }
    rules = [Rule(name, "value.a", condition) for name, condition in conditions.items()]
    assert judged(rules, {"a": "1"}, {"a": "1"}).evaluated == {"settled and true", "settled alone", "none"}


def test_members_in_another_order_are_a_difference_only_where_order_is_looked_at() -> None:
    one, other = {"o": {"a": "1", "b": "2"}}, {"o": {"b": "2", "a": "1"}}
    rules = [Rule("T-1", "value.o", kinds=frozenset({Kind.ORDER}))]
    assert blamed(judged(rules, one, other)) == set()
    assert blamed(judged(rules, one, other, ordered_at=frozenset({"value.o"}))) == {("T-1", "value.o", Kind.ORDER)}


def test_a_member_lost_or_added_is_no_other_order() -> None:
    rules = [Rule("T-1", "value.o", kinds=frozenset({Kind.ORDER}))]
    one, other = {"o": {"a": "1", "b": "2", "c": "3"}}, {"o": {"a": "1", "x": "4", "c": "3"}}
    found = judged(rules, one, other, ordered_at=frozenset({"value.o"}))
    assert {kind_ for _, _, kind_ in blamed(found)} == {Kind.MISSING, Kind.EXTRA}


def test_a_member_that_occurs_twice_is_a_difference_unless_it_is_expected_to() -> None:
    twice = Object([("a", "2"), ("a", "1")])
    rules = [Rule("T-1", "value.o")]
    assert blamed(judged(rules, {"o": {"a": "1"}}, {"o": twice})) == {("T-1", "value.o", Kind.DOUBLED)}
    assert blamed(judged(rules, {"o": twice}, {"o": twice})) == set()


def test_requirements_of_another_profile_and_those_that_cannot_be_tested_have_no_rules() -> None:
    rules = [Rule("T-1", "value"), Rule("T-2", "value"), Rule("T-3", "value")]
    oracle = ProtocolOracle("toy", "T-0", rules, *[None] * 4, columns_at=frozenset())  # type: ignore[arg-type]
    known = {
        "T-1": requirement("T-1", frozenset({"newarch"})),
        "T-2": requirement("T-2", testable=False),
        "T-3": requirement("T-3"),
    }
    book = RuleBook(oracle, Register("toy", known), CLASSIC)
    assert [rule.requirement for rule in book.at("value")] == ["T-3"]
    with pytest.raises(SuiteError, match="T-1"):
        RuleBook(oracle, Register("toy", {}), CLASSIC)


# Fingerprints stand in baselines that people keep: another word for a kind would make every entry stale.
WORDS = "missing extra json-kind value doubled order text count refused accepted class broken"


@pytest.mark.parametrize(("kind_", "word"), list(zip(Kind, WORDS.split(), strict=True)))
def test_a_fingerprint_names_the_kind_and_the_place_and_tells_requirements_apart(kind_: Kind, word: str) -> None:
    marks = {fingerprint(id_, "value.data[].{column}", kind_) for id_ in ("T-1", "T-2")}
    assert {mark.partition("#")[0] for mark in marks} == {f"{word}@value.data[].{{column}}"}
    assert len(marks) == 2


def test_a_fingerprint_ends_in_a_hash_that_stays() -> None:
    assert fingerprint("CJ-001", "value.ts", Kind.JSON_KIND) == "json-kind@value.ts#fc5fc71b"
    marks = {fingerprint(r, at, kind_) for r in "ab" for at in "xy" for kind_ in (Kind.VALUE, Kind.TEXT)}
    assert len({mark.rpartition("#")[2] for mark in marks}) == len(marks) == 8

"""The checks of a register: how they become rules, and what is said of a check that is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from conformance.cases.golden import golden_cases
from conformance.cases.model import Case
from conformance.catalogue.checks import Check
from conformance.catalogue.register import load_register, read_register
from conformance.errors import SuiteError
from conformance.oracle import ORACLES
from conformance.oracle.avro.predicates import PREDICATES as OF_AVRO
from conformance.oracle.canal_json.predicates import PREDICATES as OF_CANAL_JSON
from conformance.oracle.debezium.predicates import PREDICATES as OF_DEBEZIUM
from conformance.oracle.open_protocol.predicates import PREDICATES as OF_OPEN_PROTOCOL
from conformance.oracle.rules import Place, Predicates, Rule
from conformance.oracle.table import kinds_of, rules_of_checks
from conformance.oracle.tree import Kind
from reference_impl.canal_json.options import Options
from reference_impl.column_types import parse_column_type
from reference_impl.model import Column
from reference_impl.profiles import NEWARCH

PREDICATES = {"avro": OF_AVRO, "canal-json": OF_CANAL_JSON, "debezium": OF_DEBEZIUM, "open-protocol": OF_OPEN_PROTOCOL}
each_protocol = pytest.mark.parametrize(("protocol", "predicates"), PREDICATES.items(), ids=PREDICATES)
_MEMBERS = 'level = "should"\nrole = "both"\ngroup = "G"\nrule = "R."'


def made(folder: Path, *checks: str, places: str = "") -> list[Rule]:
    """The rules of requirements CJ-001, CJ-002 … with these checks."""
    path = folder / "register.toml"
    path.write_text(
        (f"[places]\n{places}\n" if places else "")
        + "\n".join(
            f'[[requirement]]\nid = "CJ-{n:03}"\n{_MEMBERS}\nchecks = [{check}]' for n, check in enumerate(checks, 1)
        ),
        encoding="utf-8",
    )
    given = [check for r in read_register("canal-json", path).requirements.values() for check in r.checks]
    return list(rules_of_checks(given, OF_CANAL_JSON, Options, {"value.data[]"}))


def test_alternatives_of_a_place_are_rules_of_their_own(tmp_path: Path) -> None:
    rules = made(tmp_path, '{ at = "value.{es,ts}", kinds = "value" }')
    assert [rule.at for rule in rules] == ["value.es", "value.ts"]


def test_a_column_is_no_alternative(tmp_path: Path) -> None:
    assert [rule.at for rule in made(tmp_path, '{ at = "value.data[].{column}", kinds = "value" }')] == [
        "value.data[].{column}"
    ]


def test_any_is_every_kind_but_order_and_text(tmp_path: Path) -> None:
    (rule,) = made(tmp_path, '{ at = "value", kinds = "any" }')
    assert set(Kind) - rule.kinds == {Kind.ORDER, Kind.TEXT}


def test_an_absent_place_is_asserted(tmp_path: Path) -> None:
    (rule,) = made(tmp_path, '{ at = "value.gtid", absent = true }')
    assert (rule.when_absent, rule.kinds) == (True, frozenset({Kind.EXTRA}))


def test_rules_stand_in_the_order_of_the_register_but_for_those_that_say_before(tmp_path: Path) -> None:
    plain = '{ at = "value", kinds = "value" }'
    rules = made(tmp_path, plain, plain, '{ at = "value", kinds = "value", before = ["CJ-002"] }')
    assert [rule.requirement for rule in rules] == ["CJ-001", "CJ-003", "CJ-002"]


def test_a_check_that_stands_first_or_last_does_so_wherever_the_register_has_it(tmp_path: Path) -> None:
    checks = (
        f'{{ at = "value", kinds = "value"{stands} }}' for stands in (', stands = "last"', "", ', stands = "first"')
    )
    assert [rule.requirement for rule in made(tmp_path, *checks)] == ["CJ-003", "CJ-002", "CJ-001"]


def test_a_check_of_no_kind_of_difference_says_that_its_requirement_is_looked_at(tmp_path: Path) -> None:
    (rule,) = made(tmp_path, '{ at = "value", kinds = "none", event = "row" }')
    assert (rule.kinds, rule.when_absent) == (frozenset(), False)


def test_places_below_a_named_one_are_its_name_and_a_path(tmp_path: Path) -> None:
    names = 'times = ["value.{es,ts}"]\ninner = ["times.part"]'
    rules = made(tmp_path, '{ at = ["times.{a,b}", "inner"], kinds = "value" }', places=names)
    assert [rule.at for rule in rules] == [
        *("value.es.a", "value.es.b", "value.ts.a", "value.ts.b"),
        *("value.es.part", "value.ts.part"),
    ]


@pytest.mark.parametrize(("families", "holds"), [("bit year", True), ("!bit !year", False), ("!integers", True)])
def test_families_may_be_those_that_are_not_meant(tmp_path: Path, families: str, holds: bool) -> None:
    (rule,) = made(tmp_path, f'{{ at = "value.data[].{{column}}", kinds = "value", families = "{families}" }}')
    path, case = ("value", "data", 0, "c"), Case("x", "canal-json", "encode")
    column = Column("c", parse_column_type("year"))
    assert rule.when(Place("encode", path, "1", "1", {}, case, Options(), NEWARCH, None, column)) is holds


def place(expected: Any, got: Any) -> Place:
    """An `id` of a message of the first golden case."""
    case = next(case for case in golden_cases("canal-json", NEWARCH) if case.role == "encode")
    return Place("encode", ("value", "id"), expected, got, {}, case, Options(), NEWARCH, None, None)


def test_a_word_with_a_mark_of_exclamation_does_not_hold(tmp_path: Path) -> None:
    [rule] = made(tmp_path, '{ at = "value.id", kinds = "value", when = "!is_null_expected" }')
    assert [rule.when(place(expected, 1)) for expected in (0, None)] == [True, False]


def test_what_a_difference_must_show_is_not_asked_of_equal_values(tmp_path: Path) -> None:
    [rule] = made(tmp_path, '{ at = "value.id", kinds = "value", shows = "is_empty !is_null_expected" }')
    assert [rule.when(place(*values)) for values in ((0, 0), (0, 1), (0, ""), (None, ""))] == [True, False, True, False]


def test_a_check_with_alone_excludes_all_others_of_its_place(tmp_path: Path) -> None:
    alone = '{ at = "value.id", kinds = "value", shows = "is_empty", alone = true }'
    rules = made(tmp_path, alone, '{ at = "value.id", kinds = "value" }')
    assert [[rule.when(place(0, got)) for rule in rules] for got in (0, 1, "")] == [
        [True, True],
        [False, True],
        [True, False],
    ]


def test_an_absent_place_with_kinds_is_broken_by_these(tmp_path: Path) -> None:
    [rule] = made(tmp_path, '{ at = "value.id", kinds = "missing extra", absent = true }')
    assert (rule.when_absent, rule.kinds) == (True, frozenset({Kind.MISSING, Kind.EXTRA}))


@pytest.mark.parametrize(
    ("check", "complaint"),
    [
        ('{ at = "value", kinds = "valeu" }', "unknown word 'valeu'"),
        ('{ at = "value" }', "a check has 'kinds' or 'absent = true'"),
        ('{ at = [] , kinds = "value" }', "'at' of a check is neither a place nor a list of places"),
        ('{ kinds = "value" }', "'at' of a check is neither a place nor a list of places"),
        ('{ at = "value", kinds = 3 }', "'kinds' of a check is not a string"),
        ('{ at = "valeu.id", kinds = "value" }', "no message has a place 'valeu.id'"),
        ('{ at = "value.{column}", kinds = "value" }', "no message has a place 'value.{column}'"),
        ('{ at = "value", kinds = "", absent = true }', "'kinds' of a check is empty"),
        ('{ at = "value", kinds = "any value" }', "no other kind stands beside 'any' or 'none'"),
        ('{ at = "value", kinds = "none", absent = true }', "no other kind stands beside 'any' or 'none'"),
        ('{ at = "value.{colum}", kinds = "value" }', "'value.{colum}' is no place"),
        ('{ at = "value.*.x", kinds = "value" }', "'value.\\*.x' is no place"),
    ],
)
def test_a_wrong_check_is_named_with_what_is_wrong(tmp_path: Path, check: str, complaint: str) -> None:
    with pytest.raises(SuiteError, match="CJ-001: " + complaint.replace("{", r"\{")):
        made(tmp_path, check)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ('wen = "x"', "unknown word 'wen'"),
        ('families = "!bits"', "unknown word 'bits'"),
        ("null = false", "'null' of a check is true, or left out"),
        ('event = "rows"', "unknown word 'rows'"),
        ('op = "!upsert"', "unknown word 'upsert'"),
        ('options = "delete-all"', "unknown word 'delete-all'"),
        ('role = "read"', "unknown word 'read'"),
        ('when = "is_blue"', "unknown predicate 'is_blue'"),
        ('when = "is_null=1"', "unknown predicate 'is_null'"),
        ('stands = "second"', "unknown word 'second'"),
        ('event = "row !ddl"', "'row !ddl': either all of these words"),
        ('families = "bit !year"', "'bit !year': either all of these words"),
        ('when = "is_expected=1"', "'is_expected=1' is to be 'is_expected'"),
        ('when = "is_own_case=1"', "'is_own_case=1' is to be 'is_own_case'"),
        ('when = "is_escape_of_it"', "'is_escape_of_it' knows no 'CJ-001'"),
        ('when = "is_reduced_by_it"', "'is_reduced_by_it' knows no 'CJ-001'"),
        ('when = " "', "'when' of a check is empty"),
        ('actions = "othr"', "'actions' of a check is a list of codes"),
        ("actions = []", "'actions' of a check is a list of codes"),
        ("actions = [true]", "'actions' of a check is a list of codes"),
        ('actions = "other"', "no check names a code at 'value'"),
        ('options = "content-compatible=true"', "'content-compatible=true' is to be 'content-compatible'"),
        (
            'options = "large-message-handle-option"',
            "'large-message-handle-option' is to be 'large-message-handle-option=VALUE'",
        ),
        ('options = "large-message-handle-option=blue"', "option large-message-handle-option='blue'"),
        ('before = ["CJ-001"]', "'before' and 'apart_from' name other"),
        ('apart_from = ["CJ-001"]', "'before' and 'apart_from' name other"),
        ('before = "CJ-002"', "'before' of a check is not a list"),
        ('before = ["CJ-009"]', "CJ-009 has no check at 'value'"),
        ('apart_from = ["CJ-009"]', "CJ-009 has no check at 'value'"),
    ],
)
def test_a_wrong_word_of_a_check_is_named(tmp_path: Path, words: str, complaint: str) -> None:
    with pytest.raises(SuiteError, match="CJ-001: " + complaint):
        made(tmp_path, f'{{ at = "value", kinds = "value", {words} }}')


def test_only_the_checks_of_upstream_dialects_may_have_null(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="only the checks of upstream dialects may have 'null'"):
        made(tmp_path, '{ at = "value", kinds = "value", null = true }')


def test_a_check_stands_before_another_that_moved_before_a_third(tmp_path: Path) -> None:
    plain = '{ at = "value", kinds = "value" }'
    moved = '{ at = "value", kinds = "value", before = ["CJ-001"] }'
    rules = made(tmp_path, plain, moved, '{ at = "value", kinds = "value", before = ["CJ-002"] }')
    assert [rule.requirement for rule in rules] == ["CJ-003", "CJ-002", "CJ-001"]


@pytest.mark.parametrize(
    ("checks", "complaint"),
    [
        (
            [
                '{ at = "value", kinds = "value", before = ["CJ-002"] }',
                '{ at = "value", kinds = "value", before = ["CJ-001"] }',
            ],
            "in a circle",
        ),
        (
            [
                '{ at = "value", kinds = "value", apart_from = ["CJ-002"] }',
                '{ at = "value", kinds = "value", apart_from = ["CJ-001"] }',
            ],
            "name each other in 'apart_from'",
        ),
        (['{ at = "value", kinds = "value", alone = true }'] * 2, "another check at 'value' is 'alone', too"),
        (
            [
                '{ at = "value", kinds = "value", stands = "last", before = ["CJ-002"] }',
                '{ at = "value", kinds = "value", stands = "first" }',
            ],
            "'before' contradicts where the checks stand",
        ),
    ],
)
def test_checks_that_contradict_each_other_are_named(tmp_path: Path, checks: list[str], complaint: str) -> None:
    with pytest.raises(SuiteError, match=complaint):
        made(tmp_path, *checks)


@pytest.mark.parametrize(
    ("places", "complaint"),
    [('a = ["b.x"]\nb = ["a"]', "stands for itself"), ('a = "value"', "each of a list of places")],
)
def test_names_of_places_that_are_wrong_are_refused(tmp_path: Path, places: str, complaint: str) -> None:
    with pytest.raises(SuiteError, match=complaint):
        made(tmp_path, '{ at = "value", kinds = "value" }', places=places)


@pytest.mark.parametrize(
    ("word", "complaint"),
    [
        ("fault=blue", "'fault' knows no 'blue'"),
        ("fault", "'fault' is to be 'fault=ARGUMENT'"),
        ("concerns_bits=blue", "'concerns_bits' knows no 'blue'"),
        ("concerns_bits=0", "'concerns_bits' knows no '0'"),
        ("lacks_kind=wm", "'lacks_kind' knows no 'wm'"),
        ("is_reduced_by=claimcheck", "'is_reduced_by' knows no 'claimcheck'"),
    ],
)
def test_an_argument_that_no_predicate_knows_is_named(word: str, complaint: str) -> None:
    with pytest.raises(SuiteError, match=complaint):
        OF_OPEN_PROTOCOL(word, "OP-001")


@each_protocol
def test_every_check_stands_before_those_that_it_names(protocol: str, predicates: Predicates) -> None:
    order: dict[str, list[Rule]] = {}
    for rule in ORACLES[protocol].rules:
        order.setdefault(rule.at, []).append(rule)
    named = [(check, at, name) for check in checks_of(protocol) for at in check.at for name in check.before]
    assert named
    for check, at, name in named:
        kinds = kinds_of(check.kinds or ("extra",))
        mine = min(n for n, r in enumerate(order[at]) if (r.requirement, r.kinds) == (check.requirement, kinds))
        assert all(n > mine for n, r in enumerate(order[at]) if r.requirement == name and r.kinds & kinds)


def test_the_rules_of_every_protocol_come_from_its_register() -> None:
    assert PREDICATES.keys() == ORACLES.keys()


def checks_of(protocol: str) -> list[Check]:
    return [check for r in load_register(protocol).requirements.values() for check in r.checks]


@each_protocol
def test_every_check_of_a_register_is_a_rule_of_its_oracle(protocol: str, predicates: Predicates) -> None:
    checks = {(check.requirement, at) for check in checks_of(protocol) for at in check.at}
    assert checks
    assert checks == {(rule.requirement, rule.at) for rule in ORACLES[protocol].rules}


def test_a_predicate_of_several_protocols_says_the_same_in_each() -> None:
    said: dict[str, set[str | None]] = {}
    for predicates in PREDICATES.values():
        for name, one in predicates.every.items():
            said.setdefault(name, set()).add(one.__doc__)
    assert {name: texts for name, texts in said.items() if len(texts) > 1} == {}


@each_protocol
def test_every_predicate_is_named_by_a_check_and_says_in_one_line_what_holds(protocol: str, predicates: Predicates):
    words = (word for check in checks_of(protocol) for word in (*check.when, *check.shows))
    assert predicates.every.keys() == {word.removeprefix("!").partition("=")[0] for word in words}
    assert [name for name, one in predicates.every.items() if len((one.__doc__ or "\n").splitlines()) != 1] == []

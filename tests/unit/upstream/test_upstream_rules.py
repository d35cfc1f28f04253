"""The rules of the upstream dialects, out of the checks of their registers: the most specific one is broken."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.catalogue.checks import read_check
from conformance.catalogue.register import read_register
from conformance.errors import SuiteError
from conformance.oracle.tree import Kind
from conformance.oracle.upstream.dialects import broken_rule, rules_at
from conformance.oracle.upstream.rules import rules_of
from reference_impl.column_types import Family

ENTRY = '[[requirement]]\nid = "X-001"\nlevel = "should"\nrole = "both"\ngroup = "G"\nrule = "R."\n'


def broken(protocol: str, place: str, family: Family | None, kind: Kind, *, null: bool = False) -> str:
    return broken_rule(rules_at(protocol, place, family, null=null), kind).requirement


@pytest.mark.parametrize(
    ("place", "family", "kind", "null", "requirement"),
    [
        ("value.data[].{column}", Family.DECIMAL, Kind.EXTRA, False, "CJ-905"),  # a kind before a family
        ("value.data[].{column}", Family.DECIMAL, Kind.JSON_KIND, False, "CJ-909"),
        ("value.data[].{column}", Family.DECIMAL, Kind.VALUE, False, "CJ-443"),
        ("value.data[].{column}", Family.VARCHAR, Kind.VALUE, False, "CJ-450"),  # few families before many
        ("value.data[].{column}", Family.BINARY, Kind.VALUE, False, "CJ-453"),
        ("value.data[].{column}", Family.BLOB, Kind.VALUE, False, "CJ-452"),
        ("value.sqlType.{column}", Family.TEXT, Kind.VALUE, True, "CJ-423"),  # NULL before a family
        ("value.sqlType.{column}", Family.TEXT, Kind.VALUE, False, "CJ-424"),
        ("value.sqlType.{column}", Family.GEOMETRY, Kind.VALUE, True, "CJ-426"),
        ("value.old", None, Kind.VALUE, False, "CJ-512"),  # a place in full before one with *
        ("value.old[]", None, Kind.VALUE, False, "CJ-510"),  # the longer one
        ("value.nothing", None, Kind.EXTRA, False, "CJ-912"),
        ("ddl", None, Kind.EXTRA, False, "CJ-640"),  # a message where a statement has none
    ],
)
def test_the_most_specific_check_that_fits_is_broken(
    place: str, family: Family | None, kind: Kind, null: bool, requirement: str
) -> None:
    assert broken("canal", place, family, kind, null=null) == requirement


@pytest.mark.parametrize("protocol", ["canal", "debezium-connector"])
def test_no_two_rules_of_one_rank_fit_one_difference_unless_they_are_of_one_requirement(protocol: str) -> None:
    """Else the order of the file would decide, which nobody reads as a rule."""
    for rule in (rules := rules_of(protocol)):
        for other in rules:
            together = (rule.families is None) == (other.families is None) and (
                rule.families is None or other.families is None or rule.families & other.families
            )
            kinds = rule.kinds is None or other.kinds is None or rule.kinds & other.kinds
            if rule.rank == other.rank and together and kinds and other.pattern.fullmatch(rule.place):
                assert rule.requirement == other.requirement, (rule.place, rule.requirement, other.requirement)


def test_the_name_of_places_stands_for_them() -> None:
    places = {"values": ["value.a", "more"], "more": ["value.{b,c}"]}
    assert read_check("X-001", {"at": ["values", "key"]}, places).at == ("value.a", "value.b", "value.c", "key")


@pytest.mark.parametrize(
    ("member", "word"),
    [
        ('kinds = "valu"', "'valu'"),
        ('families = "decimals"', "'decimals'"),
        ('holds = "rows"', "'rows'"),
        ('when = "has_parts"', "'when' is a word of TiCDC's protocols alone"),
    ],
)
def test_an_unknown_word_of_a_check_is_a_fault_of_the_suite(
    member: str, word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.toml"
    path.write_text(f'{ENTRY}checks = [{{ at = ["value"], {member} }}]\n', encoding="utf-8")
    register = read_register("x", path)
    monkeypatch.setattr("conformance.oracle.upstream.rules.load_register", lambda protocol: register)
    with pytest.raises(SuiteError, match="a check that cannot be read") as raised:
        rules_of.__wrapped__("x")
    assert word in str(raised.value)

"""Where requirements are checked: the shipped list is the one of the tables of rules."""

from __future__ import annotations

from conformance.catalogue.checks import CheckedPlaces, load_checks
from conformance.catalogue.checks_of_requirements import Check
from conformance.catalogue.register import load_register
from conformance.oracle import ORACLES
from conformance.oracle.checks import checks_of_requirements


def test_the_shipped_checks_are_those_of_the_rules() -> None:
    shipped = {protocol: load_checks(protocol) for protocol in ORACLES}
    assert shipped == {protocol: checks_of_requirements(protocol) for protocol in ORACLES}, "tools/reference_pages.py"


def test_places_with_the_same_kinds_of_difference_are_one_check() -> None:
    [integers, *_] = checks_of_requirements("canal-json")["CJ-014"]
    assert integers == CheckedPlaces(("value.id", "value.es", "value.ts", "value._tidb.watermarkTs"), ("json kind",))


def test_the_checks_of_an_upstream_dialect_stand_in_its_register_alone() -> None:
    assert load_checks("canal") == {}
    assert load_register("canal").requirements["CJ-902"].checks == (Check("CJ-902", ("ddl.id", "value.id")),)

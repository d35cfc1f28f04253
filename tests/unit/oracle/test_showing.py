"""Findings are shown by what weighs most, and at one place by which rule says most."""

from __future__ import annotations

from conformance.catalogue.harm import Harm
from conformance.oracle.findings import Finding
from conformance.oracle.showing import headlines, in_order_of_showing
from conformance.oracle.tree import Kind

SHOULD, MUST = 1, 0


def shown(*found: tuple[str, str, int]) -> list[str]:
    """The order in which findings, as requirement, path and rank, are shown."""
    ranks = {requirement: rank for requirement, _, rank in found}
    findings = [Finding(r, path, Kind.VALUE, 1, 2, r, Harm.CHANGED) for r, path, _ in found]
    order = in_order_of_showing(findings, lambda finding: finding, lambda finding: ranks[finding.requirement])
    return [finding.requirement for finding in order]


def test_the_place_of_what_weighs_most_comes_first() -> None:
    assert shown(("A", "x", SHOULD), ("B", "y", MUST)) == ["B", "A"]


def test_at_one_place_the_rule_that_the_table_has_first_is_shown_first_though_it_weighs_less() -> None:
    found = ("C", "z", MUST), ("special", "x", SHOULD), ("general", "x", MUST)
    assert shown(*found) == ["C", "special", "general"]


def test_findings_of_one_place_stay_together_and_places_of_equal_weight_in_their_order() -> None:
    found = ("A", "x", SHOULD), ("B", "y", SHOULD), ("C", "x", SHOULD)
    assert shown(*found) == ["A", "C", "B"]


def test_the_first_finding_of_a_part_a_path_and_a_kind_is_its_headline() -> None:
    def finding(requirement: str, path: str = "x", kind: Kind = Kind.VALUE, where: str = "") -> Finding:
        return Finding(requirement, path, kind, 1, 2, "", Harm.CHANGED, where=where)

    found = [finding("A"), finding("B"), finding("C", path="y"), finding("D", kind=Kind.EXTRA), finding("E", where="w")]
    assert [one.requirement for one in headlines([*found, *found])] == ["A", "C", "D", "E"]

"""The upstream dialects that are judged, and the rules of each for a place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from conformance.errors import SuiteError
from conformance.oracle.tree import Kind
from conformance.oracle.upstream import canal, connector
from conformance.oracle.upstream.model import DialectOracle
from conformance.oracle.upstream.rules import Rule, rules_of
from reference_impl.column_types import Family
from reference_impl.protocols import CANAL, CONNECTOR, Rows

__all__ = ["DIALECTS", "broken_rule", "rules_at"]

DIALECTS: Rows[DialectOracle] = Rows({CANAL: canal.ORACLE, CONNECTOR: connector.ORACLE})


def rules_at(protocol: str, skeleton: str, family: Family | None, *, null: bool) -> Sequence[Rule]:
    """The rules that speak of a place, the most particular first: none behind one that claims every difference."""
    found: list[Rule] = []
    for rule in rules_of(protocol):
        if rule.speaks_of(skeleton, family, null=null):
            found.append(rule)
            if rule.kinds is None:
                break
    return found


def broken_rule(rules: Iterable[Rule], kind: Kind) -> Rule:
    """The rule of a place that a difference of this kind breaks: the most specific. Raises `SuiteError` without one."""
    rule = next((rule for rule in rules if rule.kinds is None or kind in rule.kinds), None)
    if rule is None:
        raise SuiteError(f"no check of the place claims the kind {kind.value!r}")
    return rule

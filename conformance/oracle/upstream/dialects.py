"""The upstream dialects that are judged, and the rules of each for a path."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from conformance.errors import SuiteError
from conformance.oracle.tree import Kind
from conformance.oracle.upstream import canal, connector
from conformance.oracle.upstream.model import DialectOracle
from conformance.oracle.upstream.rules import Rule, rules_of
from reference_impl.column_types import Family
from reference_impl.protocols import CANAL, CONNECTOR, Rows

__all__ = ["DIALECTS", "broken_rule", "rules_at"]

DIALECTS: Rows[DialectOracle] = Rows({CANAL: canal.ORACLE, CONNECTOR: connector.ORACLE})


@lru_cache(maxsize=1 << 15)
def rules_at(protocol: str, skeleton: str, family: Family | None, *, null: bool) -> tuple[Rule, ...]:
    """The rules that apply to a path, the most specific first, up to the first one that claims every difference."""
    rules: list[Rule] = []
    for rule in rules_of(protocol):
        if rule.applies_to(skeleton, family, null=null):
            rules.append(rule)
            if rule.kinds is None:
                break
    return tuple(rules)


def broken_rule(rules: Iterable[Rule], kind: Kind) -> Rule:
    """The first rule that claims a difference of this kind. Raises `SuiteError` if there is none."""
    rule = next((rule for rule in rules if rule.kinds is None or kind in rule.kinds), None)
    if rule is None:
        raise SuiteError(f"no check of the place claims the kind {kind.value!r}")
    return rule

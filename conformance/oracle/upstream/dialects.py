"""The upstream dialects that are judged, and the rules of each for a place."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.oracle.upstream import canal, connector
from conformance.oracle.upstream.model import DialectOracle
from conformance.oracle.upstream.rules import Rule
from reference_impl.column_types import Family
from reference_impl.protocols import CANAL, CONNECTOR, Rows

__all__ = ["DIALECTS", "rules_at"]

DIALECTS: Rows[DialectOracle] = Rows({CANAL: canal.ORACLE, CONNECTOR: connector.ORACLE})


def rules_at(protocol: str, skeleton: str, family: Family | None, *, null: bool) -> Sequence[Rule]:
    """The rules that speak of a place, the most particular first: none behind one that claims every difference."""
    found: list[Rule] = []
    for rule in DIALECTS[protocol].rules:
        if rule.speaks_of(skeleton, family, null=null):
            found.append(rule)
            if rule.kinds is None:
                break
    return found

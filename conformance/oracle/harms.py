"""The possible harms of a broken requirement: those of the differences that its rules claim."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from conformance.catalogue.harm import Harm
from conformance.catalogue.register import load_register
from conformance.oracle import ORACLES
from conformance.oracle.harm import harm_of
from conformance.oracle.streams import REQUIREMENTS
from conformance.oracle.tree import MISSING, Kind

__all__ = ["harms_as_text", "harms_of_requirements"]

# Examples (expected, got) of each kind of difference: at a path of a tree, and of the answer as a whole.
_EXAMPLES: Mapping[Kind, Sequence[tuple[Any, Any]]] = {
    Kind.MISSING: [("1", MISSING)],
    Kind.EXTRA: [(MISSING, "1")],
    Kind.JSON_KIND: [("1", {}), ("1", None), ("1", 1)],
    Kind.VALUE: [("1", "2")],
    Kind.DOUBLED: [("1", "1")],
    Kind.ORDER: [("1", "2")],
    Kind.TEXT: [("1", "2")],
}
_EXAMPLES_OF_ANSWERS: Mapping[Kind, Sequence[tuple[Any, Any]]] = {
    Kind.REFUSED: [("", "")],
    Kind.ACCEPTED: [("", "")],
    Kind.COUNT: [(2, 1), (1, 2)],
    Kind.ORDER: [("", "")],
}


def harms_of_requirements(protocol: str) -> dict[str, tuple[Harm, ...]]:
    """Id of a testable requirement → the harms that its findings may have, the worst first.

    A requirement without rules is one that malformed input breaks: it has the harms of accepting such input.
    """
    found: dict[str, set[Harm]] = {}
    for rule in ORACLES[protocol].rules:
        at = rule.at.removesuffix(".*")
        examples = _EXAMPLES_OF_ANSWERS if at == "answer" else _EXAMPLES
        harms = {harm_of(at, kind, *pair) for kind in rule.kinds & examples.keys() for pair in examples[kind]}
        found.setdefault(rule.requirement, set()).update(harms)
    for fault, requirement in REQUIREMENTS.get(protocol, {}).items():
        found.setdefault(requirement, set()).add(harm_of(fault, Kind.ORDER, "", ""))
    of_acceptance = {Harm.LOST, Harm.CHANGED, Harm.STRICTNESS}
    order = tuple(Harm).index
    return {
        r.id: (r.harm,) if r.harm else tuple(sorted(found.get(r.id) or of_acceptance, key=order))
        for r in load_register(protocol).requirements.values()
        if r.testable
    }


def harms_as_text() -> str:
    """The content of `fixtures/harms.json`."""
    return json.dumps({protocol: harms_of_requirements(protocol) for protocol in ORACLES}, indent=1) + "\n"

"""The checks of the requirements, out of the tables of rules."""

from __future__ import annotations

import json

from conformance.catalogue.checks import CheckedPlaces
from conformance.oracle import ORACLES
from conformance.oracle.tree import Kind

__all__ = ["checks_as_text", "checks_of_requirements"]


def checks_of_requirements(protocol: str) -> dict[str, list[CheckedPlaces]]:
    """By id, where a requirement is checked; places with the same kinds of difference are one check."""
    found: dict[str, dict[tuple[str, ...], dict[str, None]]] = {}
    for rule in ORACLES[protocol].rules:
        kinds = tuple(kind.value for kind in Kind if kind in rule.kinds)
        if kinds:  # without, the rule says only that its requirement was looked at
            found.setdefault(rule.requirement, {}).setdefault(kinds, {})[rule.at] = None
    return {
        id_: [CheckedPlaces(tuple(at), kinds) for kinds, at in checks.items()] for id_, checks in sorted(found.items())
    }


def checks_as_text() -> str:
    """The content of `fixtures/checks.json`."""
    every = {p: {id_: [c._asdict() for c in of] for id_, of in checks_of_requirements(p).items()} for p in ORACLES}
    return json.dumps(every, indent=1) + "\n"

"""Deliberately broken implementations, and the matrix that shows which requirement catches each."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from conformance.errors import UsageError
from conformance.mutants.model import Mutant

__all__ = ["all_mutants", "mutant_named"]


def all_mutants() -> Sequence[Mutant]:
    """Every mutant of every protocol, in the order of the tables."""
    from conformance.mutants.canal_json import MUTANTS as CANAL_JSON
    from conformance.mutants.open_protocol import MUTANTS as OPEN_PROTOCOL

    return (*CANAL_JSON, *OPEN_PROTOCOL)


def mutant_named(name: str) -> Mutant:
    """The mutant of that name. Raises `UsageError`, with the nearest name, for one that does not exist."""
    by_name = {mutant.name: mutant for mutant in all_mutants()}
    if name in by_name:
        return by_name[name]
    near = difflib.get_close_matches(name, by_name, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise UsageError(f"unknown mutant {name!r}{hint}  All of them: ticdc-conformance list mutants")

"""Compares the needs of a case with what an implementation declares in its `hello`.

A case that needs something undeclared is `unsupported` and never runs. Some needs of a decode case only its records
show, which are unknown before it runs: `unsupported` is then an allowed answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from conformance.cases.model import Case, CaseHead, IndexedCase
from conformance.cases.needs import needs, unseen
from reference_impl.column_types import Family

__all__ = ["has_own_clock", "may_decline", "protocol_undeclared", "undeclared"]

_IN_WORDS: Mapping[str, str] = {
    "roles": "the role",
    "options": "the option",
    "events": "events of kind",
    "column_types": "columns of type",
}


def has_own_clock(hello: Mapping[str, Any]) -> bool:
    """Whether a database assigns the times and positions in the records of an implementation."""
    return hello.get("clock") == "own"


def protocol_undeclared(protocol: str, hello: Mapping[str, Any]) -> str | None:
    """Why `hello` leaves out a whole protocol; None if it does not."""
    return None if protocol in hello.get("protocols", {}) else f"it does not declare {protocol}"


def undeclared(case: CaseHead, hello: Mapping[str, Any]) -> str | None:
    """The need of a case that `hello` leaves out, in words, or None. A missing list declares everything."""
    if (reason := protocol_undeclared(case.protocol, hello)) is not None:
        return reason
    declared = hello["protocols"][case.protocol]
    for member, name in _needs_of(case):
        if member in declared and name not in declared[member]:
            return f"for {case.protocol} it does not declare {_IN_WORDS[member]} {name}"
    return None


_EVERY: Mapping[str, frozenset[str]] = {
    "column_types": frozenset(str(family) for family in Family),
    "events": frozenset({"row", "ddl", "watermark"}),
}


def may_decline(case: CaseHead, hello: Mapping[str, Any]) -> bool:
    """Whether the records of a case may need something undeclared that the rest of the case does not show.

    An encoder that a database drives may decline any case: only a run shows whether the database takes the SQL.
    """
    if case.role == "encode" and has_own_clock(hello):
        return True
    declared = hello.get("protocols", {}).get(case.protocol, {})
    return any(member in declared and _EVERY[member] - set(declared[member]) for member in _unseen_of(case))


def _needs_of(case: CaseHead) -> Iterable[tuple[str, str]]:
    if isinstance(case, IndexedCase):
        return case.needs
    return needs(case) if isinstance(case, Case) else ()


def _unseen_of(case: CaseHead) -> Iterable[str]:
    if isinstance(case, IndexedCase):
        return case.unseen
    return unseen(case) if isinstance(case, Case) else ()

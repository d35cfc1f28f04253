"""Compares the needs of a case with what an implementation declares in its `hello`.

A case that needs something undeclared is `unsupported` and never runs. What only the records of a decode case could
show is unknown before it runs: there, `unsupported` is an allowed answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from conformance.cases.model import Case, CaseHead, IndexedCase
from conformance.cases.needs import needs, unseen
from reference_impl.column_types import Family

__all__ = ["has_own_clock", "may_decline", "protocol_undeclared", "undeclared"]


_WHAT: Mapping[str, str] = {
    "roles": "the role",
    "options": "the option",
    "events": "events of kind",
    "column_types": "columns of type",
}


def has_own_clock(hello: Mapping[str, Any]) -> bool:
    """Whether a database assigns the times and positions in what an implementation writes."""
    return hello.get("clock") == "own"


def protocol_undeclared(protocol: str, hello: Mapping[str, Any]) -> str | None:
    """Why `hello` leaves out a whole protocol; None if it does not."""
    return None if protocol in hello.get("protocols", {}) else f"it does not declare {protocol}"


def undeclared(case: CaseHead, hello: Mapping[str, Any]) -> str | None:
    """The need of a case that `hello` leaves out, in words, or None. A missing list means that all is declared."""
    if (whole := protocol_undeclared(case.protocol, hello)) is not None:
        return whole
    declared = hello["protocols"][case.protocol]
    for member, name in _needs_of(case):
        if member in declared and name not in declared[member]:
            return f"for {case.protocol} it does not declare {_WHAT[member]} {name}"
    return None


_EVERY: Mapping[str, frozenset[str]] = {
    "column_types": frozenset(str(family) for family in Family),
    "events": frozenset({"row", "ddl", "watermark"}),
}


def may_decline(case: CaseHead, hello: Mapping[str, Any]) -> bool:
    """Whether the records of a case may need something undeclared that nothing else of the case shows.

    An encoder that a database drives may decline any case: only a run shows whether the database takes the SQL.
    """
    if case.role == "encode" and hello.get("clock") == "own":
        return True
    declared = hello.get("protocols", {}).get(case.protocol, {})
    return any(member in declared and _EVERY[member] - set(declared[member]) for member in _unseen_of(case))


def _needs_of(case: CaseHead) -> Iterable[tuple[str, str]]:
    return case.needs if isinstance(case, IndexedCase) else needs(case) if isinstance(case, Case) else ()


def _unseen_of(case: CaseHead) -> Iterable[str]:
    return case.unseen if isinstance(case, IndexedCase) else unseen(case) if isinstance(case, Case) else ()

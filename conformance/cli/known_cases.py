"""The cases for commands that list and plan them: from the index, with a note on stderr if that is out of date."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from conformance.cases.index import STALE, indexed_cases, is_current
from conformance.cases.model import IndexedCase
from conformance.cli.parser import print_note
from conformance.nearest import did_you_mean
from reference_impl.profiles import Profile
from reference_impl.protocols import DIALECTS

__all__ = ["known_cases", "near_cases"]

_MOST = 600
"""The nearest name is searched among at most so many: more take seconds."""


def known_cases(protocol: str, profile: Profile) -> Sequence[IndexedCase]:
    """Every case of a protocol under a profile, in order; `conformance.cases.index.case_of` makes it whole."""
    _warn_unless(is_current(protocol, profile.name))
    return indexed_cases(protocol, profile)


def near_cases(case_id: str, profile: Profile) -> str:
    """`; did you mean …?` with the nearest case ids for an unknown one, or ""."""
    protocol, *parts = case_id.split("/")
    if protocol not in DIALECTS or not parts:
        return ""
    names = {case.id for case in known_cases(protocol, profile)}
    for depth in range(len(parts), 0, -1):
        siblings = sorted(name for name in names if name.startswith("/".join((protocol, *parts[: depth - 1], ""))))
        if siblings:
            return did_you_mean(case_id, siblings) if len(siblings) <= _MOST else ""
    return ""


@cache
def _warn_unless(current: bool) -> None:
    # Cached, so that the note appears once.
    if not current:
        print_note(STALE)

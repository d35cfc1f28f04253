"""Every case of a protocol under a profile, and the search for one of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import TypeVar

from conformance.cases.model import Case, CaseHead
from conformance.cases.parts import placed_cases
from conformance.errors import UsageError
from reference_impl.profiles import NEWARCH, PROFILES, Profile
from reference_impl.protocols import DIALECTS, UPSTREAM

__all__ = ["all_cases", "find_in"]

_REQUIREMENT = re.compile("[A-Za-z]+-[0-9]{3}[a-z]*")

C = TypeVar("C", bound=CaseHead)


def all_cases(protocol: str, profile: Profile | str = NEWARCH) -> list[Case]:
    """The cases of a protocol under a profile: documents first, then recordings, corpora, faults, negatives.

    No two have the same input: the first one, which has the stronger anchor, stays. A profile narrowed to a release
    has no examples that only other releases write, and leaves recorded answers to the oracle; for an upstream dialect
    all profiles are one. Raises `UsageError` for an unknown protocol or profile.
    """
    if protocol not in DIALECTS:
        raise UsageError(f"unknown protocol {protocol!r}; there are {', '.join(DIALECTS)}")
    if isinstance(profile, str):
        if profile not in PROFILES:
            raise UsageError(f"unknown profile {profile!r}; there are {', '.join(PROFILES)}")
        profile = PROFILES[profile]
    if protocol in UPSTREAM:
        return list(_upstream_cases(protocol))
    return [placed.case for placed in placed_cases(protocol, profile)]


@cache
def _upstream_cases(protocol: str) -> tuple[Case, ...]:
    """The cases of an upstream dialect, made once for all profiles."""
    return tuple(placed.case for placed in placed_cases(protocol, NEWARCH))


def find_in(cases: Iterable[C], name: str) -> C:
    """The case whose id is `name`, or whose replay id begins with it; at least four digits must be given.

    Raises `UsageError` unless there is exactly one.
    """
    heads = list(cases)
    matches = [c for c in heads if c.id == name]
    if not matches:
        digits, _, role = name.partition("-")
        if len(digits) >= 4:
            matches = [c for c in heads if c.opaque_id.startswith(digits) and c.role.startswith(role)]
    if not matches:
        of_requirement = (
            f", and `list cases -k {name}` those of that requirement" if _REQUIREMENT.fullmatch(name) else ""
        )
        raise UsageError(f"no case is called {name!r}; `list cases` shows them all{of_requirement}")
    if len(matches) > 1:
        raise UsageError(f"{name!r} may be {' or '.join(c.replay_id for c in matches[:5])}: give more of it")
    return matches[0]

"""Every case of a protocol under a profile, and how one of them is found again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from conformance.cases.corpora import corpus_cases, distinct
from conformance.cases.golden import golden_cases
from conformance.cases.invalid import invalid_cases
from conformance.cases.model import Case, ExpectedRecords
from conformance.cases.negatives import negative_cases
from conformance.cases.recorded import left_to_the_oracle, recorded_cases
from conformance.cases.upstream import upstream_cases
from conformance.errors import UsageError
from reference_impl.profiles import LATEST, NEWARCH, PROFILES, Profile
from reference_impl.protocols import DIALECTS, UPSTREAM

__all__ = ["all_cases", "find_case", "find_in"]


def all_cases(protocol: str, profile: Profile | str = NEWARCH) -> list[Case]:
    """The cases of a protocol under a profile: documents first, then recordings, corpora, faults, negatives.

    No two put the same question: the first one, which has the stronger anchor, stays. A profile narrowed to a release
    is not held to what later releases were recorded to write; to an upstream dialect all profiles are one. Raises
    `UsageError` for a name that is not known.
    """
    if protocol not in DIALECTS:
        raise UsageError(f"unknown protocol {protocol!r}; there are {', '.join(DIALECTS)}")
    if isinstance(profile, str):
        if profile not in PROFILES:
            raise UsageError(f"unknown profile {profile!r}; there are {', '.join(PROFILES)}")
        profile = PROFILES[profile]
    if protocol in UPSTREAM:
        return list(upstream_cases(protocol))
    name = profile.name
    recorded = recorded_cases(protocol, name)
    if profile.release < LATEST:
        recorded = [left_to_the_oracle(c) if isinstance(c.expected, ExpectedRecords) else c for c in recorded]
    groups = (
        golden_cases(protocol, profile),
        recorded,
        _corpora(protocol),
        invalid_cases(protocol),
        negative_cases(protocol),
    )
    cases = (case for group in groups for case in group if not case.profiles or name in case.profiles)
    return distinct(replace(case, profiles=frozenset({name})) for case in cases)


@cache
def _corpora(protocol: str) -> tuple[Case, ...]:
    """The cases of the corpora, made once: they are the same under every profile."""
    return tuple(corpus_cases(protocol))


def find_in(cases: Iterable[Case], wanted: str) -> Case:
    """The case whose id is `wanted`, or whose replay id begins with it. Raises `UsageError` unless there is one."""
    given = list(cases)
    found = [c for c in given if c.id == wanted]
    if not found:
        digits, dash, role = wanted.partition("-")
        by_replay = [c for c in given if digits and c.opaque_id.startswith(digits)]
        found = [c for c in by_replay if not dash or c.role.startswith(role)] if len(digits) >= 4 else []
    if not found:
        raise UsageError(f"no case is called {wanted!r}; `list cases` shows them all")
    if len(found) > 1:
        raise UsageError(f"{wanted!r} may be {' or '.join(c.replay_id for c in found[:5])}: give more of it")
    return found[0]


def find_case(wanted: str, profile: Profile | str = NEWARCH) -> Case:
    """As `find_in`, among the cases of every protocol under a profile."""
    return find_in((case for protocol in DIALECTS for case in all_cases(protocol, profile)), wanted)

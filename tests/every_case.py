"""Every case of a protocol, made once a process for all tests that look at them and change nothing."""

from __future__ import annotations

from functools import cache

from conformance.cases import parts
from conformance.cases.catalogue import all_cases
from conformance.cases.model import Case
from reference_impl.profiles import NEWARCH, Profile

__all__ = ["every_case", "every_corpus_case"]


def every_case(protocol: str, profile: Profile | str = NEWARCH) -> tuple[Case, ...]:
    """As `all_cases`."""
    return _every_case(protocol, profile if isinstance(profile, str) else profile.name)


@cache
def _every_case(protocol: str, profile: str) -> tuple[Case, ...]:
    return tuple(all_cases(protocol, profile))


@cache
def every_corpus_case(protocol: str) -> tuple[Case, ...]:
    """As `corpus_cases`, from those that `all_cases` makes."""
    return tuple(placed.case for placed in parts._corpus_cases(protocol))

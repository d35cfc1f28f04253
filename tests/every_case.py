"""Every case of a protocol, made once a process for all tests that look at them and change nothing.

Making all of them takes seconds a protocol: who looks at a few takes their heads out of the index and makes those.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, TypeVar
from zlib import crc32

from conformance.cases import parts
from conformance.cases.index import case_of, indexed_cases
from conformance.cases.model import Case, IndexedCase
from reference_impl.profiles import NEWARCH, PROFILES, Profile
from reference_impl.protocols import UPSTREAM

__all__ = ["every_case", "every_corpus_case", "every_placed_case", "heads", "made", "one_in", "one_of_each"]

T = TypeVar("T")


def one_in(many: int, cases: Iterable[T], case_of: Callable[[T], Any] = lambda one: one) -> list[T]:
    """About one case in so many, by a digest of role and id: no axis of the cases has a period that it could hit."""
    named = ((one, case_of(one)) for one in cases)
    return [one for one, case in named if crc32(f"{case.role} {case.id}".encode()) % many == 0]


def one_of_each(cases: Iterable[IndexedCase]) -> list[IndexedCase]:
    """Of the cases, in the order of a digest, those that are the first of a kind in their role.

    Of a kind are those of one part (or file of examples), need, axis, family, or way to change what a decoder reads.
    """
    known: set[tuple[str, ...]] = set()
    found = []
    for case in sorted(cases, key=lambda case: crc32(f"{case.role} {case.id}".encode())):
        parts_of_id = case.id.split("/")
        names = [("part", case.place.part), *case.needs, *(("axis", name) for name in case.axes)]
        names += [
            ("family", case.axes.get("family", "")),
            ("file", parts_of_id[2] if case.place.part == "golden" else ""),
        ]
        names += [("way", parts_of_id[-1])] if parts_of_id[-1].startswith("decode ") else []
        kinds = {(case.role, *name) for name in names}
        if not kinds <= known:
            known |= kinds
            found.append(case)
    return found


@cache
def every_placed_case(protocol: str, profile: str) -> tuple[parts.PlacedCase, ...]:
    """As `placed_cases`."""
    return tuple(parts.placed_cases(protocol, PROFILES[profile]))


def every_case(protocol: str, profile: Profile | str = NEWARCH) -> tuple[Case, ...]:
    """As `all_cases`."""
    name = profile if isinstance(profile, str) else profile.name
    return _every_case(protocol, NEWARCH.name if protocol in UPSTREAM else name)


def heads(protocol: str) -> Sequence[IndexedCase]:
    """What is known of every case of a protocol under newarch before it is made."""
    return indexed_cases(protocol, NEWARCH)


def made(head: IndexedCase) -> Case:
    """The case itself."""
    return case_of(head, NEWARCH)


@cache
def _every_case(protocol: str, profile: str) -> tuple[Case, ...]:
    return tuple(placed.case for placed in every_placed_case(protocol, profile))


@cache
def every_corpus_case(protocol: str) -> tuple[Case, ...]:
    """The cases of the corpora, from those that `placed_cases` makes."""
    return tuple(placed.case for _, placed in parts._corpus_cases(protocol))

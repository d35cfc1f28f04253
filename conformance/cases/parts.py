"""Makes the cases of a protocol, in parts: a few cases can be made without the others; and finds one by its name.

A part is a list of cases (a document's examples, recordings, damaged records), or the inputs of one corpus, each of
which becomes cases of both roles. A selected case is made from its part and, in a corpus, from its input alone.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import chain
from typing import TypeVar

from conformance.cases.inputs import Input
from conformance.cases.model import Case, CaseHead, ExpectedRecords, Place
from conformance.errors import SuiteError, UsageError
from reference_impl.model import Table
from reference_impl.profiles import LATEST, NEWARCH, PROFILES, Profile
from reference_impl.protocols import DIALECTS, UPSTREAM

__all__ = ["PlacedCase", "all_cases", "case_at", "find_in", "identity_of", "placed_cases"]

_REQUIREMENT = re.compile("[A-Za-z]+-[0-9]{3}[a-z]*")

C = TypeVar("C", bound=CaseHead)


@dataclass(frozen=True, slots=True)
class PlacedCase:
    """A case, and the place where it is made."""

    place: Place
    case: Case


def _lists(protocol: str) -> tuple[Sequence[str], Sequence[str]]:
    """The parts that are lists: those before the corpora, and those after them."""
    if protocol in UPSTREAM:
        return ("recorded",), ("stops", "negatives")
    return ("golden", "recorded"), ("invalid", "negatives")


def _make_list(protocol: str, profile: Profile, part: str) -> Iterable[Case]:
    """Make the cases of a list. The modules are imported here: a run of a few cases does not need all of them."""
    if protocol in UPSTREAM:
        from conformance.cases.upstream import corpora, negatives, recorded

        made_by = {
            "recorded": recorded.recorded_cases,
            # Tables at which a recorded producer stopped, so that an encoder must refuse them.
            "stops": corpora.stop_cases,
            "negatives": negatives.negative_cases,
        }
        return made_by[part](protocol)
    if part == "golden":
        from conformance.cases.golden import golden_cases

        return golden_cases(protocol, profile)
    if part == "recorded":
        return _recorded(protocol, profile)
    if part == "invalid":
        from conformance.cases.invalid import invalid_cases

        return invalid_cases(protocol)
    from conformance.cases.negatives import negative_cases

    return negative_cases(protocol)


def _recorded(protocol: str, profile: Profile) -> Iterator[Case]:
    """The recorded cases. For an older release the oracle makes the answers, as those of a later one were recorded."""
    from conformance.cases.recorded import left_to_the_oracle, recorded_cases

    for case in recorded_cases(protocol, profile.name):
        has_later_answer = profile.release < LATEST and isinstance(case.expected, ExpectedRecords)
        yield left_to_the_oracle(case) if has_later_answer else case


def _corpora(protocol: str) -> Mapping[str, Callable[[], Iterable[Input]]]:
    if protocol in UPSTREAM:
        from conformance.cases.upstream.corpora import corpora_of as upstream_corpora_of

        return upstream_corpora_of(protocol)
    from conformance.cases.corpora import corpora_of

    return corpora_of(protocol)


def _input_cases(protocol: str, input_: Input) -> Iterable[Case]:
    if protocol in UPSTREAM:
        from conformance.cases.upstream.corpora import input_cases as upstream_input_cases

        return upstream_input_cases(protocol, input_)
    from conformance.cases.corpora import input_cases

    return input_cases(protocol, input_)


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
    return [placed.case for placed in placed_cases(protocol, profile)]


def placed_cases(protocol: str, profile: Profile) -> list[PlacedCase]:
    """Every case of a protocol under a profile, in order, with the place where it is made.

    No two have the same input: the first one, which has the stronger anchor, stays.
    """
    before_corpora, after_corpora = _lists(protocol)
    identified = chain(
        _placed_in_lists(protocol, profile, before_corpora),
        _corpus_cases(protocol),
        _placed_in_lists(protocol, profile, after_corpora),
    )
    found: dict[bytes, PlacedCase] = {}
    for identity, placed in identified:
        if _applies(placed.case, profile):
            found.setdefault(identity, placed)
    return [PlacedCase(placed.place, _narrowed(placed.case, protocol, profile)) for placed in found.values()]


def _placed_in_lists(protocol: str, profile: Profile, parts: Sequence[str]) -> Iterator[tuple[bytes, PlacedCase]]:
    """(identity, case) for the cases of lists."""
    for part in parts:
        for case in _make_list(protocol, profile, part):
            yield identity_of(case), PlacedCase(Place(part), case)


def identity_of(case: Case) -> bytes:
    """The digest of everything that an implementation gets, except the SQL."""
    settings = (case.role, case.protocol, sorted(case.options.items()), case.settings, case.send_tables)
    registry = (case.schemas, case.registry_fault)
    records = (case.records, case.claims) if case.role == "decode" else case.events
    shown = f"{(settings, registry)!r}{_shown(case.tables)}{records!r}"
    return hashlib.sha256(shown.encode("utf-8", "surrogatepass")).digest()


@lru_cache(maxsize=16)
def _shown(tables: tuple[Table, ...]) -> str:
    """The tables as a text, which all cases of an input have in common."""
    return repr(tables)


@cache
def _corpus_cases(protocol: str) -> tuple[tuple[bytes, PlacedCase], ...]:
    """(identity, case) for the cases of all corpora, for every profile.

    Two cases with the same input are kept if they are for different profiles: `placed_cases` decides which one applies.
    """
    distinct: dict[tuple[frozenset[str], bytes], PlacedCase] = {}
    for part, inputs in _corpora(protocol).items():
        for number, input_ in enumerate(inputs()):
            for case in _input_cases(protocol, input_):
                key = case.profiles, identity_of(case)
                distinct.setdefault(key, PlacedCase(Place(part, number), case))
    return tuple((identity, placed) for (_, identity), placed in distinct.items())


def _applies(case: Case, profile: Profile) -> bool:
    return not case.profiles or profile.name in case.profiles


def _narrowed(case: Case, protocol: str, profile: Profile) -> Case:
    """The case for this profile alone; a case of an upstream dialect is for no profile."""
    return case if protocol in UPSTREAM else replace(case, profiles=frozenset({profile.name}))


# -- one case ----------------------------------------------------------------------------------------------------------


def case_at(protocol: str, profile: Profile, place: Place, role: str, case_id: str) -> Case:
    """The case of that role and id, made at its place. Raises `SuiteError` where it is missing."""
    for case in _cases_at(protocol, profile, place).get((role, case_id), ()):
        if _applies(case, profile):
            return _narrowed(case, protocol, profile)
    raise SuiteError(f"the case {case_id} ({role}) is not made by {place.part!r}: the index of cases is wrong")


def _cases_at(protocol: str, profile: Profile, place: Place) -> Mapping[tuple[str, str], Sequence[Case]]:
    """(role, id) → cases, one for each group of profiles: those of one input of a corpus, or those of a whole list."""
    if any(place.part in parts for parts in _lists(protocol)):
        return _cases_of_list(protocol, profile, place.part)
    return _cases_of_input(protocol, place)


@cache
def _cases_of_list(protocol: str, profile: Profile, part: str) -> Mapping[tuple[str, str], Sequence[Case]]:
    return _by_role_and_id(_make_list(protocol, profile, part))


@lru_cache(maxsize=256)
def _cases_of_input(protocol: str, place: Place) -> Mapping[tuple[str, str], Sequence[Case]]:
    return _by_role_and_id(_input_cases(protocol, _inputs(protocol, place.part)[place.number]))


@cache
def _inputs(protocol: str, part: str) -> Sequence[Input]:
    return tuple(_corpora(protocol)[part]())


def _by_role_and_id(cases: Iterable[Case]) -> Mapping[tuple[str, str], Sequence[Case]]:
    found: dict[tuple[str, str], list[Case]] = {}
    for case in cases:
        found.setdefault((case.role, case.id), []).append(case)
    return found


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

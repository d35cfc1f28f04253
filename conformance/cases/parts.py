"""The parts in which the cases of a protocol are made: a few cases can be made without the others.

A part is a list of cases (a document's examples, recordings, damaged records), or the inputs of one corpus, each of
which becomes cases of both roles. A selected case is made from its part and, in a corpus, from its input alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import chain

from conformance.cases.inputs import Input
from conformance.cases.model import Case, ExpectedRecords, Place
from conformance.errors import SuiteError
from reference_impl.profiles import LATEST, Profile
from reference_impl.protocols import UPSTREAM

__all__ = ["PlacedCase", "case_at", "placed_cases"]


@dataclass(frozen=True, slots=True)
class PlacedCase:
    """A case, and the place where it is made."""

    place: Place
    case: Case


# What makes a part is imported with the part: a run of a few cases needs one of them.
_CaseList = Callable[[], Iterable[Case]]


def _lists_before_corpora(protocol: str, profile: Profile) -> Mapping[str, _CaseList]:
    if protocol in UPSTREAM:
        return {"recorded": lambda: _upstream_recorded(protocol)}
    return {"golden": lambda: _golden(protocol, profile), "recorded": lambda: _recorded(protocol, profile)}


def _golden(protocol: str, profile: Profile) -> Iterable[Case]:
    from conformance.cases.golden import golden_cases

    return golden_cases(protocol, profile)


def _upstream_recorded(protocol: str) -> Iterable[Case]:
    from conformance.cases.upstream.recorded import recorded_cases

    return recorded_cases(protocol)


def _recorded(protocol: str, profile: Profile) -> Iterator[Case]:
    """The recorded cases. For an older release the oracle makes the answers, as those of a later one were recorded."""
    from conformance.cases.recorded import left_to_the_oracle, recorded_cases

    for case in recorded_cases(protocol, profile.name):
        has_later_answer = profile.release < LATEST and isinstance(case.expected, ExpectedRecords)
        yield left_to_the_oracle(case) if has_later_answer else case


def _lists_after_corpora(protocol: str) -> Mapping[str, _CaseList]:
    if protocol in UPSTREAM:
        return {
            # Tables at which a recorded producer stopped, so that an encoder must refuse them.
            "stops": lambda: _stops(protocol),
            "negatives": lambda: _upstream_negatives(protocol),
        }
    return {"invalid": lambda: _invalid(protocol), "negatives": lambda: _negatives(protocol)}


def _stops(protocol: str) -> Iterable[Case]:
    from conformance.cases.upstream.corpora import stop_cases

    return stop_cases(protocol)


def _upstream_negatives(protocol: str) -> Iterable[Case]:
    from conformance.cases.upstream.negatives import negative_cases

    return negative_cases(protocol)


def _invalid(protocol: str) -> Iterable[Case]:
    from conformance.cases.invalid import invalid_cases

    return invalid_cases(protocol)


def _negatives(protocol: str) -> Iterable[Case]:
    from conformance.cases.negatives import negative_cases

    return negative_cases(protocol)


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


def placed_cases(protocol: str, profile: Profile) -> list[PlacedCase]:
    """Every case of a protocol under a profile, in order, with the place where it is made.

    No two have the same input: the first one, which has the stronger anchor, stays.
    """
    identified = (
        _with_identity(_placed(_lists_before_corpora(protocol, profile))),
        _corpus_cases(protocol),
        _with_identity(_placed(_lists_after_corpora(protocol))),
    )
    found: dict[bytes, PlacedCase] = {}
    for identity, placed in chain.from_iterable(identified):
        if _applies(placed.case, profile):
            found.setdefault(identity, placed)
    return [PlacedCase(placed.place, _narrowed(placed.case, protocol, profile)) for placed in found.values()]


def _placed(lists: Mapping[str, _CaseList]) -> Iterator[PlacedCase]:
    return (PlacedCase(Place(part), case) for part, cases in lists.items() for case in cases())


def _with_identity(cases: Iterable[PlacedCase]) -> Iterator[tuple[bytes, PlacedCase]]:
    from conformance.cases.corpora import identity_of

    return ((identity_of(placed.case), placed) for placed in cases)


@cache
def _corpus_cases(protocol: str) -> tuple[tuple[bytes, PlacedCase], ...]:
    """(identity, case) for the cases of all corpora, for every profile.

    Two cases with the same input are kept if they are for different profiles: `placed_cases` decides which one applies.
    """
    from conformance.cases.corpora import identity_of

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
    if place.part in _lists(protocol, profile):
        return _cases_of_list(protocol, profile, place.part)
    return _cases_of_input(protocol, place)


def _lists(protocol: str, profile: Profile) -> Mapping[str, _CaseList]:
    return {**_lists_before_corpora(protocol, profile), **_lists_after_corpora(protocol)}


@cache
def _cases_of_list(protocol: str, profile: Profile, part: str) -> Mapping[tuple[str, str], Sequence[Case]]:
    return _by_role_and_id(_lists(protocol, profile)[part]())


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

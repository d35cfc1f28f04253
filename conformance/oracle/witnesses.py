"""Compares the document, the recorded producers and the reference with each other.

The data are shipped: recorded cases of both producers; every recorded vector and the reference's output in the style of
its producer, without defects; every example of the document and the reference's output. Why two witnesses differ is in
the catalogue of disagreements.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conformance.cases.golden import GoldenExample, golden_examples
from conformance.catalogue.defects import defects_of_profile
from conformance.catalogue.vectors import Vector, load_producers, recorded_vectors
from conformance.oracle import ORACLES
from conformance.oracle.sides import FORM, Answer, Difference, differences
from reference_impl.errors import Rejected
from reference_impl.model import Event, Table
from reference_impl.options import parse
from reference_impl.profiles import PROFILES, Profile
from reference_impl.protocols import CODECS
from reference_impl.registry import MemoryRegistry, RegisteredSchema
from reference_impl.settings import Settings

__all__ = ["Pairing", "against_document", "against_reference", "between_producers", "common_cases", "recorded_pairings"]


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two witnesses that differ in a case."""

    protocol: str
    case: str  # a recorded case without its producer, or an example of the document without `PROTOCOL/golden/`
    witnesses: tuple[str, str]  # `document`, `reference` or the profile of a producer
    differences: frozenset[Difference] = frozenset()
    defect: str = ""  # the named defect with which the reference writes exactly the recording
    mended_by: frozenset[str] = frozenset()  # normalisations that the example needs to equal the reference's output

    @property
    def is_form(self) -> bool:
        """Whether both are the same JSON in other bytes."""
        return all(difference.kind in FORM for difference in self.differences)


# -- recordings ----------------------------------------------------------------------------------------------------


def _recorded(protocol: str) -> Mapping[str, Mapping[str, Vector]]:
    """Profile of a producer → case without its producer → vector."""
    return {
        producer.profile: {v.case.partition("/")[2]: v for v in recorded_vectors(producer, protocol)}
        for producer in load_producers().values()
    }


def _answer(vector: Vector) -> Answer:
    refused = "" if vector.rejected is None else str(vector.rejected)
    return Answer.of(vector.records or (), vector.schemas, vector.claims, refused, vector.crash or "")


def _options(protocol: str, given: Mapping[str, str]) -> Any:
    """The options object; the defaults where the options themselves must be refused."""
    try:
        return parse(CODECS[protocol].options, given)
    except Rejected:
        return CODECS[protocol].options()


def common_cases(protocol: str) -> int:
    """The number of cases that are recorded of both producers."""
    vectors = _recorded(protocol)
    return len(vectors["classic"].keys() & vectors["newarch"].keys())


def between_producers(protocol: str) -> Iterator[Pairing]:
    """The recorded cases that the two producers answered differently; the witnesses are classic, then newarch."""
    vectors = _recorded(protocol)
    for case, newarch in vectors["newarch"].items():
        classic = vectors["classic"].get(case)
        if classic is None:
            continue
        options = _options(protocol, newarch.options)
        found = differences(ORACLES[protocol], options, _answer(classic), _answer(newarch), newarch.volatile)
        if found:
            yield Pairing(protocol, case, ("classic", "newarch"), found)


def against_reference(protocol: str) -> Iterator[Pairing]:
    """The vectors that the reference writes differently, in the style of their producer."""
    for profile, vectors in _recorded(protocol).items():
        defects = [defect.id for defect in defects_of_profile(profile) if defect.protocol == protocol]
        for case, vector in vectors.items():
            found = _differences_from_reference(vector, profile)
            if found:
                reproducing = (d for d in defects if not _differences_from_reference(vector, profile, frozenset({d})))
                yield Pairing(protocol, case, ("reference", profile), found, next(reproducing, ""))


def _differences_from_reference(
    vector: Vector, profile: str, defects: frozenset[str] = frozenset()
) -> frozenset[Difference]:
    truth = vector.tables, vector.events
    written = _written(vector.protocol, PROFILES[profile], truth, vector.options, vector.settings, defects=defects)
    options = _options(vector.protocol, vector.options)
    return differences(ORACLES[vector.protocol], options, written, _answer(vector), vector.volatile)


def _written(
    protocol: str,
    profile: Profile,
    truth: tuple[Sequence[Table], Sequence[Event]],
    options: Mapping[str, str],
    settings: Settings,
    registered: Iterable[RegisteredSchema] = (),
    defects: frozenset[str] = frozenset(),
) -> Answer:
    """The reference's output in the style of a profile."""
    codec, registry = CODECS[protocol], MemoryRegistry(registered)
    tables, events = truth
    try:
        given = replace(settings, registry=registry)
        encoder = codec.encoder(parse(codec.options, options), profile, settings=given, defects=defects)
        encoded = encoder.encode(events, tables)
    except Rejected as e:
        return Answer(refused=str(e.reason))
    return Answer.of(encoded.records, registry.requests, encoded.claims)


def recorded_pairings(protocol: str) -> Iterator[Pairing]:
    """All differences that involve recordings."""
    yield from between_producers(protocol)
    yield from against_reference(protocol)


# -- documents -----------------------------------------------------------------------------------------------------

# Steps of normalisation that only divide a shown text into records.
_NOTATION = frozenset({"log-lines", "pairs", "records", "lines", "batch"})
# Members of an example that are normalisations themselves.
_MEMBERS = ("fill", "orders", "placeholders")
# Normalisations that only change the order of members.
_ORDERING = frozenset({"reorder", "orders"})


def against_document(protocol: str) -> Iterator[Pairing]:
    """The examples of the protocol's documents, under every profile, that the reference does not write as shown.

    A pairing has the differences that remain after all normalisations of the example. If none remain and encoders must
    write the example, it has the normalisations that are needed, and the differences of order that they remove.
    """
    for example in golden_examples(protocol):
        roles = example.members.get("roles", ("encode", "decode"))
        if example.protocol != protocol or not roles or "rejected" in example.members:
            continue
        for name, profile in PROFILES.items():
            if example.applies(profile):
                yield from _pairings_of_example(example, name, profile, is_written="encode" in roles)


def _pairings_of_example(example: GoldenExample, name: str, profile: Profile, *, is_written: bool) -> Iterator[Pairing]:
    """The pairing of an example and the reference under the profile `name`, if they differ before normalisation."""
    case, witnesses = example.id.removeprefix(f"{example.protocol}/golden/"), ("document", name)
    options, settings = example.members.get("options", {}), Settings(**example.members.get("settings", {}))
    written = _written(example.protocol, profile, example.truth(), options, settings, example.registered())
    shown = _shown(example, profile)
    if shown != written:
        found = differences(ORACLES[example.protocol], _options(example.protocol, options), shown, written)
        yield Pairing(example.protocol, case, witnesses, found)
    elif is_written:
        needed, disordered = _needed_normalisations(example, profile, written)
        if needed or disordered:
            yield Pairing(example.protocol, case, witnesses, disordered, mended_by=needed)


def _shown(example: GoldenExample, profile: Profile) -> Answer:
    """The example, normalised, as an answer of the document."""
    as_shown = not example.is_reordered(profile)
    return Answer.of(example.records(as_shown=as_shown), example.schemas(as_shown=as_shown))


def _normalisations(given: Mapping[str, Any]) -> Iterator[str]:
    """The names of an example's normalisations: named steps, members that add to the text, and the reasons of edits."""
    yield from (step for step in given.get("normalise", ()) if step not in _NOTATION)
    yield from (member for member in _MEMBERS if member in given)
    yield from (edit["reason"] for part in (given, given.get("key", {})) for edit in part.get("edits", ()))


def _needed_normalisations(
    example: GoldenExample, profile: Profile, written: Answer
) -> tuple[frozenset[str], frozenset[Difference]]:
    """(normalisations that the example needs, differences of order that its normalisations of order remove)."""
    needed: set[str] = set()
    disordered: set[Difference] = set()
    for name in _normalisations(example.members):
        try:
            shown = _shown(_without(example, name), profile)
        except (Rejected, ValueError, KeyError, TypeError):
            needed.add(name)  # without it, the text cannot even be read
            continue
        if name in _ORDERING:
            options = _options(example.protocol, example.members.get("options", {}))
            disordered |= differences(ORACLES[example.protocol], options, shown, written)
        elif shown != written:
            needed.add(name)
    return frozenset(needed), frozenset(disordered)


def _without(example: GoldenExample, normalisation: str) -> GoldenExample:
    """The example without that normalisation."""
    others = {name: value for name, value in example.members.items() if name != normalisation}
    others["normalise"] = [step for step in others.get("normalise", ()) if step != normalisation]
    others["edits"] = _other_edits(others, normalisation)
    if "key" in others:
        others["key"] = others["key"] | {"edits": _other_edits(others["key"], normalisation)}
    return replace(example, members=others)


def _other_edits(given: Mapping[str, Any], reason: str) -> list[Any]:
    return [edit for edit in given.get("edits", ()) if edit["reason"] != reason]

"""Cases from the shipped recordings: a real producer's output is the expectation for encoders, and input for decoders.

A vector that shows a named defect of its producer proves nothing about encoders: there the reference gives the
expectation, and the recorded bytes serve for decoders. The same holds for inputs on which the producer crashed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from conformance.cases.inputs import Input
from conformance.cases.model import Anchor, Case, ExpectedRecords, ExpectedRejection
from conformance.cases.sql import setup
from conformance.cases.unrepresentable import UNREPRESENTABLE
from conformance.catalogue.corpora import OptionSpace, load_option_space
from conformance.catalogue.defects import load_defects
from conformance.catalogue.register import load_register
from conformance.catalogue.vectors import Producer, Vector, load_producers, recorded_vectors
from conformance.errors import SuiteError
from reference_impl.errors import Rejected, RejectionClass, Unsupported
from reference_impl.model import Claim, Event, Record, RowChange
from reference_impl.options import parse
from reference_impl.profiles import PROFILES, Profile
from reference_impl.protocols import CODECS
from reference_impl.registry import MemoryRegistry

__all__ = ["claims_of", "left_to_the_oracle", "producer_case", "recorded_cases", "recorded_id", "vector_cases"]

_PRODUCER_OF_PROFILE = {"newarch": "ticdc-newarch", "classic": "ticdc-classic", "doc": "ticdc-newarch"}

# Options under which the recordings differ from the documents, so that they do not count for `doc`: without old values
# a delete has only the handle key.  [OP-048b]
_NOT_AS_DOCUMENTED = {"open-output-old-value": "false"}


def _producer(profile: str) -> Producer:
    try:
        return load_producers()[_PRODUCER_OF_PROFILE.get(profile, "")]
    except KeyError:
        raise SuiteError(f"no recordings are shipped for profile {profile!r}") from None


def _axes(vector: Vector) -> dict[str, str]:
    """The subject of the vector, from its name `PRODUCER/GROUP/SUBJECT/…`."""
    parts = vector.case.split("/")
    axes = {}
    if len(parts) > 2 and parts[1].startswith(("type", "default")):
        axes["type"] = parts[2]
    operations = dict.fromkeys(e.op for e in vector.events if isinstance(e, RowChange))
    if operations:
        axes["operation"] = "+".join(operations)
    return axes


def _refusal_requirements(vector: Vector, space: OptionSpace) -> tuple[str, ...]:
    """The requirements for which the recorded input is refused."""
    handling = vector.options.get("large-message-handle-option", "")
    if vector.rejected is RejectionClass.RANGE and space.limited:
        return space.too_large_still.get(handling, space.too_large)
    for refusal in space.refused:
        if refusal.options.items() <= vector.options.items():
            return refusal.requirements
    input_ = Input(vector.case, vector.tables, vector.events)
    for unrepresentable in space.unrepresentable:
        if UNREPRESENTABLE[unrepresentable.what](input_):
            return unrepresentable.requirements
    return space.no_handle if vector.rejected is RejectionClass.SEMANTICS else ()


def _in_order_of_records(claims: tuple[Claim, ...], records: tuple[Record, ...]) -> tuple[Claim, ...]:
    """The claims in the order in which the records name them; a recording has them sorted by name."""
    written = b"".join((r.key or b"") + (r.value or b"") for r in records)
    return tuple(sorted(claims, key=lambda claim: written.find(claim.location.encode())))


def claims_of(vector: Vector) -> tuple[Claim, ...]:
    """The claims of a vector in the order in which its records name them."""
    return _in_order_of_records(vector.claims, vector.records or ())


def recorded_id(vector: Vector) -> str:
    """The id of the encode case of a vector."""
    return f"{vector.protocol}/recorded/{vector.case}"


def _without_nulled(event: Event) -> Event:
    """An update without the old values of columns that became NULL."""
    if not isinstance(event, RowChange) or event.before is None or event.after is None:
        return event
    known = {name: v for name, v in event.before.items() if v is None or event.after.get(name) is not None}
    return replace(event, before=known)


# Defect → what a decoder can still read of an event in records that show it.
_READ_AS: Mapping[str, Callable[[Event], Event]] = {"open-protocol/nameless-null-in-p": _without_nulled}


def _reading_requirements(protocol: str, defect: str | None) -> tuple[str, ...]:
    """The requirement that a defect breaks, if it is one of decoders too; else none."""
    broken = next((d.requirement for d in load_defects() if d.id == defect), "")
    requirement = load_register(protocol).requirements.get(broken)
    return (broken,) if requirement is not None and requirement.role in ("decode", "both") else ()


def vector_cases(vector: Vector, source: str, defect: str | None = None, style: str = "") -> list[Case]:
    """The encode case of a vector and, where it has records, the decode case.

    `defect` is the id of a defect that the vector shows, `style` the profile of its producer.
    """
    records, claims = vector.records, claims_of(vector)
    expected: ExpectedRecords | ExpectedRejection | None = None
    requirements: tuple[str, ...] = ()
    if vector.rejected is not None:
        expected = ExpectedRejection(frozenset({vector.rejected}))
        requirements = _refusal_requirements(vector, load_option_space(vector.protocol))
    elif records is not None:
        expected = ExpectedRecords(records, claims, vector.schemas)
    encode = Case(
        id=recorded_id(vector),
        protocol=vector.protocol,
        role="encode",
        tables=vector.tables,
        events=vector.events,
        options=vector.options,
        settings=vector.settings,
        sql=(*setup(vector.tables, vector.settings.timezone), *vector.sql),
        expected=expected,
        anchor=Anchor.RECORDED,
        requirements=requirements,
        source=source,
        axes=_axes(vector),
    )
    if defect is not None or expected is None:
        encode = left_to_the_oracle(encode)
    if records is None:
        return [encode]
    read_as = _READ_AS.get(defect or "")
    decode = replace(
        encode,
        id=f"{encode.id}/decode",
        role="decode",
        events=tuple(map(read_as, vector.events)) if read_as else vector.events,
        records=records,
        claims=claims,
        schemas=vector.schemas,
        style=style,
        expected=None,
        anchor=Anchor.RECORDED,
        requirements=_reading_requirements(vector.protocol, defect),
    )
    return [encode, decode]


def producer_case(vector: Vector, profile: Profile) -> Case:
    """The encode case of a vector for judging its own producer, without the recorded answer as the expectation.

    The oracle makes the expectation, or expects a rejection if the reference refuses the input.
    """
    recorded = vector_cases(vector, vector.note)[0]
    if refusal := _refusal(recorded, profile):
        return replace(recorded, expected=refusal, anchor=Anchor.REFERENCE)
    return left_to_the_oracle(recorded)


def _refusal(case: Case, profile: Profile) -> ExpectedRejection | None:
    """The expected rejection if the reference refuses the producer's input, else None."""
    codec = CODECS.get(case.protocol)
    if codec is None:
        return None
    try:
        encoder = codec.encoder(parse(codec.options, case.options), profile, settings=case.settings)
        encoder.encode(case.events, case.tables)
    except Rejected as e:
        return ExpectedRejection(frozenset({e.reason}))
    except Unsupported:
        return None
    return None


def recorded_cases(protocol: str, profile: str) -> list[Case]:
    """The cases of the recordings of a profile's producer; `doc` takes those of the new architecture."""
    producer = _producer(profile)
    source = f"recorded: {producer.id} ({producer.module} {producer.version})"
    defects = {case: defect.id for defect in load_defects() for case in defect.recorded}
    vectors = recorded_vectors(producer, protocol)
    if profile == "doc":
        vectors = [v for v in vectors if not _NOT_AS_DOCUMENTED.items() & v.options.items()]
    cases = [case for v in vectors for case in vector_cases(v, source, defects.get(v.case), producer.profile)]
    return [
        left_to_the_oracle(case) if _is_written_differently(case, profile, producer.profile) else case for case in cases
    ]


def _is_written_differently(case: Case, profile: str, producer: str) -> bool:
    """Whether the profile writes the input in a style of its own, unlike the recording."""
    if profile == producer or case.role == "decode" or case.expected is None:
        return False
    return _written(case, profile) != _written(case, producer)


def _written(case: Case, profile: str) -> object:
    codec, registry = CODECS[case.protocol], MemoryRegistry()
    settings = replace(case.settings, registry=registry)
    try:
        encoder = codec.encoder(parse(codec.options, case.options), PROFILES[profile], settings=settings)
        return encoder.encode(case.events, case.tables), registry.requests
    except Rejected as e:
        return e.reason


def left_to_the_oracle(case: Case) -> Case:
    """The case without its recorded answer, which another style or release may not give: the oracle makes one."""
    return replace(case, expected=None, anchor=Anchor.REFERENCE, requirements=())

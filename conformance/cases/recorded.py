"""Cases out of the shipped recordings: what a real producer wrote is what must be written, and what must be read.

A vector that shows a named defect of its producer says nothing about encoders: there the reference is asked, and only
the recorded bytes serve, for decoders. The same holds for inputs on which the producer crashed.
"""

from __future__ import annotations

from conformance.cases.model import Anchor, Case, ExpectedRecords, ExpectedRejection
from conformance.cases.sql import setup
from conformance.catalogue.defects import load_defects
from conformance.catalogue.vectors import Producer, Vector, load_producers, recorded_vectors
from conformance.errors import SuiteError

__all__ = ["recorded_cases", "vector_cases"]

_PRODUCER_OF_PROFILE = {"newarch": "ticdc-newarch", "classic": "ticdc-classic", "doc": "ticdc-newarch"}


def _producer(profile: str) -> Producer:
    try:
        return load_producers()[_PRODUCER_OF_PROFILE.get(profile, "")]
    except KeyError:
        raise SuiteError(f"no recordings are shipped for profile {profile!r}") from None


def _axes(vector: Vector) -> dict[str, str]:
    """What the vector is about, from its name `PRODUCER/GROUP/SUBJECT/…`."""
    _, group, subject, *_ = (*vector.case.split("/"), "", "")
    operations = dict.fromkeys(e.op for e in vector.events if hasattr(e, "op"))
    named = {"type": subject if group.startswith(("type", "default")) else "", "operation": "+".join(operations)}
    return {name: value for name, value in named.items() if value}


def vector_cases(vector: Vector, source: str, defects: frozenset[str] = frozenset()) -> list[Case]:
    """The encode case of a vector and, where it has records, the decode case. `defects` are vectors that show one."""
    expected: ExpectedRecords | ExpectedRejection | None = None
    if vector.rejected is not None:
        expected = ExpectedRejection(frozenset({vector.rejected}))
    elif vector.records is not None and vector.case not in defects:
        expected = ExpectedRecords(vector.records, vector.claims)
    encode = Case(
        id=f"{vector.protocol}/recorded/{vector.case}",
        protocol=vector.protocol,
        role="encode",
        tables=vector.tables,
        events=vector.events,
        options=vector.options,
        settings=vector.settings,
        sql=(*setup(vector.tables, vector.settings.timezone), *vector.sql),
        expected=expected,
        anchor=Anchor.REFERENCE if expected is None else Anchor.RECORDED,
        source=source,
        axes=_axes(vector),
    )
    if vector.records is None:
        return [encode]
    decode = Case(
        id=f"{encode.id}/decode",
        protocol=vector.protocol,
        role="decode",
        tables=vector.tables,
        events=vector.events,
        records=vector.records,
        claims=vector.claims,
        options=vector.options,
        settings=vector.settings,
        sql=encode.sql,
        anchor=Anchor.RECORDED,
        source=source,
        axes=encode.axes,
    )
    return [encode, decode]


def recorded_cases(protocol: str, profile: str) -> list[Case]:
    """The cases of the recordings that a profile, given by name, goes by: those of its producer.

    Where the documents are silent, `doc` goes by the new architecture.
    """
    producer = _producer(profile)
    source = f"recorded: {producer.id} ({producer.module} {producer.version})"
    defects = frozenset(case for defect in load_defects() for case in defect.recorded)
    return [c for v in recorded_vectors(producer, protocol) for c in vector_cases(v, source, defects)]

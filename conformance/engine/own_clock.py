"""Implementations that a database drives (`"clock": "own"` in `hello`): positions are taken from their records.

To find the record of each event, the reference writes the events with their numbers in place of positions, and its
records are aligned with those of the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from conformance.cases.model import Case, ExpectedRecords
from conformance.cases.upstream.dialects import DIALECTS
from conformance.oracle.upstream.alignment import Identity, align
from conformance.oracle.upstream.dialects import DIALECTS as ORACLES
from conformance.oracle.upstream.reading import RecordKind
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import DdlEvent, Event, Record, RowChange, Watermark
from reference_impl.options import parse
from reference_impl.protocols import UPSTREAM

__all__ = ["with_positions"]


def with_positions(case: Case, records: Sequence[Record]) -> Case:
    """The case of an encoder, with the position of each event from its record in the answer.

    The case is unchanged if it is not of an upstream dialect, or the reference refuses the events.
    """
    if case.protocol not in UPSTREAM or case.role != "encode":
        return case
    numbering, position = DIALECTS[case.protocol].numbering, DIALECTS[case.protocol].position
    numbered = [_placed(event, numbering.source(number)) for number, event in enumerate(case.events, 1)]
    codec = UPSTREAM[case.protocol]
    try:
        encoder = codec.encoder(parse(codec.options, case.options), settings=case.settings)
        written = encoder.encode(numbered, case.tables).records
    except (Rejected, Unsupported):
        return case
    records_of: dict[int, list[Record]] = {}
    for own, got in _pairs(case.protocol, written, records):
        number = numbering.read(own)
        if number is not None and got.value is not None:
            records_of.setdefault(number, []).append(got)
    events = []
    for number, event in enumerate(case.events, 1):
        sources = [position(record).source for record in records_of.get(number, ())]
        if len(sources) > 1:  # a changed key: Debezium writes a delete and an insert
            sources[0] = {**sources[0], "then": sources[1]}
        events.append(_placed(event, sources[0]) if sources else event)
    expected = None if isinstance(case.expected, ExpectedRecords) else case.expected
    return replace(case, events=tuple(events), expected=expected)


def _placed(event: Event, source: Mapping[str, object]) -> Event:
    """The event with these members in its `source`; a watermark has none."""
    if isinstance(event, Watermark):
        return event
    placed: RowChange | DdlEvent = event
    return replace(placed, source={**(placed.source or {}), **source})


def _pairs(protocol: str, expected: Sequence[Record], got: Sequence[Record]) -> Iterator[tuple[Record, Record]]:
    """Pairs of records: in order if their tables and operations agree, else aligned."""
    identities = [[_identity(protocol, record) for record in side] for side in (expected, got)]
    kinds = [[(identity.schema, identity.table, identity.op) for identity in side] for side in identities]
    if kinds[0] == kinds[1]:
        yield from zip(expected, got, strict=True)
        return
    for n, m in align(*identities):
        if n is not None and m is not None:
            yield expected[n], got[m]


def _identity(protocol: str, record: Record) -> Identity:
    summary = ORACLES[protocol].summary(record)
    if summary.kind is RecordKind.ROWS and summary.identities:
        return summary.identities[0]
    return Identity(str(summary.kind), "", str(summary.kind), "", "")

"""Captures held against the events that they are of: the recordings, whose events are known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from conformance.captures.model import CaptureContext, Captured, Place
from conformance.captures.results import CaptureResult, CaptureVerdict
from conformance.captures.schemas import CapturedSchemas
from conformance.captures.truth import judge_against
from conformance.catalogue.vectors import Vector
from conformance.errors import UsageError
from reference_impl.model import Event, Record, RowChange
from tests.unit.captures.given import KNOWN_DEFECTS, PROTOCOLS, captured, row_vectors


def vectors(protocol: str) -> list[Vector]:
    return [vector for vector in row_vectors(protocol) if vector.case not in KNOWN_DEFECTS]


def judged(vector: Vector, records: Iterable[Record], events: Iterable[Event]) -> list[CaptureResult]:
    schemas = CapturedSchemas(vector.schemas)
    context = CaptureContext(vector.protocol, vector.tables, vector.options, schemas=schemas)
    return list(judge_against(list(events), context, captured(records), Place("f")))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_recording_holds_the_events_it_was_made_from(protocol: str):
    assert vectors(protocol)
    for vector in vectors(protocol):
        (result,) = judged(vector, vector.records or (), vector.events)
        assert (result.verdict, result.findings) == (CaptureVerdict.PASS, ()), vector.case


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_another_time_of_commit_than_that_of_the_events_is_a_finding(protocol: str):
    vector = next(
        v for v in vectors(protocol) if v.options.get("enable-tidb-extension") == "true" or "open" in protocol
    )
    events = [replace(event, commit_ts=(event.commit_ts or 0) + 2**18) for event in vector.events]
    (result,) = judged(vector, vector.records or (), events)
    assert result.verdict is CaptureVerdict.FAIL


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_event_that_the_capture_lacks_is_a_finding(protocol: str):
    vector = vectors(protocol)[0]
    extra = next(event for event in vector.events if isinstance(event, RowChange))
    (result,) = judged(vector, vector.records or (), [*vector.events, extra])
    assert result.verdict is CaptureVerdict.FAIL


def test_a_line_that_could_not_be_read_has_a_result_of_its_own():
    vector = vectors("canal-json")[0]
    lines = [Captured(None, Place("f", 1), "not JSON"), *captured(vector.records or ())]
    results = list(
        judge_against(vector.events, CaptureContext("canal-json", vector.tables, vector.options), lines, Place("f"))
    )
    assert [(r.verdict, r.problem) for r in results] == [
        (CaptureVerdict.EXCLUDED, "not JSON"),
        (CaptureVerdict.PASS, None),
    ]


def test_events_that_cannot_be_written_are_a_usage_error():
    vector = vectors("canal-json")[0]
    change = next(event for event in vector.events if isinstance(event, RowChange))
    with pytest.raises(UsageError, match="cannot be written as canal-json"):
        judged(vector, vector.records or (), [replace(change, commit_ts=None)])

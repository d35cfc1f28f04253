"""The judge of a recording: each record against what should stand there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.cases.model import Case
from conformance.errors import SuiteError
from conformance.oracle.findings import Judgement
from conformance.oracle.upstream.comparison import RecordComparison
from conformance.oracle.upstream.expectation import Place
from reference_impl.wire import record_from_json

__all__ = ["PlaceJudge"]


class PlaceJudge:
    """Judges the records of recordings of one protocol; `places` by the ids of their cases."""

    def __init__(self, protocol: str, places: Mapping[str, Place]) -> None:
        self._protocol = protocol
        self._places = places

    def judge(self, case: Case, answer: Mapping[str, Any], *, perfect: frozenset[str] | None = None) -> Judgement:
        """Judge what was recorded: `{"ok": {"records": […]}}`, of no record or of one. Raises `SuiteError`."""
        place = self._places.get(case.id)
        if place is None or "ok" not in answer:
            raise SuiteError(f"{case.id}: not a place of a recording")
        records = [record_from_json(record) for record in answer["ok"]["records"]]
        got, judgement = records[0] if records else None, Judgement()
        there = got or place.expected
        is_tombstone = there is not None and there.value is None
        comparison = RecordComparison(self._protocol, judgement, place.table, lambda name: _is_null(place, name))
        comparison.uncertain = place.uncertain
        comparison.compare("tombstone" if is_tombstone else place.what, place.expected, got)
        return judgement


def _is_null(place: Place, name: str) -> bool:
    row = place.changes[-1].after or place.changes[-1].before or {}
    return row.get(name) is None

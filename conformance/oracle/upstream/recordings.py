"""Judges recordings: makes the expected records from the truth, pairs them with the recorded ones, and compares.

The truth decides the content of a record. The record under judgement decides its position (`DialectCases.position`),
and where the server cut the rows of a statement into rows events, which no statement determines.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from conformance.cases.model import Case
from conformance.cases.upstream.dialects import DIALECTS
from conformance.catalogue.recordings import Recording
from conformance.catalogue.workload import Truth
from conformance.errors import SuiteError
from conformance.oracle.findings import Judgement
from conformance.oracle.upstream.comparison import RecordComparison
from conformance.oracle.upstream.packed_rows import PackedRows
from conformance.oracle.upstream.pairing import EMPTY_RECORD, RecordPair
from conformance.oracle.upstream.single_rows import SingleRows
from conformance.oracle.upstream.snapshots import Snapshot
from reference_impl.errors import Rejected, Unsupported
from reference_impl.protocols import Dialect
from reference_impl.wire import record_from_json

__all__ = ["RecordPair", "RecordingJudge", "record_pairs"]


def record_pairs(recording: Recording, truth: Truth, sql: str | None, codec: Dialect) -> list[RecordPair]:
    """Every record of a recording in order, and each missing record after the one that it should follow.

    If the reference does not offer the dialect under these options, every pair has the reason.
    """
    try:
        paired: Snapshot | PackedRows | SingleRows
        if recording.facts.snapshot:
            paired = Snapshot(recording, truth, sql, codec)
        elif DIALECTS[recording.protocol].packs_rows:
            paired = PackedRows(recording, truth, sql, codec)
        else:
            paired = SingleRows(recording, truth, sql, codec)
    except (Rejected, Unsupported) as e:
        reason = f"the reference does not offer the dialect: {e}"
        return [RecordPair(f"{recording.name}/{k}", c.record, reason=reason) for k, c in enumerate(recording.records)]
    return list(paired.pairs())


class RecordingJudge:
    """Judges the records of recordings of one protocol; `pairs` by the ids of their cases."""

    def __init__(self, protocol: str, pairs: Mapping[str, RecordPair]) -> None:
        self._protocol = protocol
        self._pairs = pairs

    def judge(self, case: Case, answer: Mapping[str, Any], *, perfect: frozenset[str] | None = None) -> Judgement:
        """Judge what was recorded: `{"ok": {"records": […]}}` with at most one record.

        Raises `SuiteError` for a case that is not a record of a recording. `perfect` is ignored.
        """
        pair = self._pairs.get(case.id)
        if pair is None or "ok" not in answer:
            raise SuiteError(f"{case.id}: not a record of a recording")
        records = [record_from_json(record) for record in answer["ok"]["records"]]
        got = records[0] if records else None
        judgement = Judgement()
        shown = got or pair.expected
        is_tombstone = shown is not None and shown != EMPTY_RECORD and shown.value is None
        is_null = partial(_is_null_in_last_row, pair)
        comparison = RecordComparison(self._protocol, judgement, pair.table, is_null, pair.uncertain)
        comparison.compare("tombstone" if is_tombstone else pair.what, pair.expected, got)
        return judgement


def _is_null_in_last_row(pair: RecordPair, column: str) -> bool:
    row = pair.changes[-1].after or pair.changes[-1].before or {}
    return row.get(column) is None

"""The judge of a recording: each record against the expected one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from conformance.cases.model import Case
from conformance.errors import SuiteError
from conformance.oracle.findings import Judgement
from conformance.oracle.upstream.comparison import RecordComparison
from conformance.oracle.upstream.pairing import EMPTY_RECORD, RecordPair
from reference_impl.wire import record_from_json

__all__ = ["RecordingJudge"]


class RecordingJudge:
    """Judges the records of recordings of one protocol; `pairs` by the ids of their cases."""

    def __init__(self, protocol: str, pairs: Mapping[str, RecordPair]) -> None:
        self._protocol = protocol
        self._pairs = pairs

    def judge(self, case: Case, answer: Mapping[str, Any], *, perfect: frozenset[str] | None = None) -> Judgement:
        """Judge what was recorded: `{"ok": {"records": […]}}` with at most one record.

        Raises `SuiteError` for a case that is no record of a recording. `perfect` is ignored.
        """
        pair = self._pairs.get(case.id)
        if pair is None or "ok" not in answer:
            raise SuiteError(f"{case.id}: not a record of a recording")
        records = [record_from_json(record) for record in answer["ok"]["records"]]
        got, judgement = records[0] if records else None, Judgement()
        shown = got or pair.expected
        is_tombstone = shown is not None and shown != EMPTY_RECORD and shown.value is None
        comparison = RecordComparison(self._protocol, judgement, pair.table, partial(_is_null_in_last_row, pair))
        comparison.uncertain = pair.uncertain
        comparison.compare("tombstone" if is_tombstone else pair.what, pair.expected, got)
        return judgement


def _is_null_in_last_row(pair: RecordPair, column: str) -> bool:
    row = pair.changes[-1].after or pair.changes[-1].before or {}
    return row.get(column) is None

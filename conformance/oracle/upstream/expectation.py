"""The records that a recording should hold: made by the reference from the truth, and paired with those it holds.

The truth decides the content of a record. The record under judgement decides its position (`DialectCases.position`),
and where the server cut the rows of a statement into rows events, which no statement determines.
"""

from __future__ import annotations

from conformance.catalogue.recordings import Recording
from conformance.catalogue.workload import Truth
from conformance.oracle.upstream.pairing import RecordPair
from conformance.oracle.upstream.snapshots import Snapshot
from conformance.oracle.upstream.streams import Stream
from reference_impl.errors import Rejected, Unsupported
from reference_impl.protocols import Dialect

__all__ = ["RecordPair", "record_pairs"]


def record_pairs(recording: Recording, truth: Truth, sql: str | None, codec: Dialect) -> list[RecordPair]:
    """Every record of a recording in order, and each missing record after the one that it should follow.

    If the reference does not offer the dialect under these options, every pair has the reason.
    """
    try:
        paired = (Snapshot if recording.facts.snapshot else Stream)(recording, truth, sql, codec)
    except (Rejected, Unsupported) as e:
        reason = f"the reference does not offer the dialect: {e}"
        return [RecordPair(f"{recording.name}/{k}", c.record, reason=reason) for k, c in enumerate(recording.records)]
    return list(paired.pairs())

"""The records that a recording should hold: made by the reference from the truth, and paired with those it holds.

The truth says what is in a record. From the record under judgement comes where it stands (`dialects`), and where the
server cut the rows of a statement into rows events, which no statement determines.
"""

from __future__ import annotations

from conformance.catalogue.recordings import Recording
from conformance.catalogue.workload import Truth
from conformance.oracle.upstream.pairing import Place
from conformance.oracle.upstream.snapshots import Snapshot
from conformance.oracle.upstream.streams import Stream
from reference_impl.errors import Rejected, Unsupported
from reference_impl.protocols import Dialect

__all__ = ["Place", "places"]


def places(recording: Recording, truth: Truth, sql: str | None, codec: Dialect) -> list[Place]:
    """Every record of a recording, in order, and every one that is missing after the one before it.

    Of a dialect that the reference does not offer nothing can be judged.
    """
    try:
        found = (Snapshot if recording.facts.snapshot else Stream)(recording, truth, sql, codec)
    except (Rejected, Unsupported) as e:
        reason = f"the reference does not offer the dialect: {e}"
        return [Place(f"{recording.name}/{k}", c.record, reason=reason) for k, c in enumerate(recording.records)]
    return list(found.places())

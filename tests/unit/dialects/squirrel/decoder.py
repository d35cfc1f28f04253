"""Records of Squirrel to events."""

from __future__ import annotations

from collections.abc import Iterable

from reference_impl.errors import Rejected
from reference_impl.model import Claim, Event, Record, Table
from reference_impl.upstream.canal.decoder import Decoder as CanalDecoder
from tests.unit.dialects.squirrel.renaming import as_canal, is_named

__all__ = ["Decoder"]


class Decoder(CanalDecoder):
    """Reads what Squirrel's producer writes."""

    def decode(
        self, records: Iterable[Record], tables: Iterable[Table] = (), claims: Iterable[Claim] = ()
    ) -> list[Event]:
        """The events of records. Raises `Rejected` as Canal's decoder does, and for a member `database`."""
        given = list(records)
        if any(is_named(record.value or b"") for record in given):
            raise Rejected("schema", "unknown member 'database'")
        return super().decode(map(as_canal, given), tables, claims)

"""Events to records of Squirrel."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from reference_impl.model import Encoded, Event, Table
from reference_impl.upstream.canal.encoder import Encoder as CanalEncoder
from tests.unit.dialects.squirrel.renaming import as_squirrel

__all__ = ["Encoder"]


class Encoder(CanalEncoder):
    """Squirrel's producer."""

    def encode(self, events: Iterable[Event], tables: Iterable[Table] = ()) -> Encoded:
        """The records of one flush, as Canal's encoder makes them."""
        encoded = super().encode(events, tables)
        return replace(encoded, records=tuple(map(as_squirrel, encoded.records)))

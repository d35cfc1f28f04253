"""Encoders that send the right records in a wrong order or to a wrong partition, for every protocol."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import TypeAlias

from conformance.mutants.model import Wrap
from conformance.mutants.wrappers import Context, Json, edit_records

__all__ = ["in_reverse", "in_turn", "sent_first", "to_partition_0", "value_of"]

_IsMeant: TypeAlias = Callable[[Json], bool]
"""Whether a record is one of those that are concerned."""


def value_of(record: Json) -> bytes:
    """The value of a record; empty if it has none."""
    return base64.b64decode(record["value"] or "")


def to_partition_0(is_meant: _IsMeant) -> Wrap:
    """Sends these records to the first partition only."""
    return edit_records(lambda records, context: [r for r in records if not (r.get("partition") and is_meant(r))])


def sent_first(is_meant: _IsMeant) -> Wrap:
    """Sends these records before all others."""
    return edit_records(lambda records, context: sorted(records, key=lambda record: not is_meant(record)))


def in_reverse(is_meant: _IsMeant) -> Wrap:
    """Sends these records in reverse order; the others keep their positions."""

    def edit(records: list[Json], context: Context) -> list[Json]:
        meant = list(filter(is_meant, records))
        return [meant.pop() if is_meant(record) else record for record in records]

    return edit_records(edit)


def in_turn(is_meant: _IsMeant) -> Wrap:
    """Sends these records to the partitions in turn."""

    def edit(records: list[Json], context: Context) -> list[Json]:
        return [
            {**record, "partition": n % context.partitions}
            if record.get("partition") is not None and is_meant(record)
            else record
            for n, record in enumerate(records)
        ]

    return edit_records(edit)

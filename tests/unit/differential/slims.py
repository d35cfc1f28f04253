"""The slim records of messages, read as a batch is read."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

from differential.batches import columns_batch
from differential.decode.reader import SlimReader
from differential.decode.slim import Slim
from differential.record_batches import record_batch
from reference_impl.model import Record

__all__ = ["slims"]


def slims(reader: SlimReader, records: Sequence[Record]) -> list[Slim]:
    """The slim records in the order of the messages, by the fast path where it takes a message."""
    changes, rest = reader.read_ordinary([record.value for record in records], [record.key for record in records])
    found = [(position, row.step, row) for position in rest for row in reader.read_any(records[position])]
    for one in changes:
        columns = columns_batch(reader._number, record_batch(records), [one]).columns
        rows = map(Slim._make, zip(*(column.to_pylist() for column in columns), strict=True))
        found += [(position, row.step, row) for position, row in zip(one.positions, rows, strict=True)]
    return [row for _, _, row in sorted(found, key=itemgetter(0, 1))]

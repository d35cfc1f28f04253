"""The partitions of records under TiCDC's default dispatcher.  [OP-212, CJ-230]"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from zlib import crc32

from reference_impl.encoder_checks import utf8

__all__ = ["every_partition", "partition_of_row", "partition_of_table"]


@lru_cache(maxsize=4096)  # encoders call it for every row
def partition_of_table(schema: str, table: str, partitions: int) -> int:
    """The partition of all rows of a table: CRC-32 (IEEE) of schema and table name, modulo `partitions`.

    Raises `Rejected` (class `type`) for half of a surrogate pair in a name.
    """
    return crc32(utf8(schema + table)) % partitions


def partition_of_row(schema: str, table: str, partitions: int) -> int | None:
    """The partition in the record of a row, None for a topic with a single partition. Raises `Rejected` likewise."""
    partition = partition_of_table(schema, table, partitions)
    return partition if partitions > 1 else None


def every_partition(partitions: int) -> Sequence[int | None]:
    """The partitions in the records of a message that goes to all of them, as those of `partition_of_row`."""
    return range(partitions) if partitions > 1 else (None,)

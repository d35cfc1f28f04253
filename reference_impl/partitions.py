"""The partition of a row under TiCDC's default dispatcher.  [OP-212, CJ-230]"""

from __future__ import annotations

from zlib import crc32

__all__ = ["partition_of_table"]


def partition_of_table(schema: str, table: str, partitions: int) -> int:
    """The partition of all rows of a table: CRC-32 (IEEE) of schema and table name, modulo `partitions`."""
    return crc32(schema.encode() + table.encode()) % partitions

"""The fields of a value that are not columns: their names and Avro types.  [AV-116 … AV-120]"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = [
    "BEFORE",
    "CHECKSUM",
    "CHECKSUM_VERSION",
    "COMMIT_TIME",
    "COMMIT_TS",
    "CORRUPTED",
    "OP",
    "TYPES",
]

# The record with the row before a change; it precedes the other fields of this module.
BEFORE = "_ticdc_before"

OP, COMMIT_TS, COMMIT_TIME = "_tidb_op", "_tidb_commit_ts", "_tidb_commit_physical_time"
CHECKSUM, CORRUPTED = "_tidb_row_level_checksum", "_tidb_corrupted"
CHECKSUM_VERSION = "_tidb_checksum_version"

# The Avro types of the fields that `enable-tidb-extension` adds, in their order.
TYPES: Mapping[str, str] = {
    OP: "string",
    COMMIT_TS: "long",
    COMMIT_TIME: "long",
    CHECKSUM: "string",
    CORRUPTED: "boolean",
    CHECKSUM_VERSION: "int",
}

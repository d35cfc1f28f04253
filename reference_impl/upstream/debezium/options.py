"""Options of the connector, as its configuration names them, and of the server that it reads.  [DBZ-700 … DBZ-709]"""

from __future__ import annotations

from dataclasses import dataclass

from reference_impl.options import choice, flag
from reference_impl.upstream.debezium.versions import VERSIONS, Version

__all__ = ["Options"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of the connector, at its own defaults; `schemas.enable` is the converter's.

    `adaptive` time precision is not among the choices: the connector refuses it for MySQL.
    """

    version: str = choice("version", *VERSIONS)
    server: str = choice("server", "mysql", "mariadb")
    decimal_handling_mode: str = choice("decimal.handling.mode", "precise", "double", "string")
    time_precision_mode: str = choice("time.precision.mode", "adaptive_time_microseconds", "connect")
    bigint_unsigned_handling_mode: str = choice("bigint.unsigned.handling.mode", "long", "precise")
    binary_handling_mode: str = choice("binary.handling.mode", "bytes", "base64", "base64-url-safe", "hex")
    schemas_enable: bool = flag("schemas.enable", default=True)
    tombstones_on_delete: bool = flag("tombstones.on.delete", default=True)
    provide_transaction_metadata: bool = flag("provide.transaction.metadata")
    include_schema_changes: bool = flag("include.schema.changes", default=True)
    skipped_operations: str = choice("skipped.operations", "t", "none")

    @property
    def traits(self) -> Version:
        """The traits of the version."""
        return VERSIONS[self.version]

"""Options of Debezium JSON, as a sink URI or the changefeed's configuration names them.  [DBZ-011 … DBZ-016]"""

from __future__ import annotations

from dataclasses import dataclass

from reference_impl.errors import Rejected
from reference_impl.options import SinkOptions, flag

__all__ = ["Options"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(SinkOptions):
    """Options of Debezium JSON.

    Raises `Rejected` (class `semantics`) for large-message handling, which Debezium JSON does not have.  [DBZ-015]

    `max_message_bytes` is not enforced: producers decide what to do with messages that are too large. The options of
    claim-check storage have no effect.
    """

    enable_tidb_extension: bool = flag("enable-tidb-extension")
    debezium_disable_schema: bool = flag("debezium-disable-schema")
    debezium_output_old_value: bool = flag("debezium-output-old-value", default=True)
    debezium_include_start_ts: bool = flag("debezium-include-start-ts")

    def __post_init__(self) -> None:
        if self.large_message_handle_option != "none":
            kind = self.large_message_handle_option
            raise Rejected("semantics", f"large-message-handle-option={kind}: Debezium JSON has no such messages")

"""Options of Open Protocol, by the names of the sink URI.  [CF-004, CF-005, CF-025, OP-042, OP-048]"""

from __future__ import annotations

from dataclasses import dataclass

from reference_impl.errors import Rejected
from reference_impl.options import choice, flag, number, text

__all__ = ["Options"]


@dataclass(frozen=True, slots=True)
class Options:
    """Options of Open Protocol. Raises `Rejected` (class `semantics`) for an invalid combination."""

    max_batch_size: int = number("max-batch-size", default=16)
    max_message_bytes: int = number("max-message-bytes", default=10485760)
    only_output_updated_columns: bool = flag("only-output-updated-columns")
    delete_only_output_handle_key_columns: bool = flag("delete-only-output-handle-key-columns")
    open_output_old_value: bool = flag("open-output-old-value", default=True)
    output_raw_change_event: bool = flag("output-raw-change-event")
    large_message_handle_option: str = choice("large-message-handle-option", "none", "claim-check", "handle-key-only")
    large_message_handle_compression: str = choice("large-message-handle-compression", "none", "lz4", "snappy")
    claim_check_storage_uri: str = text("claim-check-storage-uri")
    claim_check_raw_value: bool = flag("claim-check-raw-value")

    def __post_init__(self) -> None:
        if self.claim_check_raw_value:
            raise Rejected("semantics", "claim-check-raw-value: Open Protocol stores whole messages only")  # [OP-172]
        if self.large_message_handle_option == "claim-check" and not self.claim_check_storage_uri:
            raise Rejected("semantics", "large-message-handle-option=claim-check needs claim-check-storage-uri")

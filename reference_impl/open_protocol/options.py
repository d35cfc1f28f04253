"""Options of Open Protocol, by the names of the sink URI.  [CF-004, CF-005, CF-025, OP-042, OP-048]"""

from __future__ import annotations

from dataclasses import dataclass

from reference_impl.errors import Rejected
from reference_impl.options import SinkOptions, flag, number

__all__ = ["Options"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(SinkOptions):
    """Options of Open Protocol. Raises `Rejected` (class `semantics`) for an invalid combination."""

    max_batch_size: int = number("max-batch-size", default=16)
    only_output_updated_columns: bool = flag("only-output-updated-columns")
    delete_only_output_handle_key_columns: bool = flag("delete-only-output-handle-key-columns")
    open_output_old_value: bool = flag("open-output-old-value", default=True)

    def __post_init__(self) -> None:
        if self.claim_check_raw_value:
            raise Rejected("semantics", "claim-check-raw-value: Open Protocol stores whole messages only")  # [OP-172]
        self.require_storage_uri()

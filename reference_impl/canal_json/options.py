"""Options of Canal-JSON, as a sink URI or the changefeed's configuration names them.  [CJ-101 … CJ-109]"""

from __future__ import annotations

from dataclasses import dataclass

from reference_impl.errors import Rejected
from reference_impl.options import SinkOptions, flag

__all__ = ["Options"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(SinkOptions):
    """Options of Canal-JSON. Raises `Rejected` (class `semantics`) for a combination that TiCDC refuses.  [CJ-105]"""

    enable_tidb_extension: bool = flag("enable-tidb-extension")
    content_compatible: bool = flag("content-compatible")
    only_output_updated_columns: bool = flag("only-output-updated-columns")
    delete_only_output_handle_key_columns: bool = flag("delete-only-output-handle-key-columns")

    def __post_init__(self) -> None:
        if self.large_message_handle_option != "none" and not self.enable_tidb_extension:
            raise Rejected("semantics", "large-message-handle-option needs enable-tidb-extension=true")
        self.require_storage_uri()

    @property
    def changed_only(self) -> bool:
        """Whether `old` holds only changed columns, as always in content-compatible mode.  [CJ-102, CJ-103]"""
        return self.only_output_updated_columns or self.content_compatible

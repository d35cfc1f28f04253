"""Options of Avro, as a sink URI or the changefeed's configuration names them.  [AV-122, AV-160 … AV-169b]"""

from __future__ import annotations

from dataclasses import dataclass

from reference_impl.errors import Rejected
from reference_impl.options import SinkOptions, choice, flag

__all__ = ["Options"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(SinkOptions):
    """Options of Avro.

    Raises `Rejected` (class `semantics`) for large-message handling, which Avro does not have.

    `large-message-handle-compression` and the options of claim-check storage are accepted without effect.  [AV-168]
    """

    enable_tidb_extension: bool = flag("enable-tidb-extension")
    avro_decimal_handling_mode: str = choice("avro-decimal-handling-mode", "precise", "string")
    avro_bigint_unsigned_handling_mode: str = choice("avro-bigint-unsigned-handling-mode", "long", "string")
    avro_enable_watermark: bool = flag("avro-enable-watermark")
    avro_include_before_value: bool = flag("avro-include-before-value")

    def __post_init__(self) -> None:
        if self.large_message_handle_option != "none":
            raise Rejected("semantics", "large-message-handle-option: Avro sends whole rows only")

    @property
    def watermarks(self) -> bool:
        """Whether control messages are sent, DDL statements and watermarks. This needs the extension.  [AV-130]"""
        return self.avro_enable_watermark and self.enable_tidb_extension

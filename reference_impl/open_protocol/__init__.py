"""TiCDC Open Protocol: row changed, DDL and resolved events in length-prefixed frames of JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_impl.late import names_of

if TYPE_CHECKING:
    from reference_impl.open_protocol.decoder import Decoder, decode
    from reference_impl.open_protocol.encoder import Encoder, encode
    from reference_impl.open_protocol.options import Options
else:
    __getattr__ = names_of(__name__)

__all__ = ["Decoder", "Encoder", "Options", "decode", "encode"]

"""TiCDC Open Protocol: row changed, DDL and resolved events in length-prefixed frames of JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_impl.calls import decode_of, encode_of, names_of

if TYPE_CHECKING:
    from reference_impl.open_protocol.decoder import Decoder
    from reference_impl.open_protocol.encoder import Encoder
    from reference_impl.open_protocol.options import Options
else:
    __getattr__ = names_of(__name__)

decode, encode = decode_of(__name__), encode_of(__name__)

__all__ = ["Decoder", "Encoder", "Options", "decode", "encode"]

"""Alibaba Canal's flat message, release 1.1.7, which TiCDC's Canal-JSON imitates.

[CJ-420 … CJ-454, CJ-510 … CJ-516, CJ-640 … CJ-655, CJ-721, CJ-723, CJ-901 … CJ-912]
"""

from typing import TYPE_CHECKING

from reference_impl.calls import decode_of, encode_of, names_of

if TYPE_CHECKING:
    from reference_impl.upstream.canal.decoder import Decoder
    from reference_impl.upstream.canal.encoder import Encoder
    from reference_impl.upstream.canal.options import Options
else:
    __getattr__ = names_of(__name__)

decode, encode = decode_of(__name__), encode_of(__name__)

__all__ = ["Decoder", "Encoder", "Options", "decode", "encode"]

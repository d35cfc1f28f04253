"""TiCDC's Canal-JSON: one JSON object a Kafka record.  [CJ-010 … CJ-890]

Alibaba's own flat message, which it imitates, is in `upstream.canal`.
"""

from typing import TYPE_CHECKING

from reference_impl.calls import decode_of, encode_of, names_of

if TYPE_CHECKING:
    from reference_impl.canal_json.decoder import Decoder
    from reference_impl.canal_json.encoder import Encoder
    from reference_impl.canal_json.options import Options
else:
    __getattr__ = names_of(__name__)

decode, encode = decode_of(__name__), encode_of(__name__)

__all__ = ["Decoder", "Encoder", "Options", "decode", "encode"]

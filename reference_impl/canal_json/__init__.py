"""TiCDC's Canal-JSON: one JSON object a Kafka record.  [CJ-001 … CJ-886]

Alibaba's own flat message, which it imitates, is not here.
"""

from reference_impl.canal_json.decoder import Decoder, decode
from reference_impl.canal_json.encoder import Encoder, encode
from reference_impl.canal_json.options import Options

__all__ = ["Decoder", "Encoder", "Options", "decode", "encode"]

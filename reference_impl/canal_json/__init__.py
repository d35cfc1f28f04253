"""TiCDC's Canal-JSON: one JSON object a Kafka record.  [CJ-001 … CJ-886]

Alibaba's own flat message, which it imitates, is not here.
"""

from typing import TYPE_CHECKING

from reference_impl.late import names_of

if TYPE_CHECKING:
    from reference_impl.canal_json.decoder import Decoder, decode
    from reference_impl.canal_json.encoder import Encoder, encode
    from reference_impl.canal_json.options import Options
else:
    __getattr__ = names_of(__name__)

__all__ = ["Decoder", "Encoder", "Options", "decode", "encode"]

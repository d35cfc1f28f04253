"""TiCDC's Debezium JSON: one JSON document with payload and schema in each Kafka key and value.  [DBZ-010 … DBZ-455]

The connector that it imitates writes the same envelope with other values; see `upstream.debezium`.
"""

from typing import TYPE_CHECKING

from reference_impl.calls import decode_of, encode_of, names_of

if TYPE_CHECKING:
    from reference_impl.debezium_json.decoder import Decoder
    from reference_impl.debezium_json.encoder import Encoder
    from reference_impl.debezium_json.options import Options
else:
    __getattr__ = names_of(__name__)

decode, encode = decode_of(__name__), encode_of(__name__)

__all__ = ["Decoder", "Encoder", "Options", "decode", "encode"]

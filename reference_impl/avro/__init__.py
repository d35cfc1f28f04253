"""TiCDC's Avro (flat-avro): Confluent's wire format with a key and a value schema a table.  [AV-001 … AV-211]

The name `flat-avro` is an alias of `avro`.  [AV-005]
"""

from typing import TYPE_CHECKING

from reference_impl.calls import decode_of, encode_of, names_of

if TYPE_CHECKING:
    from reference_impl.avro.decoder import Decoder
    from reference_impl.avro.encoder import Encoder
    from reference_impl.avro.options import Options
else:
    __getattr__ = names_of(__name__)

decode, encode = decode_of(__name__), encode_of(__name__)

__all__ = ["Decoder", "Encoder", "Options", "decode", "encode"]

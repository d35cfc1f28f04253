"""The native Debezium connector for MySQL and MariaDB behind Kafka Connect's JSON converter.  [DBZ-201 … DBZ-253]

TiCDC's Debezium JSON imitates it. Versions and modes are rows and columns of tables: `versions`, `types`.
"""

from typing import TYPE_CHECKING

from reference_impl.calls import decode_of, encode_of, names_of

if TYPE_CHECKING:
    from reference_impl.upstream.debezium.decoder import Decoder
    from reference_impl.upstream.debezium.encoder import Encoder
    from reference_impl.upstream.debezium.options import Options
else:
    __getattr__ = names_of(__name__)

decode, encode = decode_of(__name__), encode_of(__name__)

__all__ = ["Decoder", "Encoder", "Options", "decode", "encode"]

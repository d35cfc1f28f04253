"""What the messages of each protocol show of their stream: the options of the changefeed, and tables.

If no table is given, one is made from the message itself. A dialect names the requirements that are then true by
construction, or cannot be known: they are not judged. A protocol is a module here and a row of `DIALECTS`.
"""

from __future__ import annotations

from collections.abc import Mapping

from conformance.captures.dialects.avro import AVRO
from conformance.captures.dialects.canal_json import CANAL_JSON
from conformance.captures.dialects.debezium import DEBEZIUM
from conformance.captures.dialects.model import Dialect, Tree, compression_of
from conformance.captures.dialects.open_protocol import OPEN_PROTOCOL

__all__ = ["DIALECTS", "Dialect", "Tree", "compression_of"]

DIALECTS: Mapping[str, Dialect] = {
    "canal-json": CANAL_JSON,
    "open-protocol": OPEN_PROTOCOL,
    "debezium": DEBEZIUM,
    "avro": AVRO,
}

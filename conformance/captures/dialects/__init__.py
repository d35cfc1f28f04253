"""What a message of each protocol shows of its stream without the truth: its options, and its table.

Where no tables are given, a table is made from the message itself. What is then true by construction, or cannot be
known, is not judged; the dialect names it. A protocol is a module here and a row of `DIALECTS`.
"""

from __future__ import annotations

from collections.abc import Mapping

from conformance.captures.dialects.avro import AVRO
from conformance.captures.dialects.canal_json import CANAL_JSON
from conformance.captures.dialects.debezium import DEBEZIUM
from conformance.captures.dialects.model import Contradiction, Dialect, Refusals, Tree, compression_of
from conformance.captures.dialects.open_protocol import OPEN_PROTOCOL

__all__ = ["DIALECTS", "Contradiction", "Dialect", "Refusals", "Tree", "compression_of"]

DIALECTS: Mapping[str, Dialect] = {
    "canal-json": CANAL_JSON,
    "open-protocol": OPEN_PROTOCOL,
    "debezium": DEBEZIUM,
    "avro": AVRO,
}

"""Consumers that were not run, and how they treat TiCDC's messages by their sources or manuals.

Nothing here was seen in running software, and no model uses it.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["UNRUN"]

UNRUN: Mapping[str, str] = {
    "RisingWave": (
        "Statements and watermarks are errors. `old` is ignored, an UPDATE is an upsert. A field that cannot be read "
        "is NULL with a warning, unless it is of the key. Since April 2026 its validator takes FORMAT CANAL no more."
    ),
    "Hudi": "Its MySQL payload orders by file and position, which TiCDC's Debezium leaves empty; tombstones fail.",
    "StarRocks": "Loads with `envelope=debezium` need `before`, `after` and `op`; there is no envelope of Canal.",
    "Doris": "A routine load has one JSON root, so that it reads either the row before or the row after.",
    "Materialize": "Its Debezium envelope is read from Avro alone, with `before`, `after` and a key.",
    "Canal client adapter": (
        "It fails on empty messages; YEAR and BIT are read otherwise than the server sent them. Maven Central has its "
        "common part (client-adapter.common 1.1.7) and not its rdb adapter, so that it could not be run."
    ),
    "Confluent's AvroConverter": (
        "It is not on Maven Central. Apicurio's, which was run, says of itself that it reads the same header."
    ),
}
"""Consumer → sentences on its behaviour."""

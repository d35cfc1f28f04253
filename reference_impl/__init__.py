"""Reference implementation of the four protocols as a library: events in, Kafka records out, and back.

`canal_json`, `open_protocol`, `debezium_json` and `avro` have the same five names each: `encode` and `decode` for one
call, `Encoder` and `Decoder` for a stream, and the `Options` of the protocol, under TiCDC's names. Input and output
are the classes of the model: `Table`, `RowChange`, `DdlEvent`, `Watermark`, `Record`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reference_impl import avro, canal_json, debezium_json, open_protocol
    from reference_impl.column_types import ColumnType, parse_column_type
    from reference_impl.errors import Rejected, Unsupported
    from reference_impl.model import Column, DdlEvent, Encoded, Key, Record, RowChange, Table, Watermark
    from reference_impl.profiles import CLASSIC, NEWARCH, Profile
    from reference_impl.settings import Settings
    from reference_impl.tso import compose, physical_ms
else:

    def __getattr__(name: str) -> Any:
        """Import a name from its module when it is first used, so that parsing a type loads no codec."""
        for home, names in _HOMES.items():
            if name in names:
                module = import_module(f"{__name__}.{home}")
                return module if name == home else getattr(module, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_HOMES = {
    "avro": {"avro"},
    "canal_json": {"canal_json"},
    "column_types": {"ColumnType", "parse_column_type"},
    "debezium_json": {"debezium_json"},
    "errors": {"Rejected", "Unsupported"},
    "model": {"Column", "DdlEvent", "Encoded", "Key", "Record", "RowChange", "Table", "Watermark"},
    "open_protocol": {"open_protocol"},
    "profiles": {"CLASSIC", "NEWARCH", "Profile"},
    "settings": {"Settings"},
    "tso": {"compose", "physical_ms"},
}

__all__ = [
    "CLASSIC",
    "NEWARCH",
    "Column",
    "ColumnType",
    "DdlEvent",
    "Encoded",
    "Key",
    "Profile",
    "Record",
    "Rejected",
    "RowChange",
    "Settings",
    "Table",
    "Unsupported",
    "Watermark",
    "avro",
    "canal_json",
    "compose",
    "debezium_json",
    "open_protocol",
    "parse_column_type",
    "physical_ms",
]

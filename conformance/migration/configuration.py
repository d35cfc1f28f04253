"""The configuration before the move and after it, to be pasted: what replaces what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from urllib.parse import urlencode

from conformance.migration.effects import Consumer
from conformance.migration.move import Move

__all__ = ["configuration"]

_IN_CONFIG = {
    "content-compatible": "sink.content-compatible",
    "only-output-updated-columns": "sink.only-output-updated-columns",
    "delete-only-output-handle-key-columns": "sink.delete-only-output-handle-key-columns",
    "large-message-handle-option": "sink.kafka-config.large-message-handle.large-message-handle-option",
    "large-message-handle-compression": "sink.kafka-config.large-message-handle.large-message-handle-compression",
    "claim-check-storage-uri": "sink.kafka-config.large-message-handle.claim-check-storage-uri",
    "claim-check-raw-value": "sink.kafka-config.large-message-handle.claim-check-raw-value",
    "output-raw-change-event": "sink.kafka-config.output-raw-change-event",
    "debezium-output-old-value": "sink.debezium.output-old-value",
    "open-output-old-value": "sink.open.output-old-value",
}
"""Options that stand in the configuration of a changefeed; all others stand in the sink URI."""

_CANAL = "canal.mq.flatMessage = true\ncanal.mq.topic = TOPIC"
_CONNECTOR = {
    "connector.class": "io.debezium.connector.mysql.MySqlConnector",
    "topic.prefix": "PREFIX",
}
_ONLY_HERE = ("version", "server", "jdk", "tsdb", "gtid", "binlog_row_image")
"""Options of upstream's dialects that describe the server, and stand in no configuration of its own."""

_FORMATS: Mapping[tuple[str, str], str] = {
    ("flink", "canal"): "canal-json",
    ("flink", "debezium"): "debezium-json",
    ("flink", "avro"): "avro-confluent",
    ("seatunnel", "canal"): "canal_json",
    ("seatunnel", "debezium"): "debezium_json",
    ("paimon", "canal"): "canal-json",
    ("paimon", "debezium"): "debezium-json",
}
_SCHEMA_OPTION = {
    "flink": "debezium-json.schema-include",
    "seatunnel": "debezium_record_include_schema",
    "connect": "value.converter.schemas.enable",
}


def configuration(move: Move, consumer: Consumer | None) -> Iterator[dict[str, str]]:
    """Each file or statement: what it is, its text before, and its text after."""
    yield {"what": "producer", "before": _producer(move), "after": _changefeed(move)}
    if config := _config(move):
        yield {"what": "configuration of the changefeed", "before": "", "after": config}
    if move.consumer:
        name = move.consumer.partition("@")[0]
        was = consumer.was_options if consumer else {}
        now = consumer.now_options if consumer else {}
        before, after = _reader(name, move.origin, was), _reader(name, move.target, now)
        yield {"what": f"the job of {move.consumer}", "before": before, "after": after}


def _producer(move: Move) -> str:
    options = {name: value for name, value in move.origin_options.items() if name not in _ONLY_HERE}
    if move.origin == "canal":
        return _CANAL
    schemas = options.pop("schemas.enable", None)
    lines = {**_CONNECTOR, **options, **({"value.converter.schemas.enable": schemas} if schemas else {})}
    return "\n".join(f"{name} = {value}" for name, value in lines.items())


def _changefeed(move: Move) -> str:
    query = {"protocol": move.target} | {n: v for n, v in move.target_options.items() if n not in _IN_CONFIG}
    topic = "TOPIC"
    registry = " --schema-registry='http://REGISTRY:8081'" if move.target == "avro" else ""
    config = " --config changefeed.toml" if _config(move) else ""
    return f"cdc cli changefeed create{config}{registry} --sink-uri='kafka://BROKER:9092/{topic}?{urlencode(query)}'"


def _config(move: Move) -> str:
    """TOML of the options that stand there, and the dispatcher without which rows of a key may change places."""
    options = {_IN_CONFIG[n]: v for n, v in move.target_options.items() if n in _IN_CONFIG}
    sections: dict[str, list[str]] = {}
    for path, value in sorted(options.items()):
        section, _, name = path.rpartition(".")
        sections.setdefault(section, []).append(f"{name} = {_toml(value)}")
    topic = ', topic = "{schema}_{table}"' if move.target == "avro" or move.origin == "debezium-connector" else ""
    dispatcher = f'dispatchers = [{{ matcher = ["*.*"], partition = "index-value"{topic} }}]'
    sections.setdefault("sink", []).append(dispatcher)
    return "\n\n".join(f"[{section}]\n" + "\n".join(lines) for section, lines in sorted(sections.items()))


def _toml(value: str) -> str:
    return value if value in ("true", "false") or value.isdigit() else f'"{value}"'


def _reader(name: str, dialect: str, options: Mapping[str, str]) -> str:
    family = dialect.partition("-")[0]
    form = _FORMATS.get((name, family), "")
    rest = dict(options)
    includes = rest.pop("schema-include", "")
    lines = []
    if name == "connect":
        lines.append("value.converter = org.apache.kafka.connect.json.JsonConverter")
    elif form:
        lines.append(f"'format' = '{form}'" if name == "flink" else f"format = {form}")
    if family == "debezium" and includes and name in _SCHEMA_OPTION:
        option = _SCHEMA_OPTION[name]
        lines.append(f"'{option}' = '{includes}'" if name == "flink" else f"{option} = {includes}")
    prefix = f"{form}." if name == "flink" else ""
    for option, value in sorted(rest.items()):
        if option not in ("mode", "filters", "tinyint1-as-int"):
            lines.append(f"'{prefix}{option}' = '{value}'" if name == "flink" else f"{option} = {value}")
    return "\n".join(lines) or "no format of the consumer is known for it"

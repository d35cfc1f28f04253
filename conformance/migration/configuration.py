"""Configuration to copy: each file or command of producer and consumer, before the move and after it.

Words in capitals, as BROKER, stand for values that the reader fills in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from urllib.parse import urlencode

from conformance.catalogue.producers import PRODUCERS
from conformance.migration.effects import Consumer
from conformance.migration.move import Move
from differential.sides import DIALECT_TRAITS
from reference_impl.protocols import AVRO, CANAL, CONNECTOR

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
"""Option → its path in the changefeed's TOML file. All other options belong in the sink URI."""

_CANAL: Mapping[str, str] = {"canal.serverMode": "kafka", "canal.mq.flatMessage": "true", "canal.mq.topic": "TOPIC"}
_CANAL_PROPERTIES: Mapping[str, str] = {"tsdb": "canal.instance.tsdb.enable", "gtid": "canal.instance.gtidon"}
"""Option of the dialect → the property of Canal that sets it."""
_CONNECTOR = {
    "connector.class": "io.debezium.connector.mysql.MySqlConnector",
    "topic.prefix": "PREFIX",
}
_WITHOUT_LINE = ("version", "server", "jdk", "binlog_row_image")
"""Options that describe the producer's version and server; its configuration file has no line for them."""

_FORMATS: Mapping[tuple[str, str], str] = {
    ("flink", CANAL.name): "canal-json",
    ("flink", CONNECTOR.name): "debezium-json",
    ("flink", AVRO.name): "avro-confluent",
    ("seatunnel", CANAL.name): "canal_json",
    ("seatunnel", CONNECTOR.name): "debezium_json",
    ("paimon", CANAL.name): "canal-json",
    ("paimon", CONNECTOR.name): "debezium-json",
}
_OF_JSON = ("ignore-parse-errors", "timestamp-format.standard")
"""Options of Flink's JSON formats, which `avro-confluent` does not have."""
_SCHEMA_OPTION = {"flink": "debezium-json.schema-include", "seatunnel": "debezium_record_include_schema"}
_REGISTRY = "http://REGISTRY:8081"
_UPSERTS = (
    "'connector' = 'upsert-kafka'",
    "'key.format' = 'avro-confluent'",
    f"'key.avro-confluent.url' = '{_REGISTRY}'",
    "'value.format' = 'avro-confluent'",
    f"'value.avro-confluent.url' = '{_REGISTRY}'",
)
_APPENDS = (
    "'connector' = 'kafka'",
    "'format' = 'avro-confluent'",
    f"'avro-confluent.url' = '{_REGISTRY}'",
)
_AVRO_TABLES: Mapping[str, Sequence[str]] = {"upsert-kafka": _UPSERTS, "kafka": _APPENDS}
"""Lines of a Flink table by connector. `upsert-kafka` reads a record without a value as a delete, as TiCDC sends it."""
_SPARK: Mapping[str, str] = {
    **dict.fromkeys((CANAL.name, CONNECTOR.name), "from_json(CAST(value AS STRING), '{of}', map('mode', '{mode}'))"),
    AVRO.name: "from_avro(substring(value, 6), '{of}', map('mode', '{mode}'))",
}
"""Family of the messages → the call in a job of Spark. An Avro record begins with five bytes, which the job drops."""
_SCHEMAS: Mapping[str, str] = {
    CANAL.name: "type STRING, data ARRAY<MAP<STRING, STRING>>",
    CONNECTOR.name: "ENVELOPE",
    AVRO.name: "SCHEMA",
}
"""Family of the messages → the schema in that call."""
_CONVERTERS = {"Json": "org.apache.kafka.connect.json.JsonConverter", "Avro": "io.confluent.connect.avro.AvroConverter"}


def configuration(move: Move, consumer: Consumer | None) -> Iterator[dict[str, str]]:
    """Yield an entry for each file or command: its name, its text before the move, and its text after it."""
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
    options = {name: value for name, value in move.origin_options.items() if name not in _WITHOUT_LINE}
    lines = _LINES[move.origin](options)
    return "\n".join(f"{name} = {value}" for name, value in lines.items())


def _of_canal(options: Mapping[str, str]) -> dict[str, str]:
    return {**_CANAL, **{_CANAL_PROPERTIES[name]: value for name, value in options.items()}}


def _of_connector(options: Mapping[str, str]) -> dict[str, str]:
    own = {name: value for name, value in options.items() if name != "schemas.enable"}
    return {**_CONNECTOR, **own, **_converter("Json", "value", options.get("schemas.enable", "true"))}


_LINES: Mapping[str, Callable[[Mapping[str, str]], dict[str, str]]] = {
    CANAL.name: _of_canal,
    CONNECTOR.name: _of_connector,
}
"""The lines that configure the producer of each dialect."""


def _converter(kind: str, of: str, schemas: str) -> dict[str, str]:
    """The lines of a Kafka Connect converter for keys or values; an empty `schemas` means a schema registry."""
    about = {"schemas.enable": schemas} if schemas else {"schema.registry.url": _REGISTRY}
    return {f"{of}.converter": _CONVERTERS[kind], **{f"{of}.converter.{name}": value for name, value in about.items()}}


def _converters(family: str, includes: str) -> dict[str, str]:
    """The converters of a Kafka Connect sink for a format; Canal's messages need none for keys."""
    if family == CANAL.name:
        return _converter("Json", "value", "false")
    if family not in (AVRO.name, CONNECTOR.name):
        return {}
    kind, schemas = ("Avro", "") if family == AVRO.name else ("Json", includes or "true")
    return {**_converter(kind, "key", schemas), **_converter(kind, "value", schemas)}


def _changefeed(move: Move) -> str:
    query = {"protocol": move.target} | {n: v for n, v in move.target_options.items() if n not in _IN_CONFIG}
    registry = f" --schema-registry='{_REGISTRY}'" if move.target == AVRO.name else ""
    config = " --config changefeed.toml" if _config(move) else ""
    sink = f"kafka://BROKER:9092/{'TOPIC' if _is_one_family(move) else 'NEW_TOPIC'}?{urlencode(query)}"
    return f"cdc cli changefeed create --server='http://TICDC:8300'{config}{registry} --sink-uri='{sink}'"


def _is_one_family(move: Move) -> bool:
    """Whether one topic may hold the messages of both producers."""
    return DIALECT_TRAITS[move.origin].family == DIALECT_TRAITS[move.target].family


def _config(move: Move) -> str:
    """The changefeed's TOML: options that the sink URI cannot take, and a dispatcher that keeps each key in order.

    Where the format stays, the dispatcher keeps the topic names of the connector. Avro needs one topic per table.
    """
    options = {_IN_CONFIG[n]: v for n, v in move.target_options.items() if n in _IN_CONFIG}
    sections: dict[str, list[str]] = {}
    for path, value in sorted(options.items()):
        section, _, name = path.rpartition(".")
        sections.setdefault(section, []).append(f"{name} = {_toml(value)}")
    by_table = move.target == AVRO.name or not PRODUCERS[move.origin].one_topic
    topic = ("PREFIX.{schema}.{table}" if _is_one_family(move) else "{schema}_{table}") if by_table else ""
    named = f', topic = "{topic}"' if topic else ""
    dispatcher = f'dispatchers = [{{ matcher = ["*.*"], partition = "index-value"{named} }}]'
    sections.setdefault("sink", []).append(dispatcher)
    return "\n\n".join(f"[{section}]\n" + "\n".join(lines) for section, lines in sorted(sections.items()))


def _toml(value: str) -> str:
    return value if value in ("true", "false") or value.isdigit() else f'"{value}"'


def _reader(name: str, dialect: str, options: Mapping[str, str]) -> str:
    family = DIALECT_TRAITS[dialect].family
    form = _FORMATS.get((name, family), "")
    rest = dict(options)
    includes = rest.pop("schema-include", "")
    lines = []
    if name == "spark" and family in _SPARK:
        of = "payload STRUCT<ENVELOPE>" if includes == "true" and family == CONNECTOR.name else _SCHEMAS[family]
        lines.append(_SPARK[family].format(of=of, mode=rest.pop("parse-mode", "PERMISSIVE")))
    elif name == "connect":
        lines += [f"{key} = {value}" for key, value in _converters(family, includes).items()]
    elif name == "flink" and family == AVRO.name:
        lines += _AVRO_TABLES[rest.pop("connector", "kafka")]
    elif form:
        lines.append(f"'format' = '{form}'" if name == "flink" else f"format = {form}")
    if family == CONNECTOR.name and includes and name in _SCHEMA_OPTION:
        option = _SCHEMA_OPTION[name]
        lines.append(f"'{option}' = '{includes}'" if name == "flink" else f"{option} = {includes}")
    if name == "flink" and family == AVRO.name:
        rest = {option: value for option, value in rest.items() if option not in _OF_JSON}
    prefix = f"{form}." if name == "flink" else ""
    for option, value in sorted(rest.items() if lines else ()):
        if option not in ("mode", "filters", "tinyint1-as-int", "connector"):
            lines.append(f"'{prefix}{option}' = '{value}'" if name == "flink" else f"{option} = {value}")
    return "\n".join(lines) or "the suite knows no format of this consumer for these messages"

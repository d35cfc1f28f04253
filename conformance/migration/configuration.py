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

_JSON_OF_FLINK: Mapping[str, str] = {CANAL.name: "canal-json", CONNECTOR.name: "debezium-json"}
_JSON_OF_SEATUNNEL: Mapping[str, str] = {CANAL.name: "canal_json", CONNECTOR.name: "debezium_json"}
"""Family of the messages → the format of a table that reads them; Paimon calls them as Flink does."""
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
        was = consumer.was.options if consumer else {}
        now = consumer.now.options if consumer else {}
        before, after = _reader(name, move.origin, was), _reader(name, move.target, now)
        yield {"what": f"the job of {move.consumer}", "before": before, "after": after}


def _producer(move: Move) -> str:
    options = {name: value for name, value in move.origin_options.items() if name not in _WITHOUT_LINE}
    return "\n".join(_properties(_LINES[move.origin](options)))


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
    sink = f"kafka://BROKER:9092/{'TOPIC' if move.keeps_family else 'NEW_TOPIC'}?{urlencode(query)}"
    return f"cdc cli changefeed create --server='http://TICDC:8300'{config}{registry} --sink-uri='{sink}'"


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
    topic = ("PREFIX.{schema}.{table}" if move.keeps_family else "{schema}_{table}") if by_table else ""
    named = f', topic = "{topic}"' if topic else ""
    dispatcher = f'dispatchers = [{{ matcher = ["*.*"], partition = "index-value"{named} }}]'
    sections.setdefault("sink", []).append(dispatcher)
    return "\n\n".join(f"[{section}]\n" + "\n".join(lines) for section, lines in sorted(sections.items()))


def _toml(value: str) -> str:
    return value if value in ("true", "false") or value.isdigit() else f'"{value}"'


def _reader(name: str, dialect: str, options: Mapping[str, str]) -> str:
    """The configuration of the consumer's job for the messages of a dialect."""
    family = DIALECT_TRAITS[dialect].family
    return "\n".join(_JOBS[name](family, options)) or "the suite knows no format of this consumer for these messages"


def _flink(family: str, options: Mapping[str, str]) -> Sequence[str]:
    if family == AVRO.name:
        return _AVRO_TABLES[options.get("connector", "kafka")]
    form = _JSON_OF_FLINK.get(family)
    if form is None:
        return ()
    of_form = ("ignore-parse-errors", "timestamp-format.standard")
    names = ("schema-include", *of_form) if family == CONNECTOR.name else of_form
    given = {"format": form, **{f"{form}.{name}": options[name] for name in names if name in options}}
    return [f"'{name}' = '{value}'" for name, value in given.items()]


def _seatunnel(family: str, options: Mapping[str, str]) -> Sequence[str]:
    form = _JSON_OF_SEATUNNEL.get(family)
    if form is None:
        return ()
    given = {"format": form}
    if family == CONNECTOR.name and "schema-include" in options:
        given["debezium_record_include_schema"] = options["schema-include"]
    if "ignore-parse-errors" in options:
        given["ignore-parse-errors"] = options["ignore-parse-errors"]
    return _properties(given)


def _paimon(family: str, options: Mapping[str, str]) -> Sequence[str]:
    return _properties({"format": _JSON_OF_FLINK[family]} if family in _JSON_OF_FLINK else {})


def _connect(family: str, options: Mapping[str, str]) -> Sequence[str]:
    return _properties(_converters(family, options.get("schema-include", "")))


def _spark(family: str, options: Mapping[str, str]) -> Sequence[str]:
    if family not in _SPARK:
        return ()
    is_below = family == CONNECTOR.name and options.get("schema-include") == "true"
    schema = "payload STRUCT<ENVELOPE>" if is_below else _SCHEMAS[family]
    return [_SPARK[family].format(of=schema, mode=options.get("parse-mode", "PERMISSIVE"))]


_JOBS: Mapping[str, Callable[[str, Mapping[str, str]], Sequence[str]]] = {
    "flink": _flink,
    "seatunnel": _seatunnel,
    "paimon": _paimon,
    "connect": _connect,
    "spark": _spark,
}
"""Consumer → the lines that configure its job for a family of messages; none where the suite knows no format."""


def _properties(given: Mapping[str, str]) -> list[str]:
    return [f"{name} = {value}" for name, value in given.items()]

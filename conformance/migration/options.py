"""Options of the target or of the consumer's job that may remove an effect.

Each is tried on the model before a report recommends it. What it breaks stands here or with the divergences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from conformance.catalogue.divergences import load_divergences
from conformance.migration.move import Move
from differential.sides import DIALECT_TRAITS
from reference_impl.protocols import AVRO, CANAL, CANAL_JSON, CONNECTOR, DEBEZIUM

__all__ = ["Candidate", "candidates"]


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Options to try for the target and for the consumer; `what` says how they are set."""

    what: str
    breaks: str
    target: Mapping[str, str] = field(default_factory=dict)
    consumer: Mapping[str, str] = field(default_factory=dict)


_LENIENT = "rows that the job cannot read are lost without an error, and values that it cannot read become NULL"

_OF_CONSUMERS: Mapping[str, Sequence[tuple[str, str, Mapping[str, str], str]]] = {
    "flink": (
        ("canal-json.database.include and canal-json.table.include", CANAL.name, {"filters": "true"},
         "messages with an empty name of a table are hidden as well, statements among them"),
        ("schema-include=true in the format of the table", CONNECTOR.name, {"schema-include": "true"},
         "messages without `payload` fail the job"),
        ("schema-include=false in the format of the table", CONNECTOR.name, {"schema-include": "false"},
         "messages below `payload` fail the job"),
        ("the connector upsert-kafka, with a primary key NOT ENFORCED", AVRO.name, {"connector": "upsert-kafka"},
         "the table has the last row of each key, and the key's columns come from the record's key"),
        ("TINYINT(1) declared TINYINT, not BOOLEAN", "", {"tinyint1-as-int": "true"},
         "the column is a number: queries that take it for a truth value change"),
        ("ignore-parse-errors=true in the format of the table", "", {"ignore-parse-errors": "true"}, _LENIENT),
    ),
    "seatunnel": (
        ("database and table filters of canal_json", CANAL.name, {"filters": "true"},
         "messages with an empty name of a table are hidden as well, statements among them"),
        ("debezium_record_include_schema=true", CONNECTOR.name, {"schema-include": "true"},
         "messages without `payload` fail the job"),
        ("debezium_record_include_schema=false", CONNECTOR.name, {"schema-include": "false"},
         "messages below `payload` fail the job"),
        ("ignore parse errors", "", {"ignore-parse-errors": "true"}, _LENIENT),
    ),
    "connect": (
        ("value.converter.schemas.enable=true", CONNECTOR.name, {"schema-include": "true"},
         "messages without `schema` and `payload` are refused"),
        ("value.converter.schemas.enable=false", CONNECTOR.name, {"schema-include": "false"},
         "the transform and the JDBC sink have no schema to go by"),
    ),
    "spark": (
        ("`payload` in the schema of from_json", CONNECTOR.name, {"schema-include": "true"},
         "messages without `payload` have no rows, and no error"),
        ("the envelope itself as the schema of from_json", CONNECTOR.name, {"schema-include": "false"},
         "messages below `payload` have no rows, and no error"),
    ),
}  # fmt: skip
"""By consumer: how an option is set, the family of targets it is for, its name and value, and what it breaks."""

_OF_TARGETS: Mapping[str, Sequence[tuple[str, str, str]]] = {
    AVRO.name: (
        ("avro-decimal-handling-mode", "string", "DECIMAL is a string: readers of Connect's logical type see a text"),
        ("avro-bigint-unsigned-handling-mode", "string", "BIGINT UNSIGNED is a string"),
    ),
    CANAL_JSON.name: (
        ("content-compatible", "true",
         "readers that match `mysqlType` by the base word; `old` keeps changed columns alone (DV-01)"),
        ("enable-tidb-extension", "false", "no commit time stamps and no watermarks"),
        ("only-output-updated-columns", "true", "readers that take whole rows from `old`"),
        ("output-raw-change-event", "true", "a change of a key is one update: partitions by that key lose its order"),
    ),
    DEBEZIUM.name: (
        ("debezium-disable-schema", "false", "messages are several times as large"),
        ("debezium-disable-schema", "true", "readers that take types from `schema`: Connect, Paimon"),
        ("enable-tidb-extension", "false", "no watermarks, and `source` has members that no schema declares"),
        ("debezium-output-old-value", "true", "messages are larger"),
        ("output-raw-change-event", "true", "a change of a key is one update: partitions by that key lose its order"),
    ),
}  # fmt: skip


def candidates(move: Move) -> Iterator[Candidate]:
    """The options to try on top of the move's own, the target's first."""
    settled = move.side(move.target, ()).every_option()
    seen: set[tuple[str, str]] = set()
    for name, value, breaks in (*_from_divergences(move), *_OF_TARGETS.get(move.target, ())):
        if settled.get(name, value) != value and (name, value) not in seen:
            seen.add((name, value))
            yield Candidate(f"{name}={value} of {move.target}", breaks, target={name: value})
    name = move.consumer.partition("@")[0]
    family = DIALECT_TRAITS[move.target].family
    for what, of, options, breaks in _OF_CONSUMERS.get(name, ()):
        if of in ("", family):
            yield Candidate(what, breaks, consumer=options)


def _from_divergences(move: Move) -> Iterator[tuple[str, str, str]]:
    pair = load_divergences().get((move.origin, move.target))
    for one in pair.divergences if pair else ():
        for remedy in one.remedies:
            options = remedy.options.get(move.target, {})
            if len(options) == 1 and len(remedy.options) == 1:
                [(name, value)] = options.items()
                yield name, value, remedy.breaks

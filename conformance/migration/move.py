"""A move: its origin and target dialect, the options, and the consumer of the messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from conformance.consumers import MODELS
from conformance.consumers.model import Model
from differential.sides import DIALECT_TRAITS, Side
from reference_impl.model import Table
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.protocols import AVRO, CANAL, CANAL_JSON, CONNECTOR, DEBEZIUM, OPEN_PROTOCOL
from reference_impl.registry import MemoryRegistry
from reference_impl.settings import Settings

__all__ = ["FORMATS", "ORIGINS", "RECORDED", "TARGETS", "Move"]

ORIGINS = (CANAL.name, CONNECTOR.name)
TARGETS = (CANAL_JSON.name, DEBEZIUM.name, AVRO.name, OPEN_PROTOCOL.name)

FORMATS: Mapping[str, str] = {
    "flink-canal-json": "flink",
    "flink-debezium-json": "flink",
    "flink-avro-confluent": "flink",
    "flink-debezium-avro-confluent": "flink",
    "seatunnel-canal-json": "seatunnel",
    "seatunnel-debezium-json": "seatunnel",
    "paimon-canal-json": "paimon",
    "paimon-debezium-json": "paimon",
    "connect-json": "connect",
    "spark-from-json": "spark",
    "spark-from-avro": "spark",
}
"""Name of a consumer with its format → the consumer. The dialect that it reads decides the format."""

RECORDED: Mapping[str, Sequence[str]] = {
    "flink": ("1.17.2", "1.20.4", "2.3.0"),
    "seatunnel": ("2.3.8",),
    "paimon": ("1.3.1",),
    "connect": ("3.9.1",),
    "spark": ("3.5.7", "4.1.1"),
}
"""Consumers, and the versions whose answers were recorded, the newest last."""
_RECORDED_OF_AVRO: Mapping[str, Sequence[str]] = {"flink": ("1.20.4", "2.3.0"), "spark": ("4.1.1",)}
"""The same for Avro messages, where fewer versions were recorded."""

_AVRO = {"flink": "flink-avro"}
"""Consumers that have a model of their own for Avro."""
_NOW_MS = 1_700_000_000_123


@dataclass(frozen=True, slots=True)
class Move:
    """A change of dialect, with the options of both dialects and of the consumer's format, as texts.

    `consumer` is `NAME@VERSION` of a model; empty means a reader who follows the documents alone.
    """

    origin: str
    target: str
    origin_options: Mapping[str, str] = field(default_factory=dict)
    target_options: Mapping[str, str] = field(default_factory=dict)
    consumer: str = ""
    consumer_options: Mapping[str, str] = field(default_factory=dict)
    profile: Profile = NEWARCH
    timezone: str = "UTC"

    def side(self, dialect: str, tables: Sequence[Table]) -> Side:
        """The left side (the origin) or the right side (the target); both begin with an empty registry."""
        on_left = dialect == self.origin
        options = self.origin_options if on_left else self.target_options
        settings = Settings(timezone=self.timezone, now_ms=_NOW_MS, registry=MemoryRegistry())
        return Side("left" if on_left else "right", dialect, dict(options), self.profile, settings, tuple(tables))

    def sides(self, tables: Sequence[Table]) -> tuple[Side, Side]:
        """Both sides."""
        return self.side(self.origin, tables), self.side(self.target, tables)

    def model(self, dialect: str) -> Model | None:
        """The model of the consumer for a dialect; None if it has none."""
        name, _, version = self.consumer.partition("@")
        for model_name in (name, _AVRO.get(name, name)):
            if model_name in MODELS and dialect in (model := MODELS[model_name](version)).protocols:
                return model
        return None

    @property
    def recorded(self) -> Sequence[str]:
        """The versions of the consumer whose answers to messages of the target were recorded."""
        name = self.consumer.partition("@")[0]
        every = RECORDED.get(name, ())
        return _RECORDED_OF_AVRO.get(name, every) if self.target == AVRO.name else every

    @property
    def keeps_family(self) -> bool:
        """Whether both dialects are of one family, so that one topic may hold the messages of both producers."""
        return DIALECT_TRAITS[self.origin].family == DIALECT_TRAITS[self.target].family

    @property
    def families(self) -> frozenset[str]:
        """The families of the two dialects: canal, debezium, avro, open."""
        return frozenset(dialect.partition("-")[0] for dialect in (self.origin, self.target))

"""Models of real consumers: rules that predict the result of a message, each with its evidence.

`MODELS` makes the model of a consumer in a version. `consumers check` and the tests compare its predictions with
recorded answers of the real software.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pkgutil import walk_packages

from conformance.consumers.connect import ConnectModel
from conformance.consumers.connect_avro import ConnectAvroModel
from conformance.consumers.flink import FlinkModel
from conformance.consumers.flink.avro import FlinkAvroModel
from conformance.consumers.model import Basis, Message, Model, Prediction, Rule
from conformance.consumers.paimon import PaimonModel
from conformance.consumers.seatunnel import SeaTunnelModel
from conformance.consumers.spark import SparkModel

__all__ = ["MODELS", "OPTIONS", "model_for", "rules"]

_FAILED = Rule("suite.model", "The model itself fails on the message.", Basis.READ)


@dataclass(frozen=True, slots=True)
class _Guarded:
    """A model that abstains if it raises an error: a fault of the suite is not a prediction, and must not end a run."""

    model: Model

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def version(self) -> str:
        return self.model.version

    @property
    def protocols(self) -> Sequence[str]:
        return self.model.protocols

    def predict(self, message: Message) -> Prediction:
        try:
            return self.model.predict(message)
        except Exception:  # noqa: BLE001 - any error here is one of the suite
            return Prediction("abstained", rules=[_FAILED])


def _guarded(model: Callable[[str], Model]) -> Callable[[str], Model]:
    return lambda version: _Guarded(model(version))


MODELS: Mapping[str, Callable[[str], Model]] = {
    "flink": _guarded(FlinkModel),
    "flink-avro": _guarded(FlinkAvroModel),
    "seatunnel": _guarded(SeaTunnelModel),
    "paimon": _guarded(PaimonModel),
    "connect": _guarded(ConnectModel),
    "connect-avro": _guarded(ConnectAvroModel),
    "spark": _guarded(SparkModel),
}
"""Name of a consumer → the function from a version to its model."""

_FLAG = ("true", "false")
OPTIONS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "flink": {
        "ignore-parse-errors": _FLAG,
        "schema-include": _FLAG,
        "filters": _FLAG,
        "tinyint1-as-int": _FLAG,
        "timestamp-format.standard": ("SQL", "ISO-8601"),
        "connector": ("kafka", "upsert-kafka"),
    },
    "seatunnel": {"ignore-parse-errors": _FLAG, "schema-include": _FLAG, "filters": _FLAG},
    "paimon": {},
    "connect": {"mode": ("unwrap", "converter", "jdbc"), "schema-include": _FLAG},
    "spark": {"parse-mode": ("PERMISSIVE", "FAILFAST"), "schema-include": _FLAG},
}
"""Consumer → the options that its models know, with their values."""


def rules() -> list[Rule]:
    """The rules of all models, by id: those that stand in a module of this package."""
    modules = (import_module(found.name) for found in walk_packages(__path__, f"{__name__}."))
    by_id = {rule.id: rule for module in modules for rule in vars(module).values() if isinstance(rule, Rule)}
    return [by_id[name] for name in sorted(by_id)]


_AVRO = frozenset({"avro", "debezium-avro"})


def model_for(consumer: str, protocol: str) -> Model | None:
    """The model of a consumer by its name in recorded answers: `flink-1.20.4`, `connect-json-3.9.1+debezium-3.0.7`.

    None if no model has that name for the protocol.
    """
    name, version = consumer.partition("-")[0], consumer.partition("+")[0].rpartition("-")[2]
    names = (f"{name}-avro", name) if protocol in _AVRO else (name,)
    known = next((model_name for model_name in names if model_name in MODELS), None)
    if known is None:
        return None
    model = MODELS[known](version)
    return model if protocol in model.protocols else None

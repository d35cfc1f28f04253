"""Models of real consumers: what becomes of a message in them, by rules, each with what it rests on.

`MODELS` has the models by name. What a model predicts is held against recorded answers of the real software by
`consumers check` and by the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module

from conformance.consumers.connect import ConnectModel
from conformance.consumers.flink import FlinkModel
from conformance.consumers.flink.avro import FlinkAvroModel
from conformance.consumers.model import Model, Rule
from conformance.consumers.paimon import PaimonModel
from conformance.consumers.seatunnel import SeaTunnelModel

__all__ = ["MODELS", "model_for", "rules"]

MODELS: Mapping[str, Callable[[str], Model]] = {
    "flink": FlinkModel,
    "flink-avro": FlinkAvroModel,
    "seatunnel": SeaTunnelModel,
    "paimon": PaimonModel,
    "connect": ConnectModel,
}
"""Name of a consumer → its model in a version."""

_MODULES = ("connect", "flink", "flink.avro", "flink.values", "paimon", "seatunnel")


def rules() -> list[Rule]:
    """The rules of all models, by id."""
    modules = (import_module(f"{__name__}.{name}") for name in _MODULES)
    found = {one.id: one for module in modules for one in vars(module).values() if isinstance(one, Rule)}
    return [found[name] for name in sorted(found)]


_AVRO = frozenset({"avro", "debezium-avro"})


def model_for(consumer: str, protocol: str) -> Model | None:
    """The model of a consumer as recorded answers name it: `flink-1.20.4`, `connect-json-3.9.1+debezium-3.0.7`.

    None where there is no model of that name for the protocol.
    """
    name, _, version = consumer.partition("-")
    make = MODELS.get("flink-avro" if name == "flink" and protocol in _AVRO else name)
    found = make(version.partition("+")[0]) if make is not None else None
    return found if found is not None and protocol in found.protocols else None

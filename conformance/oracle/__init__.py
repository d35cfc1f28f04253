"""The oracle judges answers. For each protocol it has a package, and a line in the table below.

The packages are loaded at first use: they import the judge, and the judge imports this package.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from conformance.oracle.rules import ProtocolOracle

__all__ = ["CARRIED", "ORACLES"]

T = TypeVar("T")

_MODULES: Mapping[str, str] = {
    "canal-json": "conformance.oracle.canal_json",
    "open-protocol": "conformance.oracle.open_protocol",
    "avro": "conformance.oracle.avro",
    "debezium": "conformance.oracle.debezium",
}


class _ByProtocol(Mapping[str, T]):
    """Protocol → the value of the attribute `name` of its module."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getitem__(self, protocol: str) -> T:
        value: T = getattr(import_module(_MODULES[protocol]), self._name)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


ORACLES: Mapping[str, ProtocolOracle] = _ByProtocol("ORACLE")
"""What the oracle knows about each protocol."""

CARRIED: Mapping[str, Sequence[tuple[str, str]]] = _ByProtocol("CARRIED")
"""By protocol, (part of an event, when and how the format carries it from encoder to decoder), for people to read."""

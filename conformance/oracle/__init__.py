"""The oracle judges answers. For each protocol it has a package, and a line in the table below.

The packages are loaded at first use: they import the judge, and the judge imports this package.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.oracle.rules import ProtocolOracle

__all__ = ["ORACLES"]

_MODULES: Mapping[str, str] = {
    "canal-json": "conformance.oracle.canal_json",
    "open-protocol": "conformance.oracle.open_protocol",
    "avro": "conformance.oracle.avro",
    "debezium": "conformance.oracle.debezium",
}


class _Oracles(Mapping[str, "ProtocolOracle"]):
    """Protocol → the `ORACLE` of its module."""

    def __getitem__(self, protocol: str) -> ProtocolOracle:
        oracle: ProtocolOracle = import_module(_MODULES[protocol]).ORACLE
        return oracle

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


ORACLES: Mapping[str, ProtocolOracle] = _Oracles()
"""What the oracle knows about each protocol."""

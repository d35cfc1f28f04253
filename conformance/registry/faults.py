"""The faults of a registry in a case, by name: `Case.registry_fault`.

A fault affects registrations and lookups by id, never the answer to `GET /`: an implementation is configured once for
many cases, and must not be refused for the fault of the first one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from conformance.errors import SuiteError
from conformance.registry.compatibility import Level

__all__ = ["FAULTS", "NO_FAULT", "Fault", "Operation", "fault_named"]


class Operation(StrEnum):
    """The requests of a codec."""

    REGISTER = "register"
    LOOK_UP = "look up"


_BOTH = frozenset(Operation)
_REGISTER = frozenset({Operation.REGISTER})


@dataclass(frozen=True, slots=True)
class Fault:
    """The behaviour in place of an answer, for the operations `on`.

    `status`, `code` and `message` are an error in the answer; `id` replaces the id of the schema; `closes` ends the
    connection without an answer; `delays` answers late. `level` is the compatibility demanded of schemas.
    """

    about: str
    on: frozenset[Operation] = frozenset()
    status: int = 0
    code: int = 0
    message: str = ""
    id: int | None = None
    closes: bool = False
    delays: bool = False
    level: Level = Level.NONE


NO_FAULT = Fault("answers as it should, and accepts every schema that is one")

FAULTS: Mapping[str, Fault] = {
    "": NO_FAULT,
    "backward": Fault("demands what a registry demands that nobody has configured", level=Level.BACKWARD),
    "incompatible": Fault(
        "takes no schema for compatible",
        _REGISTER,
        status=409,
        code=409,
        message="Schema being registered is incompatible with an earlier schema",
    ),
    "error": Fault("fails within", _BOTH, status=500, code=50001, message="Error in the backend data store"),
    "slow": Fault("answers late", _BOTH, delays=True),
    "unreachable": Fault("closes connections without an answer", _BOTH, closes=True),
    "illegal id": Fault("answers an id that no schema can have", _REGISTER, id=0),
}
"""The faults by name.

`backward` is no fault, but the default of most registries: it has a name so that a case can ask for it.  [AV-172 …
AV-174]
"""


def fault_named(name: str) -> Fault:
    """The fault of a name. Raises `SuiteError` for an unknown name."""
    try:
        return FAULTS[name]
    except KeyError:
        raise SuiteError(f"there is no registry fault {name!r}: {', '.join(filter(None, FAULTS))}") from None

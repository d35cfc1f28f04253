"""How a registry misbehaves for a case, by name: `Case.registry_fault`.

A fault speaks when a schema is registered or looked up by its id, never of the answer to `GET /`: an implementation is
configured once for many cases, and must not be refused for the fault of the one that came first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from conformance.errors import SuiteError
from conformance.registry.compatibility import Level

__all__ = ["FAULTS", "NO_FAULT", "Fault", "Operation", "fault_named"]


class Operation(StrEnum):
    """What a codec asks of a registry."""

    REGISTER = "register"
    LOOK_UP = "look up"


_BOTH = frozenset(Operation)
_REGISTER = frozenset({Operation.REGISTER})


@dataclass(frozen=True, slots=True)
class Fault:
    """What is done instead of answering, for the operations `on`.

    `status`, `code` and `message` are an error that is answered; `id` is answered in place of the schema's; `closes`
    ends the connection without an answer; `delays` answers late. `level` is the compatibility demanded of schemas.
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
"""The faults by name. `backward` is none in truth, but how most registries are: it is named to be asked for.  [AV-172 …
AV-174, AV-191]"""


def fault_named(name: str) -> Fault:
    """The fault of a name. Raises `SuiteError` for one that does not exist."""
    try:
        return FAULTS[name]
    except KeyError:
        raise SuiteError(f"there is no registry fault {name!r}: {', '.join(filter(None, FAULTS))}") from None

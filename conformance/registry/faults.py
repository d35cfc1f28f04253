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
    """The requests of an encoder or decoder."""

    REGISTER = "register"
    LOOK_UP = "look up"


_BOTH = frozenset(Operation)
_REGISTER = frozenset({Operation.REGISTER})


@dataclass(frozen=True, slots=True)
class Fault:
    """A registry's behaviour in a case."""

    about: str
    on: frozenset[Operation] = frozenset()
    """The operations with the fault; others are answered correctly."""
    status: int = 0
    """The HTTP status of an error, answered in place of the result."""
    code: int = 0
    """Confluent's code of that error."""
    message: str = ""
    """The text of that error."""
    id: int | None = None
    """An id that replaces that of the schema."""
    closes: bool = False
    """The connection ends without an answer."""
    delays: bool = False
    """The answer comes late."""
    level: Level = Level.NONE
    """The compatibility demanded of schemas."""


NO_FAULT = Fault("answers correctly, and accepts every valid schema")

FAULTS: Mapping[str, Fault] = {
    "": NO_FAULT,
    "backward": Fault("demands the compatibility that most registries demand by default", level=Level.BACKWARD),
    "incompatible": Fault(
        "refuses every schema as incompatible",
        _REGISTER,
        status=409,
        code=409,
        message="Schema being registered is incompatible with an earlier schema",
    ),
    "error": Fault("has an internal error", _BOTH, status=500, code=50001, message="Error in the backend data store"),
    "slow": Fault("answers late", _BOTH, delays=True),
    "unreachable": Fault("closes connections without an answer", _BOTH, closes=True),
    "illegal id": Fault("answers with an id that no schema can have", _REGISTER, id=0),
}
"""The faults by name.

`backward` is not a fault, but the default of most registries: it has a name so that a case can ask for it.  [AV-172 …
AV-174]
"""


def fault_named(name: str) -> Fault:
    """The fault of a name. Raises `SuiteError` for an unknown name."""
    try:
        return FAULTS[name]
    except KeyError:
        raise SuiteError(f"there is no registry fault {name!r}: {', '.join(filter(None, FAULTS))}") from None

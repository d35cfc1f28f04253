"""TiDB time stamps (TSO): physical milliseconds in the high bits, an 18-bit logical counter below.  [CF-030, CJ-660]"""

from __future__ import annotations

from reference_impl.errors import Rejected

__all__ = ["LOGICAL_BITS", "MAX_TSO", "compose", "physical_ms", "required_tso"]

LOGICAL_BITS = 18
MAX_TSO = 2**64 - 1


def physical_ms(tso: int) -> int:
    """Unix time in milliseconds of a TSO."""
    return tso >> LOGICAL_BITS


def compose(ms: int, logical: int = 0) -> int:
    """The TSO of a physical time in milliseconds and a logical counter."""
    return (ms << LOGICAL_BITS) | logical


def required_tso(tso: int | None, name: str) -> int:
    """The TSO of `name`. Raises `Rejected`: class `semantics` if it is None, `range` beyond 64 bits."""
    if tso is None:
        raise Rejected("semantics", f"{name} is missing")
    if not 0 <= tso <= MAX_TSO:
        raise Rejected("range", f"{name}: {tso} is no time stamp of 64 bits")
    return tso

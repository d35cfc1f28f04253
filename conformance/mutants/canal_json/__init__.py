"""Mutants of TiCDC's Canal-JSON: encoders and decoders with one deliberate fault each.

A fault of the envelope is in `envelope`, of the order of messages in `streams`, of columns in `columns` and of their
types in `types`, of NULL and zones in `values` and of the text of each type in `texts`, of options, large messages and
`old` in `options`, of DDL and JSON text in `statements`, of decoders alone in `decoding`.
"""

from __future__ import annotations

from dataclasses import replace

from conformance.mutants.canal_json import (
    columns,
    decoding,
    envelope,
    options,
    statements,
    streams,
    texts,
    types,
    values,
)
from conformance.mutants.model import Mutant

__all__ = ["MUTANTS"]

_MUTANTS: tuple[Mutant, ...] = (
    *envelope.MUTANTS,
    *streams.MUTANTS,
    *columns.MUTANTS,
    *types.MUTANTS,
    *values.MUTANTS,
    *texts.MUTANTS,
    *options.MUTANTS,
    *statements.MUTANTS,
    *decoding.MUTANTS,
)

# Faults of these also make the value, or the time, a wrong one: the rule that says so is broken, too.
_ALSO: dict[str, frozenset[str]] = {
    **{f"CJ-{n}": frozenset({"CJ-034b"}) for n in ("034a", *range(381, 403), *range(410, 414), 883, 884)},
    "CJ-886": frozenset({"CJ-032"}),
    "CJ-885": frozenset({"CJ-034b", "CJ-042", "CJ-046"}),
}

MUTANTS: tuple[Mutant, ...] = tuple(
    replace(m, may_also=m.may_also | _ALSO.get(m.requirement, frozenset())) for m in _MUTANTS
)

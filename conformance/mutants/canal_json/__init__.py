"""Mutants of TiCDC's Canal-JSON: encoders and decoders with one deliberate fault each.

Faults of the envelope and the JSON text are in `envelope`, of the order of messages in `streams`, of columns, types,
values and `old` in `columns`, of options and large messages in `options`, of decoders that refuse in `decoding`;
further historical defects are in `historical`. A fault that one changed value shows is pinned instead:
`fixtures/pinned_faults.json`.
"""

from __future__ import annotations

from conformance.mutants.canal_json import columns, decoding, envelope, historical, options, streams
from conformance.mutants.model import Mutant

__all__ = ["MUTANTS"]

MUTANTS: tuple[Mutant, ...] = (
    *envelope.MUTANTS,
    *streams.MUTANTS,
    *columns.MUTANTS,
    *options.MUTANTS,
    *decoding.MUTANTS,
    *historical.MUTANTS,
)

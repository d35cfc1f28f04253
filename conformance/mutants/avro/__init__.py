"""Mutants of TiCDC's Avro: encoders and decoders with one deliberate fault each.

Faults of records, framing and the watermark mode are in `records`, of registrations and options in `registering`, of
the columns of schemas in `schemas`, of types in `types`, of NULL and defaults in `defaults`, of the extension and the
before image in `extension`, of values in `values`; of decoders in `decoding`, and of decoders that are too lenient in
`leniency`. Further historical defects are in `historical`. `rewriting` edits schemas and records between an encoder and
its registry.
"""

from __future__ import annotations

from conformance.mutants.avro import (
    decoding,
    defaults,
    extension,
    historical,
    leniency,
    records,
    registering,
    schemas,
    types,
    values,
)
from conformance.mutants.generations import generation_mutants
from conformance.mutants.model import Mutant
from conformance.mutants.negatives import negative_mutants

__all__ = ["MUTANTS"]

MUTANTS: tuple[Mutant, ...] = (
    *records.MUTANTS,
    *registering.MUTANTS,
    *schemas.MUTANTS,
    *types.MUTANTS,
    *defaults.MUTANTS,
    *extension.MUTANTS,
    *values.MUTANTS,
    *decoding.MUTANTS,
    *leniency.MUTANTS,
    *historical.MUTANTS,
    *negative_mutants("avro"),
    *generation_mutants("avro"),
)

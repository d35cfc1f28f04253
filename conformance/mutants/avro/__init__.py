"""Mutants of TiCDC's Avro: encoders and decoders with one deliberate fault each.

A fault of records, framing or the mode for tests is in `records`, of registrations and options in `registering`, of
names and fields in `schemas`, of types in `types`, of NULL and defaults in `defaults`, of the extension and the row
before in `extension`, of values in `values`, of decoders in `decoding`, and of what they
let pass in `leniency`.
Real defects that none of them is are in `historical`.
What forges schemas and data between an encoder and its registry is `forgery`.
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

"""Mutants of Open Protocol: encoders by what they get wrong, then decoders, then what TiCDC once got wrong."""

from __future__ import annotations

from dataclasses import replace

from conformance.mutants.generations import generation_mutants
from conformance.mutants.model import Mutant
from conformance.mutants.negatives import negative_mutants
from conformance.mutants.open_protocol import (
    decoding,
    decoding_images,
    flags,
    framing,
    historical,
    images,
    large,
    options,
    quoting,
    reading,
    streams,
    texts,
    types,
)

__all__ = ["MUTANTS"]

_MUTANTS: tuple[Mutant, ...] = (
    *framing.MUTANTS,
    *images.MUTANTS,
    *types.MUTANTS,
    *quoting.MUTANTS,
    *flags.MUTANTS,
    *options.MUTANTS,
    *large.MUTANTS,
    *streams.MUTANTS,
    *texts.MUTANTS,
    *decoding.MUTANTS,
    *decoding_images.MUTANTS,
    *reading.MUTANTS,
    *historical.MUTANTS,
    *negative_mutants("open-protocol"),
    *generation_mutants("open-protocol"),
)

# This fault also makes the value a wrong one: the rule of its type is broken, too.
_ALSO: dict[str, frozenset[str]] = {"open-protocol/bits-read-signed": frozenset({"OP-107"})}

MUTANTS: tuple[Mutant, ...] = tuple(replace(m, may_also=m.may_also | _ALSO.get(m.name, frozenset())) for m in _MUTANTS)

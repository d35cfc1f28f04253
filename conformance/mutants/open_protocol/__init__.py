"""Mutants of Open Protocol: encoders by what they get wrong, then decoders."""

from __future__ import annotations

from conformance.mutants.model import Mutant
from conformance.mutants.open_protocol import decoding, flags, framing, images, options, reading, texts, types

__all__ = ["MUTANTS"]

MUTANTS: tuple[Mutant, ...] = (
    *framing.MUTANTS,
    *images.MUTANTS,
    *types.MUTANTS,
    *flags.MUTANTS,
    *options.MUTANTS,
    *texts.MUTANTS,
    *decoding.MUTANTS,
    *reading.MUTANTS,
)

"""Mutants of Open Protocol: encoders by what they get wrong, then decoders."""

from __future__ import annotations

from conformance.mutants.model import Mutant
from conformance.mutants.open_protocol import (
    decoding,
    decoding_images,
    flags,
    framing,
    images,
    options,
    quoting,
    reading,
    texts,
    types,
)

__all__ = ["MUTANTS"]

MUTANTS: tuple[Mutant, ...] = (
    *framing.MUTANTS,
    *images.MUTANTS,
    *types.MUTANTS,
    *quoting.MUTANTS,
    *flags.MUTANTS,
    *options.MUTANTS,
    *texts.MUTANTS,
    *decoding.MUTANTS,
    *decoding_images.MUTANTS,
    *reading.MUTANTS,
)

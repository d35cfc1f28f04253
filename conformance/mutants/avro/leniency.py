"""Decoders that accept what they must refuse."""

from __future__ import annotations

from conformance.mutants.avro.edits import decoder
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import accepts

__all__ = ["MUTANTS"]


MUTANTS: tuple[Mutant, ...] = (
    decoder(
        "numbers-not-checked",
        "AV-019",
        "a number may have any length",
        accepts("syntax", "a number of", "is no number"),
    ),
    decoder(
        "branches-not-checked",
        "AV-052a",
        "a branch that the union lacks is accepted",
        accepts("syntax", "is no branch"),
    ),
)

"""Encoders with wrong extension fields or a wrong before image."""

from __future__ import annotations

from conformance.mutants.avro.edits import encoder
from conformance.mutants.avro.rewriting import BEFORE, Part, RecordRewriter, Tree
from conformance.mutants.model import Mutant
from reference_impl.avro.extension import COMMIT_TIME, COMMIT_TS, OP

__all__ = ["MUTANTS"]

_NAMES = (OP, COMMIT_TS, COMMIT_TIME)

# -- extension fields --------------------------------------------------------------------------------------------------


def _first(schema: Tree, part: Part) -> None:
    schema["fields"].sort(key=lambda field: field["name"] not in _NAMES)


def _times_exchanged(schema: Tree, part: Part) -> None:
    order = {COMMIT_TIME: 1, COMMIT_TS: 2}
    schema["fields"].sort(key=lambda field: order.get(field["name"], 0))


_FIELDS = (
    encoder("extension-before-columns", "AV-116d", "the extension stands before the columns", RecordRewriter(_first)),
    encoder(
        "extension-times-exchanged",
        "AV-116d",
        "the physical time stands before the commit time stamp",
        RecordRewriter(_times_exchanged),
    ),
)

# -- the before image --------------------------------------------------------------------------------------------------


def _without_before(schema: Tree, part: Part) -> None:
    schema["fields"] = [field for field in schema["fields"] if field["name"] != BEFORE]


def _null_before(datum: Tree, part: Part) -> None:
    if BEFORE in datum:
        datum[BEFORE] = None


_BEFORE = (
    encoder("row-before-left-out", "AV-120", "a value lacks the before image", RecordRewriter(_without_before)),
    encoder("row-before-null", "AV-121", "the before image is null", RecordRewriter(datum=_null_before)),
)

MUTANTS: tuple[Mutant, ...] = (*_FIELDS, *_BEFORE)

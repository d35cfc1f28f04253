"""Encoders that get the fields of a value that are no columns wrong.  [AV-003a, AV-030, AV-116 … AV-122]"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.mutants.avro.edits import encoder
from conformance.mutants.avro.forgery import BEFORE, Forgery, Part, Tree
from conformance.mutants.model import Mutant
from reference_impl.avro.extension import COMMIT_TIME, COMMIT_TS, OP

__all__ = ["MUTANTS"]

_NAMES = (OP, COMMIT_TS, COMMIT_TIME)

# -- the fields --------------------------------------------------------------------------------------------------------


def _without(*names: str) -> Forgery:
    def edit(schema: Tree, part: Part) -> None:
        schema["fields"] = [field for field in schema["fields"] if field["name"] not in names]

    return Forgery(edit)


def _first(schema: Tree, part: Part) -> None:
    schema["fields"].sort(key=lambda field: field["name"] not in _NAMES)


def _times_exchanged(schema: Tree, part: Part) -> None:
    order = {COMMIT_TIME: 1, COMMIT_TS: 2}
    schema["fields"].sort(key=lambda field: order.get(field["name"], 0))


_FIELDS = (
    encoder("extension-before-columns", "AV-116d", "the extension stands before the columns", Forgery(_first)),
    encoder("extension-times-exchanged", "AV-116d", "the physical time stands first", Forgery(_times_exchanged)),
)

# -- their values ------------------------------------------------------------------------------------------------------


# -- the row before ----------------------------------------------------------------------------------------------------


def _before_data(change: Callable[[Tree], Any]) -> Forgery:
    """The row before is what `change` makes of the datum."""

    def edit(datum: Tree, part: Part) -> None:
        if BEFORE in datum:
            datum[BEFORE] = change(datum)

    return Forgery(datum=edit)


_BEFORE = (
    encoder("row-before-left-out", "AV-120", "a value lacks the row before", _without(BEFORE)),
    encoder("row-before-null", "AV-121", "the row before is null", _before_data(lambda datum: None)),
)

MUTANTS: tuple[Mutant, ...] = (*_FIELDS, *_BEFORE)

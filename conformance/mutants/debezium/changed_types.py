"""Encoders that get the types of columns in DDL messages wrong: names, codes, charsets, lengths.  [DBZ-338, DBZ-339]"""

from __future__ import annotations

from conformance.mutants.debezium.changed_columns import Fault, member, to
from conformance.mutants.debezium.edits import encoder
from conformance.mutants.model import Mutant
from reference_impl.column_types import Family

__all__ = ["MUTANTS"]


_FAULTS: tuple[Fault, ...] = (
    (
        "DBZ-339",
        "length-of-float",
        "length of FLOAT is 12",
        "length",
        lambda c, defined: c.type.family is Family.FLOAT and c.type.scale is None,
        to(12),
    ),
)


MUTANTS: tuple[Mutant, ...] = tuple(
    encoder(f"change-{name}", requirement, description, member(place, applies, make))
    for requirement, name, description, place, applies, make in _FAULTS
)

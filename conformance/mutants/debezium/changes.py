"""Encoders that get the columns of tables in DDL messages wrong, types apart.  [DBZ-325c, DBZ-327 … DBZ-337]"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.mutants.debezium.changed_columns import (
    Fault,
    lost,
    member,
)
from conformance.mutants.debezium.edits import encoder
from conformance.mutants.model import Mutant

__all__ = ["MUTANTS"]


# -- which columns -----------------------------------------------------------------------------------------------------


# -- what is written ---------------------------------------------------------------------------------------------------


# (requirement, name, what is wrong, member, columns, what is written made of the right value)
_FAULTS: tuple[Fault, ...] = ()

# (requirement, member) of members that may be left out.
_LOST: tuple[tuple[str, str], ...] = ()


def _mutants() -> Iterator[Mutant]:
    for requirement, name, description, place, applies, make in _FAULTS:
        yield encoder(f"change-{name}", requirement, description, member(place, applies, make))
    for requirement, place in _LOST:
        yield encoder(
            f"change-without-{place.lower()}",
            requirement,
            f"columns lack {place}",
            lost(place),
        )


MUTANTS: tuple[Mutant, ...] = tuple(_mutants())

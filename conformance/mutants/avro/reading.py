"""Decoders that read the values of columns wrongly.  [AV-052, AV-075b … AV-107]"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from conformance.mutants.avro.edits import (
    Applies,
    decoder,
    in_families,
    read_values,
)
from conformance.mutants.model import Mutant
from reference_impl.column_types import Family
from reference_impl.model import Column

__all__ = ["MUTANTS"]

_DECIMAL, _BIT = in_families(Family.DECIMAL), in_families(Family.BIT)


# (name, requirement, clause, which columns, what becomes of a value, what else it breaks)
_Row = tuple[str, str, str, Applies, Callable[[Any, Column], Any], *tuple[str, ...]]
_READ: tuple[_Row, ...] = ()


def _reads() -> Iterator[Mutant]:
    for name, requirement, clause, applies, change, *also in _READ:
        yield decoder(name, requirement, clause, read_values(applies, change), *also)


MUTANTS: tuple[Mutant, ...] = (*_reads(),)

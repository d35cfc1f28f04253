"""Decoders that read the values of columns wrongly.  [AV-052, AV-075b … AV-107]"""

from __future__ import annotations

import re
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


def _hours_of_a_day(value: str, column: Column) -> str:
    found = re.fullmatch(r"(-?)(\d+)(:.*)", value)
    assert found is not None
    return f"{found[1]}{int(found[2]) % 24:02d}{found[3]}"


def _other_end(value: str, column: Column) -> str:
    size = (column.type.bits + 7) // 8
    return str(int.from_bytes(int(value).to_bytes(size, "big"), "little"))


# (name, requirement, clause, which columns, what becomes of a value, what else it breaks)
_Row = tuple[str, str, str, Applies, Callable[[Any, Column], Any], *tuple[str, ...]]
_READ: tuple[_Row, ...] = (
    (
        "time-read-as-of-day",
        "AV-095b",
        "the hours of TIME are those of a day",
        in_families(Family.TIME),
        _hours_of_a_day,
    ),
    ("bit-read-little-endian", "AV-105", "the bytes of BIT are read backwards", _BIT, _other_end, "AV-105c"),
)


def _reads() -> Iterator[Mutant]:
    for name, requirement, clause, applies, change, *also in _READ:
        yield decoder(name, requirement, clause, read_values(applies, change), *also)


MUTANTS: tuple[Mutant, ...] = (*_reads(),)

"""Decoders that misread the values of a type.

Values are in the form of the harness protocol: bytes are base64, members of ENUM and SET are labels.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from conformance.mutants.debezium.edits import decoder, in_families, read_values
from conformance.mutants.model import Mutant
from reference_impl.column_types import BINARY, Family
from reference_impl.model import Column

__all__ = ["MUTANTS"]

Applies = Callable[[Column], bool]
Make = Callable[[Any, Column], Any]

# -- numbers -----------------------------------------------------------------------------------------------------------


def _through_double(value: str, column: Column) -> str:
    return str(int(float(value)))


# -- texts -------------------------------------------------------------------------------------------------------------


def _coded_twice(value: str, column: Column) -> str:
    return base64.b64encode(value.encode()).decode()


# -- times -------------------------------------------------------------------------------------------------------------


# (requirement, name, what is wrong, columns, what is answered)
_FAULTS: tuple[tuple[str, str, str, Applies, Make], ...] = (
    ("DBZ-451g", "integers-double", "integers go through a 64-bit float", in_families(Family.BIGINT), _through_double),
    ("DBZ-451q", "bytes-coded", "bytes stay base64", in_families(*BINARY), _coded_twice),
)


MUTANTS: tuple[Mutant, ...] = (
    *(
        decoder(f"read-{name}", requirement, description, read_values(applies, make))
        for requirement, name, description, applies, make in _FAULTS
    ),
)

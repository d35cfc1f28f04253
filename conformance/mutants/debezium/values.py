"""Encoders that write values wrongly, except NULL."""

from __future__ import annotations

import base64
import math
import struct
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from conformance.mutants.debezium.edits import encoder, in_families, values
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import reference
from reference_impl import exact_json
from reference_impl.column_types import TEXT, Family
from reference_impl.debezium_json.types import allowed
from reference_impl.model import Column
from reference_impl.profiles import NEWARCH

__all__ = ["MUTANTS"]

Applies = Callable[[Column], bool]
Make = Callable[[Any, Column], Any]

# -- numbers and bits --------------------------------------------------------------------------------------------------


def _through_double(value: Any, column: Column) -> int:
    return int(float(value))


def _coded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _float32(value: Any) -> float:
    try:
        narrow = float(struct.unpack("f", struct.pack("f", float(value)))[0])
    except OverflowError:
        return 0.0
    return narrow if math.isfinite(narrow) else 0.0


def _widened(value: Any, column: Column) -> Any:
    """The value rounded to 32 bits, with the digits of this number as a 64-bit float."""
    return exact_json.loads(repr(_float32(value)))


# -- texts and bytes ---------------------------------------------------------------------------------------------------


def _coded_text(value: str, column: Column) -> str:
    return _coded(value.encode())


def _escaped(value: str, column: Column) -> str:
    """The label in the form of `allowed`."""
    return allowed(replace(column.type, members=(value,)))


def _is_binary_collation(column: Column) -> bool:
    return column.type.family in TEXT and (column.collation or "").endswith("_bin")


# -- times -------------------------------------------------------------------------------------------------------------


def _signed(*families: Family) -> Applies:
    return lambda column: column.type.family in families and not column.type.unsigned


_TINY, _SMALL, _MEDIUM, _INT, _BIG = Family.TINYINT, Family.SMALLINT, Family.MEDIUMINT, Family.INT, Family.BIGINT

# (requirement, name, what is wrong, columns, what is written instead)
_FAULTS: tuple[tuple[str, str, str, Applies, Make], ...] = (
    ("DBZ-118a", "bigint-double", "BIGINT goes through a 64-bit float", _signed(_BIG), _through_double),
    ("DBZ-123a", "decimal-narrowed", "DECIMAL goes through a 32-bit float", in_families(Family.DECIMAL), _widened),
    ("DBZ-130", "text-by-collation", "a binary collation makes base64", _is_binary_collation, _coded_text),
    ("DBZ-132", "enum-escaped", "ENUM is escaped as in `allowed`", in_families(Family.ENUM), _escaped),
)


def _mutants() -> Iterator[Mutant]:
    for requirement, name, description, applies, make in _FAULTS:
        yield encoder(name, requirement, description, values(applies, make))
    yield encoder(
        "text-raw",
        "DBZ-010a",
        "bytes that are not UTF-8 are copied",
        reference(NEWARCH, "debezium/raw-invalid-utf8"),
    )


MUTANTS: tuple[Mutant, ...] = tuple(_mutants())

"""Encoders and decoders with wrong columns, types or values."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from conformance.mutants.canal_json.edits import (
    Tree,
    codes,
    decoder,
    encoder,
    read_rows,
    read_values,
    rows,
    values,
)
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context
from reference_impl.column_types import INTEGERS, ColumnType, Family

__all__ = ["MUTANTS"]


def _last_lost(tree: Tree, context: Context) -> None:
    """Remove the last column with a value from all members."""
    present = [name for name in tree["mysqlType"] or () if tree["data"][0][name] is not None]
    if not present:
        return
    for columns in (tree["sqlType"], tree["mysqlType"], *(tree["data"] or ()), *(tree["old"] or ())):
        if columns is not None:
            columns.pop(present[-1], None)


# (requirement, family, the wider code).
_WIDENED: tuple[tuple[str, Family, int], ...] = (
    ("CJ-330", Family.TINYINT, 5),
    ("CJ-332", Family.SMALLINT, 4),
    ("CJ-335", Family.INT, -5),
    ("CJ-337", Family.BIGINT, 3),
)


def _unsigned(*families: Family) -> Callable[[ColumnType], bool]:
    return lambda column_type: column_type.unsigned and column_type.family in families


def _wide_codes() -> Iterator[Mutant]:
    for requirement, family, wide in _WIDENED:
        yield encoder(
            f"code-wide-{family}",
            requirement,
            f"sqlType of {family} unsigned is the wider one for every value",
            codes(_unsigned(family), lambda right, text, column_type, wide=wide: wide if text is not None else right),  # type: ignore[misc]
        )


def _exchanged(event: Tree, context: Context) -> None:
    if event["op"] == "update" and event["before"].keys() == event["after"].keys():
        event["before"], event["after"] = event["after"], event["before"]


def _signed(text: str, column_type: ColumnType) -> str:
    """The number that a signed type of the same width reads from the same bits."""
    number = int(text)
    return str(number - (1 << column_type.bits)) if number >> (column_type.bits - 1) else text


MUTANTS: tuple[Mutant, ...] = (
    encoder(
        "column-lost",
        "CJ-030a",
        "the last column is missing",
        rows(_last_lost),
    ),
    *_wide_codes(),
    decoder(
        "read-images-exchanged",
        "CJ-034b",
        "before and after of updates are exchanged",
        read_rows(_exchanged),
    ),
    encoder(
        "unsigned-wraps", "CJ-381", "unsigned integers are written as signed", values(_unsigned(*INTEGERS), _signed)
    ),
    decoder(
        "read-boolean-bool",
        "CJ-382",
        "BOOLEAN is read as true or false",
        read_values(lambda column_type: column_type.text == "tinyint(1)", lambda text, column_type: text != "0"),
    ),
)

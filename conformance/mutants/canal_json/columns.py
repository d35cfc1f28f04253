"""Encoders and decoders that get columns, their types or their values wrong.  [CJ-030 … CJ-034b, CJ-330 … CJ-398]"""

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
    """The last column that has a value is taken out."""
    for last in [name for name in tree["mysqlType"] or () if tree["data"][0][name] is not None][-1:]:
        for member in ("sqlType", "mysqlType", "data", "old"):
            part = tree[member]
            for one in part if isinstance(part, list) else [part] if part is not None else []:
                one.pop(last, None)


# Requirement, family, wide code.
_WIDENED: tuple[tuple[str, Family, int], ...] = (
    ("CJ-330", Family.TINYINT, 5),
    ("CJ-332", Family.SMALLINT, 4),
    ("CJ-335", Family.INT, -5),
    ("CJ-337", Family.BIGINT, 3),
)


def _unsigned(*families: Family) -> Callable[[ColumnType], bool]:
    return lambda kind: kind.unsigned and kind.family in families


def _wide_codes() -> Iterator[Mutant]:
    for requirement, family, wide in _WIDENED:
        yield encoder(
            f"code-wide-{family}",
            requirement,
            f"sqlType of {family} unsigned is the wider one whatever the value",
            codes(_unsigned(family), lambda right, text, kind, wide=wide: wide if text is not None else right),  # type: ignore[misc]
        )


def _exchanged(event: Tree, context: Context) -> None:
    if event["op"] == "update" and event["before"].keys() == event["after"].keys():
        event["before"], event["after"] = event["after"], event["before"]


def _signed(text: str, kind: ColumnType) -> str:
    """As a signed number of the same width."""
    number = int(text)
    return str(number - (1 << kind.bits)) if number >> (kind.bits - 1) else text


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
        "before and after of updates change places",
        read_rows(_exchanged),
    ),
    encoder(
        "unsigned-wraps", "CJ-381", "unsigned integers are written as signed", values(_unsigned(*INTEGERS), _signed)
    ),
    decoder(
        "read-boolean-bool",
        "CJ-382",
        "BOOLEAN is read as true or false",
        read_values(lambda kind: kind.text == "tinyint(1)", lambda text, kind: text != "0"),
    ),
)

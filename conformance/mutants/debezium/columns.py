"""Encoders with wrong descriptions of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from conformance.mutants.debezium.edits import (
    Message,
    Tree,
    Wrap,
    described,
    encoder,
    rows,
)
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context, reference
from reference_impl.column_types import Family
from reference_impl.model import Column
from reference_impl.profiles import NEWARCH

__all__ = ["MUTANTS"]

Applies = Callable[[Column], bool]

# -- types -------------------------------------------------------------------------------------------------------------


def _float(*, scaled: bool) -> Applies:
    return lambda column: column.type.family is Family.FLOAT and (column.type.scale is not None) == scaled


# (requirement, columns, which these are, schema type, schema name or None)
_WRONG_TYPES: tuple[tuple[str, str, Applies, str, str | None], ...] = (
    ("DBZ-121", "float-scaled", _float(scaled=True), "float", None),
)


def _typed(word: str, name: str | None) -> Callable[[Tree, Column], None]:
    def edit(field: Tree, column: Column) -> None:
        field["type"] = word
        if name is None:
            field.pop("name", None)
        elif "name" in field:
            field["name"] = name

    return edit


def _types() -> Iterator[Mutant]:
    for requirement, columns, applies, word, name in _WRONG_TYPES:
        yield encoder(
            f"type-{columns}",
            requirement,
            f"{columns} is described as {word}{f' named {name}' if name else ''}",
            described(applies, _typed(word, name)),
        )


# -- virtual columns ---------------------------------------------------------------------------------------------------


def _fields(edit: Callable[[list[Tree], Message, Context], Any], images: str = "before after") -> Wrap:
    def each(message: Message, context: Context) -> None:
        for image in images.split():
            fields = message.find(f"value.schema.fields.{image}.fields")
            if fields is not None:
                edit(fields, message, context)

    return rows(each)


def _is_virtual(field: Tree, message: Message, context: Context) -> bool:
    column = context.column(*message.table, field["field"])
    return column is not None and column.generated == "virtual"


def _virtual_last(fields: list[Tree], message: Message, context: Context) -> None:
    fields.sort(key=lambda field: _is_virtual(field, message, context))


def _which() -> Iterator[Mutant]:
    yield encoder("described-virtual-last", "DBZ-057a", "virtual columns are described last", _fields(_virtual_last))
    yield encoder(
        "described-virtual-twice",
        "DBZ-057b",
        "virtual columns are described twice",
        reference(NEWARCH, "debezium/doubled-virtual-column"),
    )


MUTANTS: tuple[Mutant, ...] = (*_types(), *_which())

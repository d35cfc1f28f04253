"""Encoders that describe columns wrongly: type, name, parameters.  [DBZ-051b … DBZ-131]"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from conformance.mutants.debezium.edits import (
    Message,
    Tree,
    Wrap,
    described,
    encoder,
    in_families,
    is_any,
    rows,
)
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context, reference
from reference_impl.column_types import INTEGERS, Family
from reference_impl.model import Column
from reference_impl.profiles import NEWARCH

__all__ = ["MUTANTS"]

Applies = Callable[[Column], bool]

# -- types -------------------------------------------------------------------------------------------------------------


def _signed(*families: Family) -> Applies:
    return lambda column: column.type.family in families and not column.type.unsigned


def _float(*, scaled: bool) -> Applies:
    return lambda column: column.type.family is Family.FLOAT and (column.type.scale is not None) == scaled


def _is_boolean(column: Column) -> bool:
    return column.type.text == "tinyint(1)"


# (requirement, columns, which these are, schema type, schema name or None)
_WRONG_TYPES: tuple[tuple[str, str, Applies, str, str | None], ...] = (
    ("DBZ-112", "tinyint", lambda c: _signed(Family.TINYINT)(c) and not _is_boolean(c), "int8", None),
    ("DBZ-112b", "boolean", _is_boolean, "boolean", None),
    ("DBZ-116", "int", _signed(Family.INT), "int64", None),
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


# -- parameters --------------------------------------------------------------------------------------------------------


def _allowed(make: Callable[[str, Column], Any]) -> Callable[[Tree, Column], None]:
    def edit(field: Tree, column: Column) -> None:
        field["parameters"]["allowed"] = make(field["parameters"]["allowed"], column)

    return edit


def _with(member: str, value: Any) -> Callable[[Tree, Column], None]:
    def edit(field: Tree, column: Column) -> None:
        field.setdefault(member, value)

    return edit


def _raw_labels(allowed: str, column: Column) -> str:
    return ",".join(column.type.members)


def _escaped_labels(allowed: str, column: Column) -> str:
    return ",".join(label.replace("'", "\\'") for label in column.type.members)


def _quoted_labels(allowed: str, column: Column) -> str:
    return ",".join(f"'{label}'" for label in column.type.members)


def _parameters() -> Iterator[Mutant]:
    enum, set_ = in_families(Family.ENUM), in_families(Family.SET)
    for requirement, name, description, applies, edit in (
        ("DBZ-131", "enum-raw", "labels of ENUM are not escaped", enum, _allowed(_raw_labels)),
        ("DBZ-131", "enum-quoted", "labels of ENUM are quoted", enum, _allowed(_quoted_labels)),
        ("DBZ-131a", "set-escaped", "labels of SET are escaped", set_, _allowed(_escaped_labels)),
        ("DBZ-131a", "set-quoted", "labels of SET are quoted", set_, _allowed(_quoted_labels)),
    ):
        yield encoder(f"parameters-{name}", requirement, description, described(applies, edit))


# -- members -----------------------------------------------------------------------------------------------------------


def _null_default(field: Tree, column: Column) -> None:
    if column.nullable:
        field.setdefault("default", None)


def _zero_default(field: Tree, column: Column) -> None:
    if field["type"] in ("int16", "int32", "int64") and "name" not in field:
        field.setdefault("default", 0)


def _members() -> Iterator[Mutant]:
    yield encoder(
        "vector-version",
        "DBZ-125",
        "VECTOR has version 1",
        described(in_families(Family.VECTOR), _with("version", 1)),
    )
    yield encoder(
        "default-null",
        "DBZ-055a",
        "the default of nullable columns is null",
        described(is_any, _null_default),
        *("DBZ-141", "DBZ-142b", "DBZ-143a", "DBZ-148c"),
    )
    yield encoder(
        "default-zero",
        "DBZ-055a",
        "the default of numbers is 0",
        described(in_families(*INTEGERS), _zero_default),
    )


# -- which columns -----------------------------------------------------------------------------------------------------


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


def _without_virtual(fields: list[Tree], message: Message, context: Context) -> None:
    fields[:] = [field for field in fields if not _is_virtual(field, message, context)]


def _virtual_last(fields: list[Tree], message: Message, context: Context) -> None:
    fields.sort(key=lambda field: _is_virtual(field, message, context))


def _which() -> Iterator[Mutant]:
    yield encoder("described-virtual-lost", "DBZ-057", "virtual columns are not described", _fields(_without_virtual))
    yield encoder("described-virtual-last", "DBZ-057a", "virtual columns are described last", _fields(_virtual_last))
    yield encoder(
        "described-virtual-twice",
        "DBZ-057b",
        "virtual columns are described twice",
        reference(NEWARCH, "debezium/doubled-virtual-column"),
    )


MUTANTS: tuple[Mutant, ...] = (*_types(), *_parameters(), *_members(), *_which())

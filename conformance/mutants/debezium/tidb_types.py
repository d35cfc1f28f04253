"""Encoders with a wrong `tidb_type` in the descriptions of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from conformance.mutants.debezium.edits import (
    Edit,
    Message,
    Tree,
    Wrap,
    described,
    encoder,
    rows,
)
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context
from reference_impl.column_types import BINARY
from reference_impl.model import Column

__all__ = ["MUTANTS"]


def _tidb(make: Callable[[str, Column], str]) -> Callable[[Tree, Column], None]:
    def edit(field: Tree, column: Column) -> None:
        if "tidb_type" in field:
            field["tidb_type"] = make(field["tidb_type"], column)

    return edit


def _is_by_charset(column: Column) -> bool:
    word = column.type.text.lower()
    return column.type.family in BINARY and ("char" in word or "text" in word)


def _tidb_everywhere(message: Message, context: Context) -> None:
    for path in ("value.schema.fields.before.fields", "value.schema.fields.after.fields", "key.schema.fields"):
        for field in message.find(path) or ():
            field.setdefault("tidb_type", "")


def _by_options(edit: Edit, *, on: bool) -> Wrap:
    """Edits row messages if the extension is configured as on, or as off."""
    value = "true" if on else "false"
    return rows(lambda m, c: edit(m, c) if c.options.get("enable-tidb-extension") == value else None)


def _tidb_types() -> Iterator[Mutant]:
    yield encoder(
        "tidb-type-always",
        "DBZ-150a",
        "columns have tidb_type without the extension",
        _by_options(_tidb_everywhere, on=False),
    )
    yield encoder(
        "tidb-type-in-classic",
        "DBZ-150b",
        "columns have tidb_type with the extension",
        _by_options(_tidb_everywhere, on=True),
        profile="classic",
    )
    for requirement, name, description, applies, make in (
        (
            "DBZ-151a",
            "by-declaration",
            "the charset binary does not change tidb_type",
            _is_by_charset,
            lambda text, column: column.type.text.partition("(")[0].partition(" ")[0],
        ),
    ):
        yield encoder(f"tidb-type-{name}", requirement, description, described(applies, _tidb(make)))


MUTANTS: tuple[Mutant, ...] = tuple(_tidb_types())

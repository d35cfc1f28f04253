"""Builders of Canal-JSON's mutants: edits of messages, and of the events that a decoder answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from conformance.mutants.model import Answerer, Mutant
from conformance.mutants.wrappers import Context, edit_event, edit_json
from reference_impl.column_types import ColumnType, Family
from reference_impl.model import Column

__all__ = [
    "PREFIX",
    "Tree",
    "codes",
    "ddl",
    "decoder",
    "encoder",
    "in_families",
    "is_on",
    "names",
    "read_rows",
    "read_values",
    "rows",
    "set_member",
    "tidb",
    "values",
]

PREFIX = "canal-json/"

Tree: TypeAlias = dict[str, Any]
Edit: TypeAlias = Callable[[Tree, Context], Any]
Wrap: TypeAlias = Callable[[Answerer], Answerer]


def encoder(name: str, requirement: str, description: str, wrap: Wrap) -> Mutant:
    """An encoder with one defect, killed by `requirement`."""
    return Mutant(PREFIX + name, requirement, "encode", description, wrap)


def decoder(name: str, requirement: str, description: str, wrap: Wrap) -> Mutant:
    """A decoder with one defect, killed by `requirement`."""
    return Mutant(PREFIX + name, requirement, "decode", description, wrap)


def _of_type(applies: Callable[[Tree], bool], edit: Edit) -> Wrap:
    return edit_json(lambda tree, context: edit(tree, context) if applies(tree) else None)


def _is_row(tree: Tree) -> bool:
    return tree["type"] in ("INSERT", "UPDATE", "DELETE")


def rows(edit: Edit, *types: str) -> Wrap:
    """Edits row messages: those of `types`, or all if none is named."""
    return _of_type(lambda tree: tree["type"] in types if types else _is_row(tree), edit)


def ddl(edit: Edit) -> Wrap:
    """Edits DDL messages."""
    return _of_type(lambda tree: bool(tree["isDdl"]), edit)


def tidb(edit: Callable[[Tree, Tree], Any]) -> Wrap:
    """Edits `_tidb` in messages that have it: `edit(_tidb, message)`."""

    def edited(tree: Tree, context: Context) -> None:
        if "_tidb" in tree:
            edit(tree["_tidb"], tree)

    return edit_json(edited)


def set_member(name: str, value: Any) -> Edit:
    """The edit that gives a member another value."""
    return lambda tree, context: tree.__setitem__(name, value)


def row_column(tree: Tree, context: Context, name: str) -> Column | None:
    """A column of a row message by its newest definition; None if the message shows another type."""
    column = context.column(tree["database"], tree["table"], name)
    return column if column and (tree["mysqlType"] or {}).get(name, "").startswith(column.type.family.value) else None


def in_families(*families: Family) -> Callable[[ColumnType], bool]:
    """Whether a type is of one of these families."""
    return lambda column_type: column_type.family in families


def _images(tree: Tree) -> Iterator[Tree]:
    yield from tree["data"] or ()
    yield from tree["old"] or ()


def values(applies: Callable[[ColumnType], bool], change: Callable[[str, ColumnType], Any]) -> Wrap:
    """Changes the values of columns with a matching type, except NULL."""

    def edit(tree: Tree, context: Context) -> None:
        for image in _images(tree):
            for name, text in image.items():
                column = row_column(tree, context, name)
                if isinstance(text, str) and column is not None and applies(column.type):
                    image[name] = change(text, column.type)

    return rows(edit)


def codes(applies: Callable[[ColumnType], bool], code: Callable[[int, str | None, ColumnType], int]) -> Wrap:
    """Replaces `sqlType` of columns with a matching type by `code(right code, value, type)`."""

    def edit(tree: Tree, context: Context) -> None:
        for name, right in (tree["sqlType"] or {}).items():
            column = row_column(tree, context, name)
            if column is not None and applies(column.type):
                tree["sqlType"][name] = code(right, tree["data"][0][name], column.type)

    return rows(edit)


def names(applies: Callable[[ColumnType, Mapping[str, str]], bool], change: Callable[[str, ColumnType], str]) -> Wrap:
    """Changes `mysqlType` of columns if their type and the options match."""

    def edit(tree: Tree, context: Context) -> None:
        for name, text in (tree["mysqlType"] or {}).items():
            column = row_column(tree, context, name)
            if column is not None and applies(column.type, context.options):
                tree["mysqlType"][name] = change(text, column.type)

    return rows(edit)


def read_rows(edit: Edit) -> Wrap:
    """Edits the row events that a decoder answers."""
    return edit_event(lambda event, context: edit(event, context) if event["kind"] == "row" else None)


def read_values(applies: Callable[[ColumnType], bool], change: Callable[[Any, ColumnType], Any]) -> Wrap:
    """Changes the values that a decoder answers for columns with a matching type, except NULL."""

    def edit(event: Tree, context: Context) -> None:
        for image in filter(None, (event.get("before"), event.get("after"))):
            for name, value in image.items():
                column = context.column(event["schema"], event["table"], name)
                if value is not None and column is not None and applies(column.type):
                    image[name] = change(value, column.type)

    return read_rows(edit)


def is_on(context: Context, option: str) -> bool:
    """Whether an option is configured as true."""
    return context.options.get(option) == "true"

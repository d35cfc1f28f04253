"""Builders of Canal-JSON's mutants: edits of messages, and of their columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from conformance.mutants.model import MutantBuilder, Wrap
from conformance.mutants.wrappers import Applies, Context, Json, edit_json
from reference_impl.model import Column
from reference_impl.protocols import CANAL_JSON

__all__ = ["codes", "ddl", "decoder", "encoder", "location", "names", "rows", "set_member", "tidb", "values"]

encoder, decoder = MutantBuilder(CANAL_JSON.name, "encode"), MutantBuilder(CANAL_JSON.name, "decode")

Edit: TypeAlias = Callable[[Json, Context], Any]


def rows(edit: Edit, *types: str) -> Wrap:
    """Edits row messages: those of `types` (`INSERT`, `UPDATE`, `DELETE`), or all if none is named."""
    edited = types or ("INSERT", "UPDATE", "DELETE")
    return edit_json(lambda message, context: edit(message, context) if message["type"] in edited else None)


def ddl(edit: Edit) -> Wrap:
    """Edits DDL messages."""
    return edit_json(lambda message, context: edit(message, context) if message["isDdl"] else None)


def tidb(edit: Callable[[Json, Json], Any]) -> Wrap:
    """Edits `_tidb` in messages that have it: `edit(_tidb, message)`."""
    return edit_json(lambda message, context: edit(message["_tidb"], message) if "_tidb" in message else None)


def location(change: Callable[[str], str]) -> Wrap:
    """Changes the location of the claim-check file in messages that have one."""

    def edit(extension: Json, message: Json) -> None:
        if "claimCheckLocation" in extension:
            extension["claimCheckLocation"] = change(extension["claimCheckLocation"])

    return tidb(edit)


def set_member(name: str, value: Any) -> Edit:
    """The edit that gives a member another value."""
    return lambda message, context: message.update({name: value})


def _column(message: Json, context: Context, name: str) -> Column | None:
    """A column of a row message by its newest definition; None if the message shows another type."""
    column = context.column(message["database"], message["table"], name)
    text = (message["mysqlType"] or {}).get(name, "")
    return column if column and text.startswith(column.type.family.value) else None


def values(applies: Applies, change: Callable[[str, Column], Any]) -> Wrap:
    """Changes the values of matching columns, except NULL."""

    def edit(message: Json, context: Context) -> None:
        for image in (*(message["data"] or ()), *(message["old"] or ())):
            for name, text in image.items():
                column = _column(message, context, name)
                if isinstance(text, str) and column is not None and applies(column):
                    image[name] = change(text, column)

    return rows(edit)


def codes(applies: Applies, code: Callable[[int, str | None], int]) -> Wrap:
    """Replaces `sqlType` of matching columns by `code(right code, value)`."""

    def edit(message: Json, context: Context) -> None:
        for name, right in (message["sqlType"] or {}).items():
            column = _column(message, context, name)
            if column is not None and applies(column):
                message["sqlType"][name] = code(right, message["data"][0][name])

    return rows(edit)


def names(applies: Callable[[Column, Mapping[str, str]], bool], change: Callable[[str, Column], str]) -> Wrap:
    """Changes `mysqlType` of columns if column and options match."""

    def edit(message: Json, context: Context) -> None:
        for name, text in (message["mysqlType"] or {}).items():
            column = _column(message, context, name)
            if column is not None and applies(column, context.options):
                message["mysqlType"][name] = change(text, column)

    return rows(edit)

"""Encoders with wrong schemas: of the message, of columns, of their `tidb_type` and their defaults."""

from __future__ import annotations

from conformance.mutants.debezium.edits import Edit, Message, described, encoder, every, rows
from conformance.mutants.model import Mutant, Wrap
from conformance.mutants.wrappers import Context, Json, is_text_of_charset_binary
from reference_impl.column_types import Family
from reference_impl.model import Column, Expression

__all__ = ["MUTANTS"]

_FIELDS = "value.schema.fields"
_EXTENSION = "enable-tidb-extension"

# -- source ------------------------------------------------------------------------------------------------------------


def _commit_anyway(message: Message, context: Context) -> None:
    fields = message.find(f"{_FIELDS}.source.fields")
    if fields is not None and context.is_on(_EXTENSION):
        fields.append({"type": "int64", "optional": False, "field": "commit_ts"})


def _start_first(message: Message, context: Context) -> None:
    fields: list[Json] | None = message.find(f"{_FIELDS}.source.fields")
    if fields is not None and fields[-1]["field"] == "start_ts":
        fields.insert(0, fields.pop())


# -- columns -----------------------------------------------------------------------------------------------------------


def _as_float(field: Json, column: Column) -> None:
    field["type"] = "float"


def _virtual_last(message: Message, context: Context) -> None:
    def is_virtual(field: Json) -> bool:
        column = context.column(*message.table, field["field"])
        return column is not None and column.generated == "virtual"

    for image in ("before", "after"):
        fields = message.find(f"{_FIELDS}.{image}.fields")
        if fields is not None:
            fields.sort(key=is_virtual)


# -- tidb_type ---------------------------------------------------------------------------------------------------------


def _as_character_type(field: Json, column: Column) -> None:
    if "tidb_type" in field:
        field["tidb_type"] = column.type.text.partition("(")[0].partition(" ")[0]


def _tidb_everywhere(message: Message, context: Context) -> None:
    for path in (f"{_FIELDS}.before.fields", f"{_FIELDS}.after.fields", "key.schema.fields"):
        for field in message.find(path) or ():
            field.setdefault("tidb_type", "")


def _if_extension(edit: Edit, *, is_on: bool) -> Wrap:
    """Edits row messages where the extension is on, or where it is off, which is its default."""
    return rows(lambda message, c: edit(message, c) if c.is_on(_EXTENSION) == is_on else None)


# -- defaults ----------------------------------------------------------------------------------------------------------


def _is_now_or_zero(column: Column) -> bool:
    """Whether a column is a TIMESTAMP that defaults to CURRENT_TIMESTAMP or zero."""
    default = column.default
    text = default.text.upper() if isinstance(default, Expression) else default
    is_one = isinstance(text, str) and text.startswith(("CURRENT_TIMESTAMP", "0000"))
    return column.type.family is Family.TIMESTAMP and is_one


MUTANTS: tuple[Mutant, ...] = (
    *(
        encoder(
            f"schema-commit-described-{profile}",
            "DBZ-052d",
            "commit_ts is described with the extension",
            profile=profile,
        )(every(_commit_anyway))
        for profile in ("doc", "classic")
    ),
    encoder("schema-start-first", "DBZ-052e", "start_ts is described first")(rows(_start_first)),
    encoder("type-float-scaled", "DBZ-121", "FLOAT(M,D) is described as float")(
        described(lambda column: column.type.family is Family.FLOAT and column.type.scale is not None, _as_float)
    ),
    encoder("described-virtual-last", "DBZ-057a", "virtual columns are described last")(rows(_virtual_last)),
    encoder("tidb-type-always", "DBZ-150a", "columns have tidb_type without the extension")(
        _if_extension(_tidb_everywhere, is_on=False)
    ),
    encoder("tidb-type-in-classic", "DBZ-150b", "columns have tidb_type with the extension", profile="classic")(
        _if_extension(_tidb_everywhere, is_on=True)
    ),
    encoder("tidb-type-by-declaration", "DBZ-151a", "the charset binary does not change tidb_type")(
        described(is_text_of_charset_binary, _as_character_type)
    ),
    encoder("default-timestamp-text", "DBZ-143", "the default of a TIMESTAMP is its text")(
        described(
            lambda column: column.type.family is Family.TIMESTAMP and isinstance(column.default, str),
            lambda field, column: field.update(default=column.default) if "default" in field else None,
        )
    ),
    encoder(
        "default-timestamp-now-lost",
        "DBZ-143a",
        "a TIMESTAMP that defaults to CURRENT_TIMESTAMP or zero has no default",
    )(described(_is_now_or_zero, lambda field, column: field.pop("default", None))),
)

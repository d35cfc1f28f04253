"""Encoders that write wrong DDL messages; `changed_types` has those with wrong columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from conformance.mutants.debezium.edits import (
    Edit,
    Message,
    Tree,
    ddl,
    encoder,
    set_member,
)
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context
from reference_impl.debezium_json.statement import renamings

__all__ = ["MUTANTS"]

_PAYLOAD = "value.payload"
_CHANGE = f"{_PAYLOAD}.tableChanges.0"

# -- kinds of change ---------------------------------------------------------------------------------------------------


def _event(message: Message, context: Context) -> Tree:
    """The event of a DDL message; {} if the message has only a part of the event's statement."""
    statements = (e for e in context.request["events"] if e["kind"] == "ddl")
    return next((e for e in statements if e["query"] == message.payload["ddl"]), {})


def _of_codes(codes: frozenset[int], edit: Edit) -> Edit:
    """Edit the DDL messages of statements with one of these action codes."""

    def edited(message: Message, context: Context) -> None:
        if _event(message, context).get("action_code") in codes:
            edit(message, context)

    return edited


def _codes(*codes: int) -> frozenset[int]:
    return frozenset(codes)


# (requirement, name, what is wrong, action codes, type written)
_TYPES: tuple[tuple[str, str, str, frozenset[int], str], ...] = (
    ("DBZ-300a", "rename-word", "the type of RENAME TABLE is RENAME", _codes(14, 47), "RENAME"),
)


def _changes() -> Iterator[Mutant]:
    for requirement, name, description, codes, word in _TYPES:
        yield encoder(
            f"ddl-{name}", requirement, description, ddl(_of_codes(codes, set_member(f"{_CHANGE}.type", word)))
        )


# -- names -------------------------------------------------------------------------------------------------------------


def _old_names(message: Message, context: Context) -> tuple[str, str] | None:
    """Schema and table before a RENAME."""
    renames = renamings(message.payload["ddl"])
    if len(renames) != 1:
        return None
    return renames[0].old.schema or message.table[0], renames[0].old.table


def _renamed(edit: Callable[[Message, str, str], Any]) -> Edit:
    """Edit the messages of a RENAME; `edit` gets the old names of schema and table."""

    def edited(message: Message, context: Context) -> None:
        old = _old_names(message, context)
        if old is not None:
            edit(message, *old)

    return edited


def _source_of_old(message: Message, schema: str, table: str) -> None:
    message.source["db"], message.source["table"] = schema, table


def _id_of_new_name(message: Message, schema: str, table: str) -> None:
    entry = message.find(_CHANGE)
    entry["id"] = entry["id"].partition(",")[2]


def _id_without_schema(message: Message, context: Context) -> None:
    entry = message.find(_CHANGE)
    if entry and not renamings(message.payload["ddl"]):
        entry["id"] = f'"{message.table[1]}"'


def _names() -> Iterator[Mutant]:
    yield encoder(
        "ddl-source-without-db", "DBZ-321d", "source.db of DDL is empty", ddl(set_member(f"{_PAYLOAD}.source.db", ""))
    )
    yield encoder(
        "ddl-source-without-table",
        "DBZ-321",
        "source.table of DDL is empty",
        ddl(set_member(f"{_PAYLOAD}.source.table", "")),
    )
    yield encoder(
        "ddl-source-of-old",
        "DBZ-321a",
        "source of a RENAME has the old names",
        ddl(_renamed(_source_of_old)),
    )
    yield encoder("ddl-id-of-table", "DBZ-323", "id is the table without its schema", ddl(_id_without_schema))
    yield encoder("ddl-id-new-alone", "DBZ-323a", "id of a RENAME is the new name", ddl(_renamed(_id_of_new_name)))


# -- the table ---------------------------------------------------------------------------------------------------------

_TABLE = f"{_CHANGE}.table"


def _no_unique_key(message: Message, context: Context) -> None:
    table, after = message.find(_TABLE), _event(message, context).get("table_after")
    if table and after and not after["primary_key"]:
        table["primaryKeyColumnNames"] = []


def _tables() -> Iterator[Mutant]:
    yield encoder(
        "ddl-drop-view-null",
        "DBZ-324a",
        "table of DROP VIEW is null",
        ddl(_of_codes(_codes(24), set_member(_TABLE, None))),
    )
    yield encoder(
        "ddl-table-null",
        "DBZ-302",
        "table of what is created or altered is null",
        ddl(_of_codes(_codes(3, 5, 12), set_member(_TABLE, None))),
    )
    yield encoder("ddl-key-unique-lost", "DBZ-326", "a unique key is no key of a table", ddl(_no_unique_key))


MUTANTS: tuple[Mutant, ...] = (*_changes(), *_names(), *_tables())

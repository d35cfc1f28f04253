"""Encoders with wrong keys, names of schemas, splitting of updates or order of rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from conformance.mutants.debezium.edits import (
    Edit,
    Message,
    Tree,
    encoder,
    rows,
)
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context, edit_answer, with_options

__all__ = ["MUTANTS"]

# -- columns -----------------------------------------------------------------------------------------------------------


def _table(message: Message, context: Context) -> Tree:
    """The table of a message before the first event; {} if an event changes it."""
    tables = context.request.get("tables") or ()
    changed = [e.get("table_after") for e in context.request["events"] if e.get("kind") == "ddl"]
    if any(t and (t["schema"], t["name"]) == message.table for t in changed):
        return {}
    return next((t for t in tables if (t["schema"], t["name"]) == message.table), {})


def _key_of(message: Message, names: list[str]) -> None:
    """Replace the columns of the key by these, in this order."""
    row = message.payload["after"] or message.payload["before"]
    fields = message.find("value.schema.fields.after.fields")
    message.key.clear()
    message.key.update({name: row[name] for name in names})
    if fields is not None:
        by_name = {field["field"]: field for field in fields}
        message.find("key.schema.fields")[:] = [by_name[name] for name in names]


def _columns(choose: Callable[[Tree, list[str]], list[str] | None]) -> Edit:
    """The edit that gives the key the columns `choose(table, right columns)`, if the row has them all."""

    def edit(message: Message, context: Context) -> None:
        table, row = _table(message, context), message.payload["after"] or message.payload["before"]
        names = choose(table, list(message.key)) if table else None
        if names is not None and all(name in row for name in names):
            _key_of(message, names)

    return edit


def _with_unique(table: Tree, names: list[str]) -> list[str] | None:
    unique = [name for key in table["unique_keys"] for name in key["columns"]]
    return [*names, *dict.fromkeys(n for n in unique if n not in names)] if table["primary_key"] else None


def _all_instead_of_none(table: Tree, names: list[str]) -> list[str] | None:
    return None if names else [c["name"] for c in table["columns"] if c.get("generated") != "virtual"]


def _old_key(message: Message, context: Context) -> None:
    before = message.payload.get("before") or {}
    message.key.update({name: before[name] for name in message.key if name in before})


def _which() -> Iterator[Mutant]:
    for requirement, name, what, choose in (
        ("DBZ-030f", "first-column", "has only the first column of the primary key", lambda t, n: n[:1]),
        ("DBZ-030", "with-unique", "has the columns of unique keys beside the primary key", _with_unique),
        ("DBZ-034", "of-all", "has every column if the table has no key", _all_instead_of_none),
    ):
        yield encoder(f"key-{name}", requirement, f"the key {what}", rows(_columns(choose)))
    yield encoder("key-of-old-row", "DBZ-037", "the key of updates is that of the old row", rows(_old_key, "u"))


# -- schemas -----------------------------------------------------------------------------------------------------------


_NAMED = ("key.schema", "value.schema", "value.schema.fields.before", "value.schema.fields.after")


def _named(message: Message) -> Iterator[Tree]:
    """The schemas of a message whose names begin with cluster, schema and table."""
    return filter(None, map(message.find, _NAMED))


def _sanitized_table(message: Message) -> str:
    return re.sub(r"[^A-Za-z0-9_.]", "_", message.table[1])


def _raw_namespace(message: Message, context: Context) -> None:
    parts = (message.source["name"], message.table[0], _sanitized_table(message))
    for schema in _named(message):
        schema["name"] = ".".join((*parts, schema["name"].rpartition(".")[2]))


def _table_without_dots(message: Message, context: Context) -> None:
    table = _sanitized_table(message)
    for schema in _named(message):
        schema["name"] = schema["name"].replace(table, table.replace(".", "_"))


def _digit_first(message: Message, context: Context) -> None:
    for schema in _named(message):
        schema["name"] = re.sub(r"(^|\.)_(?=\d)", r"\1", schema["name"])


def _schemas() -> Iterator[Mutant]:
    yield encoder("names-raw", "DBZ-031a", "names have cluster and schema as they are", rows(_raw_namespace))
    yield encoder("names-digit-first", "DBZ-031a", "names may begin with a digit", rows(_digit_first))
    yield encoder("names-without-dots", "DBZ-031b", "dots of a table are replaced in names", rows(_table_without_dots))


# -- updates of keys, order --------------------------------------------------------------------------------------------


def _reversed_rows(ok: Tree, context: Context) -> None:
    if all(event["kind"] == "row" for event in context.request["events"]):
        ok["records"].reverse()


def _in_turn(ok: Tree, context: Context) -> None:
    partitions = int(context.configuration.get("partitions") or 1)
    if all(event["kind"] == "row" for event in context.request["events"]):
        for number, record in enumerate(ok["records"]):
            if record.get("partition") is not None:
                record["partition"] = number % partitions


def _first_two_exchanged(ok: Tree, context: Context) -> None:
    records: list[Any] = ok["records"]
    if len(records) > 1 and records[0].get("partition") == records[1].get("partition"):
        records[0], records[1] = records[1], records[0]


def _order() -> Iterator[Mutant]:
    yield encoder(
        "key-change-whole",
        "DBZ-038",
        "an update of a key is one message",
        with_options(output_raw_change_event="true"),
    )
    yield encoder("rows-in-turn", "DBZ-039a", "rows go to the partitions in turn", edit_answer("encode", _in_turn))
    yield encoder(
        "rows-reversed",
        "DBZ-039b",
        "the rows of a call are sent in reverse order",
        edit_answer("encode", _reversed_rows),
    )
    yield encoder(
        "rows-exchanged",
        "DBZ-039b",
        "the first two messages of a call are exchanged",
        edit_answer("encode", _first_two_exchanged),
    )


MUTANTS: tuple[Mutant, ...] = (*_which(), *_schemas(), *_order())

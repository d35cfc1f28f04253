"""Encoders with wrong keys, names of schemas, splitting of updates or order of rows."""

from __future__ import annotations

import re
from collections.abc import Callable

from conformance.mutants.debezium.edits import Message, encoder, rows
from conformance.mutants.input_edits import UNIQUE_COLUMNS_IN_KEYS
from conformance.mutants.model import Mutant, Wrap
from conformance.mutants.record_lists import in_turn, value_of
from conformance.mutants.wrappers import Context, Json, edit_records, with_options

__all__ = ["MUTANTS"]

# -- keys --------------------------------------------------------------------------------------------------------------


def _old_key(message: Message, context: Context) -> None:
    before = message.payload.get("before") or {}
    message.key.update({name: before[name] for name in message.key if name in before})


# -- names of schemas --------------------------------------------------------------------------------------------------

_NAMED = ("key.schema", "value.schema", "value.schema.fields.before", "value.schema.fields.after")


def _renamed(rename: Callable[[str, Message], str]) -> Wrap:
    """Changes the names of schemas that begin with cluster, schema and table."""

    def edit(message: Message, context: Context) -> None:
        for schema in filter(None, map(message.find, _NAMED)):
            schema["name"] = rename(schema["name"], message)

    return rows(edit)


def _sanitized_table(message: Message) -> str:
    return re.sub(r"[^A-Za-z0-9_.]", "_", message.table[1])


def _with_raw_namespace(name: str, message: Message) -> str:
    return ".".join((message.source["name"], message.table[0], _sanitized_table(message), name.rpartition(".")[2]))


def _with_table_without_dots(name: str, message: Message) -> str:
    table = _sanitized_table(message)
    return name.replace(table, table.replace(".", "_"))


# -- order of rows -----------------------------------------------------------------------------------------------------


def _has_only_rows(context: Context) -> bool:
    return all(event["kind"] == "row" for event in context.request["events"])


def _is_row(record: Json) -> bool:
    return re.search(rb'"transaction":null,"op":"[cud]"', value_of(record)) is not None


def _first_two_exchanged(records: list[Json], context: Context) -> list[Json]:
    first_two = records[:2]
    if len({record.get("partition") for record in first_two}) == 1:
        first_two.reverse()
    return first_two + records[2:]


MUTANTS: tuple[Mutant, ...] = (
    encoder("key-with-unique", "DBZ-030", "the key has the columns of unique keys beside the primary key")(
        UNIQUE_COLUMNS_IN_KEYS
    ),
    encoder("key-of-old-row", "DBZ-037", "the key of updates is that of the old row")(rows(_old_key, "u")),
    encoder("names-raw", "DBZ-031a", "names have cluster and schema as they are")(_renamed(_with_raw_namespace)),
    encoder("names-digit-first", "DBZ-031a", "names may begin with a digit")(
        _renamed(lambda name, message: re.sub(r"(^|\.)_(?=\d)", r"\1", name))
    ),
    encoder("names-without-dots", "DBZ-031b", "dots of a table are replaced in names")(
        _renamed(_with_table_without_dots)
    ),
    encoder("key-change-whole", "DBZ-038", "an update of a key is one message")(
        with_options(output_raw_change_event="true")
    ),
    encoder("rows-in-turn", "DBZ-039a", "rows go to the partitions in turn")(in_turn(_is_row)),
    encoder("rows-reversed", "DBZ-039b", "the rows of a call are sent in reverse order")(
        edit_records(lambda records, context: records[::-1] if _has_only_rows(context) else records)
    ),
    encoder("rows-exchanged", "DBZ-039b", "the first two messages of a call are exchanged")(
        edit_records(_first_two_exchanged)
    ),
)

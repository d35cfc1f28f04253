"""Faults of encoders as edits of their input: these work for every protocol.

An encoder that misunderstands an event is the right encoder with another event as its input; an encoder that breaks
down over an event refuses the request.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from conformance.mutants.model import Answerer, Wrap
from conformance.mutants.wrappers import Json, edit_request, handles, tables_of
from reference_impl.column_types import Family
from reference_impl.model import Column, Table
from reference_impl.wire import table_from_json

__all__ = [
    "UNIQUE_COLUMNS_IN_KEYS",
    "EventContext",
    "Trigger",
    "breaks_down",
    "compares_vectors",
    "edited_events",
    "images",
    "refuses_values",
    "unsent",
    "with_options_for",
]


@dataclass(slots=True)
class EventContext:
    """The surroundings of an event in a request."""

    # The `configure` request.
    configuration: Mapping[str, Any]
    # All events of the request, and those before the event.
    events: list[Json]
    earlier: list[Json] = field(default_factory=list)
    # (schema, name) → the version of the table at the event.
    tables: dict[tuple[str, str], Table] = field(default_factory=dict)
    # (schema, name) → the version of the table at its first row.
    first: dict[tuple[str, str], Table] = field(default_factory=dict)

    def option(self, name: str) -> str:
        """The configured value of an option, or ""."""
        return str((self.configuration.get("options") or {}).get(name, ""))

    def table(self, event: Json) -> Table:
        """The version of the event's table at the event."""
        return self.tables[event["schema"], event["table"]]

    def column(self, event: Json, name: str) -> Column:
        """A column of this version."""
        column = self.table(event).column(name)
        assert column is not None
        return column

    def values(self, event: Json) -> Iterator[tuple[Column, Any]]:
        """Column and value for each value in the images of a row event; empty for other events."""
        return ((self.column(event, name), value) for image in images(event) for name, value in image.items())

    def is_added(self, event: Json, name: str) -> bool:
        """Whether the column was added after the first row of the table."""
        return self.first[event["schema"], event["table"]].column(name) is None

    def _enter(self, event: Json) -> None:
        if event["kind"] == "row":
            self.first.setdefault((event["schema"], event["table"]), self.table(event))

    def _leave(self, event: Json) -> None:
        self.earlier.append(event)
        self.tables.update((t.id, t) for t in map(table_from_json, tables_of({"events": [event]})))

    @classmethod
    def walk(cls, request: Json, configuration: Mapping[str, Any]) -> Iterator[tuple[Json, EventContext]]:
        """Each event of an encode request with its context: one object, valid until the next event."""
        context = cls(configuration, request["events"])
        context.tables = {t.id: t for t in map(table_from_json, request.get("tables") or ())}
        for event in request["events"]:
            context._enter(event)
            yield event, context
            context._leave(event)


Trigger: TypeAlias = Callable[[Json, EventContext], bool]


def images(event: Json) -> Iterator[dict[str, Any]]:
    """The images of a row event; empty for other events."""
    yield from filter(None, (event.get("before"), event.get("after")))


def edited_events(edit: Callable[[Json, EventContext], Any]) -> Wrap:
    """An encoder with edited events: an edit changes the event in place, or returns a list that replaces it."""

    def answer(inner: Answerer, request: Json, configuration: Json) -> Json:
        events: list[Json] = []
        for event, context in EventContext.walk(request, configuration):
            changed = copy.deepcopy(event)
            replacement = edit(changed, context)
            events += replacement if isinstance(replacement, list) else [changed]
        return inner({**request, "events": events})

    return handles("encode", answer)


def compares_vectors(event: Json, context: EventContext) -> bool:
    """Whether an event is an update of a table with a VECTOR that is sent with only-output-updated-columns."""
    return (
        context.option("only-output-updated-columns") == "true"
        and event.get("op") == "update"
        and any(column.type.family is Family.VECTOR for column in context.table(event).columns)
    )


def unsent(trigger: Trigger) -> Wrap:
    """An encoder that sends nothing for matching statements, but knows their tables when rows follow."""

    def answer(inner: Answerer, request: Json, configuration: Json) -> Json:
        events: list[Json] = []
        tables = {(table["schema"], table["name"]): table for table in request.get("tables") or ()}
        for event, context in EventContext.walk(request, configuration):
            if trigger(event, context):
                after = tables_of({"events": [event]})
                tables = {(table["schema"], table["name"]): table for table in after} | tables
            else:
                events.append(event)
        return inner({**request, "tables": [*tables.values()], "events": events})

    return handles("encode", answer)


def _occurs(trigger: Trigger, request: Json, configuration: Json) -> bool:
    return any(trigger(event, context) for event, context in EventContext.walk(request, configuration))


def breaks_down(trigger: Trigger) -> Wrap:
    """An encoder that refuses a request with a matching event."""

    def answer(inner: Answerer, request: Json, configuration: Json) -> Json:
        if _occurs(trigger, request, configuration):
            return {"id": request["id"], "rejected": {"class": "semantics", "message": "broke down"}}
        return inner(request)

    return handles("encode", answer)


def refuses_values(applies: Callable[[Column, Any], bool]) -> Wrap:
    """An encoder that refuses a request with a matching value in an image of a row."""
    return breaks_down(lambda event, context: any(applies(column, value) for column, value in context.values(event)))


def with_options_for(trigger: Trigger, **changes: str) -> Wrap:
    """An encoder that handles a request with a matching event under other options: `_` in names stands for `-`."""
    forced = {name.replace("_", "-"): value for name, value in changes.items()}

    def answer(inner: Answerer, request: Json, configuration: Json) -> Json:
        if not _occurs(trigger, request, configuration):
            return inner(request)
        inner({**configuration, "options": {**(configuration.get("options") or {}), **forced}})
        original = inner(request)
        inner(dict(configuration))
        return original

    return handles("encode", answer)


def _add_unique_columns(request: Json) -> None:
    """Add the columns of unique keys that cannot be NULL to the primary key of every table that has one."""
    for table in tables_of(request):
        nullable = {column["name"] for column in table["columns"] if column.get("nullable", True)}
        valid = (key["columns"] for key in table.get("unique_keys") or () if not nullable & {*key["columns"]})
        if table.get("primary_key"):
            table["primary_key"] = [*dict.fromkeys(n for key in (table["primary_key"], *valid) for n in key)]


UNIQUE_COLUMNS_IN_KEYS: Wrap = edit_request(_add_unique_columns)
"""An encoder whose keys have the columns of unique keys beside those of the primary key."""

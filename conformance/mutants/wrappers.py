"""Small wrappers from which mutants are made: each changes one thing in the request or in the answer.

They see only requests and answers, so that a mutant is an implementation like any other. An edit gets a deep copy or
freshly parsed data; it may change this in place or return a replacement.
"""

from __future__ import annotations

import base64
import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from conformance.mutants.model import Answerer, Wrap
from conformance.reference_harness import ReferenceHarness
from reference_impl import exact_json
from reference_impl.column_types import BINARY, Family
from reference_impl.model import Column
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.wire import table_from_json

__all__ = [
    "IMAGES_EXCHANGED",
    "Applies",
    "Context",
    "Json",
    "KeyAndValue",
    "accepts",
    "all_of",
    "dump",
    "edit_answer",
    "edit_bytes",
    "edit_json",
    "edit_option",
    "edit_records",
    "edit_request",
    "handles",
    "ignores",
    "in_families",
    "is_text_of_charset_binary",
    "read_events",
    "read_rows",
    "read_values",
    "reference",
    "refuses",
    "shifts",
    "tables_of",
    "with_options",
]

Json: TypeAlias = dict[str, Any]
KeyAndValue: TypeAlias = tuple[bytes | None, bytes | None]
"""Key and value of a record, in this order."""
Applies: TypeAlias = Callable[[Column], bool]
"""Whether a mutant changes a column."""


@dataclass(slots=True)
class Context:
    """The context of an edit: the configuration in force and the request."""

    configuration: Mapping[str, Any]
    request: Mapping[str, Any]
    _columns: dict[tuple[str, str], dict[str, Column]] = field(default_factory=dict)
    _changing: set[tuple[str, str, str]] = field(default_factory=set)

    @property
    def options(self) -> Mapping[str, str]:
        """The configured options."""
        options: Mapping[str, str] = self.configuration.get("options") or {}
        return options

    def is_on(self, option: str) -> bool:
        """Whether an option is configured as true."""
        return self.options.get(option) == "true"

    @property
    def compression(self) -> str:
        """The configured compression, `none` by default."""
        return self.options.get("large-message-handle-compression", "none")

    @property
    def partitions(self) -> int:
        """The configured number of partitions, 1 by default."""
        return int(self.configuration.get("partitions") or 1)

    def column(self, schema: str, table: str, name: str) -> Column | None:
        """A column of the request's tables, by the newest definition in the request, or None."""
        if not self._columns:
            for t in map(table_from_json, tables_of(self.request)):
                known = self._columns.setdefault(t.id, {})
                self._changing |= {(*t.id, c.name) for c in t.columns if known.get(c.name, c) != c}
                known.update({c.name: c for c in t.columns})
        return self._columns.get((schema, table), {}).get(name)

    def steady_column(self, schema: str, table: str, name: str) -> Column | None:
        """Like `column`, but None for a column with several definitions in the request."""
        column_ = self.column(schema, table, name)
        return None if (schema, table, name) in self._changing else column_


def tables_of(request: Mapping[str, Any]) -> Iterator[Json]:
    """Every version of every table in a request, in order."""
    yield from request.get("tables") or ()
    for event in request.get("events") or ():
        yield from filter(None, (event.get("table_after"), *(event.get("other_tables") or ())))


def in_families(*families: Family) -> Applies:
    """Whether a column is of one of these families."""
    return lambda column: column.type.family in families


def is_text_of_charset_binary(column: Column) -> bool:
    """Whether a column has a character type with charset binary."""
    word = column.type.text.lower()
    return column.type.family in BINARY and ("char" in word or "text" in word)


# -- any implementation ------------------------------------------------------------------------------------------------


def handles(op: str, handle: Callable[[Answerer, Json, Json], Json]) -> Wrap:
    """Answers each request for `op` by `handle(wrapped implementation, request, configuration in force)`.

    A configuration that the implementation does not accept leaves none in force.
    """

    def wrap(inner: Answerer) -> Answerer:
        configuration: Json = {}

        def answer(request: Json) -> Json:
            given = request.get("op")
            if given == "configure":
                configuration.clear()
                configuration.update(request)
            result = handle(inner, request, configuration) if given == op else inner(request)
            if given == "configure" and "ok" not in result:
                configuration.clear()
            return result

        return answer

    return wrap


def all_of(*wraps: Wrap) -> Wrap:
    """Several changes as one fault.

    Each wraps the ones before it: the first is the nearest to the implementation, the last sees each request first.
    """

    def wrap(inner: Answerer) -> Answerer:
        for one in wraps:
            inner = one(inner)
        return inner

    return wrap


def reference(profile: Profile = NEWARCH, *defects: str) -> Wrap:
    """The reference in another style, or with known defects, in place of the wrapped implementation.

    If the wrapped implementation is the reference, too, both use the same schema registry.
    """

    def wrap(inner: Answerer) -> Answerer:
        wrapped = getattr(inner, "__self__", None)  # of a method: the object; mutants wrap the method `answer`
        if isinstance(wrapped, ReferenceHarness):
            return wrapped.with_style(profile, defects).answer
        return ReferenceHarness(profile, defects).answer

    return wrap


def edit_request(edit: Callable[[Json], Json | None]) -> Wrap:
    """Edits a copy of every request."""

    def wrap(inner: Answerer) -> Answerer:
        def answer(request: Json) -> Json:
            changed = copy.deepcopy(request)
            return inner(edit(changed) or changed)

        return answer

    return wrap


def with_options(**changes: str | None) -> Wrap:
    """Gives options other values: `_` in a name stands for `-`. None removes the option, so that its default holds."""

    forced = {name.replace("_", "-"): value for name, value in changes.items()}

    def edit(request: Json) -> None:
        if request.get("op") == "configure":
            options = {**(request.get("options") or {}), **forced}
            request["options"] = {name: value for name, value in options.items() if value is not None}

    return edit_request(edit)


def ignores(option: str) -> Wrap:
    """Removes an option, so that its default holds."""
    return with_options(**{option: None})


def edit_option(name: str, change: Callable[[str | None], str | None]) -> Wrap:
    """Changes the value of an option; None stands for an option that is not set."""

    def edit(request: Json) -> None:
        if request.get("op") == "configure":
            options = dict(request.get("options") or {})
            value = change(options.pop(name, None))
            request["options"] = options if value is None else {**options, name: value}

    return edit_request(edit)


def shifts(option: str, by: int) -> Wrap:
    """Adds a number to a configured limit; the result is at least 1."""

    def shifted(limit: str | None) -> str | None:
        return str(max(int(limit) + by, 1)) if limit and limit.isdigit() and int(limit) else limit

    return edit_option(option, shifted)


def edit_answer(op: str, edit: Callable[[Json, Context], Any]) -> Wrap:
    """Edits the `ok` of every answer to `op`."""

    def edited(inner: Answerer, request: Json, configuration: Json) -> Json:
        original = inner(request)
        if "ok" not in original:
            return original
        ok = copy.deepcopy(original["ok"])
        changed = edit(ok, Context(configuration, request))
        return {**original, "ok": ok if changed is None else changed}

    return handles(op, edited)


# -- encoders ----------------------------------------------------------------------------------------------------------


def edit_records(edit: Callable[[list[Json], Context], list[Json]]) -> Wrap:
    """Replaces the list of records in an answer."""
    return edit_answer("encode", lambda ok, context: {**ok, "records": edit(ok["records"], context)})


def edit_bytes(edit: Callable[[bytes | None, bytes | None, Context], KeyAndValue]) -> Wrap:
    """Edits the key and value of an encoder's records as bytes."""

    def each(ok: Json, context: Context) -> None:
        for record in ok["records"]:
            key, value = edit(_bytes(record["key"]), _bytes(record["value"]), context)
            record["key"], record["value"] = _text(key), _text(value)

    return edit_answer("encode", each)


def edit_json(edit: Callable[[Any, Context], Any]) -> Wrap:
    """Edits the JSON values of an encoder's records as trees. Compressed values stay as they are."""

    def each(key: bytes | None, value: bytes | None, context: Context) -> KeyAndValue:
        if not value or value[:1] != b"{":
            return key, value
        tree = exact_json.loads(value)
        changed = edit(tree, context)
        return key, dump(tree if changed is None else changed)

    return edit_bytes(each)


# -- decoders ----------------------------------------------------------------------------------------------------------


def read_events(edit: Callable[[Json, Context], Any]) -> Wrap:
    """Edits the events of a decoder one by one; a list that the edit returns replaces the event."""

    def each(ok: Json, context: Context) -> None:
        events: list[Json] = []
        for event in ok["events"]:
            changed = edit(event, context)
            events += changed if isinstance(changed, list) else [event if changed is None else changed]
        ok["events"] = events

    return edit_answer("decode", each)


def read_rows(edit: Callable[[Json, Context], Any]) -> Wrap:
    """Edits the row events that a decoder answers, as `read_events` does."""
    return read_events(lambda event, context: edit(event, context) if event["kind"] == "row" else None)


def _exchange_images(event: Json, context: Context) -> None:
    if event["op"] == "update" and (event["before"] or {}).keys() == event["after"].keys():
        event["before"], event["after"] = event["after"], event["before"]


IMAGES_EXCHANGED = read_rows(_exchange_images)
"""A decoder that exchanges the images of updates whose two images have the same columns."""


def read_values(applies: Applies, change: Callable[[Any, Column], Any]) -> Wrap:
    """Changes the values that a decoder answers for matching columns, except NULL."""

    def edit(event: Json, context: Context) -> None:
        for image in filter(None, (event.get("before"), event.get("after"))):
            for name, value in image.items():
                column = context.column(event["schema"], event["table"], name)
                if value is not None and column is not None and applies(column):
                    image[name] = change(value, column)

    return read_rows(edit)


def refuses(reason: str, is_refused: Callable[[bytes | None, bytes | None, Context], bool]) -> Wrap:
    """A decoder that refuses a request if `is_refused(key, value, context)` holds for a record in it."""

    def answer(inner: Answerer, request: Json, configuration: Json) -> Json:
        context = Context(configuration, request)
        if any(is_refused(_bytes(record["key"]), _bytes(record["value"]), context) for record in request["records"]):
            return {"id": request["id"], "rejected": {"class": reason, "message": "not understood"}}
        return inner(request)

    return handles("decode", answer)


def accepts(reason: str, *words: str) -> Wrap:
    """Accepts what the reference refuses with class `reason` and one of `words` in the message (none: any message).

    The answer then has no events or no records.
    """

    def wrap(inner: Answerer) -> Answerer:
        def answer(request: Json) -> Json:
            original = inner(request)
            refused = original.get("rejected")
            if refused and refused["class"] == reason and any(w in refused["message"] for w in words or ("",)):
                empty: Json = {"decode": {"events": []}, "encode": {"records": []}}.get(request.get("op", ""), {})
                return {"id": original.get("id"), "ok": empty}
            return original

        return answer

    return wrap


# -- texts -------------------------------------------------------------------------------------------------------------


def dump(tree: Any) -> bytes:
    """The bytes of an exact tree."""
    return exact_json.dumps(tree).encode()


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)


def _text(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode("ascii")

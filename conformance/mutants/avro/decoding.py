"""Decoders that get events wrong, or refuse what is right.  [AV-120c, AV-130, AV-131b, AV-175 … AV-207]"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from conformance.mutants.avro.edits import Wrap, decoder, read_kinds, read_rows, refuses
from conformance.mutants.avro.forgery import Tree, asking
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context, edit_event, edit_request
from reference_impl.avro.framing import DELETE, ROW
from reference_impl.errors import Rejected
from reference_impl.names import sanitized
from reference_impl.registry import Registry

__all__ = ["MUTANTS"]

# -- events ------------------------------------------------------------------------------------------------------------


def _put(name: str, make: Callable[[Tree], Any], when: Callable[[Tree], bool] = lambda event: True) -> Wrap:
    """A member of row events is what `make` makes of the event."""

    def edit(event: Tree, context: Context) -> None:
        if when(event):
            event[name] = make(event)

    return read_rows(edit)


def _is(*ops: str) -> Callable[[Tree], bool]:
    return lambda event: event["op"] in ops


def _lost(when: Callable[[Tree], bool]) -> Wrap:
    """Events that fit are passed over."""
    return edit_event(lambda event, context: [] if when(event) else None)


def _rounded(event: Tree) -> Any:
    return str(int(float(event["commit_ts"])))


def _timed(event: Tree) -> bool:
    return "commit_ts" in event


def _first_columns(event: Tree, context: Context) -> None:
    """Columns that the table did not have at first are passed over."""
    for table in context.request.get("tables") or ():
        if (table["schema"], table["name"]) == (event["schema"], event["table"]):
            names = {sanitized(column["name"]) for column in table["columns"]}
            for side in ("before", "after"):
                if event.get(side):
                    event[side] = {name: value for name, value in event[side].items() if sanitized(name) in names}


_EVENTS = (
    decoder(
        "events-invented",
        "AV-213",
        "every event is answered twice",
        edit_event(lambda event, _: [event, event]),
    ),
    decoder(
        "deletes-lost",
        "AV-202",
        "deletes are passed over",
        _lost(lambda event: event.get("op") == "delete"),
        "AV-131b",
        "AV-213",
    ),
    decoder(
        "deletes-read-as-updates",
        "AV-202",
        "a delete is answered as an update to nothing",
        _put("op", lambda event: "update", _is("delete")),
    ),
    decoder(
        "commit-ts-read-through-a-double",
        "AV-203a",
        "the commit time stamp is rounded",
        _put("commit_ts", _rounded, _timed),
        "AV-131b",
    ),
    decoder(
        "commit-ts-invented",
        "AV-203b",
        "a row without a commit time stamp has 0",
        _put("commit_ts", lambda event: event.get("commit_ts", "0")),
    ),
    decoder(
        "before-invented",
        "AV-203b",
        "an insert has a row before",
        _put("before", lambda event: event["after"], lambda event: event["op"] == "insert"),
    ),
    decoder(
        "updates-as-inserts",
        "AV-204",
        "an update is answered as an insert",
        _put("op", lambda event: "insert", _is("update")),
    ),
    decoder(
        "inserts-as-updates",
        "AV-204",
        "an insert is answered as an update",
        _put("op", lambda event: "update", _is("insert")),
    ),
    decoder(
        "extension-as-columns",
        "AV-205",
        "`_tidb_op` is answered as a column",
        _put(
            "after",
            lambda event: event["after"] | {"_tidb_op": "c"},
            lambda event: _timed(event) and bool(event.get("after")),
        ),
    ),
    decoder(
        "columns-of-first-schema",
        "AV-175",
        "every row is read by the first schema of its table",
        read_rows(_first_columns),
        "AV-203c",
    ),
)


def _begins(value: bytes | None, first: int) -> bool:
    return value is not None and value[:1] == bytes((first,))


# -- mode for tests ----------------------------------------------------------------------------------------------------


def _member(kind: str, name: str, make: Callable[[Any], Any]) -> Wrap:
    """A member of events of a kind is what `make` makes of it."""
    return read_kinds(lambda event, context: event.__setitem__(name, make(event[name])), kind)


_MODE = (
    decoder(
        "start-invented",
        "AV-203b",
        "rows have a start time stamp",
        read_kinds(lambda event, context: event.update(start_ts="5"), "row"),
    ),
    decoder(
        "watermark-read-through-a-double",
        "AV-130f",
        "the time stamp of a watermark is rounded",
        _member("watermark", "commit_ts", lambda ts: str(int(float(ts)))),
    ),
    decoder(
        "marked-deletes-refused",
        "AV-131b",
        "a delete with a time stamp is refused",
        refuses("framing", lambda key, value: key is not None and _begins(value, DELETE)),
        "AV-130e",
    ),
)

# -- what is refused ---------------------------------------------------------------------------------------------------


def _without_keyless(request: Tree) -> None:
    if request.get("op") == "decode":
        request["records"] = [
            record
            for record in request["records"]
            if record["key"] is not None or base64.b64decode(record["value"] or "")[:1] != bytes((ROW,))
        ]


def _compact_only(registry: Registry, schema_id: int) -> str:
    text = registry.schema(schema_id)
    if '": ' in text or '" ' in text or text[:1] != "{":
        raise Rejected("schema", "white space in a schema")
    return text


_REFUSALS = (
    decoder(
        "rows-without-key-refused",
        "AV-200",
        "a row without a key is refused",
        refuses("framing", lambda key, value: key is None and _begins(value, ROW)),
        *("AV-175", "AV-130e"),
    ),
    decoder(
        "rows-without-key-lost",
        "AV-200",
        "a row without a key is passed over",
        edit_request(_without_keyless),
        "AV-213",
    ),
    decoder(
        "schemas-with-blanks-refused",
        "AV-175",
        "a schema with white space is refused",
        registry=asking(look_up=_compact_only),
    ),
)

MUTANTS: tuple[Mutant, ...] = (*_EVENTS, *_MODE, *_REFUSALS)

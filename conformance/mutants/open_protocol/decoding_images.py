"""Decoders that get the images of a row wrong, or are too lax or too strict about them.  [OP-040 … OP-060, OP-119]"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.mutants.model import Mutant
from conformance.mutants.open_protocol.edits import Tree, decoder, read_rows, refuses
from conformance.mutants.wrappers import Context, accepts

__all__ = ["MUTANTS"]


def _filled_otherwise(event: Tree, context: Context) -> None:
    """Old values that `p` does not tell are taken to be NULL."""
    if event["op"] == "update" and event["before"] and context.options.get("only-output-updated-columns") == "true":
        for name in event["after"]:
            event["before"].setdefault(name, None)


def _last_column_lost(image: str) -> Callable[[Tree, Context], None]:
    def edit(event: Tree, context: Context) -> None:
        if event[image]:
            event[image].popitem()

    return edit


def _nulls_lost(image: str) -> Callable[[Tree, Context], None]:
    def edit(event: Tree, context: Context) -> None:
        if event[image]:
            event[image] = {name: value for name, value in event[image].items() if value is not None}

    return edit


def _swapped(event: Tree, context: Context) -> None:
    if event["op"] == "update" and (event["before"] or {}).keys() == event["after"].keys():
        event["before"], event["after"] = event["after"], event["before"]


def _on(wanted: str, /, **members: Any) -> Callable[[Tree, Context], None]:
    """Members of the events with that operation are others."""
    return lambda event, context: event.update(members) if event["op"] == wanted else None


def _before_of_deletes_as_after(event: Tree, context: Context) -> None:
    if event["op"] == "delete":
        event.update(before=None, after=event["before"])


def _nulls_as_empty(event: Tree, context: Context) -> None:
    for image in ("before", "after"):
        for name, value in (event[image] or {}).items():
            column = context.column(event["schema"], event["table"], name)
            if value is None and column is not None and column.type.family == "varchar":
                event[image][name] = ""


def _filled_with_null(event: Tree, context: Context) -> None:
    """Columns of the table that an image does not have are NULL."""
    tables = [
        t for t in context.request.get("tables", ()) if (t["schema"], t["name"]) == (event["schema"], event["table"])
    ]
    for image in filter(None, (event["before"], event["after"])):
        for column in (c for t in tables for c in t["columns"] if c.get("generated") != "virtual"):
            image.setdefault(column["name"], None)


def _deletes_of_handle(event: Tree, context: Context) -> None:
    if event["op"] == "delete":
        names = [n for t in context.request.get("tables", ()) if t["name"] == event["table"] for n in t["primary_key"]]
        if names:
            event["before"] = {name: value for name, value in event["before"].items() if name in names}


def _columns_of(value: Tree) -> list[Tree]:
    return [given for image in "upd" for given in (value.get(image) or {}).values() if isinstance(given, dict)]


_IMAGES = (
    decoder(
        "column-unread",
        "OP-040",
        "the last column of a new image is not read",
        read_rows(_last_column_lost("after")),
    ),
    decoder(
        "images-swapped-when-read",
        "OP-040",
        "the images of an update are told the wrong way round",
        read_rows(_swapped),
    ),
    decoder(
        "rows-of-both-kinds-read", "OP-041", "`d` beside `u` or `p` is passed over", accepts("semantics", "with 'd'")
    ),
    decoder(
        "deletes-as-new-image",
        "OP-041",
        "the row of a delete is told as its new image",
        read_rows(_before_of_deletes_as_after),
    ),
    decoder(
        "inserts-with-previous-image",
        "OP-041",
        "the row of an insert is told as its previous image, too",
        read_rows(lambda event, context: event.update(before=event["after"]) if event["op"] == "insert" else None),
        "OP-042",
    ),
    decoder(
        "previous-image-unread",
        "OP-042",
        "`p` is not read",
        read_rows(_on("update", before=None)),
    ),
    decoder(
        "old-nulls-filled",
        "OP-042",
        "columns that were NULL are lost from the previous image",
        read_rows(lambda event, context: _nulls_lost("before")(event, context) if event["op"] == "update" else None),
    ),
    decoder(
        "columns-of-any-form-read",
        "OP-043",
        "columns are not checked",
        accepts("schema", "the column", "is not an object"),
    ),
    decoder(
        "columns-without-flags-refused",
        "OP-044b",
        "a column without `f` is refused",
        refuses("schema", lambda key, value: any("f" not in given for given in _columns_of(value))),
        "OP-106",
    ),
    decoder(
        "deletes-of-handle-columns",
        "OP-048",
        "of a delete the primary key alone is told",
        read_rows(_deletes_of_handle),
    ),
    decoder(
        "deletes-filled-with-null",
        "OP-048a",
        "columns that a delete lacks are told as NULL",
        read_rows(lambda event, context: _filled_with_null(event, context) if event["op"] == "delete" else None),
        "OP-244",
    ),
    decoder("updates-as-inserts", "OP-051", "updates are told as inserts", read_rows(_on("update", op="insert"))),
    decoder("inserts-as-upserts", "OP-051", "inserts are told as upserts", read_rows(_on("insert", op="upsert"))),
    decoder(
        "updates-without-old-values-as-deletes",
        "OP-243",
        "updates without `p` are told as deletes",
        read_rows(lambda event, context: event.update(op="delete") if event["op"] == "insert" else None),
        "OP-051",
    ),
    decoder(
        "reduced-rows-filled-with-null",
        "OP-244",
        "columns that a reduced row lacks are told as NULL",
        read_rows(_filled_with_null),
        "OP-048a",
    ),
    decoder(
        "null-as-empty-text-read", "OP-119", "NULL in a VARCHAR is told as an empty string", read_rows(_nulls_as_empty)
    ),
)

_FREE = (
    decoder(
        "update-without-changes-as-delete",
        "OP-051",
        "an update in which no column changed is told as a delete",
        read_rows(
            lambda event, context: (
                event.update(op="delete", before=event["after"], after=None)
                if event["op"] == "update" and not event["before"]
                else None
            )
        ),
        "OP-041",
        "OP-042",
    ),
    decoder(
        "old-values-filled-with-null", "OP-042", "old values that are not told are NULL", read_rows(_filled_otherwise)
    ),
)

MUTANTS: tuple[Mutant, ...] = (*_IMAGES, *_FREE)

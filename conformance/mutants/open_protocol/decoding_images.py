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


def _columns_of(value: Tree) -> list[Tree]:
    return [given for image in "upd" for given in (value.get(image) or {}).values() if isinstance(given, dict)]


_IMAGES = (
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
        "updates-without-old-values-as-deletes",
        "OP-243",
        "updates without `p` are told as deletes",
        read_rows(lambda event, context: event.update(op="delete") if event["op"] == "insert" else None),
        "OP-051",
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

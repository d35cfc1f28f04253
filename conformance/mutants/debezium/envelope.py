"""Encoders with wrong images in the payload of rows."""

from __future__ import annotations

from conformance.mutants.debezium.edits import (
    Edit,
    Message,
    encoder,
    images,
    rows,
)
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context

__all__ = ["MUTANTS"]


def _exchanged(message: Message, context: Context) -> None:
    payload = message.payload
    if "before" in payload:
        payload["before"], payload["after"] = payload["after"], payload["before"]


def _old_after(message: Message, context: Context) -> None:
    message.payload["after"] = message.payload.get("before", message.payload["after"])


def _only_changed(side: str) -> Edit:
    """The edit that leaves only changed columns and keys in one image of an update."""

    def edit(message: Message, context: Context) -> None:
        payload = message.payload
        if "before" in payload:
            before, after = payload["before"], payload["after"]
            payload[side] = {
                n: v for n, v in payload[side].items() if before.get(n) != after.get(n) or n in message.key
            }

    return edit


def _without_stored(message: Message, context: Context) -> None:
    for table in context.request["tables"]:
        if (table["schema"], table["name"]) == message.table:
            for column in (c for c in table["columns"] if c.get("generated") == "stored"):
                for image in images(message):
                    image.pop(column["name"], None)


MUTANTS: tuple[Mutant, ...] = (
    encoder("update-images-exchanged", "DBZ-043b", "the images of updates are exchanged", rows(_exchanged, "u")),
    encoder("update-after-old", "DBZ-043c", "`after` of updates is the old row", rows(_old_after, "u")),
    encoder(
        "stored-columns-lost",
        "DBZ-045",
        "stored generated columns are not in the images",
        rows(_without_stored),
    ),
    encoder(
        "unchanged-left-out",
        "DBZ-046",
        "`before` of updates has only the changed columns and the key",
        rows(_only_changed("before"), "u"),
    ),
    encoder(
        "unchanged-left-out-after",
        "DBZ-046",
        "`after` of updates has only the changed columns and the key",
        rows(_only_changed("after"), "u"),
    ),
)

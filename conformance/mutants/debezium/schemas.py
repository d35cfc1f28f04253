"""Encoders with wrong schemas, except those of columns."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.mutants.debezium.edits import (
    Message,
    Tree,
    encoder,
    every,
    rows,
)
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context

__all__ = ["MUTANTS"]


_SCHEMA, _FIELDS = "value.schema", "value.schema.fields"
_SOURCE = f"{_FIELDS}.source"


def _null_images_undescribed(message: Message, context: Context) -> None:
    fields = message.find(_FIELDS)
    if fields is not None:
        gone = [image for image in ("before", "after") if message.payload.get(image) is None]
        fields[:] = [field for field in fields if field["field"] not in gone]


def _is_extended(context: Context) -> bool:
    return context.options.get("enable-tidb-extension") == "true"


def _commit_anyway(message: Message, context: Context) -> None:
    fields = message.find(f"{_SOURCE}.fields")
    if fields is not None and _is_extended(context):
        fields.append({"type": "int64", "optional": False, "field": "commit_ts"})


def _start_first(message: Message, context: Context) -> None:
    fields: list[Tree] | None = message.find(f"{_SOURCE}.fields")
    if fields is not None and fields[-1]["field"] == "start_ts":
        fields.insert(0, fields.pop())


def _others() -> Iterator[Mutant]:
    yield encoder(
        "schema-null-image-undescribed",
        "DBZ-051g",
        "an image that is null is not described",
        rows(_null_images_undescribed),
    )

    for profile in ("doc", "classic"):
        yield encoder(
            f"schema-commit-described-{profile}",
            "DBZ-052d",
            "commit_ts is described with the extension",
            every(_commit_anyway),
            profile=profile,
        )
    yield encoder("schema-start-first", "DBZ-052e", "start_ts is described first", rows(_start_first))


MUTANTS: tuple[Mutant, ...] = tuple(_others())

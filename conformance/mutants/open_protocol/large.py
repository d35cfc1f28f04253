"""Encoders that handle rows too large for a message wrongly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from zlib import crc32

from conformance.mutants.model import Mutant
from conformance.mutants.open_protocol.edits import Tree, Wrap, encoder, rows
from conformance.mutants.wrappers import Context, accepts, edit_answer

__all__ = ["MUTANTS"]

Json = dict[str, Any]


def _last_handle_column_lost(key: Tree, value: Tree, context: Context) -> None:
    if "ohk" in key:
        for image in value.values():
            if len(image) > 1:
                image.popitem()


def _located(change: Callable[[str], str]) -> Wrap:
    """Changes the locations of claim-check files, in messages and in storage."""

    def edit(ok: Json, context: Context) -> None:
        for claim in ok.get("claims", ()):
            claim["location"] = change(claim["location"])

    def each(key: Tree, value: Tree, context: Context) -> None:
        if "ccl" in key:
            key["ccl"] = change(key["ccl"])

    return lambda inner: edit_answer("encode", edit)(rows(each)(inner))


MUTANTS: tuple[Mutant, ...] = (
    encoder(
        "reduced-row-without-whole-handle",
        "OP-160",
        "a reduced row lacks a column of its handle key",
        rows(_last_handle_column_lost),
    ),
    encoder(
        "handle-too-large-sent",
        "OP-160",
        "a reduced row that is still too large is sent",
        accepts("range", "too large"),
    ),
    encoder(
        "claim-named-by-number",
        "OP-171",
        "claim-check files are named by a number",
        _located(lambda place: f"{place.rpartition('/')[0]}/{crc32(place.encode())}.json"),
    ),
    encoder(
        "claim-without-extension",
        "OP-171",
        "names of claim-check files lack .json",
        _located(lambda place: place.removesuffix(".json")),
    ),
)

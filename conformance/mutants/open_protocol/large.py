"""Encoders that get rows wrong that are too large for a message.  [OP-049, OP-160 … OP-174]"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any
from zlib import crc32

from conformance.mutants.model import Mutant
from conformance.mutants.open_protocol.edits import Tree, Wrap, encoder, rows
from conformance.mutants.open_protocol.records import text_of
from conformance.mutants.wrappers import Context, accepts, edit_answer
from reference_impl.open_protocol.framing import unframe

__all__ = ["MUTANTS"]

Json = dict[str, Any]


def _last_handle_column_lost(key: Tree, value: Tree, context: Context) -> None:
    if "ohk" in key:
        for image in value.values():
            if len(image) > 1:
                image.popitem()


def _claims(edit: Callable[[Json], Json]) -> Wrap:
    """The claim-check files of an answer are others."""
    return edit_answer("encode", lambda ok, context: {**ok, "claims": [edit(c) for c in ok.get("claims", ())]})


def _content(change: Callable[[Json], Json]) -> Wrap:
    """What is in claim-check files is what `change` makes of its members `key` and `value`."""

    def edit(claim: Json) -> Json:
        content = json.loads(base64.b64decode(claim["value"]))
        return {**claim, "value": text_of(json.dumps(change(content)).encode())}

    return _claims(edit)


def _unframed(content: Json) -> Json:
    [(key, value)] = unframe(base64.b64decode(content["key"]), base64.b64decode(content["value"]))
    return {"key": text_of(key), "value": text_of(value)}


def _located(change: Callable[[str], str]) -> Wrap:
    """Claim-check files stand elsewhere, and messages tell so."""

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
        "a reduced row that is still too large is let pass",
        accepts("range", "too large"),
    ),
    encoder(
        "nothing-to-reduce-to-accepted",
        "OP-049",
        "a row without a handle key is reduced to nothing",
        accepts("semantics", "handle key"),
        "OP-160",
    ),
    encoder(
        "claims-not-stored",
        "OP-170",
        "claim-check files are not stored",
        edit_answer("encode", lambda ok, context: ok.pop("claims", None) and None),
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
    encoder(
        "claim-unframed",
        "OP-172",
        "claim-check files hold event key and event value without frames",
        _content(_unframed),
    ),
    encoder(
        "claim-without-key",
        "OP-172",
        "claim-check files have no key",
        _content(lambda content: {"value": content["value"]}),
    ),
    encoder(
        "claim-too-large-sent",
        "OP-174",
        "a claim-check message that is still too large is let pass",
        accepts("range", "too large"),
    ),
)

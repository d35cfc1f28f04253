"""Encoders that handle options, handle keys or large messages wrongly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cramjam

from conformance.mutants.canal_json.edits import Tree, encoder, tidb
from conformance.mutants.model import Answerer, Mutant
from conformance.mutants.wrappers import (
    Context,
    accepts,
    all_of,
    edit_answer,
    edit_bytes,
    edit_request,
    with_options,
)

__all__ = ["MUTANTS"]

Json = dict[str, Any]
Bytes = bytes | None


def _uncompressed(key: Bytes, value: Bytes, context: Context) -> tuple[Bytes, Bytes]:
    kind = context.options.get("large-message-handle-compression", "none")
    if not value or kind == "none":
        return key, value
    return key, bytes(cramjam.lz4.decompress(value) if kind == "lz4" else cramjam.snappy.decompress_raw(value))


def _framed_snappy(key: Bytes, value: Bytes, context: Context) -> tuple[Bytes, Bytes]:
    if value and context.options.get("large-message-handle-compression") == "snappy":
        value = bytes(cramjam.snappy.compress(cramjam.snappy.decompress_raw(value)))
    return key, value


def _lz4_block(key: Bytes, value: Bytes, context: Context) -> tuple[Bytes, Bytes]:
    if value and context.options.get("large-message-handle-compression") == "lz4":
        value = bytes(cramjam.lz4.compress_block(bytes(cramjam.lz4.decompress(value))))
    return key, value


def _only_rows_compressed(key: Bytes, value: Bytes, context: Context) -> tuple[Bytes, Bytes]:
    _, plain = _uncompressed(key, value, context)
    return key, value if plain and b'"type":"TIDB_WATERMARK"' not in plain and b'"isDdl":true' not in plain else plain


def _without_json(extension: Tree, tree: Tree) -> None:
    if "claimCheckLocation" in extension:
        extension["claimCheckLocation"] = extension["claimCheckLocation"].removesuffix(".json")


def _files_without_json(ok: Json, context: Context) -> None:
    """Rename the files; with compression they keep their names, since messages are not edited then."""
    for claim in ok.get("claims", ()) if "large-message-handle-compression" not in context.options else ():
        claim["location"] = claim["location"].removesuffix(".json")


def _file_name_only(extension: Tree, tree: Tree) -> None:
    if "claimCheckLocation" in extension:
        extension["claimCheckLocation"] = extension["claimCheckLocation"].rpartition("/")[2]


def _limit_shifted(by: int) -> Callable[[Answerer], Answerer]:
    """Add this many bytes to the configured limit."""

    def edit(request: Json) -> None:
        options = request.get("options") or {}
        if request["op"] == "configure" and "max-message-bytes" in options:
            options["max-message-bytes"] = str(int(options["max-message-bytes"]) + by)

    return edit_request(edit)


MUTANTS: tuple[Mutant, ...] = (
    encoder("compression-ignored", "CJ-106", "large-message-handle-compression is ignored", edit_bytes(_uncompressed)),
    encoder(
        "compression-of-rows-alone",
        "CJ-106",
        "DDL messages and watermarks are not compressed",
        edit_bytes(_only_rows_compressed),
    ),
    encoder("snappy-framed", "CJ-136", "Snappy in its framing format", edit_bytes(_framed_snappy)),
    encoder("lz4-block", "CJ-136", "LZ4 in its block format", edit_bytes(_lz4_block)),
    encoder(
        "raw-change-ignored",
        "CJ-109",
        "output-raw-change-event is ignored",
        with_options(output_raw_change_event=None),
    ),
    encoder(
        "key-change-unsplit",
        "CJ-140",
        "an update of a key is one message",
        with_options(output_raw_change_event="true"),
    ),
    encoder(
        "too-large-sent",
        "CJ-130",
        "a message that is too large is dropped, not refused",
        accepts("range", "larger than max-message-bytes"),
    ),
    encoder(
        "handle-key-too-large",
        "CJ-131",
        "a row whose handle key is too large is dropped, not refused",
        accepts("range", "the handle key alone"),
    ),
    encoder("claim-always-raw", "CJ-133", "claim-check files are bare", with_options(claim_check_raw_value="true")),
    encoder("claim-never-raw", "CJ-133", "claim-check-raw-value is ignored", with_options(claim_check_raw_value=None)),
    encoder(
        "location-without-json",
        "CJ-134",
        "the location does not end in .json",
        all_of(tidb(_without_json), edit_answer("encode", _files_without_json)),
    ),
    encoder("location-without-storage", "CJ-134", "the location is only a file name", tidb(_file_name_only)),
    encoder("overhead-forgotten", "CJ-205", "the size is that of key and value without overhead", _limit_shifted(36)),
    encoder("limit-exclusive", "CJ-205", "a message at the limit is too large", _limit_shifted(-1)),
)

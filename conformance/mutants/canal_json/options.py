"""Encoders that handle options, handle keys or large messages wrongly."""

from __future__ import annotations

from collections.abc import Callable

import cramjam

from conformance.mutants.canal_json.edits import encoder, location
from conformance.mutants.model import Mutant, Wrap
from conformance.mutants.wrappers import (
    Context,
    Json,
    KeyAndValue,
    accepts,
    all_of,
    edit_answer,
    edit_bytes,
    ignores,
    shifts,
    with_options,
)
from reference_impl.compression import decompress

__all__ = ["MUTANTS"]

# -- compression -------------------------------------------------------------------------------------------------------


def _recompressed(again: Callable[[bytes, bytes], bytes], *compressions: str) -> Wrap:
    """Replaces values that are compressed in one of these ways by `again(value, JSON text)`."""

    def edit(key: bytes | None, value: bytes | None, context: Context) -> KeyAndValue:
        if value and context.compression in compressions:
            value = again(value, decompress(context.compression, value))
        return key, value

    return edit_bytes(edit)


def _only_rows(value: bytes, plain: bytes) -> bytes:
    return plain if b'"type":"TIDB_WATERMARK"' in plain or b'"isDdl":true' in plain else value


# -- claim checks ------------------------------------------------------------------------------------------------------


def _files_without_json(ok: Json, context: Context) -> None:
    """Rename the files; with compression they keep their names, since messages are not edited then."""
    for claim in ok.get("claims", ()) if "large-message-handle-compression" not in context.options else ():
        claim["location"] = claim["location"].removesuffix(".json")


MUTANTS: tuple[Mutant, ...] = (
    encoder("compression-ignored", "CJ-106", "large-message-handle-compression is ignored")(
        _recompressed(lambda value, plain: plain, "snappy", "lz4")
    ),
    encoder("compression-of-rows-alone", "CJ-106", "DDL messages and watermarks are not compressed")(
        _recompressed(_only_rows, "snappy", "lz4")
    ),
    encoder("snappy-framed", "CJ-136", "Snappy in its framing format")(
        _recompressed(lambda value, plain: bytes(cramjam.snappy.compress(plain)), "snappy")
    ),
    encoder("lz4-block", "CJ-136", "LZ4 in its block format")(
        _recompressed(lambda value, plain: bytes(cramjam.lz4.compress_block(plain)), "lz4")
    ),
    encoder("raw-change-ignored", "CJ-109", "output-raw-change-event is ignored")(ignores("output-raw-change-event")),
    encoder("key-change-unsplit", "CJ-140", "an update of a key is one message")(
        with_options(output_raw_change_event="true")
    ),
    encoder("too-large-sent", "CJ-130", "a message that is too large is dropped, not refused")(
        accepts("range", "larger than max-message-bytes")
    ),
    encoder("claim-always-raw", "CJ-133", "claim-check files are bare")(with_options(claim_check_raw_value="true")),
    encoder("claim-never-raw", "CJ-133", "claim-check-raw-value is ignored")(ignores("claim-check-raw-value")),
    encoder("location-without-json", "CJ-134", "the location does not end in .json")(
        all_of(location(lambda path: path.removesuffix(".json")), edit_answer("encode", _files_without_json))
    ),
    encoder("location-without-storage", "CJ-134", "the location is only a file name")(
        location(lambda path: path.rpartition("/")[2])
    ),
    encoder("overhead-forgotten", "CJ-205", "the size is that of key and value without overhead")(
        shifts("max-message-bytes", 36)
    ),
    encoder("limit-exclusive", "CJ-205", "a message at the limit is too large")(shifts("max-message-bytes", -1)),
)

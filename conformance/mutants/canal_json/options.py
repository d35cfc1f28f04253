"""Encoders that get options, handle keys or large messages wrong.  [CJ-101 … CJ-140, CJ-205]"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import cramjam

from conformance.mutants.canal_json.edits import Tree, encoder, is_on, rows, tidb
from conformance.mutants.model import Answerer, Mutant
from conformance.mutants.wrappers import (
    Context,
    accepts,
    edit_answer,
    edit_bytes,
    edit_request,
    with_options,
)

__all__ = ["MUTANTS"]

Json = dict[str, Any]
Bytes = bytes | None


def _without_primary_key(*, has_handle: bool) -> Callable[[Tree, Context], None]:
    """Reduced deletes of tables without a primary key have one column more, with nothing of the table known."""

    def edit(tree: Tree, context: Context) -> None:
        is_reduced = is_on(context, "delete-only-output-handle-key-columns")
        if is_reduced and not tree["pkNames"] and bool(tree["sqlType"]) == has_handle:
            [given] = [
                t for t in context.request["tables"] if (t["schema"], t["name"]) == (tree["database"], tree["table"])
            ]
            known = tree["sqlType"] or {}
            name = next((c["name"] for c in given["columns"] if c["name"] not in known and "generated" not in c), None)
            if name is not None:
                tree["sqlType"] = {**known, name: 4}
                tree["mysqlType"] = {**(tree["mysqlType"] or {}), name: "int"}
                tree["data"] = [{**tree["data"][0], name: "1"}]

    return edit


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


def _rows_alone(key: Bytes, value: Bytes, context: Context) -> tuple[Bytes, Bytes]:
    _, plain = _uncompressed(key, value, context)
    return key, value if plain and b'"type":"TIDB_WATERMARK"' not in plain and b'"isDdl":true' not in plain else plain


def _claims(change: Callable[[bytes], bytes]) -> Callable[[Answerer], Answerer]:
    def edit(ok: Json, context: Context) -> None:
        for claim in ok.get("claims", ()):
            claim["value"] = base64.b64encode(change(base64.b64decode(claim["value"]))).decode()

    return edit_answer("encode", edit)


def _no_claims(ok: Json, context: Context) -> None:
    ok.pop("claims", None)


def _locations(change: Callable[[str], str]) -> Callable[[Answerer], Answerer]:
    def in_message(extension: Tree, tree: Tree) -> None:
        if "claimCheckLocation" in extension:
            extension["claimCheckLocation"] = change(extension["claimCheckLocation"])

    def in_files(ok: Json, context: Context) -> None:
        for claim in ok.get("claims", ()) if "large-message-handle-compression" not in context.options else ():
            claim["location"] = change(claim["location"])

    return lambda inner: edit_answer("encode", in_files)(tidb(in_message)(inner))


def _without_handling(request: Json) -> None:
    """Where the extension is off, large messages are not handled rather than refused."""
    options = request.get("options") or {}
    if options.get("enable-tidb-extension") != "true":
        options.pop("large-message-handle-option", None)


def _unmarked(extension: Tree, tree: Tree) -> None:
    extension.pop("onlyHandleKey", None)


def _one_column_more(tree: Tree, context: Context) -> None:
    if {"onlyHandleKey"} & tree.get("_tidb", {}).keys() and tree["pkNames"]:
        given = next(
            t for t in context.request["tables"] if (t["schema"], t["name"]) == (tree["database"], tree["table"])
        )
        name = next((c["name"] for c in given["columns"] if c["name"] not in tree["sqlType"]), None)
        if name is not None:
            tree["data"][0][name] = None


def _limit(shift: int) -> Callable[[Answerer], Answerer]:
    """The limit is met `shift` bytes too late."""

    def edit(request: Json) -> None:
        options = request.get("options") or {}
        if request["op"] == "configure" and "max-message-bytes" in options:
            options["max-message-bytes"] = str(int(options["max-message-bytes"]) + shift)

    return edit_request(edit)


def _options() -> tuple[Mutant, ...]:
    return (
        encoder(
            "delete-only-ignored",
            "CJ-104",
            "delete-only-output-handle-key-columns is ignored",
            with_options(delete_only_output_handle_key_columns=None),
        ),
        encoder(
            "large-without-extension",
            "CJ-105",
            "large-message-handle-option works without the extension",
            edit_request(_without_handling),
        ),
        encoder(
            "compression-ignored", "CJ-106", "large-message-handle-compression is ignored", edit_bytes(_uncompressed)
        ),
        encoder(
            "compression-of-rows-alone",
            "CJ-106",
            "DDL messages and watermarks are not compressed",
            edit_bytes(_rows_alone),
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
            "handle-key-wider",
            "CJ-112",
            "the handle key has one column more",
            rows(_without_primary_key(has_handle=True), "DELETE"),
        ),
        encoder(
            "keyless-row",
            "CJ-113",
            "a row without a handle key keeps a column",
            rows(_without_primary_key(has_handle=False), "DELETE"),
            "CJ-036",
        ),
        encoder(
            "too-large-sent",
            "CJ-130",
            "a message that is too large is sent",
            accepts("range", "larger than max-message-bytes"),
            "CJ-205",
        ),
        encoder(
            "handle-key-too-large",
            "CJ-131",
            "a handle key that is too large is sent",
            accepts("range", "the handle key alone"),
        ),
        encoder("handle-key-unmarked", "CJ-131", "a reduced row is not marked", tidb(_unmarked)),
        encoder("handle-key-and-more", "CJ-131", "a reduced row has one column more", rows(_one_column_more)),
        encoder("claim-always-raw", "CJ-133", "claim-check files are bare", with_options(claim_check_raw_value="true")),
        encoder(
            "claim-never-raw", "CJ-133", "claim-check-raw-value is ignored", with_options(claim_check_raw_value=None)
        ),
        encoder("claim-not-stored", "CJ-133", "claim-check files are not stored", edit_answer("encode", _no_claims)),
        encoder(
            "claim-empty-key",
            "CJ-133",
            "the key in a claim-check file is an empty text",
            _claims(lambda content: content.replace(b'{"key":null,', b'{"key":"",')),
        ),
        encoder(
            "location-without-json",
            "CJ-134",
            "the location does not end in .json",
            _locations(lambda location: location.removesuffix(".json")),
        ),
        encoder("location-without-storage", "CJ-134", "the location is a file name alone", tidb(_file_alone), "CJ-133"),
        encoder("overhead-forgotten", "CJ-205", "the size is that of key and value alone", _limit(36), "CJ-130"),
        encoder("limit-exclusive", "CJ-205", "a message at the limit is too large", _limit(-1)),
    )


def _file_alone(extension: Tree, tree: Tree) -> None:
    if "claimCheckLocation" in extension:
        extension["claimCheckLocation"] = extension["claimCheckLocation"].rpartition("/")[2]


MUTANTS: tuple[Mutant, ...] = _options()

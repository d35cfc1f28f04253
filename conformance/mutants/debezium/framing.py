"""Encoders that get records, options or the text of messages wrong.  [DBZ-010 … DBZ-023, DBZ-420 … DBZ-424]"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from typing import Any

from conformance.mutants.debezium.edits import (
    Message,
    Tree,
    Wrap,
    change,
    encoder,
    every,
    insert,
    rows,
    texts,
)
from conformance.mutants.model import Answerer, Mutant
from conformance.mutants.wrappers import Context, edit_request, with_options
from reference_impl.names import sanitized

__all__ = ["MUTANTS"]

Bytes = bytes | None
Records = list[Tree]

# -- records -----------------------------------------------------------------------------------------------------------


def _bytes(record: Tree, side: str = "value") -> bytes:
    return base64.b64decode(record[side] or "")


# -- options -----------------------------------------------------------------------------------------------------------


def _on(context: Context, option: str) -> bool:
    return context.options.get(option) == "true"


def _off(context: Context, option: str) -> bool:
    return context.options.get(option) == "false"


def _null_schema(key: bytes, value: bytes, context: Context) -> tuple[bytes, bytes]:
    if not _on(context, "debezium-disable-schema"):
        return key, value
    return key[:-1] + b',"schema":null}', value[:-1] + b',"schema":null}'


def _extension_by_default(request: Tree) -> None:
    if request["op"] == "configure":
        request["options"] = {"enable-tidb-extension": "true", **(request.get("options") or {})}


def _deletes_without_row(edit: Callable[[Tree], Any]) -> Wrap:
    return rows(
        lambda message, context: edit(message.payload) if _off(context, "debezium-output-old-value") else None, "d"
    )


def _started(when: Callable[[Context], bool], *kinds: str) -> Wrap:
    def edit(message: Message, context: Context) -> None:
        if when(context):
            message.source.setdefault("start_ts", message.source["commit_ts"])

    return every(edit, *kinds)


def _refuses_too_large(inner: Answerer) -> Answerer:
    options: Tree = {}

    def answer(request: Tree) -> Tree:
        if request["op"] == "configure":
            options.clear()
            options.update(request.get("options") or {})
        given = inner(request)
        limit = int(options.get("max-message-bytes", 10485760))
        if request["op"] == "encode" and any(len(_bytes(r)) > limit for r in given.get("ok", {}).get("records", ())):
            refusal = {"class": "range", "message": "larger than max-message-bytes"}
            return {"id": request["id"], "rejected": refusal}
        return given

    return answer


def _sanitized(name: str) -> Wrap:
    return every(change(f"value.payload.source.{name}", sanitized))


def _options() -> tuple[Mutant, ...]:
    starting = "debezium-include-start-ts"
    return (
        encoder(
            "schema-always",
            "DBZ-011",
            "debezium-disable-schema is ignored",
            with_options(debezium_disable_schema=None),
        ),
        encoder("schema-null", "DBZ-011b", "a schema that is switched off is null", texts(_null_schema)),
        encoder(
            "extension-default",
            "DBZ-012",
            "the extension is on by default",
            edit_request(_extension_by_default),
            "DBZ-053",
        ),
        encoder(
            "old-value-always",
            "DBZ-013",
            "debezium-output-old-value is ignored",
            with_options(debezium_output_old_value=None),
        ),
        encoder(
            "delete-without-row",
            "DBZ-013a",
            "debezium-output-old-value takes the row of deletes",
            _deletes_without_row(lambda payload: payload.__setitem__("before", None)),
        ),
        encoder(
            "delete-without-before",
            "DBZ-013a",
            "debezium-output-old-value takes `before` of deletes",
            _deletes_without_row(lambda payload: payload.pop("before")),
        ),
        encoder(
            "start-ts-never",
            "DBZ-014",
            "debezium-include-start-ts is ignored",
            with_options(debezium_include_start_ts=None),
            "DBZ-052e",
        ),
        encoder(
            "start-ts-of-ddl",
            "DBZ-014a",
            "DDL messages have a start_ts",
            _started(lambda context: _on(context, starting), "ddl"),
        ),
        encoder(
            "start-ts-of-watermark",
            "DBZ-014a",
            "watermarks have a start_ts",
            _started(lambda context: _on(context, starting), "m"),
        ),
        encoder(
            "start-ts-always",
            "DBZ-014b",
            "start_ts is there without the option",
            _started(lambda context: not _on(context, starting), "c", "u", "d"),
        ),
        encoder("too-large-refused", "DBZ-015a", "a message that is too large is refused", _refuses_too_large),
        encoder(
            "compression-ignored",
            "DBZ-016",
            "large-message-handle-compression is ignored",
            with_options(large_message_handle_compression=None),
        ),
        encoder("name-sanitized", "DBZ-018", "source.name is sanitised", _sanitized("name"), "DBZ-041c"),
        encoder(
            "cluster-id-sanitized", "DBZ-018", "source.cluster_id is sanitised", _sanitized("cluster_id"), "DBZ-041p"
        ),
    )


# -- text --------------------------------------------------------------------------------------------------------------


def _of_one_digit(key: bytes, value: bytes, context: Context) -> tuple[bytes, bytes]:
    return key, re.sub(rb"(?<=[:0-9]e-)0(?=[0-9][,}])", b"", value)


def _spelling() -> tuple[Mutant, ...]:
    return (
        encoder(
            "member-query-text",
            "DBZ-040a",
            "payloads have a member `ddlType`",
            every(insert("value.payload.ddlType", "")),
        ),
        encoder(
            "member-of-source", "DBZ-040a", "source has a member `lsn`", every(insert("value.payload.source.lsn", None))
        ),
        encoder(
            "member-of-schema",
            "DBZ-040a",
            "the schema has a member `doc`",
            every(insert("value.schema.doc", "")),
        ),
        encoder(
            "float-exponent-of-one-digit",
            "DBZ-423a",
            "an exponent of a float is written without a leading zero",
            texts(_of_one_digit),
        ),
    )


MUTANTS: tuple[Mutant, ...] = (*_options(), *_spelling())

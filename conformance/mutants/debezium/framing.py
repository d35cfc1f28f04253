"""Encoders that get records, options or the text of messages wrong.  [DBZ-010 … DBZ-023, DBZ-420 … DBZ-424]"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from conformance.mutants.debezium.edits import (
    Message,
    Tree,
    Wrap,
    change,
    encoder,
    every,
    in_families,
    insert,
    rows,
    texts,
    values,
)
from conformance.mutants.model import Answerer, Mutant
from conformance.mutants.wrappers import Context, edit_answer, edit_bytes, edit_request, with_options
from reference_impl import exact_json
from reference_impl.column_types import BINARY, Family
from reference_impl.compression import decompress
from reference_impl.names import sanitized

__all__ = ["MUTANTS"]

Bytes = bytes | None
Records = list[Tree]

# -- records -----------------------------------------------------------------------------------------------------------


def _records(edit: Callable[[Records, Context], Records]) -> Wrap:
    def each(ok: Tree, context: Context) -> None:
        ok["records"] = edit(ok["records"], context)

    return edit_answer("encode", each)


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _bytes(record: Tree, side: str = "value") -> bytes:
    return base64.b64decode(record[side] or "")


def _is_plain(context: Context) -> bool:
    return "large-message-handle-compression" not in context.options


def _joined(records: Records, context: Context) -> Records:
    """One record for all rows of a call, in the partition of the first."""
    if not (_is_plain(context) and len(records) > 1 and all(b'"transaction":null' in _bytes(r) for r in records)):
        return records
    return [{**records[0], "value": _text(b"\n".join(map(_bytes, records)))}]


def _changes_nothing(value: bytes) -> bool:
    message = Message(b'{"payload":{}}', value)
    return message.kind == "u" and message.payload.get("before") == message.payload["after"]


def _without_changes_of_nothing(records: Records, context: Context) -> Records:
    return [r for r in records if not (_is_plain(context) and _changes_nothing(_bytes(r)))]


def _with_tombstones(records: Records, context: Context) -> Records:
    deletes = [b'"op":"d"' in _bytes(r) for r in records]
    return [
        one for r, is_delete in zip(records, deletes, strict=True) for one in [r, {**r, "value": None}][: 1 + is_delete]
    ]


def _with_headers(records: Records, context: Context) -> Records:
    return [{**r, "headers": [["content-type", _text(b"application/json")]]} for r in records]


def _listed(key: bytes, value: bytes, context: Context) -> tuple[bytes, bytes]:
    return key, b"[" + value + b"]"


def _bare_key(key: bytes, value: bytes, context: Context) -> tuple[bytes, bytes]:
    return b"/".join(str(v).encode() for v in exact_json.loads(key)["payload"].values()), value


def _records_of() -> tuple[Mutant, ...]:
    return (
        encoder("rows-joined", "DBZ-453", "all rows of a call are one record", _records(_joined), "DBZ-010a"),
        encoder(
            "row-unchanged-unsent",
            "DBZ-453",
            "an update that changes nothing is not sent",
            _records(_without_changes_of_nothing),
        ),
        encoder("value-in-an-array", "DBZ-010a", "the value is an array of one object", texts(_listed)),
        encoder("key-bare", "DBZ-010a", "the key is a text of its values", texts(_bare_key)),
        encoder("key-null", "DBZ-010a", "records have no key", edit_bytes(lambda key, value, context: (None, value))),
        encoder(
            "tombstones",
            "DBZ-010b",
            "a record without a value follows a delete",
            _records(_with_tombstones),
        ),
        encoder(
            "values-null",
            "DBZ-040",
            "records have a key alone",
            edit_bytes(lambda key, value, context: (key, None)),
            "DBZ-010b",
        ),
        encoder("headers", "DBZ-023", "records have a header", _records(_with_headers)),
    )


# -- options -----------------------------------------------------------------------------------------------------------


def _on(context: Context, option: str) -> bool:
    return context.options.get(option) == "true"


def _off(context: Context, option: str) -> bool:
    return context.options.get(option) == "false"


def _null_schema(key: bytes, value: bytes, context: Context) -> tuple[bytes, bytes]:
    if not _on(context, "debezium-disable-schema"):
        return key, value
    return key[:-1] + b',"schema":null}', value[:-1] + b',"schema":null}'


def _bare(text: bytes) -> bytes:
    return text.partition(b',"schema":{')[0] + b"}" if b',"schema":{' in text else text


def _without_key_schema(key: bytes, value: bytes, context: Context) -> tuple[bytes, bytes]:
    return _bare(key), value


def _with_key_schema(key: bytes, value: bytes, context: Context) -> tuple[bytes, bytes]:
    if _on(context, "debezium-disable-schema"):
        key = key[:-1] + b',"schema":{"type":"struct","optional":false,"fields":[]}}'
    return key, value


def _extension_by_default(request: Tree) -> None:
    if request["op"] == "configure":
        request["options"] = {"enable-tidb-extension": "true", **(request.get("options") or {})}


def _null_before(message: Message, context: Context) -> None:
    if "before" not in message.payload:
        message.payload["before"] = None


def _deletes_without_row(edit: Callable[[Tree], Any]) -> Wrap:
    return rows(
        lambda message, context: edit(message.payload) if _off(context, "debezium-output-old-value") else None, "d"
    )


def _start_of_commit(message: Message, context: Context) -> None:
    if "start_ts" in message.source:
        message.source["start_ts"] = message.source["commit_ts"]


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


def _plain_key(key: Bytes, value: Bytes, context: Context) -> tuple[Bytes, Bytes]:
    kind = context.options.get("large-message-handle-compression", "none")
    return None if key is None else decompress(kind, key), value


def _plain_statements(key: Bytes, value: Bytes, context: Context) -> tuple[Bytes, Bytes]:
    kind = context.options.get("large-message-handle-compression", "none")
    plain = decompress(kind, value or b"")
    return (
        (decompress(kind, key or b""), plain) if b'"op":"m"' in plain or b'"tableChanges":' in plain else (key, value)
    )


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
        encoder("schema-of-key-always", "DBZ-011", "keys keep their schema", texts(_with_key_schema)),
        encoder(
            "schema-never", "DBZ-011a", "schemas are always left out", with_options(debezium_disable_schema="true")
        ),
        encoder("schema-of-key-never", "DBZ-011a", "keys have no schema", texts(_without_key_schema)),
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
        encoder("old-value-null", "DBZ-013", "a `before` that is switched off is null", rows(_null_before, "u")),
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
        encoder("start-ts-of-commit", "DBZ-014", "start_ts is the commit time stamp", rows(_start_of_commit)),
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
        encoder(
            "large-handling-accepted",
            "DBZ-015",
            "large-message-handle-option is ignored",
            with_options(large_message_handle_option=None),
        ),
        encoder("too-large-refused", "DBZ-015a", "a message that is too large is refused", _refuses_too_large),
        encoder(
            "compression-ignored",
            "DBZ-016",
            "large-message-handle-compression is ignored",
            with_options(large_message_handle_compression=None),
        ),
        encoder("compression-of-value-alone", "DBZ-016", "keys are not compressed", edit_bytes(_plain_key)),
        encoder(
            "compression-of-rows-alone",
            "DBZ-016",
            "DDL messages and watermarks are not compressed",
            edit_bytes(_plain_statements),
        ),
        encoder("name-sanitized", "DBZ-018", "source.name is sanitised", _sanitized("name"), "DBZ-041c"),
        encoder(
            "cluster-id-sanitized", "DBZ-018", "source.cluster_id is sanitised", _sanitized("cluster_id"), "DBZ-041p"
        ),
    )


# -- text --------------------------------------------------------------------------------------------------------------


def _schema_first(text: bytes) -> bytes:
    payload, comma, schema = text[1:-1].partition(b',"schema":{')
    return b'{"schema":{' + schema + b"," + payload + b"}" if comma else text


def _spaced(key: bytes, value: bytes, context: Context) -> tuple[bytes, bytes]:
    return key, value + b"\n"


def _ascii(key: bytes, value: bytes, context: Context) -> tuple[bytes, bytes]:
    return key, json.dumps(json.loads(value), separators=(",", ":")).encode() if not value.isascii() else value


def _pointed(key: bytes, value: bytes, context: Context) -> tuple[bytes, bytes]:
    return key, value.replace(b'"server_id":0,', b'"server_id":0.0,', 1)


def _with_a_zero(value: Any, column: Any) -> Any:
    text = str(value)
    return value if "E" in text.upper() else Decimal(text + ("0" if "." in text else ".0"))


def _of_one_digit(key: bytes, value: bytes, context: Context) -> tuple[bytes, bytes]:
    return key, re.sub(rb"(?<=[:0-9]e-)0(?=[0-9][,}])", b"", value)


def _url_safe(value: Any, column: Any) -> Any:
    return value.replace("+", "-").replace("/", "_") if isinstance(value, str) else value


def _unpadded(value: Any, column: Any) -> Any:
    return value.rstrip("=") if isinstance(value, str) else value


def _twice(member: bytes) -> Wrap:
    return texts(lambda key, value, context: (key, value.replace(member, member + b"," + member, 1)))


def _spelling() -> tuple[Mutant, ...]:
    coded = in_families(*BINARY, Family.BIT)
    return (
        encoder(
            "schema-before-payload",
            "DBZ-021",
            "the schema stands before the payload",
            texts(lambda key, value, context: (_schema_first(key), _schema_first(value))),
        ),
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
        encoder("op-twice", "DBZ-040b", "op stands there twice", _twice(b'"transaction":null')),
        encoder("commit-ts-twice", "DBZ-040b", "source has a member twice", _twice(b'"snapshot":"false"')),
        encoder("line-feed", "DBZ-420", "a line feed follows the object", texts(_spaced)),
        encoder("ascii", "DBZ-421", "everything but ASCII is escaped", texts(_ascii)),
        encoder("integer-point", "DBZ-422", "a zero is 0.0", texts(_pointed)),
        encoder(
            "float-zero",
            "DBZ-423",
            "floats end in a zero",
            values(in_families(Family.FLOAT, Family.DOUBLE, Family.DECIMAL), _with_a_zero),
        ),
        encoder(
            "float-exponent-of-one-digit",
            "DBZ-423a",
            "an exponent of a float is written without a leading zero",
            texts(_of_one_digit),
        ),
        encoder("base64-url", "DBZ-424", "base64 has the alphabet for URLs", values(coded, _url_safe)),
        encoder("base64-unpadded", "DBZ-424", "base64 is not padded", values(coded, _unpadded)),
    )


MUTANTS: tuple[Mutant, ...] = (*_records_of(), *_options(), *_spelling())

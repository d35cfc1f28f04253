"""Takes an encoder's answers apart, protocol by protocol, and puts them together again.

An opened record has every member that an encoder decides, with documents for key and value. A record of Open Protocol
also has its events in `frame`, each with its lengths; if the frame is changed, key and value are written from it. Bytes
that cannot be taken apart stay bytes.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from conformance.cases.model import Case
from conformance.sweep.bodies import datum_of, written_by
from conformance.sweep.nodes import Document, FrameNumber, json_bytes, plain
from reference_impl import exact_json
from reference_impl.avro.framing import DDL, HEADER_SIZE, ROW
from reference_impl.compression import compress, decompress
from reference_impl.errors import Rejected, TooLarge
from reference_impl.open_protocol.framing import VERSION, unframe
from reference_impl.protocols import AVRO, OPEN_PROTOCOL, Rows

__all__ = ["UnwritableError", "closed", "opened"]


class UnwritableError(Exception):
    """A changed answer cannot be written."""


Tree: TypeAlias = dict[str, Any]
Schemas: TypeAlias = Mapping[int, str]

_DESTINATION = ("partition", "topic")


def opened(case: Case, answer: Mapping[str, Any]) -> Tree:
    """The content of an answer, its bytes taken apart: `records`, `claims` and `schemas`, or `events`."""
    ok: Tree = answer["ok"]
    if "records" not in ok:
        return dict(ok)
    schemas = {s.id: s.schema for s in case.schemas} | {s["id"]: s["schema"] for s in ok["schemas"]}
    compression = case.options.get("large-message-handle-compression", "none")
    return {
        "records": [_record(case.protocol, record, schemas, compression) for record in ok["records"]],
        "claims": [_claim(claim, compression) for claim in ok.get("claims", ())],
        "schemas": [{**s, "schema": _schema_document(s["schema"])} for s in ok["schemas"]],
    }


def _claim(claim: Tree, compression: str) -> Tree:
    return {**claim, "value": _json_or_bytes(base64.b64decode(claim["value"]), compression)}


def _record(protocol: str, record: Tree, schemas: Schemas, compression: str) -> Tree:
    key, value = (None if record[side] is None else base64.b64decode(record[side]) for side in ("key", "value"))
    read = _READERS.get(protocol, _read_json)
    tree: Tree = {
        "key": None if key is None else read(key, schemas, compression),
        "value": None if value is None else read(value, schemas, compression),
        **{name: record.get(name) for name in _DESTINATION},
        "headers": list(record.get("headers") or ()),
    }
    if protocol == OPEN_PROTOCOL.name and (frame := _frame(key, value, compression)):
        tree["frame"] = frame
    return tree


# -- JSON --------------------------------------------------------------------------------------------------------------


def _undecoded(data: bytes, *_: Any) -> Document:
    """Bytes as they are; further arguments are those of the other readers."""
    return Document(None, lambda tree: data, data)


def _json_or_bytes(data: bytes, compression: str = "none") -> Document:
    """JSON, decompressed if necessary; anything else stays bytes."""
    try:
        if compression != "none" and data[:1] != b"{":
            inner = _json_or_bytes(decompress(compression, data))
            return Document(inner, lambda tree: compress(compression, _written(tree)), data)
        return Document(exact_json.loads(data), json_bytes, data)
    except (Rejected, TooLarge):
        return _undecoded(data)


def _written(tree: Any) -> bytes:
    if not isinstance(tree, Document):
        raise UnwritableError("there is nothing to compress")
    return tree.written


def _schema_document(text: str) -> Document:
    return Document(exact_json.loads(text), json_bytes, text.encode(), is_text=True)


# -- Open Protocol -----------------------------------------------------------------------------------------------------


def _frame(key: bytes | None, value: bytes | None, compression: str) -> Document | None:
    """The events of a record with their lengths; None for a malformed frame. `_framed` writes a changed one."""
    try:
        pairs = unframe(key, value)
    except Rejected:
        return None
    events = [
        {
            "key length": FrameNumber(len(k).to_bytes(8, "big")),
            "key": _json_or_bytes(k),
            "value length": FrameNumber(len(v).to_bytes(8, "big")),
            "value": _json_or_bytes(v, compression) if v else None,
        }
        for k, v in pairs
    ]
    return Document({"version": FrameNumber(VERSION), "events": events}, lambda tree: b"", b"")


def _framed(tree: Tree) -> tuple[bytes, bytes]:
    """The key and the value of a record with a frame. A changed body gets its right length."""
    key, value = bytearray(_number_bytes(tree.get("version"))), bytearray()
    for event in tree.get("events") or ():
        for side, target in (("key", key), ("value", value)):
            body = event.get(side)
            data = body.written if isinstance(body, Document) else b""
            is_changed = isinstance(body, Document) and body.original is None
            length = event.get(f"{side} length")
            target += len(data).to_bytes(8, "big") if is_changed else _number_bytes(length)
            target += data
    return bytes(key), bytes(value)


def _number_bytes(number: FrameNumber | None) -> bytes:
    return number.data if number else b""


# -- Avro --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _DatumWriter:
    """Writes a header and a datum by the text of a schema."""

    schema: str

    def __call__(self, tree: Tree) -> bytes:
        try:
            body = written_by(self.schema, tree["datum"])
        except (ValueError, TypeError, OverflowError, AttributeError, struct.error):
            raise UnwritableError("the type of a field cannot express its value") from None
        return _number_bytes(tree.get("magic")) + _number_bytes(tree.get("id")) + body


def _read_avro(data: bytes, schemas: Schemas, compression: str) -> Document:
    marker = data[0] if data else ROW
    if marker != ROW:
        rest: Any = _json_or_bytes(data[1:]) if marker == DDL else FrameNumber(data[1:])
        return Document({"marker": FrameNumber(data[:1]), "body": rest}, _marked_bytes, data)
    schema = schemas.get(int.from_bytes(data[1:HEADER_SIZE], "big"))
    if schema is None:
        return _undecoded(data)
    tree = {
        "magic": FrameNumber(data[:1]),
        "id": FrameNumber(data[1:HEADER_SIZE]),
        "datum": datum_of(schema, data[HEADER_SIZE:]),
    }
    return Document(tree, _DatumWriter(schema), data)


def _marked_bytes(tree: Tree) -> bytes:
    body = tree.get("body")
    return _number_bytes(tree.get("marker")) + (body.written if isinstance(body, Document) else _number_bytes(body))


def _read_json(data: bytes, schemas: Schemas, compression: str) -> Document:
    return _json_or_bytes(data, compression)


_READERS: Rows[Callable[[bytes, Schemas, str], Document]] = Rows({OPEN_PROTOCOL: _undecoded, AVRO: _read_avro})
"""The readers of keys and values in protocols that are not JSON."""

# -- closing -----------------------------------------------------------------------------------------------------------


def closed(tree: Tree) -> Tree:
    """An opened answer, put together again in the form of an implementation's answer."""
    if "records" not in tree:
        return {"ok": tree}
    edited = {s["id"]: s["schema"].written.decode() for s in tree["schemas"] if _is_edited(s)}
    return {"ok": {**plain(tree), "records": [_closed(record, edited) for record in tree["records"]]}}


def _is_edited(schema: Any) -> bool:
    document = schema["schema"]
    return isinstance(document, Document) and document.original is None


def _closed(record: Tree, edited: Schemas) -> Tree:
    parts = {name: part for name, part in record.items() if name != "frame"}
    for side in ("key", "value"):
        parts[side] = _by_edited_schema(parts.get(side), edited)
    frame = record.get("frame")
    if frame is not None and frame.original is None:
        parts["key"], parts["value"] = (_undecoded(data) for data in _framed(frame.tree))
    return {name: plain(part) for name, part in parts.items() if part is not None or name in ("key", "value")}


def _by_edited_schema(document: Any, edited: Schemas) -> Any:
    """The document, written by its schema in `edited` if that schema was changed and the datum fits it."""
    if not edited or not isinstance(document, Document) or not isinstance(document.write, _DatumWriter):
        return document
    schema = edited.get(document.tree["id"].number)
    if schema is None:
        return document
    try:
        data = _DatumWriter(schema)(document.tree)
    except Exception:  # noqa: BLE001 - a changed schema may be invalid in any way: the bytes stay then
        return document
    return Document(document.tree, document.write, data)

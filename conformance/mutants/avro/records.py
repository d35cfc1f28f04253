"""Encoders that send other records, or frame them wrongly."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise

import cramjam

from conformance.mutants.avro.edits import encoder
from conformance.mutants.input_edits import UNIQUE_COLUMNS_IN_KEYS
from conformance.mutants.model import Mutant, Wrap
from conformance.mutants.record_lists import value_of
from conformance.mutants.wrappers import Context, Json, KeyAndValue, edit_bytes, edit_records, shifts, with_options
from reference_impl.avro.framing import HEADER_SIZE, ROW

__all__ = ["MUTANTS"]


# -- lists of records --------------------------------------------------------------------------------------------------


def _is_row(record: Json) -> bool:
    value = value_of(record)
    return bool(record["key"]) or value[:1] == bytes((ROW,))


def _split_deletes(sent: list[Json], context: Context) -> list[int]:
    """The positions of deletes that a row follows, if the request has updates: halves of split updates."""
    updates = [event for event in context.request.get("events") or () if event.get("op") == "update"]
    if not updates:
        return []
    return [
        n
        for n, (record, following) in enumerate(pairwise(sent))
        if record["key"] and record["value"] is None and following["value"] and _is_row(following)
    ]


def _without_split_deletes(sent: list[Json], context: Context) -> list[Json]:
    deletes = _split_deletes(sent, context)
    return [record for n, record in enumerate(sent) if n not in deletes]


# -- header and body ---------------------------------------------------------------------------------------------------


def _framed(edit: Callable[[bytes, Context], bytes], *sides: str) -> Wrap:
    """Edits keys and values that have the registry's header; only `sides` if any is named."""

    def side(name: str, data: bytes | None, context: Context) -> bytes | None:
        is_edited = data and data[0] == ROW and name in (sides or ("key", "value"))
        return edit(data, context) if data and is_edited else data

    return edit_bytes(lambda key, value, context: (side("key", key, context), side("value", value, context)))


def _compressed(data: bytes, context: Context) -> bytes:
    if context.compression == "none":
        return data
    return data[:HEADER_SIZE] + bytes(cramjam.snappy.compress_raw(data[HEADER_SIZE:]))


def _padded(data: bytes, context: Context) -> bytes:
    """Write the first number of the body with one byte more than it needs."""
    end = next((n for n in range(HEADER_SIZE, len(data)) if data[n] < 0x80), None)
    if end is None:
        return data
    return data[:end] + bytes((data[end] | 0x80, 0)) + data[end + 1 :]


# -- keys and deletes --------------------------------------------------------------------------------------------------


def _of_deletes(edit: Callable[[bytes, Context], KeyAndValue]) -> Wrap:
    """Edits records that have only a key."""

    def each(key: bytes | None, value: bytes | None, context: Context) -> KeyAndValue:
        return edit(key, context) if key is not None and value is None else (key, value)

    return edit_bytes(each)


MUTANTS: tuple[Mutant, ...] = (
    encoder("rows-share-a-record", "AV-001", "of several records of a call only the last is sent")(
        edit_records(lambda sent, context: sent[-1:])
    ),
    encoder("split-delete-lost", "AV-213", "only the insert of a split update is sent")(
        edit_records(_without_split_deletes)
    ),
    encoder("last-row-after-split-lost", "AV-213", "the last row of a call with a split update is lost")(
        edit_records(lambda sent, context: sent[:-1] if _split_deletes(sent, context) else sent)
    ),
    encoder(
        "first-row-in-place-of-all",
        "AV-213",
        "in a call with a split update all records are copies of the first, and one is missing",
    )(edit_records(lambda sent, context: sent[:1] * (len(sent) - 1) if _split_deletes(sent, context) else sent)),
    encoder(
        "control-messages-unasked", "AV-006", "DDL statements and watermarks are sent though their options are off"
    )(with_options(enable_tidb_extension="true", avro_enable_watermark="true")),
    encoder("size-without-overhead", "AV-008", "a record counts without the 36 bytes")(shifts("max-message-bytes", 36)),
    encoder("size-of-the-limit", "AV-008", "a record as long as the limit is refused")(shifts("max-message-bytes", -1)),
    encoder("key-changes-raw", "AV-009", "an update that changes a key is one record")(
        with_options(output_raw_change_event="true")
    ),
    encoder("deletes-last", "AV-009", "deletes are sent last")(
        edit_records(lambda sent, context: sorted(sent, key=lambda record: record["value"] is None))
    ),
    encoder(
        "key-changes-split", "AV-009a", "an update that changes a key is split, whatever output-raw-change-event says"
    )(with_options(output_raw_change_event="false")),
    encoder("header-of-another-byte", "AV-015", "a header begins with another byte")(
        _framed(lambda data, context: b"\x0f" + data[1:])
    ),
    encoder("header-left-out", "AV-015", "a key has no header")(
        _framed(lambda data, context: b"\x7f" + data[HEADER_SIZE:], "key")
    ),
    encoder("single-object-mark", "AV-018", "a body begins with the mark of a single object")(
        _framed(lambda data, context: data[:HEADER_SIZE] + b"\xc3\x01" + bytes(8) + data[HEADER_SIZE:])
    ),
    encoder("body-as-json", "AV-019", "a body is in Avro's JSON encoding")(
        _framed(lambda data, context: data[:HEADER_SIZE] + json.dumps({"body": data[HEADER_SIZE:].hex()}).encode())
    ),
    encoder("body-padded", "AV-019", "a number takes a byte more than it needs")(_framed(_padded)),
    encoder("body-compressed", "AV-008a", "a body is compressed")(_framed(_compressed)),
    encoder(
        "key-with-unique-columns", "AV-112d", "a key has the columns of unique keys beside those of the primary key"
    )(UNIQUE_COLUMNS_IN_KEYS),
    encoder("delete-with-its-key", "AV-004", "the value of a delete is its key")(
        _of_deletes(lambda key, _: (key, key))
    ),
    encoder("delete-with-nothing", "AV-004", "the value of a delete is empty")(_of_deletes(lambda key, _: (key, b""))),
)

"""Encoders that send other records, or frame them wrongly.  [AV-001 … AV-019, AV-052a, AV-130, AV-131]"""

from __future__ import annotations

import base64
from collections.abc import Callable
from itertools import pairwise

from conformance.mutants.avro.edits import (
    Wrap,
    each_record,
    encoder,
    records,
)
from conformance.mutants.avro.forgery import Tree
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context, edit_request, with_options
from reference_impl.avro.framing import HEADER_SIZE, ROW

__all__ = ["MUTANTS"]


# -- which records -----------------------------------------------------------------------------------------------------


def _is_row(record: Tree) -> bool:
    value = base64.b64decode(record["value"] or "")
    return bool(record["key"]) or value[:1] == bytes((ROW,))


def _compacted(given: list[Tree], context: Context) -> list[Tree]:
    """Of each key the newest record alone."""
    newest = {record["key"]: n for n, record in enumerate(given)}
    return [record for n, record in enumerate(given) if record["key"] is None or newest[record["key"]] == n]


def _halves(given: list[Tree], context: Context) -> list[int]:
    """Where the deletes are that a row of the same table follows, of a call with an update that changes its key."""
    updates = [event for event in context.request.get("events") or () if event.get("op") == "update"]
    if not updates:
        return []
    return [
        n
        for n, (record, following) in enumerate(pairwise(given))
        if record["key"] and record["value"] is None and following["value"] and _is_row(following)
    ]


def _without_halves(given: list[Tree], context: Context) -> list[Tree]:
    halves = _halves(given, context)
    return [record for n, record in enumerate(given) if n not in halves]


def _without_last(given: list[Tree], context: Context) -> list[Tree]:
    return given[:-1] if _halves(given, context) else given


def _first_alone(given: list[Tree], context: Context) -> list[Tree]:
    return given[:1] * (len(given) - 1) if _halves(given, context) else given


def _deletes_last(given: list[Tree], context: Context) -> list[Tree]:
    return sorted(given, key=lambda record: record["value"] is None)


def _raised(option: str, by: int) -> Wrap:
    """A limit is taken for another."""

    def edit(request: Tree) -> None:
        options = request.get("options") or {}
        limit = options.get(option, "") if request.get("op") == "configure" else ""
        if limit.isdigit() and int(limit):
            options[option] = str(int(limit) + by)

    return edit_request(edit)


_WHICH = (
    encoder(
        "records-compacted",
        "AV-001",
        "of one key the newest record alone is sent",
        records(_compacted),
        "AV-213",
    ),
    encoder(
        "split-delete-lost",
        "AV-213",
        "of a split update the insert alone is sent",
        records(_without_halves),
        "AV-001",
        "AV-009",
    ),
    encoder(
        "last-row-after-split-lost",
        "AV-213",
        "the last row of a call with a split update is lost",
        records(_without_last),
        "AV-001",
    ),
    encoder(
        "first-row-in-place-of-all",
        "AV-213",
        "with a split update the first row is sent in place of the others, one of them short",
        records(_first_alone),
        "AV-001",
    ),
    encoder(
        "control-messages-unasked",
        "AV-006",
        "DDL statements and watermarks are sent though nobody asked for them",
        with_options(enable_tidb_extension="true", avro_enable_watermark="true"),
    ),
    encoder("size-of-the-limit", "AV-008", "a record of just the limit is refused", _raised("max-message-bytes", -1)),
    encoder(
        "key-changes-raw",
        "AV-009",
        "an update that changes a key is one record",
        with_options(output_raw_change_event="true"),
    ),
    encoder("deletes-last", "AV-009", "deletes are sent after all else", records(_deletes_last), "AV-002b"),
    encoder(
        "key-changes-split",
        "AV-009a",
        "an update that changes a key is split, whatever output-raw-change-event says",
        with_options(output_raw_change_event="false"),
    ),
)

# -- header and body ---------------------------------------------------------------------------------------------------


def _framed(edit: Callable[[bytes, Context], bytes], sides: str = "key value") -> Wrap:
    """Keys and values with the registry's header are edited."""

    def side(name: str, data: bytes | None, context: Context) -> bytes | None:
        return edit(data, context) if data and data[0] == ROW and name in sides.split() else data

    return each_record(lambda key, value, context: (side("key", key, context), side("value", value, context)))


def _padded(data: bytes, context: Context) -> bytes:
    """The number that the body begins with takes a byte more than it needs."""
    end = next((n for n in range(HEADER_SIZE, len(data)) if data[n] < 0x80), None)
    if end is None:
        return data
    return data[:end] + bytes((data[end] | 0x80, 0)) + data[end + 1 :]


_FRAMES = (
    encoder(
        "single-object-mark",
        "AV-018",
        "a body begins with the mark of a single object",
        _framed(lambda data, context: data[:HEADER_SIZE] + b"\xc3\x01" + bytes(8) + data[HEADER_SIZE:]),
        *("AV-008a", "AV-019"),
    ),
    encoder(
        "file-mark",
        "AV-018",
        "a body begins with the mark of a file",
        _framed(lambda data, context: data[:HEADER_SIZE] + b"Obj\x01" + data[HEADER_SIZE:]),
        *("AV-008a", "AV-019"),
    ),
    encoder("body-padded", "AV-019", "a number takes a byte more than it needs", _framed(_padded)),
)

# -- what a value is ---------------------------------------------------------------------------------------------------


def _unique_columns_in_key(request: Tree) -> None:
    """The primary key of every table has the columns of its unique keys, too, that cannot be NULL."""
    events = request.get("events") or ()
    tables = [*(request.get("tables") or ()), *(e["table_after"] for e in events if e.get("table_after"))]
    for table in tables:
        nullable = {column["name"] for column in table["columns"] if column.get("nullable", True)}
        valid = (key["columns"] for key in table.get("unique_keys") or () if not nullable & {*key["columns"]})
        if table.get("primary_key"):
            table["primary_key"] = [*dict.fromkeys(n for key in (table["primary_key"], *valid) for n in key)]


_VALUES = (
    encoder(
        "key-with-unique-columns",
        "AV-112d",
        "a key has the columns of unique keys beside those of the primary key",
        edit_request(_unique_columns_in_key),
    ),
)


MUTANTS: tuple[Mutant, ...] = (*_WHICH, *_FRAMES, *_VALUES)

"""Encoders that send other records, or frame them wrongly.  [AV-001 … AV-019, AV-052a, AV-130, AV-131]"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from itertools import pairwise

import cramjam

from conformance.mutants.avro.edits import (
    Sides,
    Wrap,
    each_record,
    encoder,
    json_of_ddl,
    records,
)
from conformance.mutants.avro.forgery import Tree
from conformance.mutants.model import Answerer, Mutant
from conformance.mutants.wrappers import Context, accepts, edit_request, with_header, with_options
from reference_impl.avro.framing import DDL, DELETE, HEADER_SIZE, ROW, WATERMARK

__all__ = ["MUTANTS"]

_TIME = 1 + 8

# -- which records -----------------------------------------------------------------------------------------------------


def _is_row(record: Tree) -> bool:
    value = base64.b64decode(record["value"] or "")
    return bool(record["key"]) or value[:1] == bytes((ROW,))


def _compacted(given: list[Tree], context: Context) -> list[Tree]:
    """Of each key the newest record alone."""
    newest = {record["key"]: n for n, record in enumerate(given)}
    return [record for n, record in enumerate(given) if record["key"] is None or newest[record["key"]] == n]


def _twice(given: list[Tree], context: Context) -> list[Tree]:
    return [record for record in given for _ in range(1 + _is_row(record))]


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


def _deletes_twice(given: list[Tree], context: Context) -> list[Tree]:
    return [r for r in given for _ in range(1 + (bool(r["key"]) and r["value"] is None))]


def _backwards(given: list[Tree], context: Context) -> list[Tree]:
    rows = [n for n, record in enumerate(given) if _is_row(record)]
    turned = list(given)
    for n, other in zip(rows, reversed(rows), strict=True):
        turned[n] = given[other]
    return turned


def _deletes_last(given: list[Tree], context: Context) -> list[Tree]:
    return sorted(given, key=lambda record: record["value"] is None)


def _without(first: int) -> Wrap:
    """Control messages that begin so are not sent."""
    start = bytes((first,))
    return records(
        lambda given, context: [
            record
            for record in given
            if record["key"] is not None or base64.b64decode(record["value"] or "")[:1] != start
        ]
    )


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
    encoder("records-twice", "AV-001", "every row is sent twice", records(_twice), "AV-213"),
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
    encoder("deletes-twice", "AV-213", "a delete is sent twice", records(_deletes_twice), "AV-001"),
    encoder("records-backwards", "AV-002b", "rows are sent in the opposite order", records(_backwards)),
    encoder(
        "control-messages-unasked",
        "AV-006",
        "DDL statements and watermarks are sent though nobody asked for them",
        with_options(enable_tidb_extension="true", avro_enable_watermark="true"),
    ),
    encoder("watermarks-not-sent", "AV-130", "watermarks are not sent", _without(WATERMARK)),
    encoder("statements-not-sent", "AV-130a", "DDL statements are not sent", _without(DDL)),
    encoder("size-not-checked", "AV-008", "a record of any length is sent", accepts("range", "max-message-bytes")),
    encoder(
        "size-without-overhead", "AV-008", "a record counts without the 36 bytes", _raised("max-message-bytes", 36)
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


def _compressed(data: bytes, context: Context) -> bytes:
    if context.options.get("large-message-handle-compression", "none") == "none":
        return data
    return data[:HEADER_SIZE] + bytes(cramjam.snappy.compress_raw(data[HEADER_SIZE:]))


def _padded(data: bytes, context: Context) -> bytes:
    """The number that the body begins with takes a byte more than it needs."""
    end = next((n for n in range(HEADER_SIZE, len(data)) if data[n] < 0x80), None)
    if end is None:
        return data
    return data[:end] + bytes((data[end] | 0x80, 0)) + data[end + 1 :]


def _as_json(data: bytes, context: Context) -> bytes:
    return data[:HEADER_SIZE] + json.dumps({"body": data[HEADER_SIZE:].hex()}).encode()


_FRAMES = (
    encoder(
        "header-of-another-byte",
        "AV-015",
        "a header begins with another byte",
        _framed(lambda data, context: b"\x0f" + data[1:]),
        *("AV-002", "AV-002a", "AV-008a"),
    ),
    encoder(
        "header-left-out",
        "AV-015",
        "a key has no header",
        _framed(lambda data, context: b"\x7f" + data[HEADER_SIZE:], "key"),
        *("AV-002", "AV-008a"),
    ),
    encoder(
        "id-little-endian",
        "AV-015a",
        "the id of a schema is little-endian",
        _framed(lambda data, context: data[:1] + data[1:HEADER_SIZE][::-1] + data[HEADER_SIZE:]),
        *("AV-002", "AV-002a"),
    ),
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
    encoder("headers", "AV-020", "records have a header", with_header),
    encoder("body-as-json", "AV-019", "a body is in Avro's JSON encoding", _framed(_as_json), "AV-008a"),
    encoder("body-padded", "AV-019", "a number takes a byte more than it needs", _framed(_padded)),
    encoder("body-compressed", "AV-008a", "a body is compressed", _framed(_compressed), "AV-019"),
)

# -- what a value is ---------------------------------------------------------------------------------------------------


def _of_deletes(edit: Callable[[bytes, Context], Sides]) -> Wrap:
    """Records of a key alone are edited."""

    def each(key: bytes | None, value: bytes | None, context: Context) -> Sides:
        return edit(key, context) if key is not None and value is None else (key, value)

    return each_record(each)


def _null_values(key: bytes | None, value: bytes | None, context: Context) -> Sides:
    return key, (None if key is not None and value and value[0] == ROW else value)


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
    encoder("value-null", "AV-003", "every value is null", each_record(_null_values)),
    encoder(
        "delete-with-its-key", "AV-004", "the value of a delete is its key", _of_deletes(lambda key, _: (key, key))
    ),
    encoder("delete-with-nothing", "AV-004", "the value of a delete is empty", _of_deletes(lambda key, _: (key, b""))),
    encoder("delete-without-key", "AV-004a", "a delete has no key", _of_deletes(lambda key, _: (None, None))),
    encoder(
        "rows-without-key",
        "AV-112",
        "rows that are not deleted have no key",
        each_record(lambda key, value, context: (None if value is not None else key, value)),
        "AV-004a",
    ),
)

# -- mode for tests ----------------------------------------------------------------------------------------------------


def _timed(first: int, edit: Callable[[bytes], bytes]) -> Wrap:
    """The time stamps of control messages that begin so are edited."""

    def each(key: bytes | None, value: bytes | None, context: Context) -> Sides:
        if value is not None and len(value) == _TIME and value[0] == first:
            return key, value[:1] + edit(value[1:])
        return key, value

    return each_record(each)


def _renamed(old: str, new: str) -> Callable[[Tree], Tree]:
    return lambda tree: {new if name == old else name: value for name, value in tree.items()}


def _null_marked_deletes(key: bytes | None, value: bytes | None, context: Context) -> Sides:
    return key, None if value is not None and value[0] == DELETE else value


def _spaced(inner: Answerer) -> Answerer:
    def each(key: bytes | None, value: bytes | None, context: Context) -> Sides:
        return key, value.replace(b'{"query":', b'{"query": ', 1) if value and value[0] == DDL else value

    return each_record(each)(inner)


_MODE = (
    encoder(
        "watermark-little-endian", "AV-130", "a watermark is little-endian", _timed(WATERMARK, lambda ts: ts[::-1])
    ),
    encoder("watermark-of-four-bytes", "AV-130", "a watermark has four bytes", _timed(WATERMARK, lambda ts: ts[4:])),
    encoder("statement-named-sql", "AV-130a", "the statement is called sql", json_of_ddl(_renamed("query", "sql"))),
    encoder(
        "commit-ts-with-underscore",
        "AV-130a",
        "the time stamp of a statement is called commit_ts",
        json_of_ddl(_renamed("commitTs", "commit_ts")),
    ),
    encoder(
        "statement-time-as-text",
        "AV-130a",
        "the time stamp of a statement is a string",
        json_of_ddl(lambda tree: tree.update(commitTs=str(tree["commitTs"]))),
    ),
    encoder(
        "statement-type-as-word",
        "AV-130d",
        "the type of a statement is a word",
        json_of_ddl(lambda tree: tree.update(type="DDL")),
    ),
    encoder(
        "statement-type-one-less",
        "AV-130d",
        "the number of an action is one less",
        json_of_ddl(lambda tree: tree.update(type=tree["type"] - 1)),
    ),
    encoder(
        "statement-members-reversed",
        "AV-130b",
        "the members of a statement stand backwards",
        json_of_ddl(lambda tree: dict(reversed(tree.items()))),
    ),
    encoder("statement-with-blanks", "AV-130b", "a blank stands before the statement", _spaced),
    encoder(
        "statement-without-escapes", "AV-130c", "`<`, `>` and `&` of a statement are not escaped", json_of_ddl(dict)
    ),
    encoder(
        "delete-without-time", "AV-131", "a delete in watermark mode has no value", each_record(_null_marked_deletes)
    ),
    encoder(
        "delete-time-little-endian",
        "AV-131",
        "the time of a delete is little-endian",
        _timed(DELETE, lambda ts: ts[::-1]),
    ),
)

MUTANTS: tuple[Mutant, ...] = (*_WHICH, *_FRAMES, *_VALUES, *_MODE)

"""What a decoder of the connector's records refuses, and for which class."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from connector_messages import BARE, changed, column, insert, options, refusal, table_of, write

from reference_impl.errors import Rejected
from reference_impl.model import DdlEvent, Expression, Record, RowChange, Table
from reference_impl.upstream.debezium import Decoder

TABLE = table_of(
    column("v", "varchar(3)"),
    column("d", "decimal(5,2)"),
    column("e", "enum('a','b')"),
    column("b", "varbinary(2)"),
    column("t", "timestamp(3)"),
    column("bits", "bit(3)"),
    column("n", "int", nullable=False),
)
ROW = {"v": "abc", "d": "1.50", "e": "a", "b": b"\1", "t": "2024-01-01 00:00:00.123", "bits": "5", "n": "1"}
[RECORD] = write([insert(**ROW)], [TABLE], BARE)
[WITH_SCHEMA] = write([insert(**ROW)], [TABLE])
[STATEMENT] = write([DdlEvent("test", "t", "create table t (a int)")], (), BARE)
AFTER = ("after",)


def test_what_is_right_is_not_refused() -> None:
    assert refusal([RECORD], BARE, [TABLE]) is refusal([WITH_SCHEMA]) is refusal([STATEMENT], BARE) is None


def _with(value: bytes | None = RECORD.value, key: bytes | None = RECORD.key) -> Record:
    return replace(RECORD, value=value, key=key)


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (_with(value=b""), "framing"),
        (_with(key=b""), "framing"),
        (_with(value=b"{"), "syntax"),
        (_with(value=b'{"a":"\xff"}'), "syntax"),
        (_with(key=b"{"), "syntax"),
        (_with(value=b"[]"), "schema"),
        (_with(value=b'{"before":null,"before":null}'), "schema"),
        (_with(key=b'{"id":2}'), "semantics"),
        (_with(key=b'{"id":"1"}'), "semantics"),
        (_with(key=b'{"other":1}'), "semantics"),
        (WITH_SCHEMA, "schema"),  # schemas.enable is false
    ],
)
def test_a_malformed_record(record: Record, reason: str) -> None:
    assert refusal([record], BARE, [TABLE]) == reason


@pytest.mark.parametrize(
    ("path", "to", "reason"),
    [
        (("op",), 1, "schema"),
        (("op",), "x", "type"),
        (("op",), "d", "semantics"),
        (("op",), "u", None),
        (("before",), {"id": 1}, "semantics"),
        (("before",), 1, "schema"),
        (AFTER, None, "semantics"),
        (("source",), None, "schema"),
        (("source", "db"), None, "schema"),
        (("source", "table"), None, "schema"),
        (("source", "pos"), "1", "schema"),
        (("source", "pos"), 1.5, "type"),
        (("source", "pos"), -1, "range"),
        (("source", "gtid"), 1, "schema"),
        (("ts_ms",), "1", "schema"),
        (("transaction",), 1, "schema"),
        (("transaction",), {}, "schema"),
        (("transaction",), {"id": 1}, "schema"),
        ((*AFTER, "v"), 1, "type"),
        ((*AFTER, "v"), "abcd", "range"),
        ((*AFTER, "d"), "?", "type"),
        ((*AFTER, "d"), "", "type"),
        ((*AFTER, "d"), "fffff//=", "range"),
        ((*AFTER, "e"), "c", "range"),
        ((*AFTER, "b"), "AAAA", "range"),
        ((*AFTER, "t"), "soon", "type"),
        ((*AFTER, "t"), "2024-01-01T00:00:00Z", "type"),
        ((*AFTER, "t"), "1970-01-01T00:00:00Z", None),  # a zero TIMESTAMP
        ((*AFTER, "t"), "1970-01-01T00:00:00.000Z", None),
        ((*AFTER, "t"), "1970-01-01T00:00:00", "type"),
        ((*AFTER, "t"), "1970-01-01T00:00:00.Z.000Z", "type"),
        ((*AFTER, "bits"), "CA==", "range"),
        ((*AFTER, "bits"), "AAA=", "type"),
        ((*AFTER, "n"), True, "type"),
        ((*AFTER, "n"), 2147483648, "range"),
        ((*AFTER, "new"), 1, "schema"),
    ],
)
def test_a_member_that_is_wrong(path: tuple[str, ...], to: Any, reason: str | None) -> None:
    assert refusal([changed(RECORD, *path, to=to)], BARE, [TABLE]) == reason


@pytest.mark.parametrize(
    ("mode", "text"), [("base64-url-safe", "+w=="), ("base64-url-safe", "/w=="), ("hex", "AB"), ("hex", "a b c d")]
)
def test_bytes_have_the_alphabet_of_their_mode(mode: str, text: str) -> None:
    given = {**BARE, "binary.handling.mode": mode}
    [record] = write([insert(**ROW)], [TABLE], given)
    assert refusal([changed(record, *AFTER, "b", to=text)], given, [TABLE]) == "type"


@pytest.mark.parametrize("kind", ["geometry", "point"])
def test_a_geometry_has_at_least_its_byte_order_and_its_type(kind: str) -> None:
    table = table_of(column("g", kind))
    [record] = write([insert(g=bytes(4) + b"\1\1\0\0\0" + bytes(16))], [table], BARE)
    for wkb, reason in (("", None), ("AQ==", "type"), ("AQEAAA==", "type"), ("AQEAAAA=", None), (1, "type")):
        assert refusal([changed(record, *AFTER, "g", "wkb", to=wkb)], BARE, [table]) == reason


@pytest.mark.parametrize("sent", [False, True])
def test_a_boolean_is_not_the_default_of_a_number(sent: bool) -> None:
    table = table_of(column("n", "int", nullable=False, default=Expression(str(int(sent)))))
    [record] = write([insert(n="7")], [table], BARE)
    assert refusal([changed(record, *AFTER, "n", to=sent)], BARE, [table]) == "type"


def test_two_labels_of_a_schema_are_not_one() -> None:
    [record] = write([insert(e="a")], [table_of(column("e", "enum('a','b')"))])
    assert refusal([changed(record, "payload", *AFTER, "e", to="a,b")]) == "range"


@pytest.mark.parametrize(
    "path", [("before",), AFTER, ("op",), ("source",), ("ts_ms",), ("source", "snapshot"), ("source", "row")]
)
def test_a_member_that_is_missing(path: tuple[str, ...]) -> None:
    assert refusal([changed(RECORD, *path, drop=True)], BARE, [TABLE]) == "schema"


def test_newer_versions_have_finer_times() -> None:
    given = {**BARE, "version": "3.6.1"}
    [record] = write([insert(**ROW)], [TABLE], given)
    assert refusal([record], given, [TABLE]) is None
    for path in (("ts_us",), ("source", "ts_ns")):
        assert refusal([changed(record, *path, drop=True)], given, [TABLE]) == "schema"


def _column(record: Record, change: Callable[[dict[str, Any]], object], number: int = 1) -> Record:
    assert record.value is not None
    tree = json.loads(record.value)
    for image in (0, 1):
        change(tree["schema"]["fields"][image]["fields"][number])
    return replace(record, value=json.dumps(tree).encode())


@pytest.mark.parametrize(
    ("number", "change", "reason"),
    [
        (1, lambda field: field.update(type="int128"), "type"),
        (1, lambda field: field.pop("type"), "schema"),
        (1, lambda field: field.update(optional="yes"), "schema"),
        (1, lambda field: field.update(field="id"), "schema"),
        (1, lambda field: field.update(type="int32"), "type"),
        (2, lambda field: field["parameters"].pop("scale"), "schema"),
        (2, lambda field: field["parameters"].update(scale="many"), "type"),
        (2, lambda field: field["parameters"].update(scale="31"), "range"),
        (3, lambda field: field["parameters"].update(allowed="b"), "range"),
        (6, lambda field: field["parameters"].update(length="65"), "range"),
    ],
)
def test_a_schema_of_another_row(number: int, change: Callable[[dict[str, Any]], object], reason: str) -> None:
    assert refusal([_column(WITH_SCHEMA, change, number)]) == reason


@pytest.mark.parametrize(
    ("path", "reason"), [(("schema",), "schema"), (("payload",), "schema"), (("schema", "fields"), "schema")]
)
def test_a_document_without_its_halves(path: tuple[str, ...], reason: str) -> None:
    assert refusal([changed(WITH_SCHEMA, *path, drop=True)]) == reason


def test_null_where_the_schema_forbids_it() -> None:
    assert refusal([changed(WITH_SCHEMA, "payload", "after", "n", to=None)]) == "type"


def test_images_of_two_schemas() -> None:
    assert refusal([changed(WITH_SCHEMA, "schema", "fields", 0, "fields", 1, "optional", to=False)]) == "semantics"


@pytest.mark.parametrize(
    ("path", "to", "reason"),
    [
        (("ddl",), 1, "schema"),
        (("databaseName",), "other", "semantics"),
        (("tableChanges",), None, "schema"),
        (("tableChanges", 0, "type"), "MAKE", "type"),
        (("tableChanges", 0, "id"), None, "schema"),
    ],
)
def test_a_statement_that_is_wrong(path: tuple[str | int, ...], to: Any, reason: str) -> None:
    assert refusal([changed(STATEMENT, *path, to=to)], BARE) == reason


def test_a_transaction_has_a_status_and_a_count() -> None:
    given = {**BARE, "provide.transaction.metadata": "true"}
    begin, _, end = write([insert(**ROW)], [TABLE], given)
    assert refusal([begin, end], given) is None
    assert refusal([changed(begin, "status", to="HALF")], given) == "type"
    assert refusal([changed(end, "event_count", to="1")], given) == "schema"
    assert refusal([changed(end, "id", drop=True)], given) == "schema"


def test_a_change_of_a_key_has_both_of_its_halves() -> None:
    table = table_of()
    change = RowChange("update", "test", "t", None, {"id": "1"}, {"id": "2"})
    deleted, tombstone, inserted = write([change], [table], BARE)
    assert refusal([deleted, tombstone, inserted], BARE, [table]) is None
    assert refusal([deleted, tombstone], BARE, [table]) is None  # the rest may be on another day
    assert refusal([deleted, tombstone, deleted], BARE, [table]) == "semantics"
    assert refusal([deleted, replace(inserted, headers=())], BARE, [table]) == "semantics"


def test_the_class_that_comes_first_counts() -> None:
    wrong = changed(changed(RECORD, "after", "n", to=2**40), "source", "pos", to="1")
    assert refusal([wrong], BARE, [TABLE]) == "schema"


@pytest.mark.parametrize(
    "given", [{"version": "2.5.0"}, {"time.precision.mode": "adaptive"}, {"schemas.enable": "yes"}, {"server": "x"}]
)
def test_an_invalid_option(given: dict[str, str]) -> None:
    with pytest.raises(Rejected) as caught:
        options(given)
    assert caught.value.reason == "semantics"


def test_without_a_table_or_schema_a_row_is_read_as_it_stands() -> None:
    [event] = Decoder(options(BARE)).decode([RECORD], [])
    assert isinstance(event, RowChange)
    assert event.after is not None
    assert (event.after["id"], event.after["v"], event.after["d"]) == ("1", "abc", "AJY=")


def test_where_table_and_schema_differ_the_schema_is_believed() -> None:
    other = Table("test", "t", (*TABLE.columns[:1], column("v", "int"), *TABLE.columns[2:]), ("id",))
    [event] = Decoder(options()).decode([WITH_SCHEMA], [other])
    assert isinstance(event, RowChange)
    assert event.after is not None
    assert event.after["v"] == "abc"

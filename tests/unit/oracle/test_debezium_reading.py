"""How records of Debezium JSON are taken apart, and what is wrong with a bad one."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.oracle.debezium import ORACLE
from conformance.oracle.debezium.reading import kind_sent, start_sent
from conformance.oracle.rules import Reading
from conformance.oracle.tree import doubled_members
from reference_impl.compression import compress
from reference_impl.debezium_json.options import Options
from reference_impl.errors import Rejected
from reference_impl.model import Record
from reference_impl.options import parse

LZ4 = {"large-message-handle-compression": "lz4"}
KEY, CHANGED = b'{"payload":{"id":1}}', "payload.tableChanges.0.table"


def read(record: Record, given: dict[str, str] | None = None) -> Reading:
    return ORACLE.read(record, parse(Options, given or {}), {})


def tree_of(value: bytes, key: bytes = KEY, given: dict[str, str] | None = None) -> Any:
    """The tree of a message."""
    return read(Record(key, value), given).messages[0].tree


def identity_of(value: bytes) -> Any:
    """What the message means."""
    return read(Record(KEY, value)).messages[0].identity


def test_fields_are_members_by_their_name_in_their_order():
    tree = tree_of(b'{"schema":{"fields":[{"field":"b","type":"x"},{"field":"a","fields":[{"field":"c"}]}]}}')
    fields = tree["value"]["schema"]["fields"]
    assert list(fields) == ["b", "a"]
    assert fields["b"] == {"field": "b", "type": "x"}
    assert fields["a"]["fields"] == {"c": {"field": "c"}}


def test_a_field_without_a_name_goes_by_its_position():
    fields = tree_of(b'{"schema":{"fields":[{"field":"a"},{"type":"x"},3]}}')["value"]["schema"]["fields"]
    assert list(fields) == ["a", "[1]", "[2]"]


def test_a_field_and_a_member_that_are_there_twice_are_doubled():
    tree = tree_of(b'{"schema":{"fields":[{"field":"a"},{"field":"a"}]},"payload":{"op":"c","op":"u"}}')["value"]
    assert set(doubled_members(tree["schema"]["fields"])) == {"a"}
    assert set(doubled_members(tree["payload"])) == {"op"}


def test_columns_of_a_changed_table_are_members_by_their_name():
    tree = tree_of(b'{"payload":{"tableChanges":[{"table":{"columns":[{"name":"b"},{"name":"a"}]}}]}}')["value"]
    assert list(tree["payload"]["tableChanges"][0]["table"]["columns"]) == ["b", "a"]


@pytest.mark.parametrize("text", [b'{"schema":{"fields":{}}}', b'{"schema":{"fields":null}}'])
def test_fields_that_are_no_list_are_seen(text: bytes):
    assert tree_of(text)["value"]["schema"]["fields"] == "not an array"


@pytest.mark.parametrize("text", [b"1", b"[]", b'{"payload":3,"schema":[]}', b'{"payload":{"tableChanges":[3]}}'])
def test_what_is_no_object_where_one_belongs_is_read_as_it_is(text: bytes):
    assert set(tree_of(text)) == {"key", "value"}


def test_compressed_parts_are_read_and_so_are_texts_in_their_place():
    value = b'{"payload":{"op":"c"}}'
    packed = tree_of(compress("lz4", value), compress("lz4", KEY), LZ4)
    assert packed == tree_of(value, given=LZ4) == tree_of(value)


@pytest.mark.parametrize(
    ("key", "value", "found"),
    [
        ("lz4", "lz4", "lz4"),
        ("none", "none", "key: none, value: none"),
        ("none", "lz4", "key: none, value: lz4"),
        ("lz4", "none", "key: lz4, value: none"),
    ],
)
def test_parts_that_are_not_compressed_are_named(key: str, value: str, found: str):
    record = Record(compress(key, KEY), compress(value, b'{"payload":{"op":"c"}}'))
    assert read(record, LZ4).frame["compression"] == found


@pytest.mark.parametrize(
    ("value", "options", "reason", "phrase"),
    [
        (None, {}, "framing", "a record without a value"),
        (b"garbage", LZ4, "framing", "compression"),
        (b"{", {}, "syntax", "the value"),
        (b"\xff", {}, "syntax", "the value"),
    ],
)
def test_a_record_that_cannot_be_read_is_rejected_with_what_is_wrong(
    value: bytes | None, options: dict[str, str], reason: str, phrase: str
):
    with pytest.raises(Rejected) as caught:
        read(Record(KEY if not options else compress("lz4", KEY), value), options)
    assert caught.value.reason == reason
    assert caught.value.message.startswith(phrase)


def test_messages_that_differ_in_the_wall_clock_alone_mean_the_same():
    one, two, other = (b'{"payload":{"op":"%s","ts_ms":%d}}' % given for given in ((b"c", 1), (b"c", 2), (b"u", 1)))
    assert identity_of(one) == identity_of(two) != identity_of(other)
    ordered, turned = b'{"payload":{"a":1,"b":2}}', b'{"payload":{"b":2,"a":1}}'
    assert identity_of(ordered) == identity_of(turned)


@pytest.mark.parametrize(
    ("value", "path", "part"),
    [
        (b'{"schema":{"items":{"fields":[{"field":"a"}]}}}', "schema.items.fields", {"a": {"field": "a"}}),
        (b'{"schema":{"other":{"fields":[{"field":"a"}]},"fields":[]}}', "schema.other.fields", [{"field": "a"}]),
        (b'{"schema":{"type":{"fields":[]}}}', "schema.type.fields", []),
        (b'{"schema":{"fields":[{"items":{"items":{"fields":[]}}}]}}', "schema.fields.[0].items.items.fields", {}),
        (b'{"payload":{"tableChanges":[{"table":3}]}}', CHANGED, 3),
        (b'{"payload":{"tableChanges":[{"other":{"columns":[]}}]}}', "payload.tableChanges.0.other.columns", []),
        (b'{"payload":{"tableChanges":[{"table":{"columns":3}}]}}', f"{CHANGED}.columns", "not an array"),
        (b'{"payload":{"other":[{"table":{"columns":[]}}]}}', "payload.other.0.table.columns", []),
        (b'{"other":{"fields":[{"field":"a"}]}}', "other.fields", [{"field": "a"}]),
    ],
)
def test_lists_are_objects_only_where_they_list_fields_or_columns(value: bytes, path: str, part: Any) -> None:
    found = tree_of(value)["value"]
    for step in path.split("."):
        found = found[int(step)] if step.isdecimal() else found[step]
    assert found == part


@pytest.mark.parametrize(
    ("value", "kind", "start"),
    [
        (b'{"payload":{"op":"c","source":{"start_ts":5}}}', "row", 5),
        (b'{"op":"u","source":{"start_ts":0}}', "row", 0),
        (b'{"payload":{"op":"m"}}', "watermark", None),
        (b'{"payload":{"op":"m","source":3}}', "watermark", None),
        (b'{"payload":{"ddl":"x","source":{"start_ts":-1}}}', "ddl", None),
        (b'{"payload":{"op":"d","source":{"start_ts":"5"}}}', "row", None),
        (b'{"payload":{"op":"d","source":{"ts":5}}}', "row", None),
        (b'{"payload":3,"op":"c"}', "ddl", None),
        (b"[1]", "ddl", None),
    ],
)
def test_kind_and_start_show_in_the_value(value: bytes, kind: str, start: int | None) -> None:
    assert (kind_sent(value, "none"), start_sent(value, "none")) == (kind, start)
    packed = compress("lz4", value)
    assert (kind_sent(packed, "lz4"), start_sent(packed, "lz4")) == (kind, start)


def test_the_frame_names_the_headers() -> None:
    record = Record(KEY, b"{}", headers=(("a", b"x"), ("b", b"")))
    assert read(record).frame["headers"] == ["a", "b"]

"""What differs between two answers: in meaning, in bytes alone, or not at all."""

from __future__ import annotations

import json

import cramjam
import pytest

from conformance.cli.diff_dialects import dialect_of
from reports.diff.meaning import Change, changes
from tests.unit.reports.diff.answers import answer, avro, b64, decoded, framed, record

CANAL = (
    '{"id":0,"database":"d","type":"INSERT","ts":1700000000123,"mysqlType":{"a":"int","b":"int"},'
    '"data":[%s],"old":null}'
)


def found(left: bytes, right: bytes, protocol: str = "canal-json") -> list[tuple[str, str, str]]:
    return [(one.at, one.kind, one.harm) for one in changes(left, right, dialect_of(protocol))]


def canal(row: str) -> bytes:
    return answer(record(CANAL % row))


# -- JSON --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ('{"a":"1"}', '{"a":"2"}', ("value.data[].{column}", "value", "changed")),
        ('{"a":"1"}', '{"a":null}', ("value.data[].{column}", "json kind", "lost")),
        ('{"a":"1","b":"2"}', '{"a":"1"}', ("value.data[].{column}", "missing", "lost")),
        ('{"a":"1"}', '{"a":"1","b":"2"}', ("value.data[].{column}", "extra", "changed")),
        ('{"a":"1"}', '{"a":1}', ("value.data[].{column}", "json kind", "schema")),
        ('{"a":"1"}', '{"a":"1","a":"1"}', ("value.data[].{column}", "doubled", "changed")),
    ],
)
def test_another_value_of_a_row_has_the_harm_that_a_finding_there_would_have(left, right, expected) -> None:
    assert found(canal(left), canal(right)) == [expected]


def test_reordered_members_are_bytes_only() -> None:
    assert found(canal('{"a":"1","b":"2"}'), canal('{"b":"2","a":"1"}')) == [
        ("order of members at value.data[]", "text", "form")
    ]


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ('{"a":"<&"}', '{"a":"\\u003c\\u0026"}', ["escape of U+003C", "escape of U+0026"]),
        ('{"a":"1"}', '{"a": "1"}', ["white space"]),
        ('{"a":"😀"}', '{"a":"\\ud83d\\ude00"}', ["escapes"]),
        ('{"a":1.0}', '{"a":1}', ["digits or JSON text at value.data[].{column}"]),
    ],
)
def test_other_spellings_of_the_same_are_bytes_only_and_are_named(left: str, right: str, expected: list[str]) -> None:
    told = found(canal(left), canal(right))
    assert [at for at, _, _ in told] == expected
    assert {(kind, harm) for _, kind, harm in told} == {("text", "form")}


def test_the_clock_and_the_order_of_a_map_are_no_difference() -> None:
    later = canal('{"a":"1"}')
    text = (
        (CANAL % '{"a":"1"}')
        .replace("1700000000123", "1700000009999")
        .replace('"a":"int","b":"int"', '"b":"int","a":"int"')
    )
    assert found(later, answer(record(text))) == []


def test_beside_the_clock_other_bytes_are_still_told() -> None:
    text = (CANAL % '{"a":"1"}').replace("1700000000123", " 1700000009999")
    assert found(canal('{"a":"1"}'), answer(record(text))) == [("white space", "text", "form")]


def test_a_member_that_the_format_does_not_know_is_unexpected() -> None:
    text = (CANAL % '{"a":"1"}').replace('"id":0', '"id":0,"trace":{"span":7}')
    [change] = changes(canal('{"a":"1"}'), answer(record(text)), dialect_of("canal-json"))
    assert (change.at, change.kind, change.harm, change.is_unexpected) == ("value.trace", "extra", "schema", True)


# -- messages, frames, files -------------------------------------------------------------------------------------------


def test_fewer_messages_are_lost_and_more_are_changed() -> None:
    one, two = record(CANAL % "{}"), record(CANAL % '{"a":"1"}')
    assert found(answer(one, two), answer(one)) == [("answer", "count", "lost")]
    assert found(answer(one), answer(one, two)) == [("answer", "count", "changed")]


def test_a_record_in_another_partition_is_a_change() -> None:
    left, right = (answer(record(CANAL % "{}", partition=n)) for n in (0, 1))
    assert found(left, right) == [("frame.partition", "value", "changed")]


def test_between_partitions_there_is_no_order() -> None:
    one, two = record(CANAL % "{}", partition=0), record(CANAL % '{"a":"1"}', partition=1)
    assert found(answer(one, two), answer(two, one)) == []


def test_messages_batched_in_another_way_mean_the_same() -> None:
    a, b = ('{"ts":1,"t":1}', '{"u":{"a":{"v":1}}}'), ('{"ts":1,"t":1}', '{"u":{"a":{"v":2}}}')
    told = found(answer(framed([a, b])), answer(framed([a]), framed([b])), "open-protocol")
    assert told == [("frame.events", "value", "form")]


def test_documents_behind_their_lengths_are_compared_one_by_one() -> None:
    left = answer(framed([('{"ts":1,"t":1}', '{"u":{"a":{"t":3,"v":1},"b":{"t":3,"v":2}}}')]))
    right = answer(framed([('{"ts":1,"t":1}', '{"u":{"b":{"t":3,"v":2},"a":{"t":1,"v":1}}}')]))
    assert found(left, right, "open-protocol") == [("value.u.{column}.t", "value", "schema")]


def test_a_compressed_value_is_compared_by_what_is_in_it() -> None:
    text = (CANAL % '{"a":"1"}').encode()
    packed = bytes(cramjam.lz4.compress(text))
    again = bytes(cramjam.lz4.compress(text, level=9))
    changed = bytes(cramjam.lz4.compress((CANAL % '{"a":"2"}').encode()))
    assert found(answer(record(packed)), answer(record(changed))) == [("value.data[].{column}", "value", "changed")]
    assert found(answer(record(packed)), answer(record(again))) == []
    assert [at for at, _, _ in found(answer(record(packed)), answer(record(text)))] == ["frame.compression"]


def test_names_of_stored_files_are_no_difference_and_their_content_is() -> None:
    def stored(name: str, row: str) -> bytes:
        location = f"file:///claims/{name}.json"
        message = json.dumps({"type": "INSERT", "_tidb": {"claimCheckLocation": location}, "data": []})
        content = json.dumps({"key": None, "value": b64(CANAL % row)})
        return answer(record(message), claims=[{"location": location, "value": b64(content)}])

    assert found(stored("x", '{"a":"1"}'), stored("y", '{"a":"1"}')) == []
    assert found(stored("x", '{"a":"1"}'), stored("y", '{"a":"2"}')) == [
        ("claim.messages[].value.data[].{column}", "value", "changed")
    ]


def test_a_message_that_a_stored_file_lacks_is_lost() -> None:
    def stored(*pairs: tuple[str, str]) -> bytes:
        messages = framed(pairs)
        content = json.dumps({"key": messages["key"], "value": messages["value"]})
        return answer(record("{}"), claims=[{"location": "file:///claims/x.json", "value": b64(content)}])

    one, two = stored(('{"t":1}', "{}")), stored(('{"t":1}', "{}"), ('{"t":2}', "{}"))
    assert found(two, one, "open-protocol") == [("claim.messages", "count", "lost")]
    assert found(one, two, "open-protocol") == [("claim.messages", "count", "changed")]


def test_bytes_that_nobody_can_read_are_compared_as_bytes() -> None:
    assert found(answer(record(b"\xff\x00")), answer(record(b"\xff\x01"))) != []
    assert found(answer(record(b"\xff\x00")), answer(record(b"\xff\x00"), claims=[])) == []


# -- bodies of registered schemas --------------------------------------------------------------------------------------

SCHEMA = '{"type":"record","name":"t","fields":[{"name":"id","type":"int"},{"name":"a","type":["null","string"]%s}]}'


def registered(body: bytes, more: str = "", number: int = 1) -> bytes:
    return answer(record(avro(body, number)), schemas=[{"id": number, "subject": "t-value", "schema": SCHEMA % more}])


def test_a_field_of_another_value_is_named() -> None:
    left, right = registered(b"\x02\x02\x02x"), registered(b"\x04\x02\x02x")
    assert found(left, right, "avro") == [("value.row.{column}", "value", "changed")]
    assert found(left, registered(b"\x02\x00"), "avro") == [("value.row.{column}", "json kind", "lost")]


def test_the_number_of_a_schema_is_no_difference_and_the_schema_is() -> None:
    body = b"\x02\x02\x02x"
    assert found(registered(body), registered(body, number=7), "avro") == []
    assert found(registered(body), registered(body, ',"default":null'), "avro") == [
        ("value.schema.fields.{column}.default", "extra", "schema")
    ]


def test_longer_bytes_of_one_number_are_bytes_only() -> None:
    assert found(registered(b"\x02\x00"), registered(b"\x82\x00\x00"), "avro") == [
        ("encoding of value", "text", "form")
    ]


def test_a_body_that_its_schema_does_not_read_is_a_difference() -> None:
    assert all(harm == "lost" or kind for _, kind, harm in found(registered(b"\x02\x00"), registered(b"\x02"), "avro"))
    assert found(registered(b"\x02\x00"), registered(b"\x02"), "avro") != []


# -- other answers -----------------------------------------------------------------------------------------------------


def test_events_of_a_decoder_are_compared_as_trees() -> None:
    event = {"kind": "row", "op": "insert", "after": {"a": "1"}}
    assert found(decoded(event), decoded({**event, "after": {"a": "2"}})) == [
        ("event.after.{column}", "value", "changed")
    ]
    assert found(decoded(event), decoded()) == [("answer", "count", "lost")]


def test_a_refusal_is_told_and_its_words_are_free() -> None:
    def refused(reason: str, text: str) -> bytes:
        return json.dumps({"rejected": {"class": reason, "message": text}}).encode()

    assert found(refused("range", "x"), refused("range", "y")) == []
    assert found(refused("range", "x"), refused("type", "x")) == [("answer", "class", "strictness")]
    assert found(decoded(), refused("range", "x")) == [("answer", "refused", "lost")]
    assert found(refused("range", "x"), decoded()) == [("answer", "accepted", "strictness")]
    assert found(b'{"error":"a"}', b'{"error":"b"}') == []


def test_of_a_protocol_that_nobody_knows_members_are_still_compared() -> None:
    [change] = changes(answer(record('{"a":1}')), answer(record('{"a":2}')), dialect_of(""))
    assert isinstance(change, Change)
    assert (change.at, change.harm, change.is_unexpected) == ("value.a", "schema", True)


def test_what_is_no_answer_is_refused() -> None:
    for text in (b"", b"[]", b"{}", b'{"a":1,"b":2}', b"\xff"):
        with pytest.raises(ValueError):
            changes(text, answer(), dialect_of(""))

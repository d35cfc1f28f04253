"""How records and files are taken apart, and what is wrong with a bad one; not of Avro, nor of Debezium JSON."""

from __future__ import annotations

import json
from base64 import b64encode
from importlib import import_module
from typing import Any

import pytest

from conformance.oracle import ORACLES
from conformance.oracle.canal_json.reading import UNKNOWN
from conformance.oracle.rules import Message, Reading
from reference_impl.compression import compress
from reference_impl.errors import Rejected
from reference_impl.model import Claim, Record
from reference_impl.options import parse
from reference_impl.protocols import CODECS

LZ4 = {"large-message-handle-compression": "lz4"}
RAW = {"claim-check-raw-value": "true"}
CLAIMED = {
    "enable-tidb-extension": "true",
    "large-message-handle-option": "claim-check",
    "claim-check-storage-uri": "file:///a",
}


def options(protocol: str, given: dict[str, str]) -> Any:
    return parse(CODECS[protocol].options, given)


def read(protocol: str, record: Record, given: dict[str, str] | None = None) -> Reading:
    return ORACLES[protocol].read(record, options(protocol, given or {}), {})


def claimed(protocol: str, content: bytes, given: dict[str, str] | None = None) -> Reading:
    asked = {**(CLAIMED if protocol == "canal-json" else {}), **(given or {})}
    return ORACLES[protocol].read_claim(Claim("file:///a/b.json", content), options(protocol, asked))


def counted(*bodies: bytes) -> bytes:
    return b"".join(len(body).to_bytes(8, "big") + body for body in bodies)


def batch(keys: list[bytes], values: list[bytes], version: int = 1) -> Record:
    return Record(version.to_bytes(8, "big") + counted(*keys), counted(*values))


ROW, DDL, RESOLVED = b'{"t":1}', b'{"t":2}', b'{"t":3}'

# -- what surrounds a message ------------------------------------------------------------------------------------------

CANAL_FRAMES: list[tuple[str, Record, dict[str, str], dict[str, Any]]] = [
    ("plain", Record(None, b"{}"), {}, {"key": None, "headers": [], "compression": "none"}),
    ("a key", Record(b"\xe9", b"{}"), {}, {"key": "é", "headers": [], "compression": "none"}),
    ("headers", Record(None, b"{}", headers=(("a", b""),)), {}, {"key": None, "headers": ["a"], "compression": "none"}),
    ("packed", Record(None, compress("lz4", b"{}")), LZ4, {"key": None, "headers": [], "compression": "lz4"}),
    ("not packed", Record(None, b" {}"), LZ4, {"key": None, "headers": [], "compression": "none"}),
]


@pytest.mark.parametrize(("record", "given", "frame"), [c[1:] for c in CANAL_FRAMES], ids=[c[0] for c in CANAL_FRAMES])
def test_the_frame_of_canal_json_has_what_surrounds_its_message(
    record: Record, given: dict[str, str], frame: dict[str, Any]
) -> None:
    assert read("canal-json", record, given).frame == frame


PACKED = compress("lz4", b"{}")
OPEN_FRAMES: list[tuple[Record, dict[str, str], dict[str, Any]]] = [
    (batch([ROW], [b"{}"]), {}, {}),
    (batch([], []), {}, {"events": 0}),
    (batch([ROW, ROW], [b"{}", b"{}"]), {}, {"events": 2}),
    (batch([DDL], [b"{}"]), {}, {}),
    (batch([DDL, ROW], [b"{}", b"{}"]), {}, {"events": 2, "alone": False}),
    (batch([ROW, RESOLVED], [b"{}", b""]), {}, {"events": 2, "alone": False}),
    (batch([ROW], [PACKED]), LZ4, {"compression": "lz4"}),
    (batch([ROW, ROW], [PACKED, b" {}"]), LZ4, {"events": 2, "compression": "lz4,none"}),
    (batch([ROW], [b"{} "]), LZ4, {}),
    (Record(batch([], []).key, b"", partition=3), {}, {"events": 0, "partition": 3}),
    (Record(batch([], []).key, b"", headers=(("a", b""),)), {}, {"events": 0, "headers": ["a"]}),
]


@pytest.mark.parametrize(("record", "given", "members"), OPEN_FRAMES)
def test_the_frame_of_open_protocol_has_what_surrounds_its_events(
    record: Record, given: dict[str, str], members: dict[str, Any]
) -> None:
    usual = {"events": 1, "alone": True, "compression": "", "headers": [], "partition": 0}
    assert read("open-protocol", record, given).frame == {**usual, **members}


# -- messages ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "partition", "where", "claim"),
    [
        (b'{"_tidb":{"claimCheckLocation":"x"}}', 2, "partition 2", "x"),
        (b'{"_tidb":{"claimCheckLocation":1}}', 0, "partition 0", None),
        (b'{"_tidb":["claimCheckLocation"]}', None, UNKNOWN, None),
        (b"[]", None, UNKNOWN, None),
    ],
)
def test_a_message_of_canal_json_says_where_it_is_and_the_file_that_it_refers_to(
    value: bytes, partition: int | None, where: str, claim: str | None
) -> None:
    [message] = read("canal-json", Record(None, value, partition=partition)).messages
    assert message.tree == {"value": json.loads(value), "record": {"partition": where}}
    assert message.texts == {"value": value.decode()}
    assert message.claim == claim


def test_messages_of_canal_json_that_differ_in_time_spelling_and_order_alone_mean_the_same() -> None:
    texts = (b'{"ts":1,"a":"x","b":1}', b'{"b":1,"a":"\\u0078","ts":2}', b'{"ts":1,"a":"x","b":2}', b"[]")
    one, two, other, none = (read("canal-json", Record(None, text)).messages[0].identity for text in texts)
    assert one == two != other
    assert none is None


def test_an_event_of_open_protocol_is_its_key_and_its_value_if_there_is_one() -> None:
    keys = [b'{"t":1,"ccl":"x"}', b'{"t":1,"ccl":1}', b"[]"]
    messages = read("open-protocol", batch(keys, [b"{}", b"", b"[]"])).messages
    assert messages == (
        Message({"key": {"t": 1, "ccl": "x"}, "value": {}}, {"key": keys[0].decode(), "value": "{}"}, "x"),
        Message({"key": {"t": 1, "ccl": 1}}, {"key": keys[1].decode()}),
        Message({"key": [], "value": []}, {"key": "[]", "value": "[]"}),
    )


# -- files -------------------------------------------------------------------------------------------------------------


def file(**parts: Any) -> bytes:
    return json.dumps(
        {name: b64encode(p).decode() if isinstance(p, bytes) else p for name, p in parts.items()}
    ).encode()


@pytest.mark.parametrize(
    ("content", "given", "members", "compression"),
    [
        (file(key=None, value=b"{}"), {}, {"key": None}, "none"),
        (file(key="k", more=1, value=b"{}"), {}, {"key": "k", "more": 1}, "none"),
        (file(key=None, location=1, value=b"{}"), {}, {"key": None, "location": 1}, "none"),
        (file(value=b"{}"), {}, {}, "none"),
        (file(key=None, value=PACKED), LZ4, {"key": None}, "lz4"),
        (b"{}", RAW, {}, "none"),
        (PACKED, RAW | LZ4, {}, "lz4"),
    ],
)
def test_a_file_of_canal_json_is_the_message_in_it(
    content: bytes, given: dict[str, str], members: dict[str, Any], compression: str
) -> None:
    reading = claimed("canal-json", content, given)
    assert reading.frame == {"location": "file:///a/*.json", "compression": compression, **members}
    assert reading.messages[0].tree == {"value": {}, "record": {"partition": UNKNOWN}}


def test_a_file_of_open_protocol_is_the_record_in_it() -> None:
    record = batch([ROW], [b"{}"])
    reading = claimed("open-protocol", file(key=record.key, value=record.value))
    assert reading.frame == {"location": "file:///a/b.json", "compression": ""}
    assert [message.tree for message in reading.messages] == [{"key": {"t": 1}, "value": {}}]


# -- what is wrong -----------------------------------------------------------------------------------------------------


def length(number: int) -> bytes:
    return (1).to_bytes(8, "big") + number.to_bytes(8, "big")


OPEN_FAULTS: list[tuple[Record, dict[str, str], str, str]] = [
    (Record(None, b""), {}, "framing", "layout of the key: 0 bytes, too few for a version"),
    (Record(bytes(7), b""), {}, "framing", "layout of the key: 7 bytes, too few for a version"),
    (batch([], [], 2), {}, "framing", "version: 0000000000000002"),
    (Record(length(0) + b"\0", b""), {}, "framing", "layout of the key: 1 bytes where a length should be"),
    (Record(length(3) + b"{}", b""), {}, "framing", "layout of the key: length 3, but 2 bytes are left"),
    (Record(length(1 << 31), b""), {}, "framing", "layout of the key: length 2147483648, but 0 bytes are left"),
    (Record(length(1 << 63), b""), {}, "framing", "a length that is no positive 64-bit number"),
    (Record(length(2 << 56), b""), {}, "framing", "a length that is no positive 64-bit number"),
    (Record(length(1 << 39), b""), {}, "framing", "layout of the key: length 549755813888, but 0 bytes are left"),
    (Record(batch([ROW], []).key, b"\0"), {}, "framing", "layout of the value: 1 bytes where a length should be"),
    (batch([ROW], []), {}, "framing", "keys and values do not pair: 1 keys, 0 values"),
    (Record(batch([RESOLVED], []).key, None), {}, "framing", "no length for the value of a resolved event: no bytes"),
    (Record(batch([RESOLVED], []).key, b""), {}, "framing", "no length for the value of a resolved event: zero bytes"),
    (batch([b"{"], [b""]), {}, "syntax", "event key: "),
    (batch([b"{"], [b""]), LZ4, "syntax", "event key: "),
    (batch([compress("lz4", ROW)], [b""]), LZ4, "syntax", "compressed event key: lz4"),
    (batch([compress("lz4", ROW)], [b""]), {}, "syntax", "event key: "),
    (batch([compress("lz4", b"{")], [b""]), LZ4, "syntax", "event key: "),
    (batch([ROW], [b"{"]), {}, "syntax", "row value: "),
    (batch([ROW], [b'"\xff"']), {}, "syntax", "row value: not UTF-8"),
    (batch([DDL], [b"{"]), {}, "syntax", "DDL value: "),
    (batch([ROW], [b"{"]), LZ4, "syntax", "row value: "),
    (batch([DDL], [b"{"]), LZ4, "syntax", "DDL value: "),
    (batch([ROW], [b"x"]), LZ4, "syntax", "compression: "),
]


@pytest.mark.parametrize(("record", "given", "reason", "phrase"), OPEN_FAULTS)
def test_a_record_of_open_protocol_is_refused_for_what_is_wrong(
    record: Record, given: dict[str, str], reason: str, phrase: str
) -> None:
    with pytest.raises(Rejected) as caught:
        read("open-protocol", record, given)
    assert caught.value.reason == reason
    assert caught.value.message.startswith(phrase)


@pytest.mark.parametrize(
    ("value", "given", "reason"),
    [(None, {}, "framing"), (b"", {}, "framing"), (b"x", LZ4, "framing"), (b"{", {}, "syntax"), (b"{", LZ4, "syntax")],
)
def test_a_record_of_canal_json_is_refused_for_what_is_wrong(value: bytes | None, given: dict[str, str], reason: str):
    with pytest.raises(Rejected) as caught:
        read("canal-json", Record(None, value), given)
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("protocol", "content", "reason"),
    [
        ("canal-json", b"[]", "schema"),
        ("canal-json", file(key=None, value=1), "schema"),
        ("canal-json", file(key=None, value="e30"), "type"),
        ("canal-json", file(key=None, value="e3*0="), "type"),
        ("canal-json", file(key=None, value="é"), "type"),
        ("open-protocol", b"[]", "schema"),
        ("open-protocol", file(value=b""), "schema"),
        ("open-protocol", file(key=b""), "schema"),
        ("open-protocol", file(key="e30", value=b""), "type"),
        ("open-protocol", file(key=b"", value="e3*0="), "type"),
        ("open-protocol", file(key=b"", value="é"), "type"),
    ],
)
def test_a_file_is_refused_for_what_is_wrong(protocol: str, content: bytes, reason: str) -> None:
    with pytest.raises(Rejected) as caught:
        claimed(protocol, content)
    assert caught.value.reason == reason


LONG = b'{"a":"' + b"x" * 100 + b'"}'


@pytest.mark.parametrize(
    ("protocol", "package", "record"),
    [
        ("canal-json", "canal_json", Record(None, compress("lz4", LONG))),
        ("open-protocol", "open_protocol", batch([ROW], [compress("lz4", LONG)])),
        ("debezium", "debezium", Record(None, compress("lz4", LONG))),
    ],
)
def test_a_message_is_not_unpacked_beyond_the_limit(
    protocol: str, package: str, record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read(protocol, record, LZ4).messages
    monkeypatch.setattr(import_module(f"conformance.oracle.{package}.reading"), "decompressed_limit", lambda given: 99)
    with pytest.raises(Rejected):
        read(protocol, record, LZ4)

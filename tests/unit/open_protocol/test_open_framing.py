"""Frames of a message: cut anywhere, too long, of another version."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from open_samples import AB, insert

from reference_impl.errors import Rejected
from reference_impl.model import DdlEvent, Record, Watermark
from reference_impl.open_protocol import decode, encode
from reference_impl.open_protocol.framing import VERSION, frame, unframe

KEY, VALUE = frame([(b'{"ts":1,"scm":"a","tbl":"b","t":1}', b'{"u":{"a":{"t":3,"v":1}}}'), (b'{"ts":2,"t":3}', b"")])
THREE = [insert({"a": str(n), "b": None}, ts=n) for n in (1, 2, 3)]


def _reason(key: bytes | None, value: bytes | None) -> str:
    with pytest.raises(Rejected) as refused:
        decode([Record(key, value)])
    return str(refused.value.reason)


# The whole of the first event, and the version alone, are shorter keys that are well formed in themselves; they then
# leave values over.
@pytest.mark.parametrize("length", range(len(KEY)))
def test_a_key_cut_at_any_byte_is_a_framing_error(length: int) -> None:
    assert _reason(KEY[:length], VALUE) == "framing"


@pytest.mark.parametrize("length", range(len(VALUE)))
def test_a_value_cut_at_any_byte_is_a_framing_error(length: int) -> None:
    assert _reason(KEY, VALUE[:length]) == "framing"


def _length(number: int) -> bytes:
    return number.to_bytes(8, "big")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *((b"", b""), (_length(0), b""), (_length(2**63), b""), (VERSION + _length(1), _length(0))),
        (VERSION + _length(3) + b"{}", _length(0)),
        (VERSION + _length(2**63) + b"{}", _length(0)),
        (VERSION + _length(2**64 - 1) + b"{}", _length(0)),
        (VERSION + _length(2) + b"{}", _length(2**63)),
        (VERSION + _length(2) + b"{}", _length(9) + b"{}"),
        (VERSION + _length(2) + b"{}", b""),
        (VERSION, _length(0)),
        (KEY, VALUE + _length(0)),
        (KEY, VALUE + b"\0"),
        (KEY + _length(2) + b"{}", VALUE),
    ],
)
def test_frames_that_do_not_add_up_are_a_framing_error(key: bytes | None, value: bytes | None) -> None:
    assert _reason(key, value) == "framing"


FRAMES = [
    (Record(None, b""), "the record has no key"),
    (Record(VERSION, None), "the record has no value"),
    (Record(VERSION[:7], b""), "short key: 7 bytes, the version alone has 8"),
    (Record(bytes(7) + b"\2", b""), "version 2, not 1"),
    (Record(VERSION + bytes(3), b""), "key: 3 bytes where a length of 8 should be"),
    (Record(VERSION + bytes(8), bytes(3)), "value: 3 bytes where a length of 8 should be"),
    (Record(VERSION + bytes(7) + b"\2{", b""), "key: length 2 at byte 8, but 1 bytes are left"),
    (Record(VERSION + bytes(8), bytes(7) + b"\2{"), "value: length 2 at byte 0, but 1 bytes are left"),
    (
        Record(VERSION + b"\x80" + bytes(7), b""),
        "key: length 9223372036854775808 at byte 8 is beyond a signed 64-bit number",
    ),
    (
        Record(VERSION + bytes(8), b"\xff" * 8),
        "value: length 18446744073709551615 at byte 0 is beyond a signed 64-bit number",
    ),
    (Record(VERSION, bytes(3)), "3 bytes of value are left when the keys are used up"),
]


@pytest.mark.parametrize(("message", "text"), FRAMES)
def test_a_refusal_names_the_lengths_of_a_frame(message: Record, text: str) -> None:
    with pytest.raises(Rejected) as refused:
        decode([message])
    assert (refused.value.reason, refused.value.message) == ("framing", text)


def test_a_message_of_the_version_alone_has_no_event() -> None:
    assert decode([Record(VERSION, b"")]) == []  # TV-OP-079


@given(st.lists(st.tuples(st.binary(max_size=20), st.binary(max_size=20)), max_size=5))
def test_frames_are_split_into_the_same_events(pairs: list[tuple[bytes, bytes]]) -> None:
    assert unframe(*frame(pairs)) == pairs


def test_rows_of_one_flush_share_a_message() -> None:
    [record] = encode(THREE, [AB]).records
    assert len(unframe(record.key, record.value)) == 3
    assert decode([record], [AB]) == THREE


def test_several_ddl_and_resolved_events_and_rows_in_one_message_are_all_read() -> None:
    pairs = [
        (b'{"ts":1,"scm":"a","tbl":"b","t":2}', b'{"q":"create table a","t":1}'),
        (b'{"ts":2,"t":3}', b""),
        (b'{"ts":3,"scm":"a","tbl":"b","t":2}', b'{"q":"create table b","t":2}'),
        (b'{"ts":4,"t":3}', b""),
        (b'{"ts":5,"scm":"test","tbl":"t","t":1}', b'{"u":{"a":{"t":1,"v":1}}}'),
    ]
    events = decode([Record(*frame(pairs))])  # TV-OP-081, TV-OP-083, OP-008
    assert events == [
        DdlEvent("a", "b", "create table a", action="create schema", action_code=1, commit_ts=1),
        Watermark(2),
        DdlEvent("a", "b", "create table b", action="drop schema", action_code=2, commit_ts=3),
        Watermark(4),
        insert({"a": "1"}, ts=5),
    ]

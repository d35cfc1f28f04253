"""What a refusal says: the part of the message that is wrong, and what was found there."""

from __future__ import annotations

import pytest
from open_samples import AB, column, insert, record, table

from reference_impl.errors import Rejected
from reference_impl.model import Claim, Record
from reference_impl.open_protocol import Encoder, Options, decode
from reference_impl.open_protocol.framing import VERSION

KEY = '{"ts":1,"scm":"test","tbl":"t","t":1}'
DDL = '{"ts":1,"scm":"test","tbl":"t","t":2}'


def of_column(members: str) -> tuple[str, str]:
    return KEY, f'{{"u":{{"c":{{{members}}}}}}}'


EVENTS = [
    (("[]", ""), "event key is not an object"),
    (('{"ts":1}', ""), "event key has no member 't'"),
    (('{"t":1}', ""), "event key has no member 'ts'"),
    (('{"ts":"1","t":1}', ""), "event key: 'ts' is not an integer"),
    (('{"ts":1,"scm":2,"t":1}', ""), "event key: 'scm' is not a string"),
    (('{"ts":1,"tbl":2,"t":1}', ""), "event key: 'tbl' is not a string"),
    (('{"ts":1,"ohk":2,"t":1}', ""), "event key: 'ohk' is not true or false"),
    (('{"ts":1,"ccl":2,"t":1}', ""), "event key: 'ccl' is not a string"),
    (('{"ts":1,"ptn":"","t":1}', ""), "event key: 'ptn' is not an integer"),
    (('{"ts":1,"rid":"","t":1}', ""), "event key: 'rid' is not an integer"),
    (('{"ts":1,"ts":1,"t":1}', ""), "event key: doubled member 'ts'"),
    (('{"ts":-1,"t":1}', ""), "time stamp -1 is outside 0 to 18446744073709551615"),
    ((KEY, "[]"), "the value is not an object"),
    ((KEY, '{"u":1}'), "'u' is not an object"),
    ((KEY, '{"u":{"c":{"t":3,"v":1}},"p":1}'), "'p' is not an object"),
    ((KEY, '{"u":{"c":1}}'), "u.c: the column is not an object"),
    ((KEY, '{"d":{"c":1}}'), "d.c: the column is not an object"),
    (of_column('"v":1'), "u.c: the column has no member 't'"),
    (of_column('"t":"3","v":1'), "u.c: the column: 't' is not an integer"),
    (of_column('"t":3'), "u.c: the column has no member 'v'"),
    (of_column('"t":3,"f":"65","v":1'), "u.c: the column: 'f' is not an integer"),
    (of_column('"t":3,"f":256,"v":1'), "u.c: flag 256 is outside 0 to 255"),
    (of_column('"t":3,"f":193,"v":-1'), "u.c: -1 is outside int unsigned"),
    (of_column('"t":16,"f":193,"v":-1'), "u.c: -1 is outside bit"),
    (of_column('"t":3,"f":65,"v":2147483648'), "u.c: 2147483648 is outside int"),
    ((DDL, "{}"), "DDL value has no member 'q'"),
    ((DDL, '{"q":""}'), "DDL value has no member 't'"),
    ((DDL, '{"q":1,"t":3}'), "DDL value: 'q' is not a string"),
    ((DDL, '{"q":"","t":"3"}'), "DDL value: 't' is not an integer"),
    ((DDL, '{"q":"","t":256}'), "DDL type 256 is outside 0 to 255"),
]


@pytest.mark.parametrize(("event", "message"), EVENTS)
def test_a_refusal_names_the_faulty_part_of_an_event(event: tuple[str, str], message: str) -> None:
    with pytest.raises(Rejected) as refused:
        decode([record(*event)])
    assert refused.value.message == message


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
    assert refused.value.message == text


FILES = [
    (b"[]", "claim-check file is not an object"),
    (b"{}", "claim-check file has no member 'key'"),
    (b'{"key":1,"value":""}', "claim-check file: 'key' is not a string"),
]


@pytest.mark.parametrize(("content", "text"), FILES)
def test_a_refusal_names_the_faulty_part_of_a_claim_check_file(content: bytes, text: str) -> None:
    sent = record('{"ts":1,"scm":"test","tbl":"t","t":1,"ccl":"a/b"}', '{"u":{"c":{"t":3,"v":1}}}')
    with pytest.raises(Rejected) as refused:
        decode([sent], claims=[Claim("b", content)])
    assert refused.value.message == text


def test_a_refusal_names_the_column_of_a_value_that_cannot_be_written() -> None:
    with pytest.raises(Rejected, match=r"^column b: 'x' is no value of its type$"):
        Encoder().encode([insert({"a": "1", "b": "x"})], [AB])


def test_a_refusal_names_table_and_length_of_a_row_that_is_too_large() -> None:
    made = table(column("a", "text"), name="big")
    with pytest.raises(Rejected, match=r"^message too large: a row of test\.big needs \d+ bytes of 100$"):
        Encoder(Options(max_message_bytes=100)).encode([insert({"a": "x" * 99}, of=made)], [made])

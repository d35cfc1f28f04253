"""Which lines are frames: JSON objects without doubled members, whatever their text is spelled like."""

from __future__ import annotations

import json

import pytest

from conformance.transport.frames import MAX_DEPTH, BadFrame, read_frame

GOOD = [
    b'{"id":1,"ok":{}}',
    b'{ "id" : 1 , "ok" : { "events" : [ { "a" : ":" , "b" : "\\":" } ] } }',
    b'{"a:b":"c:d","e":[":",{"f":":"},["::"]],"g":{"g":{"g":null}}}',
    b'{"a":"\\u003a","b":"\\\\u003a:"}',
    b'{"a":["a","a",{"a":1},{"a":1}]}',
    b'{"a":1234567890123456789012345678901234567890,"b":1e300}',
]


@pytest.mark.parametrize("line", GOOD)
def test_a_line_is_read_as_json(line: bytes) -> None:
    assert read_frame(line).keys() == json.loads(line).keys()


BAD = [
    (b'{"id":1,"id":1,"ok":{}}', "the member 'id' stands twice"),
    (b'{"id":1,"ok":{"records":[],"records":[]}}', "the member 'records' stands twice"),
    (b'{"id":1,"ok":{"events":[{"after":{"a":"1","a":"2"}}]}}', "the member 'a' stands twice"),
    (b'{"id":1,"ok":{"events":[{"after":{"a":":","a":"\\u003a"}}]}}', "the member 'a' stands twice"),
    (b'{"id":1,"ok":{"x":"\\u003a\\u003A","x":""}}', "the member 'x' stands twice"),
    (b'{"id":1,"\\u0069d":2}', "the member 'id' stands twice"),
    (b'{"id" :1,"id":2,"s":"\\":"}', "the member 'id' stands twice"),
    (b"[1]", "not a JSON object"),
    (b'{"id":1', "not JSON"),
    (b'{"id":NaN}', "not JSON"),
    (b'{"id":"\xff"}', "not JSON"),
    (b"", "not JSON"),
    (b"DEBUG: {}", "not JSON; only answers belong on stdout, and all other text on stderr"),
    (b' {"id":1', "not JSON (unexpected end of data"),
    (b'{"a":' * (MAX_DEPTH + 1) + b"1" + b"}" * (MAX_DEPTH + 1), "inside each other"),
    (b'{"a":' + b"[" * 900 + b"]" * 900 + b"}", "inside each other"),
    (b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "not JSON"),
]


@pytest.mark.parametrize(("line", "problem"), BAD, ids=[f"{i}" for i in range(len(BAD))])
def test_a_line_that_is_no_frame_is_refused_with_the_reason(line: bytes, problem: str) -> None:
    with pytest.raises(BadFrame) as caught:
        read_frame(line)
    assert problem in str(caught.value)


def test_a_duplicate_beside_a_value_that_is_too_deep_is_refused_for_one_of_the_two() -> None:
    line = b'{"a":' + b"[" * 1015 + b"]" * 1015 + b',"a":1}'
    with pytest.raises(BadFrame, match=r"inside each other|stands twice"):  # Python 3.12 reads deeper than 3.11
        read_frame(line)

"""What a decoder makes of the files of claim-check storage.  [OP-170 … OP-173]"""

from __future__ import annotations

import json
from base64 import b64encode

import pytest
from open_samples import insert, record

from reference_impl.errors import Rejected
from reference_impl.model import Claim
from reference_impl.open_protocol import decode
from reference_impl.open_protocol.framing import frame

PLACE = "file:///claims/x.json"
VALUE = '{"u":{"c":{"t":3,"v":1},"d":{"t":3,"v":2}}}'
REDUCED = '{"u":{"c":{"t":3,"v":1}}}'


def key(ts: int = 5, schema: str = "test", name: str = "t", kind: int = 1, more: str = "") -> str:
    return f'{{"ts":{ts},"scm":"{schema}","tbl":"{name}","t":{kind}{more}}}'


SENT = record(key(more=f',"ccl":"{PLACE}"'), REDUCED)


def file_of(*pairs: tuple[str, str]) -> bytes:
    """A claim-check file of these events."""
    parts = frame([(one.encode(), other.encode()) for one, other in pairs])
    return json.dumps(dict(zip(("key", "value"), (b64encode(part).decode() for part in parts), strict=True))).encode()


WHOLE = file_of((key(), VALUE))


def with_part(part: str, text: object) -> bytes:
    return json.dumps(json.loads(WHOLE) | {part: text}).encode()


@pytest.mark.parametrize("stored", ["x.json", "s3://elsewhere/deep/x.json", PLACE])
def test_a_file_is_found_by_its_name_wherever_it_is_stored(stored: str) -> None:
    [event] = decode([SENT], claims=[Claim("file:///claims/y.json", b""), Claim(stored, WHOLE)])
    assert event == insert({"c": "1", "d": "2"}, ts=5)  # OP-173


KEY_TEXT = json.loads(WHOLE)["key"]
FILES = [
    (b"", "syntax"),
    (b"[]", "schema", "claim-check file is not an object"),
    (b'{"key":""}', "schema", "claim-check file has no member 'value'"),
    (b'{"value":""}', "schema", "claim-check file has no member 'key'"),
    (with_part("key", 1), "schema", "claim-check file: 'key' is not a string"),
    (with_part("value", None), "schema"),
    (with_part("key", KEY_TEXT[:8] + "!" + KEY_TEXT[8:]), "type"),
    (with_part("value", "Y"), "type"),
    (with_part("key", ""), "framing"),
    (with_part("value", ""), "framing"),
    (file_of(), "semantics"),
    (file_of((key(), VALUE), (key(), VALUE)), "semantics"),
    (file_of((key(more=f',"ccl":"{PLACE}"'), VALUE)), "semantics"),
    (file_of((key(ts=6), VALUE)), "semantics"),
    (file_of((key(schema="other"), VALUE)), "semantics"),
    (file_of((key(name="other"), VALUE)), "semantics"),
    (file_of((key(kind=2), '{"q":"create table t","t":3}')), "semantics"),
    (file_of((key(), "{}")), "schema"),
]


@pytest.mark.parametrize(("content", "reason", "words"), [(*row, "")[:3] for row in FILES])
def test_a_file_that_is_not_the_whole_of_the_event_is_refused_with_its_class(
    content: bytes, reason: str, words: str
) -> None:
    with pytest.raises(Rejected) as refused:
        decode([SENT], claims=[Claim(PLACE, content)])
    assert (refused.value.reason, words or refused.value.message) == (reason, refused.value.message)


def test_a_file_that_is_missing_is_named() -> None:
    with pytest.raises(Rejected, match=r"no file 'x\.json'") as refused:
        decode([SENT], claims=[Claim("file:///claims/y.json", WHOLE)])
    assert refused.value.reason == "semantics"

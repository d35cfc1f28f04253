"""What a writer is free to do changes the bytes and nothing else."""

import json

import pytest

from conformance.cases.equivalent_encodings import ENCODING_NAMES, rewrite
from reference_impl.exact_json import loads, same
from reference_impl.model import Record
from reference_impl.open_protocol.framing import frame, unframe

TEXT = '{"id":0,"a":[{"x":"é😀\\u2028\\"","y":1.50,"z":18446744073709551615}],"b":null,"c":true,"d":{}}'
RECORD = Record(None, TEXT.encode())

KEEPING = [name for name in ENCODING_NAMES if name != "unknown members"]


@pytest.mark.parametrize("encoding", KEEPING)
def test_an_equivalent_encoding_changes_bytes_and_keeps_every_value_exactly(encoding: str) -> None:
    written = rewrite("canal-json", RECORD, encoding).value
    assert written != RECORD.value
    assert written is not None
    assert same(loads(written), loads(TEXT))


def test_unknown_members_stand_beside_the_others_in_the_outermost_object() -> None:
    tree = json.loads(rewrite("canal-json", RECORD, "unknown members").value or b"")
    assert tree.pop("a member nobody knows") == {"x": [1, None, "y"]}
    assert tree == json.loads(TEXT)


def test_numbers_keep_the_text_they_have() -> None:
    assert b"1.50" in (rewrite("canal-json", RECORD, "shuffled").value or b"")


def test_escapes_stand_for_half_of_a_pair_each() -> None:
    escaped = rewrite("canal-json", Record(None, '{"😀":"a"}'.encode()), "escaped").value
    assert escaped is not None
    assert escaped.lower() == b'{"\\ud83d\\ude00":"\\u0061"}'


@pytest.mark.parametrize("encoding", ENCODING_NAMES)
def test_equal_seeds_give_equal_bytes(encoding: str) -> None:
    assert rewrite("canal-json", RECORD, encoding, 3) == rewrite("canal-json", RECORD, encoding, 3)


def test_frames_of_open_protocol_are_made_anew_around_every_document_and_empty_values_stay_empty() -> None:
    pairs = [(b'{"ts":1,"t":3}', b""), (b'{"ts":2,"t":1}', b'{"u":{"a":{"t":1,"v":1}}}')]
    written = rewrite("open-protocol", Record(*frame(pairs)), "spaced")
    got = unframe(written.key, written.value)
    assert [v == b"" for _, v in got] == [True, False]
    assert [json.loads(k) for k, _ in got] == [json.loads(k) for k, _ in pairs]

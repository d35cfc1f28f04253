"""Two answers side by side: every place where they differ is told, and nothing that is volatile."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conformance.oracle import ORACLES
from conformance.oracle.sides import FORM, Answer, differences
from reference_impl.model import Claim, Record
from reference_impl.options import parse
from reference_impl.protocols import CODECS

MESSAGE: dict[str, Any] = {"id": 0, "ts": 1, "mysqlType": {"a": "int", "b": "text"}, "data": [{"a": "1", "b": "<x>"}]}
VOLATILE = ("ts", "order of mysqlType members")


def answer(text: str | dict[str, Any], **more: Any) -> Answer:
    value = text if isinstance(text, str) else json.dumps(text, separators=(",", ":"))
    return Answer.of([Record(None, value.encode())], **more)


def found(left: Answer, right: Answer, volatile: tuple[str, ...] = (), **given: str) -> set[tuple[str, str]]:
    options = parse(CODECS["canal-json"].options, {name.replace("_", "-"): value for name, value in given.items()})
    return {(d.at, str(d.kind)) for d in differences(ORACLES["canal-json"], options, left, right, volatile)}


BASE = answer(MESSAGE)
TEXT = json.dumps(MESSAGE, separators=(",", ":"))

DIFFERENT: dict[str, tuple[Answer, set[tuple[str, str]]]] = {
    "nothing": (answer(TEXT), set()),
    "a value": (answer(TEXT.replace('"1"', '"2"')), {("value.data[].{column}", "value")}),
    "a JSON kind": (answer(TEXT.replace('"1"', "1")), {("value.data[].{column}", "json kind")}),
    "a member that is not there": (answer(TEXT.replace('"id":0,', "")), {("value.id", "missing")}),
    "a member too many": (answer(TEXT.replace('"id":0,', '"id":0,"x":1,')), {("value.x", "extra")}),
    "a member twice": (answer(TEXT.replace('"id":0,', '"id":0,"id":0,')), {("value", "doubled")}),
    "an order": (answer(MESSAGE | {"data": [{"b": "<x>", "a": "1"}]}), {("value.data[]", "order")}),
    "an escape": (answer(TEXT.replace("<", "\\u003c")), {("text.value.U+003C", "text")}),
    "the digits of a number": (answer(TEXT.replace('"id":0', '"id":-0')), {("text.value.number", "text")}),
    "white space": (answer(json.dumps(MESSAGE)), {("text.value.space", "text")}),
    "a key": (Answer.of([Record(b"", TEXT.encode())]), {("frame.key", "json kind")}),
    "a message more": (Answer.of([Record(None, TEXT.encode())] * 2), {("answer", "count")}),
    "a refusal": (Answer(refused="range"), {("answer", "refused")}),
    "a crash": (Answer(crashed="panic"), {("answer", "broken")}),
}


@pytest.mark.parametrize(("other", "expected"), DIFFERENT.values(), ids=DIFFERENT)
def test_a_difference_is_told_by_its_place_and_its_kind(other: Answer, expected: set[tuple[str, str]]) -> None:
    assert found(BASE, other) == expected


def test_refusals_of_two_classes_differ_in_their_class() -> None:
    assert found(Answer(refused="range"), Answer(refused="semantics")) == {("answer", "class")}


def test_what_is_volatile_is_no_difference() -> None:
    other = answer(MESSAGE | {"ts": 2, "mysqlType": {"b": "text", "a": "int"}})
    assert found(BASE, other) == {("value.ts", "value"), ("value.mysqlType", "order")}
    assert found(BASE, other, VOLATILE) == set()


def test_what_a_recording_calls_volatile_must_be_known() -> None:
    with pytest.raises(KeyError):
        found(BASE, answer(TEXT.replace("1", "2")), ("weather",))


def test_records_are_compared_partition_by_partition() -> None:
    records = [Record(None, b'{"id":1}', 1), Record(None, b'{"id":0}', 0)]
    assert found(Answer.of(records), Answer.of(reversed(records))) == set()


def test_a_record_without_a_partition_stands_in_order_with_those_of_partition_0() -> None:
    records = [Record(None, b'{"id":0}', 0), Record(None, b'{"id":1}', None)]
    assert Answer.of(records).records == tuple(records)
    assert Answer.of(reversed(records)).records == tuple(reversed(records))


def test_other_bytes_of_the_same_compressed_text_are_a_difference_of_the_record() -> None:
    text = b'{"id":0,"database":"a","table":"bcdefg"}'
    heads = bytes([(len(text) - 1) << 2]), bytes([60 << 2, len(text) - 1])  # snappy: a literal with either head
    one, other = (Answer.of([Record(None, bytes([len(text)]) + head + text)]) for head in heads)
    assert found(one, other, large_message_handle_compression="snappy") == {("record", "text")}


def test_the_random_names_of_claim_check_files_are_no_difference_and_what_is_in_them_is() -> None:
    def stored(name: str, text: str) -> Answer:
        location = f"file:///claims/{name}.json"
        return answer({"_tidb": {"claimCheckLocation": location}}, claims=[Claim(location, text.encode())])

    given = {
        "claim_check_raw_value": "true",
        "enable_tidb_extension": "true",
        "large_message_handle_option": "claim-check",
        "claim_check_storage_uri": "file:///claims",
    }
    assert found(stored("a", TEXT), stored("b", TEXT), **given) == set()
    other = stored("b", TEXT.replace('"1"', '"2"'))
    assert found(stored("a", TEXT), other, **given) == {("claim.value.data[].{column}", "value")}


def test_texts_of_the_same_json_differ_in_form_alone() -> None:
    kinds = {kind for name in ("an order", "an escape", "white space") for _, kind in DIFFERENT[name][1]}
    assert kinds == set(FORM)

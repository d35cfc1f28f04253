"""Captures as they come: every form, what is broken in them, and what their tools lose."""

from __future__ import annotations

import base64
import bz2
import gzip
import json
import lzma
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.captures.files import capture_files, read_capture
from conformance.captures.lines import Line, split_lines
from conformance.captures.model import Captured
from conformance.captures.readers import read_lines
from conformance.errors import UsageError
from reference_impl.model import Record
from tests.amounts import ordinarily

MESSAGE = '{"id":0,"database":"test","isDdl":false,"data":[{"c":"é\\t"}]}'.encode()
FRAMED = bytes(7) + b"\x01" + bytes(7) + b"\x9c" + b"{" + b" " * 155
PROTOCOL = "canal-json"


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def jsonl(**members: object) -> bytes:
    return json.dumps({"key": None, "value": b64(MESSAGE)} | members).encode()


def kcat(payload: bytes = MESSAGE) -> bytes:
    """What `kcat -J` prints: only quotes, backslashes and controls are escaped, everything else is as it was."""
    text = payload.replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    escaped = b"".join(b"\\u%04x" % byte if byte < 0x20 else bytes([byte]) for byte in text)
    return (
        b'{"topic":"t","partition":2,"offset":5,"tstype":"create","ts":16,"broker":0,"key":null,"payload":"%s"}'
        % escaped
    )


def lines(data: bytes) -> list[Line]:
    return list(split_lines([data]))


def read(form: str, data: bytes) -> list[Captured]:
    return list(read_lines(form, lines(data), "f"))


def record_of(captured: Captured) -> Record:
    assert captured.record is not None, captured
    return captured.record


def test_lines_know_their_number_and_the_byte_where_they_begin():
    found = list(split_lines([b"a\r\nbc", b"d\n\nlast"]))
    assert [(line.number, line.offset, line.data, line.ending) for line in found] == [
        (1, 0, b"a", b"\r\n"),
        (2, 3, b"bcd", b"\n"),
        (3, 7, b"", b"\n"),
        (4, 8, b"last", b""),
    ]


def test_a_line_split_between_carriage_return_and_line_feed_is_one_line():
    assert [line.data for line in split_lines([b"a\r", b"\nb\r", b"\n"])] == [b"a", b"b"]


def test_a_line_that_is_too_long_is_a_problem_and_the_next_one_is_read():
    found = list(split_lines([b"x" * 200, b"x" * 200, b"y\n", MESSAGE + b"\n"], longest=300))
    assert [(line.length, line.is_whole, line.offset) for line in found] == [(401, False, 0), (len(MESSAGE), True, 402)]
    first, second = read_lines("text", found, "f")
    assert (first.record, first.problem) == (None, "a line of 401 bytes is too long to be read")
    assert record_of(second).value == MESSAGE


def test_a_carriage_return_where_a_line_is_cut_does_not_end_it():
    [first, second] = split_lines([b"x" * 199 + b"\r" + b"x" * 200, b"y\n", b"z\n"], longest=300)
    assert (first.ending, first.length, len(first.data), second.offset) == (b"\n", 401, 200, 402)


def test_records_of_the_harness_protocol_are_read_with_their_places():
    data = jsonl(partition=1, offset=7, timestamp=9, topic="t", key="", headers=[["h", None]]) + b"\r\n"
    (captured,) = read("jsonl", data)
    assert captured.record == Record(b"", MESSAGE, 1, "t", (("h", None),), 7, 9)


@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        (b'{"key":null,"value":"e', "not JSON"),
        (b'{"key":null}', "a record has no member 'value'"),
        (b'{"key":null,"value":"%%"}', "a record's value is not base64"),
        (b'{"key":null,"value":7}', "a record's value is neither null nor a base64 string"),
        (b"[]", "a record is not an object"),
        (b'{"key":null,"value":null,"headers":[1]}', "a record: a header is not a pair of a name and a value"),
    ],
)
def test_a_broken_record_is_a_problem_with_its_place_and_the_rest_is_read(broken: bytes, problem: str):
    good = jsonl() + b"\n"
    first, second, third = read("jsonl", good + broken + b"\n" + good)
    assert (second.record, second.problem) == (None, problem)
    assert (second.place.line, second.place.offset) == (2, len(good))
    assert record_of(first).value == record_of(third).value == MESSAGE


def test_what_kcat_prints_is_read_with_its_place_in_the_topic():
    (captured,) = read("kcat", kcat())
    assert captured.record == Record(None, MESSAGE, 2, "t", (), 5, 16)


def test_bytes_that_kcat_printed_as_they_were_are_read_though_the_line_is_no_utf_8():
    line = kcat(FRAMED)
    with pytest.raises(UnicodeDecodeError):
        line.decode()
    assert record_of(read("kcat", line)[0]).value == FRAMED


def test_bytes_that_a_tool_after_kcat_replaced_are_lost_and_the_record_is_not_judged():
    line = kcat(FRAMED).decode("utf-8", "replace").encode()
    (captured,) = read("kcat", line)
    assert captured.record is None
    assert captured.problem == "payload has U+FFFD: bytes that are not UTF-8 were lost, so it cannot be judged"


def test_a_payload_that_kcat_decoded_is_a_problem():
    (captured,) = read("kcat", b'{"topic":"t","payload":{"a":1}}')
    assert captured.problem == "payload is not a string: kcat was run with an option to decode it"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (MESSAGE, Record(None, MESSAGE)),
        (b"null\t" + MESSAGE, Record(None, MESSAGE)),
        (b"\t" + MESSAGE, Record(b"", MESSAGE)),
        (b"k\t" + MESSAGE, Record(b"k", MESSAGE)),
        (b"k\tnull", Record(b"k", None)),
        (b'{"id":1}\t' + MESSAGE, Record(b'{"id":1}', MESSAGE)),
        (b'{"id":1}\tnull', Record(b'{"id":1}', None)),
        (b'{"id":1,\t"v":2}', Record(None, b'{"id":1,\t"v":2}')),
        (b'{"id":\t{"v":2}}', Record(None, b'{"id":\t{"v":2}}')),
        (b'{"id":1}\t', Record(None, b'{"id":1}\t')),
        (b"Struct{at=2024-01-01T00:00:00Z}\t" + MESSAGE, Record(b"Struct{at=2024-01-01T00:00:00Z}", MESSAGE)),
        (
            b"CreateTime:16\tPartition:2\tOffset:5\tnull\t" + MESSAGE,
            Record(None, MESSAGE, partition=2, offset=5, timestamp=16),
        ),
    ],
)
def test_a_line_of_a_console_consumer_is_the_value_or_key_and_value(line: bytes, expected: Record):
    (captured,) = read("text", line + b"\n")
    assert captured == Captured(expected, captured.place)


@pytest.mark.parametrize("before", [b"", b"Partition:2\tOffset:5\t"])
@pytest.mark.parametrize("key", [b"", b"null\t", b"k\t", b'{"id":1}\t'])
@pytest.mark.parametrize("value", [MESSAGE, b"null"])
def test_a_line_of_a_console_consumer_with_headers_is_a_problem(tmp_path, before: bytes, key: bytes, value: bytes):
    headers = b'__debezium.newkey:{"id":2},a:1\t'
    (tmp_path / "a").write_bytes(MESSAGE + b"\n" + before + headers + key + value + b"\n")
    _, captured = read_capture(tmp_path, PROTOCOL)
    assert (captured.record, captured.problem) == (
        None,
        "it has headers, or a key with a colon, which text does not tell apart: capture it with kcat -J",
    )


def test_a_key_with_a_colon_is_a_key_where_the_line_says_that_it_has_no_headers():
    (captured,) = read("text", b"Partition:2\tNO_HEADERS\tshop:7\t" + MESSAGE + b"\n")
    assert captured == Captured(Record(b"shop:7", MESSAGE, 2), captured.place)


def test_a_capture_with_headers_in_every_line_says_so(tmp_path: Path):
    (tmp_path / "a").write_bytes(b"a:1\tnull\t" + MESSAGE + b"\n")
    with pytest.raises(UsageError, match="it has headers, or a key with a colon, which text does not tell apart"):
        list(read_capture(tmp_path, PROTOCOL))


def test_a_line_of_a_log_among_console_lines_is_a_problem_and_a_footer_is_nothing():
    found = read("text", b"[2024-01-01] WARN x\n" + MESSAGE + b"\nProcessed a total of 1 messages\n")
    assert [c.record is None for c in found] == [True, False]
    assert found[0].problem == "not a JSON object: b'[2024-01-01] WARN x'"


def test_messages_of_a_storage_sink_end_in_crlf_the_last_one_too():
    found = read("storage", MESSAGE + b"\r\n" + MESSAGE + b"\r\n")
    assert [(c.record, c.problem) for c in found] == [(Record(None, MESSAGE), None)] * 2


def test_a_storage_file_that_was_cut_is_a_problem_at_its_last_message():
    whole, cut = read("storage", MESSAGE + b"\r\n" + MESSAGE[:-4])
    assert whole.problem is None
    assert cut.record is None
    assert cut.problem == "the last message has no terminator and is no JSON: the file was cut"


# -- files -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.jsonl", jsonl() + b"\n"),
        ("a.txt", b"\n" + kcat() + b"\n"),
        ("a.log", b"null\t" + MESSAGE + b"\n"),
        ("CDC000001.json", MESSAGE + b"\r\n"),
        ("a.jsonl.gz", gzip.compress(jsonl() + b"\n", mtime=0)),
        ("a.jsonl.xz", lzma.compress(jsonl() + b"\n")),
        ("late.jsonl", b'{"key":\n' + b"{\n" + jsonl() + b"\n"),
    ],
)
def test_the_form_of_a_file_is_seen_from_its_lines_and_not_from_its_name(tmp_path: Path, name: str, data: bytes):
    (tmp_path / name).write_bytes(data)
    found = [c for c in read_capture(tmp_path, PROTOCOL) if c.record is not None]
    assert [record_of(c).value for c in found] == [MESSAGE]
    assert found[0].place.file.endswith(name)


def test_a_folder_is_read_file_by_file_in_the_order_of_names_without_what_holds_no_message(tmp_path: Path):
    table = tmp_path / "test" / "t" / "1"
    (table / "meta").mkdir(parents=True)
    (table / "meta" / "schema_1_2.json").write_bytes(b'{"Table":"t"}')
    (table / "CDC.index").write_bytes(b"CDC000002.json\n")
    (table / "CDC000002.json").write_bytes(MESSAGE + b"\r\n")
    (table / "CDC000001.json").write_bytes(MESSAGE + b"\r\n" + MESSAGE + b"\r\n")
    names = [Path(c.place.file).name for c in read_capture(tmp_path, PROTOCOL)]
    assert names == ["CDC000001.json", "CDC000001.json", "CDC000002.json"]


def test_a_capture_of_tombstones_alone_is_text(tmp_path: Path):
    (tmp_path / "a").write_bytes(b'{"id":1}\tnull\n')
    (captured,) = read_capture(tmp_path, "debezium")
    assert record_of(captured) == Record(b'{"id":1}', None)


def test_a_pattern_that_matches_a_folder_and_its_files_names_each_file_once(tmp_path: Path):
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "a.jsonl").write_bytes(jsonl() + b"\n")
    assert capture_files(tmp_path / "**") == [tmp_path / "below" / "a.jsonl"]


def test_messages_behind_many_blank_lines_are_read(tmp_path: Path):
    (tmp_path / "a").write_bytes(b"\n" * 100 + jsonl() + b"\n")
    (captured,) = read_capture(tmp_path, PROTOCOL)
    assert (record_of(captured).value, captured.place.line) == (MESSAGE, 101)


@pytest.mark.parametrize("key", [b"", b'{"payload":{"id":1},"schema":{}}\t'])
@pytest.mark.parametrize("form", [None, "text"])
def test_messages_with_a_payload_are_lines_of_text(tmp_path: Path, key: bytes, form: str | None):
    """Debezium's messages are objects with the members `payload` and `schema`, as lines of kcat have a payload."""
    for message in (b'{"payload":{"op":"c"},"schema":{}}', b'{"payload":null,"schema":{}}'):
        (tmp_path / "a").write_bytes(key + message + b"\n")
        (captured,) = read_capture(tmp_path, "debezium", form)
        assert record_of(captured) == Record(key[:-1] or None, message)


def damaged() -> bytes:
    data = bytearray(bz2.compress(b"".join(jsonl(offset=i) + b"\n" for i in range(ordinarily(4000, 20000))), 1))
    data[-100] ^= 0xFF
    return bytes(data)


def cut() -> bytes:
    return gzip.compress(b"".join(jsonl(offset=i) + b"\n" for i in range(200)))[:-20]


@pytest.mark.parametrize("broken", [damaged, cut])
def test_a_compressed_file_that_is_broken_is_read_as_far_as_it_goes(broken: Callable[[], bytes], tmp_path: Path):
    (tmp_path / "a.jsonl").write_bytes(broken())
    found = list(read_capture(tmp_path, PROTOCOL))
    assert found[0].problem is None
    assert "cannot be decompressed to its end" in str(found[-1].problem)


@pytest.mark.parametrize(
    ("data", "asked", "message"),
    [
        (kcat(), "jsonl", "read as jsonl, but its first line looks like kcat"),
        (jsonl(), "text", "read as text, but its first line looks like jsonl"),
        (jsonl(), "csv", "unknown form of capture 'csv'; there are jsonl, kcat, text, storage"),
        (b"id,name\n1,2\n", None, "not a capture of a known form: its first line is 'id,name'"),
        (b'{"case":"a","protocol":"canal-json","records":[]}', None, "it looks like recorded vectors"),
        (b"[1]", None, "it looks like a JSON array"),
        (b"[%b,\n%b]" % (MESSAGE, MESSAGE), None, "it looks like a JSON array"),
        (b"[\n%b,\n%b\n]" % (MESSAGE, MESSAGE), None, "it looks like a JSON array"),
        (b"[\n%b\n]" % MESSAGE, "text", "it looks like a JSON array"),
        (json.dumps(json.loads(MESSAGE), indent=1).encode(), None, "it looks like JSON over several lines"),
        (b'"a"', None, "it looks like a JSON string"),
        (MESSAGE.decode().encode("utf-16"), None, "it is UTF-16"),
        (b'{"key":{"a":1},"value":{}}\n' * 3, None, "not a capture of a known form: none of its 3 lines can be read"),
    ],
)
def test_a_file_of_another_form_is_a_usage_error_that_says_what_was_seen(tmp_path, data, asked, message):
    path = tmp_path / "a"
    path.write_bytes(data + b"\n")
    with pytest.raises(UsageError) as caught:
        list(read_capture(path, PROTOCOL, asked))
    assert message in str(caught.value)


@pytest.mark.parametrize("record", [kcat(), jsonl(), MESSAGE], ids=["kcat", "jsonl", "text"])
def test_a_byte_order_mark_before_the_first_line_costs_no_record(record: bytes, tmp_path: Path):
    path = tmp_path / "a"
    path.write_bytes(b"\xef\xbb\xbf" + (record + b"\n") * 2)
    found = list(read_capture(path, PROTOCOL))
    assert [(one.problem, one.record and one.record.value, one.place.offset) for one in found] == [
        (None, found[1].record and found[1].record.value, offset) for offset in (0, len(record) + 4)
    ]


def test_a_file_with_a_byte_order_mark_alone_has_no_messages(tmp_path: Path):
    path = tmp_path / "a"
    path.write_bytes(b"\xef\xbb\xbf")
    assert list(read_capture(path, PROTOCOL)) == []


@pytest.mark.parametrize("protocol", ["open-protocol", "avro"])
def test_text_cannot_carry_what_is_binary(protocol: str, tmp_path: Path):
    path = tmp_path / "a"
    path.write_bytes(MESSAGE + b"\n")
    with pytest.raises(UsageError, match=f"cannot carry {protocol}"):
        list(read_capture(path, protocol))


def test_a_path_that_is_not_there_and_a_folder_without_messages_are_usage_errors(tmp_path: Path):
    for path in (tmp_path / "missing", tmp_path):
        with pytest.raises(UsageError, match=str(path)):
            list(read_capture(path, PROTOCOL))


def test_a_pipe_is_refused_and_loses_no_records(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="it is a pipe, and a capture is read more than once: write it to a file"):
        list(read_capture(tmp_path / "pipe", PROTOCOL))


def test_a_first_line_that_is_too_long_is_named_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("conformance.captures.files.LONGEST_LINE", 50)
    (tmp_path / "long").write_bytes(b"x" * 60)
    with pytest.raises(UsageError, match="its first line has 60 bytes, and a line may have 50; forms: jsonl"):
        list(read_capture(tmp_path / "long", PROTOCOL))

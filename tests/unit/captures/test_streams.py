"""Rules between messages, on sequences written by hand; the log is the document's own (logs 1 to 14)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from conformance.captures.streams import StreamJudge
from conformance.catalogue.register import load_register
from conformance.oracle.sent import Sent, SentKind
from conformance.oracle.streams import REQUIREMENTS, FaultKind, Stream, StreamFault, stream_faults
from reference_impl.model import Record

DDL_TS, FIRST, SECOND, RESOLVED = 415508856908021766, 415508878783938562, 415508881418485761, 415508881038376963
T = ("test", "t1")


def row(partition: int | None, ts: int | None, key: int, change: str = "", table: tuple[str, str] = T) -> Sent:
    return Sent(SentKind.ROW, partition, ts, f"row {table} {ts} {key} {change}".encode(), table, key)


def ddl(partition: int, ts: int, table: tuple[str, str] = T) -> Sent:
    return Sent(SentKind.DDL, partition, ts, f"ddl {table} {ts}".encode(), table)


def mark(partition: int | None, ts: int) -> Sent:
    return Sent(SentKind.WATERMARK, partition, ts, f"mark {ts}".encode())


DOCUMENT_LOG = [
    *(ddl(0, DDL_TS), mark(0, DDL_TS), ddl(1, DDL_TS), mark(1, DDL_TS)),
    *(row(0, FIRST, 1), row(1, FIRST, 2), row(0, FIRST, 3), row(0, FIRST, 3)),
    *(row(0, SECOND, 1, "delete"), row(1, SECOND, 2, "delete"), row(0, SECOND, 3), row(0, SECOND, 4)),
    *(mark(0, RESOLVED), mark(1, RESOLVED)),
]


def seen(protocol: str, sent: Iterable[Sent], **settings: bool) -> list[StreamFault]:
    stream = Stream(protocol, **settings)
    return [fault for one in sent for fault in stream.see(one)] + stream.end()


def faults(protocol: str, sent: Iterable[Sent], **settings: bool) -> list[tuple[FaultKind, str]]:
    return [(f.kind, f.requirement) for f in seen(protocol, sent, **settings)]


def test_the_log_of_the_document_breaks_no_rule():
    assert stream_faults("open-protocol", DOCUMENT_LOG, partitions=2) == []


def test_a_resolved_time_stamp_may_be_lower_than_the_rows_before_it():
    assert RESOLVED < SECOND
    assert faults("open-protocol", DOCUMENT_LOG[-6:]) == []


@pytest.mark.parametrize(
    ("protocol", "sent", "expected"),
    [
        ("open-protocol", [mark(0, 9), mark(0, 8)], (FaultKind.WATERMARK_BACK, "OP-202")),
        ("canal-json", [mark(0, 9), mark(0, 8)], (FaultKind.WATERMARK_BACK, "CJ-664")),
        ("open-protocol", [row(0, 5, 1), mark(0, 9), row(0, 8, 1)], (FaultKind.BELOW_WATERMARK, "OP-202")),
        ("canal-json", [row(0, 5, 1), mark(0, 9), row(0, 8, 1)], (FaultKind.BELOW_WATERMARK, "CJ-664")),
        ("open-protocol", [mark(0, 9), ddl(0, 8)], (FaultKind.BELOW_WATERMARK, "OP-202")),
        ("open-protocol", [row(0, 5, 1), row(0, 4, 2)], (FaultKind.TABLE_BACK, "OP-201")),
        ("canal-json", [row(0, 5, 1), row(0, 4, 1)], (FaultKind.KEY_BACK, "CJ-666")),
        ("open-protocol", [row(0, 5, 1), row(1, 6, 1)], (FaultKind.KEY_MOVED, "OP-207")),
        ("canal-json", [row(0, 5, 1), row(1, 6, 1)], (FaultKind.KEY_MOVED, "CJ-666")),
        ("open-protocol", [ddl(0, 7), row(0, 6, 1)], (FaultKind.BEHIND_DDL, "OP-201")),
        ("canal-json", [ddl(0, 7), row(0, 6, 1)], (FaultKind.BEHIND_DDL, "CJ-629")),
        ("canal-json", [ddl(0, 7, ("test", "")), row(0, 6, 1)], (FaultKind.BEHIND_DDL, "CJ-629")),
        ("canal-json", [ddl(1, 7)], (FaultKind.DDL_ELSEWHERE, "CJ-051a")),
    ],
)
def test_what_breaks_a_rule_names_its_requirement(protocol: str, sent: list[Sent], expected: tuple[FaultKind, str]):
    assert faults(protocol, sent) == [expected]


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param([mark(0, 9), mark(0, 9)], id="a watermark again"),
        pytest.param([mark(0, 9), row(0, 9, 1)], id="a row at the watermark"),
        pytest.param([row(0, 8, 1), mark(0, 9), row(0, 8, 1)], id="a row again below the watermark"),
        pytest.param([row(0, 5, 1), row(0, 6, 1), row(0, 5, 1)], id="a row again after a later one"),
        pytest.param([mark(0, 9), row(1, 8, 1)], id="a row of another partition"),
        pytest.param([ddl(0, 7), row(0, 7, 1)], id="a row at the time of the statement"),
        pytest.param([ddl(0, 7), row(0, 6, 1, table=("test", "t2"))], id="a row of another table"),
        pytest.param([row(0, 5, 1, "delete"), row(0, 5, 1, "insert")], id="an update that was split"),
        pytest.param([row(0, 5, 1), row(1, 5, 1, table=("test", "t2"))], id="the same key of another table"),
    ],
)
@pytest.mark.parametrize("protocol", list(REQUIREMENTS))
def test_what_at_least_once_allows_is_no_fault(protocol: str, sent: list[Sent]):
    assert faults(protocol, sent) == []


def test_canal_json_orders_the_rows_of_a_key_and_not_those_of_a_table():
    assert faults("canal-json", [row(0, 5, 1), row(0, 4, 2)]) == []


def test_a_watermark_without_the_extension_is_a_fault_even_where_the_partition_is_unknown():
    expected = [(FaultKind.WATERMARK_UNEXPECTED, "CJ-050")]
    assert faults("canal-json", [mark(None, 9)], watermarks_expected=False) == expected
    assert faults("canal-json", [mark(0, 9)], watermarks_expected=False) == expected


def test_a_statement_of_open_protocol_that_never_reached_a_partition_is_a_fault():
    (fault,) = seen("open-protocol", [mark(1, 5), ddl(0, 7), mark(0, 9), mark(1, 9)])
    assert (fault.kind, fault.requirement, fault.got) == (FaultKind.DDL_MISSED, "OP-204", "not in partition 1")


def test_a_watermark_that_a_partition_was_not_sent_is_a_fault():
    sent = [mark(0, 5), mark(1, 5), mark(0, 7), mark(0, 9), mark(1, 9)]
    assert faults("canal-json", sent) == [(FaultKind.WATERMARK_MISSED, "CJ-051")]
    assert faults("open-protocol", sent) == [(FaultKind.WATERMARK_MISSED, "OP-203")]


def test_partitions_that_are_captured_one_after_the_other_are_still_compared():
    sent = [ddl(0, 7), mark(0, 9), mark(1, 5), mark(1, 9)]
    assert (FaultKind.DDL_MISSED, "OP-204") in faults("open-protocol", sent)


def test_what_may_lie_beyond_the_end_of_a_capture_is_no_fault():
    assert faults("open-protocol", [mark(1, 5), ddl(0, 7), mark(0, 9), mark(1, 6)]) == []
    assert faults("open-protocol", [mark(1, 5), ddl(0, 7)]) == []


def test_a_complete_answer_must_have_reached_every_partition():
    found = stream_faults("open-protocol", [ddl(0, 7)], partitions=2)
    assert [(f.kind, f.got) for f in found] == [(FaultKind.DDL_MISSED, "not in partition 1")]


def test_in_a_stream_seen_from_its_middle_an_old_row_may_be_a_re_send():
    sent = [row(0, 5, 1), mark(0, 9), row(0, 4, 2)]
    assert faults("canal-json", sent) == [(FaultKind.BELOW_WATERMARK, "CJ-664")]
    assert faults("canal-json", sent, from_start=False) == []


def test_in_a_stream_seen_from_its_middle_a_row_that_must_have_been_seen_is_no_re_send():
    sent = [row(0, 5, 1), mark(0, 9), row(0, 8, 1)]
    assert faults("canal-json", sent, from_start=False) == [(FaultKind.BELOW_WATERMARK, "CJ-664")]


@pytest.mark.parametrize(("offset", "is_start"), [(0, True), (1, False), (-1, False), (None, False)])
def test_the_first_offset_of_a_partition_is_its_start(offset: int | None, is_start: bool):
    sent = [replace(mark(0, 9), offset=offset), row(0, 8, 1)]
    found = faults("canal-json", sent, from_start=False)
    assert found == ([(FaultKind.BELOW_WATERMARK, "CJ-664")] if is_start else [])


def test_what_was_forgotten_is_not_held_against_a_stream():
    stream = Stream("canal-json", remembered=2)
    sent = [row(0, 5, 1), row(0, 6, 2), row(0, 7, 3), mark(0, 9), row(0, 5, 1)]
    assert [fault for one in sent for fault in stream.see(one)] == []


def test_a_watermark_that_was_forgotten_between_two_partitions_is_not_missed():
    stream = Stream("canal-json", partitions=2, complete=True, remembered=2)
    sent = [mark(partition, ts) for partition in (0, 1) for ts in (1, 2, 3)]
    assert [fault for one in sent for fault in stream.see(one)] == []
    assert stream.end() == []
    stream.see(mark(0, 4))
    assert [fault.kind for fault in stream.end()] == [FaultKind.WATERMARK_MISSED]


def test_what_was_forgotten_of_one_topic_excuses_nothing_in_another():
    stream = Stream("canal-json", partitions=2, complete=True, remembered=2)
    for one in (replace(mark(0, 7), topic="x"), mark(0, 5), mark(0, 6)):
        stream.see(one)
    assert [(f.kind, f.sent.commit_ts) for f in stream.end()] == [(FaultKind.WATERMARK_MISSED, ts) for ts in (5, 6)]


def test_rows_without_a_time_stamp_are_judged_by_their_partition_alone():
    assert faults("canal-json", [row(0, None, 1), row(0, None, 1, "again")]) == []
    assert faults("canal-json", [row(0, None, 1), row(1, None, 1)]) == [(FaultKind.KEY_MOVED, "CJ-666")]


@pytest.mark.parametrize("protocol", list(REQUIREMENTS))
def test_every_stream_fault_names_a_requirement_of_the_register(protocol: str):
    register = load_register(protocol)
    assert all(register.find(requirement) for requirement in REQUIREMENTS[protocol].values())


def test_records_of_unknown_partitions_count_as_one_partition() -> None:
    judge = StreamJudge("canal-json", load_register("canal-json"), None, watermarks_expected=True)
    assert [judge.is_in_order(Record(None, b"", None, offset=n)) for n in (7, 3)] == [True, False]
    assert [judge.is_in_order(Record(None, b"", 0, offset=n)) for n in (7, 3)] == [True, False]

"""Rules between messages, on sequences written by hand: what breaks each, and in which words it is broken.

The log is the document's own (logs 1 to 14).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from conformance.captures.streams import StreamJudge
from conformance.catalogue.register import load_register
from conformance.oracle.sent import Sent, SentKind
from conformance.oracle.streams import REQUIREMENTS, FaultKind, Stream, StreamFault
from reference_impl.model import Record

DDL_TS, FIRST, SECOND, RESOLVED = 415508856908021766, 415508878783938562, 415508881418485761, 415508881038376963
T, U = ("test", "t1"), ("test", "t2")


def row(partition: int | None, ts: int | None, key: int | None, change: str = "", table: tuple[str, str] = T) -> Sent:
    return Sent(SentKind.ROW, partition, ts, f"row {table} {ts} {key} {change}".encode(), table, key)


def ddl(partition: int, ts: int | None, table: tuple[str, str] = T) -> Sent:
    return Sent(SentKind.DDL, partition, ts, f"ddl {table} {ts}".encode(), table)


def mark(partition: int | None, ts: int | None) -> Sent:
    return Sent(SentKind.WATERMARK, partition, ts, f"mark {ts}".encode())


DOCUMENT_LOG = [
    *(ddl(0, DDL_TS), mark(0, DDL_TS), ddl(1, DDL_TS), mark(1, DDL_TS)),
    *(row(0, FIRST, 1), row(1, FIRST, 2), row(0, FIRST, 3), row(0, FIRST, 3)),
    *(row(0, SECOND, 1, "delete"), row(1, SECOND, 2, "delete"), row(0, SECOND, 3), row(0, SECOND, 4)),
    *(mark(0, RESOLVED), mark(1, RESOLVED)),
]


def seen(protocol: str, sent: Iterable[Sent], **settings: Any) -> list[StreamFault]:
    stream = Stream(protocol, **settings)
    return [fault for one in sent for fault in stream.see(one)] + stream.end()


def faults(protocol: str, sent: Iterable[Sent], **settings: bool) -> list[tuple[FaultKind, str]]:
    return [(f.kind, f.requirement) for f in seen(protocol, sent, **settings)]


def test_the_log_of_the_document_breaks_no_rule():
    assert seen("open-protocol", DOCUMENT_LOG, partitions=2, complete=True) == []


def test_a_resolved_time_stamp_may_be_lower_than_the_rows_before_it():
    assert RESOLVED < SECOND
    assert faults("open-protocol", DOCUMENT_LOG[-6:]) == []


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param([mark(0, 9), mark(0, 9)], id="a watermark again"),
        pytest.param([mark(0, 9), row(0, 9, 1)], id="a row at the watermark"),
        pytest.param([row(0, 8, 1), mark(0, 9), row(0, 8, 1)], id="a row again below the watermark"),
        pytest.param([row(0, 5, 1), row(0, 6, 1), row(0, 5, 1)], id="a row again after a later one"),
        pytest.param([mark(0, 9), row(1, 8, 1)], id="a row of another partition"),
        pytest.param([ddl(0, 7), row(0, 7, 1)], id="a row at the time of the statement"),
        pytest.param([ddl(0, 7), row(0, 6, 1, table=U)], id="a row of another table"),
        pytest.param([row(0, 5, 1, "delete"), row(0, 5, 1, "insert")], id="an update that was split"),
        pytest.param([row(0, 5, 1), row(1, 5, 1, table=U)], id="the same key of another table"),
    ],
)
@pytest.mark.parametrize("protocol", list(REQUIREMENTS))
def test_what_at_least_once_allows_is_no_fault(protocol: str, sent: list[Sent]):
    assert faults(protocol, sent) == []


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


# -- requirements and words --------------------------------------------------------------------------------------------

WATERMARK, STATEMENT = "the watermark", "the DDL statement of"
ROW_OF, CHANGE = "the row of the table of", "the change of this row of"
EVERY_CHANGE = "every change of this row in partition"
NO_MARK = ("no watermark without the extension", "a watermark")
BELOW = "nothing new below"
K = FaultKind
BROKEN: dict[FaultKind, tuple[str, Sequence[Sent], tuple[str, str]]] = {
    K.WATERMARK_BACK: (
        "stream.watermark.back",
        [mark(0, 9), mark(0, 8)],
        (f"{BELOW} {WATERMARK} 9", "a watermark of 8"),
    ),
    K.BELOW_WATERMARK: ("stream.below_watermark", [mark(0, 9), row(0, 8, 1)], (f"{BELOW} {WATERMARK} 9", "a row of 8")),
    K.BEHIND_DDL: ("stream.behind_ddl", [ddl(0, 7), row(0, 6, 1)], (f"{BELOW} {STATEMENT} 7", "a row of 6")),
    K.TABLE_BACK: ("stream.table.back", [row(0, 5, 1), row(0, 4, 2)], (f"{BELOW} {ROW_OF} 5", "a row of 4")),
    K.KEY_BACK: ("stream.key.back", [row(0, 5, 1), row(0, 4, 1)], (f"{BELOW} {CHANGE} 5", "a row of 4")),
    K.KEY_MOVED: ("stream.key.moved", [row(3, 5, 1), row(1, 6, 1)], (f"{EVERY_CHANGE} 3", "one in partition 1")),
    K.DDL_ELSEWHERE: ("stream.ddl.elsewhere", [ddl(2, 7)], ("a DDL message in partition 0", "one in partition 2")),
}
# The requirements of the kinds above, in their order.
OF_PROTOCOLS = {
    "open-protocol": "OP-202 OP-202 OP-201 OP-201 none OP-207 none",
    "canal-json": "CJ-664 CJ-664 CJ-629 none CJ-666 CJ-666 CJ-051a",
    "debezium": "DBZ-404 DBZ-404 DBZ-039b none DBZ-039a DBZ-039a none",
}


@pytest.mark.parametrize("fault", BROKEN)
@pytest.mark.parametrize("protocol", OF_PROTOCOLS)
def test_a_broken_rule_has_its_name_and_its_words(protocol: str, fault: FaultKind) -> None:
    name, sent, words = BROKEN[fault]
    word = OF_PROTOCOLS[protocol].split()[[*BROKEN].index(fault)]
    requirement = None if word == "none" else word
    stream = Stream(protocol)
    found = [one for message in sent for one in stream.see(message)]
    got = {(f.kind, str(f.kind), f.requirement, f.expected, f.got, f.sent) for f in found if f.kind is fault}
    expected = {(fault, name, requirement, *words, sent[-1])} if requirement else set()
    assert got == expected
    assert requirement is None or requirement in stream.evaluated


@pytest.mark.parametrize("partition", [0, None])
@pytest.mark.parametrize(
    ("protocol", "requirement"), [("canal-json", "CJ-050"), ("debezium", "DBZ-400a"), ("open-protocol", None)]
)
def test_a_watermark_without_the_extension_is_one_too_many(protocol, requirement, partition) -> None:
    stream = Stream(protocol, watermarks_expected=False)
    found = [(str(f.kind), f.requirement, f.expected, f.got) for f in stream.see(mark(partition, 9))]
    assert found == ([("stream.watermark.unwanted", requirement, *NO_MARK)] if requirement else [])
    assert stream.see(row(partition, 10, 1)) == []
    expecting = Stream(protocol)
    assert expecting.see(mark(partition, 9)) == []
    assert ("CJ-050" in expecting.evaluated) is (protocol == "canal-json" and partition == 0)


@pytest.mark.parametrize(
    ("protocol", "of_marks", "of_statements"),
    [("open-protocol", "OP-203", "OP-204"), ("canal-json", "CJ-051", None), ("debezium", "DBZ-403", "DBZ-303")],
)
def test_what_did_not_reach_every_partition_is_told_at_the_end(protocol, of_marks, of_statements) -> None:
    found = seen(protocol, [mark(1, 9)], partitions=4, complete=True)
    assert [(str(f.kind), f.requirement, f.expected, f.got) for f in found] == [
        ("stream.watermark.missed", of_marks, "the watermark of 9 in every partition", "not in partition 0, 2, 3")
    ]
    found = seen(protocol, [ddl(0, 9)], partitions=2, complete=True)
    assert [(str(f.kind), f.requirement, f.expected, f.got) for f in found] == (
        [("stream.ddl.missed", of_statements, "the ddl of 9 in every partition", "not in partition 1")]
        if of_statements
        else []
    )
    assert seen(protocol, [mark(0, 9), mark(1, 9)], partitions=2, complete=True) == []


def ended(*sent: Sent, partitions: int | None = None) -> list[str]:
    """What is told at the end of a stream of which the end is not known to be the last."""
    stream = Stream("open-protocol", partitions=partitions)
    for message in sent:
        stream.see(message)
    return [fault.got for fault in stream.end()]


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ([mark(0, 5), mark(0, 12), mark(1, 5), mark(0, 9), mark(1, 12)], ["not in partition 1"]),
        ([mark(0, 9), mark(1, 9)], []),
        ([mark(0, 5), mark(1, 5), mark(0, 9)], []),
        ([mark(0, 12), mark(0, 9), mark(1, 12)], []),
        ([mark(0, 5), mark(0, 9), mark(1, 5), mark(1, 9), row(1, 20, 1)], []),
        ([mark(0, 9), row(1, 5, 1), row(1, 20, 1)], []),
        ([mark(0, 9), row(1, 9, 1), mark(1, 12), mark(0, 12)], []),
    ],
)
def test_a_lane_is_asked_for_what_came_between_two_of_its_times_alone(sent: list[Sent], told: list[str]) -> None:
    assert ended(*sent) == told


def test_a_partition_without_any_message_is_asked_for_nothing() -> None:
    assert ended(mark(0, 5), mark(1, 5), mark(0, 9), partitions=3) == []


def test_only_lanes_of_the_same_topic_are_asked() -> None:
    own = [replace(one, topic="a") for one in (mark(0, 5), mark(1, 5), mark(0, 9), mark(0, 12), mark(1, 12))]
    other = [replace(one, topic="b") for one in (mark(7, 5), mark(7, 12))]
    assert ended(*own, *other) == ["not in partition 1"]


# -- what is too old for what ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("protocol", "sent", "faults"),
    [
        ("canal-json", [mark(0, 9), row(0, None, 1)], []),
        ("canal-json", [mark(0, None), row(0, 8, 1)], []),
        ("canal-json", [ddl(0, 7, ("test", "")), row(0, 6, 1)], [FaultKind.BEHIND_DDL]),
        ("canal-json", [ddl(0, 7, ("other", "")), row(0, 6, 1)], []),
        ("canal-json", [ddl(0, 7), ddl(0, 5), row(0, 6, 1)], [FaultKind.BEHIND_DDL]),
        ("canal-json", [ddl(0, 5), ddl(0, 8, ("test", "")), row(0, 6, 1)], [FaultKind.BEHIND_DDL]),
        ("canal-json", [ddl(0, None), row(0, 6, 1)], []),
        ("open-protocol", [row(0, 5, 1), row(0, 5, 2)], []),
        ("open-protocol", [row(0, 5, 1), row(0, 4, 2, table=U)], []),
        ("open-protocol", [row(0, 5, 1), row(0, 3, 2), row(0, 4, 3)], [FaultKind.TABLE_BACK] * 2),
        ("canal-json", [row(0, 5, 1), row(0, 3, 1), row(0, 4, 1)], [FaultKind.KEY_BACK] * 2),
        ("canal-json", [row(0, 5, 1), row(0, 4, 2)], []),
        ("canal-json", [row(0, 5, None), row(0, 4, None)], []),
        ("canal-json", [row(0, 5, None), row(1, 6, None)], []),
        ("canal-json", [row(0, 5, 1), row(1, 4, 1)], [FaultKind.KEY_MOVED]),
        ("canal-json", [row(0, 5, 1), row(1, 6, 1, table=U)], []),
        ("canal-json", [row(0, None, 1), row(0, 6, 1), row(0, 5, 1)], [FaultKind.KEY_BACK]),
        ("canal-json", [mark(0, 9), mark(0, 7), row(0, 8, 1)], [FaultKind.WATERMARK_BACK, FaultKind.BELOW_WATERMARK]),
        ("canal-json", [mark(0, 9), mark(0, 8), mark(0, 8)], [FaultKind.WATERMARK_BACK] * 2),
        ("canal-json", [ddl(0, 9), ddl(1, 9)], [FaultKind.DDL_ELSEWHERE]),
        ("canal-json", [mark(0, 9), ddl(0, 8)], [FaultKind.BELOW_WATERMARK]),
    ],
)
def test_what_is_older_than_something_of_its_own_is_a_fault(protocol, sent, faults) -> None:
    stream = Stream(protocol)
    assert [fault.kind for message in sent for fault in stream.see(message)] == faults

"""What every rule between messages is called, which requirement it stands for, and in which words it is broken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from conformance.oracle.sent import Sent, SentKind
from conformance.oracle.streams import FaultKind, Stream, stream_faults

T, U = ("test", "t"), ("test", "u")


def row(partition: int | None, ts: int | None, key: int | None, table: tuple[str, str] = T) -> Sent:
    return Sent(SentKind.ROW, partition, ts, f"row {table} {ts} {key}".encode(), table, key)


def ddl(partition: int, ts: int | None, table: tuple[str, str] = T) -> Sent:
    return Sent(SentKind.DDL, partition, ts, f"ddl {table} {ts}".encode(), table)


def mark(partition: int | None, ts: int | None) -> Sent:
    return Sent(SentKind.WATERMARK, partition, ts, f"mark {ts}".encode())


WATERMARK, STATEMENT = "the watermark", "the DDL statement of"
ROW_OF, CHANGE = "the row of the table of", "the change of this row of"
NO_MARK = ("no watermark without the extension", "a watermark")
BROKEN: dict[FaultKind, tuple[str, Sequence[Sent], tuple[str, str]]] = {
    FaultKind.WATERMARK_BACK: (
        "stream.watermark.back",
        [mark(0, 9), mark(0, 8)],
        (f"nothing new below {WATERMARK} 9", "a watermark of 8"),
    ),
    FaultKind.BELOW_WATERMARK: (
        "stream.below_watermark",
        [mark(0, 9), row(0, 8, 1)],
        (f"nothing new below {WATERMARK} 9", "a row of 8"),
    ),
    FaultKind.BEHIND_DDL: (
        "stream.behind_ddl",
        [ddl(0, 7), row(0, 6, 1)],
        (f"nothing new below {STATEMENT} 7", "a row of 6"),
    ),
    FaultKind.TABLE_BACK: (
        "stream.table.back",
        [row(0, 5, 1), row(0, 4, 2)],
        (f"nothing new below {ROW_OF} 5", "a row of 4"),
    ),
    FaultKind.KEY_BACK: (
        "stream.key.back",
        [row(0, 5, 1), row(0, 4, 1)],
        (f"nothing new below {CHANGE} 5", "a row of 4"),
    ),
    FaultKind.KEY_MOVED: (
        "stream.key.moved",
        [row(3, 5, 1), row(1, 6, 1)],
        ("every change of this row in partition 3", "one in partition 1"),
    ),
    FaultKind.DDL_ELSEWHERE: (
        "stream.ddl.elsewhere",
        [ddl(2, 7)],
        ("a DDL message in partition 0", "one in partition 2"),
    ),
}
OF_PROTOCOLS: dict[str, dict[FaultKind, str]] = {
    "open-protocol": {
        FaultKind.WATERMARK_BACK: "OP-202",
        FaultKind.BELOW_WATERMARK: "OP-202",
        FaultKind.BEHIND_DDL: "OP-201",
        FaultKind.TABLE_BACK: "OP-201",
        FaultKind.KEY_MOVED: "OP-207",
    },
    "canal-json": {
        FaultKind.WATERMARK_BACK: "CJ-664",
        FaultKind.BELOW_WATERMARK: "CJ-664",
        FaultKind.BEHIND_DDL: "CJ-629",
        FaultKind.KEY_BACK: "CJ-666",
        FaultKind.KEY_MOVED: "CJ-666",
        FaultKind.DDL_ELSEWHERE: "CJ-051a",
    },
    "debezium": {
        FaultKind.WATERMARK_BACK: "DBZ-404",
        FaultKind.BELOW_WATERMARK: "DBZ-404",
        FaultKind.BEHIND_DDL: "DBZ-039b",
        FaultKind.KEY_BACK: "DBZ-039a",
        FaultKind.KEY_MOVED: "DBZ-039a",
    },
}


@pytest.mark.parametrize("fault", BROKEN)
@pytest.mark.parametrize("protocol", OF_PROTOCOLS)
def test_a_broken_rule_has_its_name_and_its_words(protocol: str, fault: FaultKind) -> None:
    name, sent, words = BROKEN[fault]
    requirement = OF_PROTOCOLS[protocol].get(fault)
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
def test_a_watermark_without_the_extension_is_one_too_many(
    protocol: str, requirement: str | None, partition: int | None
) -> None:
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
def test_what_did_not_reach_every_partition_is_told_at_the_end(
    protocol: str, of_marks: str, of_statements: str | None
) -> None:
    found = stream_faults(protocol, [mark(1, 9)], partitions=4)
    assert [(str(f.kind), f.requirement, f.expected, f.got) for f in found] == [
        ("stream.watermark.missed", of_marks, "the watermark of 9 in every partition", "not in partition 0, 2, 3")
    ]
    found = stream_faults(protocol, [ddl(0, 9)], partitions=2)
    assert [(str(f.kind), f.requirement, f.expected, f.got) for f in found] == (
        [("stream.ddl.missed", of_statements, "the ddl of 9 in every partition", "not in partition 1")]
        if of_statements
        else []
    )
    assert stream_faults(protocol, [mark(0, 9), mark(1, 9)], partitions=2) == []


def ended(*sent: Sent, partitions: int | None = None) -> list[str]:
    """What is told at the end of a stream of which the end is not known to be the last."""
    stream = Stream("open-protocol", partitions=partitions)
    for message in sent:
        stream.see(message)
    return [fault.got for fault in stream.end()]


def test_a_lane_is_asked_for_what_came_between_two_of_its_times_alone() -> None:
    before, after = mark(1, 5), mark(1, 12)
    marks_elsewhere = [mark(0, 5), mark(0, 12)]
    assert ended(*marks_elsewhere, before, mark(0, 9), after) == ["not in partition 1"]
    assert ended(mark(0, 9), mark(1, 9)) == []
    assert ended(mark(0, 5), before, mark(0, 9)) == []
    assert ended(mark(0, 12), mark(0, 9), after) == []
    assert ended(mark(0, 5), mark(0, 9), before, mark(1, 9), row(1, 20, 1)) == []
    assert ended(mark(0, 9), row(1, 5, 1), row(1, 20, 1)) == []
    assert ended(mark(0, 9), row(1, 9, 1), after, mark(0, 12)) == []
    assert ended(mark(0, 5), before, mark(0, 9), partitions=3) == []


def test_only_lanes_of_the_same_topic_are_asked() -> None:
    own = [replace(one, topic="a") for one in (mark(0, 5), mark(1, 5), mark(0, 9), mark(0, 12), mark(1, 12))]
    other = [replace(one, topic="b") for one in (mark(7, 5), mark(7, 12))]
    assert ended(*own, *other) == ["not in partition 1"]


# -- what is too old for what ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("protocol", "sent", "faults"),
    [
        ("canal-json", [mark(0, 9), row(0, 9, 1)], []),
        ("canal-json", [mark(0, 9), row(1, 8, 1)], []),
        ("canal-json", [mark(0, 9), row(0, None, 1)], []),
        ("canal-json", [mark(0, None), row(0, 8, 1)], []),
        ("canal-json", [ddl(0, 7), row(0, 7, 1)], []),
        ("canal-json", [ddl(0, 7, U), row(0, 6, 1)], []),
        ("canal-json", [ddl(0, 7, ("test", "")), row(0, 6, 1)], [FaultKind.BEHIND_DDL]),
        ("canal-json", [ddl(0, 7, ("other", "")), row(0, 6, 1)], []),
        ("canal-json", [ddl(0, 7), ddl(0, 5), row(0, 6, 1)], [FaultKind.BEHIND_DDL]),
        ("canal-json", [ddl(0, 5), ddl(0, 8, ("test", "")), row(0, 6, 1)], [FaultKind.BEHIND_DDL]),
        ("canal-json", [ddl(0, None), row(0, 6, 1)], []),
        ("open-protocol", [row(0, 5, 1), row(0, 5, 2)], []),
        ("open-protocol", [row(0, 5, 1), row(0, 4, 2, U)], []),
        ("open-protocol", [row(0, 5, 1), row(0, 3, 2), row(0, 4, 3)], [FaultKind.TABLE_BACK] * 2),
        ("canal-json", [row(0, 5, 1), row(0, 3, 1), row(0, 4, 1)], [FaultKind.KEY_BACK] * 2),
        ("canal-json", [row(0, 5, 1), row(0, 4, 2)], []),
        ("canal-json", [row(0, 5, None), row(0, 4, None)], []),
        ("canal-json", [row(0, 5, None), row(1, 6, None)], []),
        ("canal-json", [row(0, 5, 1), row(1, 4, 1)], [FaultKind.KEY_MOVED]),
        ("canal-json", [row(0, 5, 1), row(1, 6, 1, U)], []),
        ("canal-json", [row(0, None, 1), row(0, 6, 1), row(0, 5, 1)], [FaultKind.KEY_BACK]),
        ("canal-json", [mark(0, 9), mark(0, 7), row(0, 8, 1)], [FaultKind.WATERMARK_BACK, FaultKind.BELOW_WATERMARK]),
        ("canal-json", [row(0, 8, 1), mark(0, 9), row(0, 8, 1)], []),
        ("canal-json", [mark(0, 9), mark(0, 8), mark(0, 8)], [FaultKind.WATERMARK_BACK] * 2),
        ("canal-json", [ddl(0, 9), ddl(1, 9)], [FaultKind.DDL_ELSEWHERE]),
        ("canal-json", [mark(0, 9), ddl(0, 8)], [FaultKind.BELOW_WATERMARK]),
    ],
)
def test_what_is_older_than_something_of_its_own_is_a_fault(
    protocol: str, sent: Sequence[Sent], faults: Sequence[FaultKind]
) -> None:
    stream = Stream(protocol)
    assert [fault.kind for message in sent for fault in stream.see(message)] == faults

"""The order in which records, messages and claim-check files are compared."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from conformance.oracle.arranged import by_id, by_partition, content, in_message_order, in_partition_order, placed_as
from conformance.oracle.rules import Delivery, Message, Reading
from reference_impl.model import Claim, Record, Watermark
from reference_impl.registry import RegisteredSchema


def records(*partitions: int | None) -> list[Record]:
    return [Record(None, b"", partition) for partition in partitions]


def test_the_last_schema_of_equal_ids_counts() -> None:
    one, two, three = (RegisteredSchema(n, "s", text) for n, text in ((1, "a"), (2, "b"), (1, "c")))
    assert by_id([one, two], [three]) == {1: "c", 2: "b"}


@pytest.mark.parametrize(
    ("record", "is_same"),
    [
        (Record(b"k", b"v", 1, "other", (("h", b""),), 7, 8), True),
        (Record(b"x", b"v", 1, headers=(("h", b""),)), False),
        (Record(b"k", b"x", 1, headers=(("h", b""),)), False),
        (Record(b"k", b"v", 2, headers=(("h", b""),)), False),
        (Record(b"k", b"v", 1), False),
    ],
)
def test_a_reading_depends_on_key_value_headers_and_partition(record: Record, is_same: bool) -> None:
    assert (content(record) == content(Record(b"k", b"v", 1, headers=(("h", b""),)))) is is_same


@pytest.mark.parametrize(
    ("partitions", "order"),
    [((), []), ((0, 0), [0, 1]), ((1, 0, 1, 0), [1, 3, 0, 2]), ((1, None, 0), [1, 2, 0]), ((None, 1, 0), [0, 2, 1])],
)
def test_partitions_come_in_order_and_events_keep_theirs_in_each(partitions: Sequence[int | None], order: list[int]):
    assert by_partition([Delivery(Watermark(1), None, partition) for partition in partitions]) == order
    assert in_partition_order(range(len(partitions)), records(*partitions)) == order


@pytest.mark.parametrize(
    ("got", "expected", "is_placed"),
    [
        ((None, None), (0, 1), False),
        ((None, None), (0, 0), True),
        ((None, 0), (0, 1), True),
        ((None,), (0, 1), True),
        ((1, 0), (0, 1), True),
    ],
)
def test_answered_records_without_partitions_take_those_of_several_expected_ones(
    got: Sequence[int | None], expected: Sequence[int | None], is_placed: bool
) -> None:
    answered, wanted = records(*got), records(*expected)
    assert placed_as(answered, wanted) is (answered if is_placed else wanted)


@pytest.mark.parametrize(
    ("stored", "named", "order"),
    [
        (("a/1", "a/2"), ("a/2", "a/1"), ["a/2", "a/1"]),
        (("a/1", "a/2", "a/3"), ("a/3", None), ["a/3", "a/1", "a/2"]),
        (("a/1",), ("b/1", "b/1"), ["a/1", "a/1"]),
        (("a/1",), ("a/9",), ["a/1"]),
        (("a/1", "b/1"), ("b/1",), ["a/1", "b/1"]),
        (("1",), ("1",), ["1"]),
    ],
)
def test_files_stand_in_the_order_of_the_messages_that_name_them(
    stored: Sequence[str], named: Sequence[str | None], order: list[str]
) -> None:
    messages = tuple(Message({}, {}, claim) for claim in named)
    readings = [Reading(messages, {}), None]
    claims = [Claim(location, location.encode()) for location in stored]
    assert [claim.location for claim in in_message_order(claims, readings)] == order

"""What rows do to a table that a job writes by key, and to one from which it takes back each row."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from conformance.consumers import MODELS
from conformance.consumers.model import Row
from conformance.migration.keeping import Keeping, writes_by_key

OLD, NEW, MOVED = {"id": "1", "v": "a"}, {"id": "1", "v": "b"}, {"id": "2", "v": "b"}
BY_KEY, BY_ROW = Keeping(("id",)), Keeping()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([("+I", OLD), ("+U", NEW)], [("+I", NEW)]),
        ([("+U", OLD), ("+U", NEW)], [("+U", NEW)]),
        ([("-D", OLD), ("+I", NEW)], [("+U", NEW)]),
        ([("-U", OLD), ("+U", NEW)], [("+I", NEW)]),
        ([("+I", OLD), ("-D", {"id": "1"})], []),
        ([("-D", OLD)], [("-D", {"id": "1"})]),
    ],
)
def test_by_key_the_last_row_of_a_key_is_what_is_left(one: Sequence[Row], other: Sequence[Row]) -> None:
    assert BY_KEY.left(one) == BY_KEY.left(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([("+U", OLD)], [("+U", NEW)]),
        ([("-D", OLD)], []),
        ([("+U", OLD), ("-D", OLD)], []),  # the row was there before
        ([("+U", MOVED)], [("-D", OLD), ("+I", MOVED)]),  # the row of the old key stays
    ],
)
def test_by_key_a_row_too_many_is_left_where_nothing_deletes_it(one: Sequence[Row], other: Sequence[Row]) -> None:
    assert BY_KEY.left(one) != BY_KEY.left(other)


def test_without_a_key_rows_are_taken_back_one_by_one() -> None:
    assert BY_ROW.left([("+I", OLD), ("-U", OLD), ("+U", NEW)]) == BY_ROW.left([("+I", NEW)])
    assert BY_ROW.left([("+I", OLD), ("+U", NEW)]) != BY_ROW.left([("+I", NEW)])
    assert BY_ROW.changes([("-U", OLD), ("+U", NEW)]) == [(OLD, NEW)]


def test_by_key_no_more_of_the_row_before_a_change_counts_than_a_key_that_is_gone() -> None:
    assert BY_KEY.changes([("-U", OLD), ("+U", NEW)]) == [(None, NEW)]
    assert BY_KEY.changes([("-U", OLD), ("+U", MOVED)]) == [({"id": "1"}, MOVED)]
    assert BY_KEY.changes([("-D", OLD)]) == [({"id": "1"}, None)]


def test_jobs_that_are_sent_no_row_before_an_update_write_by_key() -> None:
    assert writes_by_key(MODELS["spark"]("4.1.1"), {})
    assert writes_by_key(MODELS["flink-avro"]("2.3.0"), {"connector": "upsert-kafka"})
    assert not writes_by_key(MODELS["flink-avro"]("2.3.0"), {})
    assert not writes_by_key(MODELS["flink"]("2.3.0"), {})
    assert not writes_by_key(None, {})

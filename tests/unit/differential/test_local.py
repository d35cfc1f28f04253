"""The comparison on one machine, end to end: faults put into bytes are found, and nothing else is."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from differential.local import Outcome, compare_locally
from differential.model import Class, Place
from differential.sides import Side
from reference_impl.model import Record
from tests.amounts import THOROUGH, ordinarily
from tests.unit.differential.building import unnamed_pairs
from tests.unit.differential.streams import changes, cut, lost, messages, numbered, repeated, side

LEFT = side("left", "canal-json", enable_tidb_extension="true")
OTHERS = {
    "open-protocol": side("right", "open-protocol", max_batch_size="1"),
    "debezium": side("right", "debezium", enable_tidb_extension="true"),
    "content-compatible": side("right", "canal-json", enable_tidb_extension="true", content_compatible="true"),
}
CHANGES = changes(seed=7, count=ordinarily(160, 300))


def compared(right: Side, left: list[Record], others: list[Record], **more: int) -> Outcome:
    return compare_locally([LEFT, right], [left, others], unnamed_pairs([LEFT, right]), **more)


@pytest.mark.parametrize("name", OTHERS)
def test_the_same_changes_in_another_dialect_of_ticdc_do_not_differ(name: str) -> None:
    right = OTHERS[name]
    outcome = compared(right, messages(LEFT, CHANGES), messages(right, CHANGES))
    assert outcome.differences == []
    assert outcome.counts.alike["left-right", "shop", "orders"] == len(CHANGES)


def test_both_sides_end_with_the_same_rows_and_checksums() -> None:
    right = OTHERS["debezium"]
    counts = compared(right, messages(LEFT, CHANGES), messages(right, CHANGES)).counts
    assert counts.rows[0, "shop", "orders"] == counts.rows[1, "shop", "orders"] > 0
    assert counts.checksum[0, "shop", "orders"] == counts.checksum[1, "shop", "orders"] != 0


def replaced(old: bytes, new: bytes) -> Callable[[list[Record], int], list[Record]]:
    """With the first match of a pattern in the first message after the place that has one replaced."""

    def put(records: list[Record], at: int) -> list[Record]:
        found = next(n for n, record in enumerate(records) if n >= at and re.search(old, record.value or b""))
        value = re.sub(old, new, records[found].value or b"", count=1)
        return numbered([*records[:found], replace(records[found], value=value), *records[found + 1 :]])

    return put


FAULTS: dict[str, tuple[Callable[[list[Record], int], list[Record]], set[Class]]] = {
    "lost": (lost, {Class.EXTRA}),
    "repeated": (repeated, {Class.DUPLICATE}),
    "cut": (cut, {Class.UNDECODABLE, Class.EXTRA}),
    "changed digit": (replaced(b'"small":"5"', b'"small":"6"'), {Class.VALUE}),
    "changed byte of a text": (replaced(b'"name":"plain', b'"name":"plaim'), {Class.VALUE}),
    "NULL for a value": (replaced(b'"state":"1"', b'"state":null'), {Class.VALUE}),
    "wrong type": (replaced(b'"state":"1"', b'"state":1'), {Class.UNDECODABLE, Class.EXTRA}),
    "wrong code": (replaced(rb'"sqlType":[{]"id":-5', b'"sqlType":{"id":-6'), {Class.UNDECODABLE, Class.EXTRA}),
    "another operation": (replaced(b'"type":"INSERT"', b'"type":"DELETE"'), {Class.SHAPE}),
    "commit time stamp": (replaced(b'"commitTs":43', b'"commitTs":44'), {Class.METADATA, Class.SHAPE}),
    "a float in other digits": (replaced(rb'"rate":"([0-9]+[.][0-9]+)"', rb'"rate":"\g<1>0"'), {Class.SHAPE}),
}


BESIDE = [
    (name, fault) for name in OTHERS for fault in FAULTS if THOROUGH or name == "debezium" or fault in ("lost", "cut")
]
"""The dialects and faults that are tried: a fault does not depend on the dialect of the other side, so one dialect
meets all faults."""


@pytest.mark.parametrize(("name", "fault"), BESIDE)
def test_a_fault_in_the_bytes_is_found_at_its_place_and_nothing_else_is(name: str, fault: str) -> None:
    put, classes = FAULTS[fault]
    right = OTHERS[name]
    sound = messages(LEFT, CHANGES)
    broken = put(sound, 50)
    first = next(n for n, (a, b) in enumerate(zip(sound, broken, strict=False)) if a.value != b.value)
    differences = compared(right, broken, messages(right, CHANGES)).differences
    assert {d.kind for d in differences} == classes
    assert {d.left for d in differences if d.left} <= {Place("t", 0, first), Place("t", 0, first + 1)}
    assert {d.right for d in differences if d.right} <= {Place("t", 0, first)}


@pytest.mark.parametrize("name", OTHERS)
def test_a_wrong_time_beside_a_lost_message_of_its_key_is_found_too(name: str) -> None:
    right = OTHERS[name]
    key = [n for n, change in enumerate(CHANGES) if (change.after or {}).get("id") == "3" and change.op == "update"]
    at = next(a for a, b in pairwise(key) if CHANGES[a].after == CHANGES[b].before)
    broken = lost(replaced(b'"commitTs":43', b'"commitTs":44')(messages(LEFT, CHANGES), key[key.index(at) + 1]), at)
    differences = compared(right, broken, messages(right, CHANGES)).differences
    told = {(Class.EXTRA, ""), (Class.METADATA, "commit_ts"), (Class.SHAPE, "value.es")}
    assert {(d.kind, d.column) for d in differences} == told


@cache
def with_three_faults() -> tuple[list[Record], list[Record], Outcome]:
    """The streams of both sides, and what is found in them."""
    right = OTHERS["open-protocol"]
    some = CHANGES[: ordinarily(60, 300)]
    left, others = repeated(lost(cut(messages(LEFT, some), 15), 25), 45), messages(right, some)
    return left, others, compared(right, left, others)


@given(st.integers(1, 400), st.integers(1, 40))
@settings(max_examples=ordinarily(4, 8), deadline=None)
def test_batches_and_partitions_change_nothing(batch: int, partitions: int) -> None:
    right = OTHERS["open-protocol"]
    left, others, usual = with_three_faults()
    assert compared(right, left, others, batch=batch, partitions=partitions) == usual


def test_a_pool_of_processes_finds_what_one_process_finds() -> None:
    right = OTHERS["open-protocol"]
    left, others = lost(messages(LEFT, CHANGES), 90), messages(right, CHANGES)
    assert compared(right, left, others, workers=2, batch=50) == compared(right, left, others)

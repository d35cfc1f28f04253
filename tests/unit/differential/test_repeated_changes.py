"""Changes that come again: when that is harmless, and when an old row is left; every way of comparing says the same."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest

from conformance.ddl import tables_of_sql
from differential.generate.messages import schemas_of
from differential.registries import Listed
from differential.result.streams import every_difference
from differential.sides import Side, codec_of, with_common_keys
from differential.window import Window
from reference_impl.model import DdlEvent, Event, Record, RowChange, Table
from reference_impl.options import parse
from reference_impl.registry import MemoryRegistry
from reference_impl.tso import compose
from tests.comparing import compare_locally
from tests.unit.differential.building import NOON, exactly, pairs_for, row_change

[KEYED] = tables_of_sql("CREATE TABLE shop.t (id INT PRIMARY KEY, v VARCHAR(20))", "t.sql")
[BARE] = tables_of_sql("CREATE TABLE shop.t (id INT, v VARCHAR(20))", "t.sql")
OPTIONS = {
    "canal-json": {"enable-tidb-extension": "true"},
    "avro": {"enable-tidb-extension": "true"},
    "open-protocol": {"max-batch-size": "1"},
}


def side(dialect: str, *, on_left: bool, table: Table = KEYED, again: bool | None = None) -> Side:
    """A side; `again` says whether its producer may send a message again, as TiCDC may."""
    made = Side("left" if on_left else "right", dialect, OPTIONS.get(dialect, {}), tables=(table,))
    return replace(made, at_least_once=made.traits.is_of_ticdc if again is None else again)


def change(before: str | None, after: str | None, seconds: float) -> RowChange:
    old, new = (None if v is None else {"id": "1", "v": v} for v in (before, after))
    return row_change(old, new, NOON + 1000 * seconds)


def stream(
    of: Side, events: Sequence[Event], order: Sequence[int | tuple[int, int]] | None = None
) -> tuple[Side, list[Record]]:
    """The side with its schemas, and the messages of events in an order of (number, partition)."""
    codec, registry = codec_of(of.dialect), MemoryRegistry()
    settings = replace(of.settings, registry=registry)
    encoder = codec.encoder(parse(codec.options, of.options), of.profile, settings=settings)
    groups = [encoder.encode([event], list(of.tables)).records for event in events]
    counts, made = Counter[int](), []
    for entry in range(len(groups)) if order is None else order:
        number, partition = entry if isinstance(entry, tuple) else (entry, 0)
        for record in groups[number]:
            made.append(replace(record, topic=record.topic or "t", partition=partition, offset=counts[partition]))
            counts[partition] += 1
    if of.dialect == "avro":
        of = replace(of, settings=replace(of.settings, registry=Listed.of(schemas_of(registry))))
    return of, made


def kinds(left: tuple[Side, list[Record]], right: tuple[Side, list[Record]]) -> set[str]:
    """The kinds of the unexplained differences; every way of comparing must find the same."""
    sides, streams = with_common_keys([left[0], right[0]]), (left[1], right[1])
    pairs = pairs_for(sides)
    outcome = compare_locally(sides, streams, pairs)
    assert exactly(sides, streams).differences == outcome.differences
    found = every_difference(outcome.differences, outcome.counts, sides, pairs)
    return {d.kind.value for d in found if d.divergence is None}


ABC = [change(None, "a", 0), change("a", "b", 5), change("b", "c", 10)]
ADA = [change(None, "a", 0), change("a", None, 5), change(None, "b", 10)]
ABD = [change(None, "a", 0), change("a", "b", 5), change("b", None, 10)]
SOUND = [0, 1, 2]


@pytest.mark.parametrize("right", ["canal", "debezium-connector", "canal-json"])
@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ([0, 1, 2, 0, 1, 2], set()),
        ([0, 1, 2, 1, 2], set()),
        ([0, 1, 0, 1, 2], set()),
        ([0, 1, 1, 2], set()),
        ([0, 1, 2, 0], {"reordered"}),
        ([0, 1, 2, 1], {"reordered"}),
        ([0, 1, 0, 2], {"reordered"}),
        ([0, 1, 2, 0, 2], {"reordered"}),
        ([(0, 0), (1, 0), (2, 0), (0, 1)], {"reordered"}),
        ([(0, 0), (1, 0), (2, 0), (2, 1)], set()),
    ],
)
def test_what_ticdc_sends_again_is_harmless_if_all_newer_changes_come_again(
    right: str, order: list[int | tuple[int, int]], expected: set[str]
) -> None:
    left = stream(side("canal-json", on_left=True), ABC, order)
    assert kinds(left, stream(side(right, on_left=False), ABC)) == expected


@pytest.mark.parametrize("right", ["canal", "debezium-connector"])
@pytest.mark.parametrize(
    ("again", "order", "mine", "expected"),
    [
        (False, [0, 1, 2, 1], SOUND, {"duplicate"}),
        (False, [0, 1, 2, 1], [0, 1, 1, 2], {"duplicate"}),
        (True, [0, 1, 2, 0], SOUND, {"reordered"}),
        (True, [0, 1, 2, 1], [0, 1, 1, 2], {"reordered"}),
        (True, [0, 1, 2, 0, 1, 2], SOUND, set()),
    ],
)
def test_an_old_row_at_the_end_of_upstream_is_red_whatever_ticdc_repeats(
    right: str, again: bool, order: list[int], mine: list[int], expected: set[str]
) -> None:
    left = stream(side("canal-json", on_left=True), ABC, mine)
    assert kinds(left, stream(side(right, on_left=False, again=again), ABC, order)) == expected


@pytest.mark.parametrize("right", ["canal", "canal-json"])
@pytest.mark.parametrize(
    ("changes", "order", "is_red"),
    [
        (ADA, [0, 1, 2, 0, 1, 2], False),
        (ADA, [0, 1, 1, 2], False),
        (ADA, [0, 1, 2, 1, 2], False),
        (ADA, [0, 1, 2, 1], True),
        (ADA[:2], [0, 1, 0], True),
        (ABD, [0, 1, 2, 1], True),
        (ABD, [0, 1, 2, 0, 1], True),
        (ABD, [0, 1, 2, 0, 1, 2], False),
    ],
)
def test_a_delete_without_a_time_takes_part_in_what_comes_again(
    right: str, changes: list[RowChange], order: list[int], is_red: bool
) -> None:
    left = stream(side("avro", on_left=True), changes, order)
    assert bool(kinds(left, stream(side(right, on_left=False), changes))) == is_red


TWICE = [change(None, "a", 1), change(None, "a", 1)]


@pytest.mark.parametrize("again", [False, True], ids=["exactly-once", "at-least-once"])
@pytest.mark.parametrize("right", ["canal", "debezium-connector"])
def test_equal_rows_of_one_transaction_are_no_repeats_if_upstream_has_times_of_statements(
    right: str, again: bool
) -> None:
    statements = [change(None, "a", 0), change(None, "a", 1)]
    left = stream(side("canal-json", on_left=True, table=BARE, again=again), TWICE)
    assert kinds(left, stream(side(right, on_left=False, table=BARE), statements)) == set()


@pytest.mark.parametrize("right", ["canal", "debezium-connector"])
def test_a_transaction_of_equal_rows_that_comes_again_is_no_difference(right: str) -> None:
    left = stream(side("canal-json", on_left=True, table=BARE), TWICE, [0, 1, 0, 1])
    assert kinds(left, stream(side(right, on_left=False, table=BARE), TWICE)) == set()


def test_a_lost_row_is_not_hidden_by_an_equal_row_that_comes_again_later() -> None:
    three = [change(None, "a", 0), change(None, "a", 0), change(None, "a", 10)]
    left = stream(side("canal-json", on_left=True, table=BARE), three, [0, 2, 2])
    assert kinds(left, stream(side("canal", on_left=False, table=BARE), three)) == {"duplicate"}


IN_TURN = [change(None, "a", 0), change("a", None, 20), change(None, "a", 40)]
TWO_LIVES = [*IN_TURN, change("a", None, 60)]


@pytest.mark.parametrize(("changes", "on_left"), [(IN_TURN, True), (TWO_LIVES, True), (TWO_LIVES, False)])
@pytest.mark.parametrize("sound", ["debezium-connector", "canal", "canal-json"])
@pytest.mark.parametrize(("repeating", "table"), [("canal-json", KEYED), ("canal-json", BARE), ("avro", KEYED)])
def test_a_row_that_was_lost_is_not_hidden_by_older_ones_that_come_again(
    repeating: str, table: Table, sound: str, changes: list[RowChange], on_left: bool
) -> None:
    sent = stream(side(repeating, on_left=on_left, table=table), changes, [0, 1, 0, 1])
    other = stream(side(sound, on_left=not on_left, table=table), changes)
    assert (kinds(sent, other) >= {"extra"}) if on_left else (kinds(other, sent) >= {"missing"})


def test_repeats_of_another_order_are_no_difference_where_both_sides_may_repeat() -> None:
    left = stream(side("canal-json", on_left=True, table=BARE), IN_TURN, [0, 1, 2, 0, 1, 2])
    right = stream(side("canal-json", on_left=False, table=BARE), IN_TURN, [0, 0, 0, 1, 2])
    assert kinds(left, right) == set()


def named(records: list[Record], names: Sequence[str]) -> list[Record]:
    made = []
    for record, name in zip(records, names, strict=True):
        tree = json.loads(record.value or b"")
        tree["payload"]["source"]["gtid"] = f"3E11FA47-71CA-11E1-9E33-C80AA9429562:{name}"
        made.append(replace(record, value=json.dumps(tree, separators=(",", ":")).encode()))
    return made


@pytest.mark.parametrize("second", [0, 1, 9])
@pytest.mark.parametrize(("names", "expected"), [(["7", "7"], set()), (["7", "8"], {"extra"})])
def test_steps_of_a_named_transaction_are_one_change_whatever_the_times_of_its_statements_are(
    second: int, names: list[str], expected: set[str]
) -> None:
    left = stream(side("debezium", on_left=True), [change(None, "b", second)])
    right, records = stream(side("debezium-connector", on_left=False), [change(None, "a", 0), change("a", "b", second)])
    assert kinds(left, (right, named(records, names))) == expected


@pytest.mark.parametrize("right", ["canal-json", "debezium-connector"])
@pytest.mark.parametrize("value", [..., None], ids=["absent", "null"])
def test_a_message_of_ticdc_has_its_commit_time_stamp(right: str, value: object) -> None:
    left, records = stream(side("debezium", on_left=True), ABC)
    tree = json.loads(records[1].value or b"")
    tree["payload"]["source"]["commit_ts"] = value
    if value is ...:
        del tree["payload"]["source"]["commit_ts"]
    records[1] = replace(records[1], value=json.dumps(tree, separators=(",", ":")).encode())
    found = kinds((left, records), stream(side(right, on_left=False), ABC))
    assert found >= {"shape" if value is ... else "undecodable"}


def test_a_statement_within_the_slack_is_the_partner_of_one_inside_the_window() -> None:
    window = Window(compose(NOON), compose(NOON + 60_000), slack=2000)
    sides = [replace(side(d, on_left=d == "canal-json"), window=window) for d in ("canal-json", "canal")]

    row = change(None, "a", 10)

    def stated(ms: int) -> Event:
        query = "ALTER TABLE `shop`.`t` ADD INDEX i(v)"
        return DdlEvent("shop", "t", query, "add index", 7, compose(NOON + ms), table_after=KEYED, table_before=KEYED)

    def found(left: int | None, right: int | None) -> set[str]:
        given = [[] if ms is None else [stated(ms)] for ms in (left, right)]
        one, other = (stream(of, [*told, row]) for of, told in zip(sides, given, strict=True))
        return kinds(one, other)

    assert found(-500, 500) == found(-1500, -500) == found(-1500, None) == set()
    assert kinds(stream(sides[0], [stated(-1500), stated(-1500), row]), stream(sides[1], [row])) == set()
    assert found(500, None) == {"missing"}
    assert found(None, 500) == {"extra"}

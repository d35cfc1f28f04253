"""The order of statements across tables, topics and partitions, their copies, and statements that come again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from differential.align.pairs import pairs_of
from differential.counts import Counts
from differential.model import Class
from differential.result.duplicates import REPEATED, without_repeats
from differential.sides import Side
from reference_impl.model import DdlEvent, Record, RowChange
from tests.comparing import compare_locally
from tests.unit.differential.building import exactly
from tests.unit.differential.ddl_streams import NOBODY, TABLE, TSO, compared, ddl, placed, sent, side
from tests.unit.differential.reproducing import SCHEMA

PAIRS = [
    ("debezium", "debezium-connector"), ("canal-json", "canal"), ("open-protocol", "open-protocol"),
    ("canal", "debezium-connector"),
]  # fmt: skip


def added(number: int, table: str, second: int) -> DdlEvent:
    return ddl(f"ALTER TABLE `{table}` ADD COLUMN `n{number}` INT", "add column", table, second, 5)


EVENTS = [added(1, "t", 1), added(2, "u", 2), added(3, "t", 3), added(4, "u", 4)]


def in_topics(records: Sequence[Record], topics: Sequence[str]) -> list[Record]:
    counted: dict[str, int] = {}
    made = []
    for record, topic in zip(records, topics, strict=True):
        counted[topic] = counted.get(topic, -1) + 1
        made.append(replace(record, topic=topic, partition=0, offset=counted[topic]))
    return made


def kinds(sides: Sequence[Side], *streams: Sequence[Record]) -> list[str]:
    return [d.kind.value for d in compared(sides, streams).differences if d.divergence is None]


@pytest.mark.parametrize("dialects", PAIRS, ids=" beside ".join)
@pytest.mark.parametrize("turned", [0, 1])
def test_statements_of_two_tables_that_a_topic_has_in_another_order_are_one_difference(
    dialects: tuple[str, str], turned: int
) -> None:
    sides = [side("left", dialects[0]), side("right", dialects[1])]
    streams = [sent(of, EVENTS) for of in sides]
    assert kinds(sides, *streams) == []
    moved = streams[turned]
    streams[turned] = placed([moved[1], moved[0], *moved[2:]])
    assert kinds(sides, *streams) == ["reordered"]


def test_servers_that_did_independent_statements_in_another_order_are_alike_where_both_clocks_say_so() -> None:
    sides = [side("left", "debezium"), side("right", "debezium-connector")]
    other = [added(2, "u", 1), added(1, "t", 2), *EVENTS[2:]]
    left = sent(sides[0], EVENTS)
    assert kinds(sides, left, sent(sides[1], other)) == []
    same_time = [replace(one, commit_ts=EVENTS[0].commit_ts) for one in other[:2]]
    assert kinds(sides, left, sent(sides[1], [*same_time, *other[2:]])) == ["reordered"]


def test_statements_of_one_table_have_one_order_whatever_the_clocks_say() -> None:
    sides = [side("left", "debezium"), side("right", "debezium-connector")]
    other = [added(3, "t", 1), added(1, "t", 3)]
    assert kinds(sides, sent(sides[0], EVENTS[0:3:2]), sent(sides[1], other)) == ["reordered"]


def test_the_order_in_topics_of_their_own_is_that_of_the_clock() -> None:
    sides = [side("left", "canal-json"), side("right", "canal")]
    left = in_topics(sent(sides[0], EVENTS), "tutu")
    right = sent(sides[1], EVENTS)
    assert kinds(sides, left, right) == []
    assert kinds(sides, left, placed([right[1], right[0], *right[2:]])) == ["reordered"]
    at_once = sent(sides[0], [replace(one, commit_ts=TSO) for one in EVENTS])
    assert kinds(sides, in_topics(at_once, "tutu"), placed([right[1], right[0], *right[2:]])) == []


RENAMED = [
    added(1, "t", 1),
    ddl(f"RENAME TABLE `{SCHEMA}`.`t` TO `{SCHEMA}`.`u`", "rename table", "u", 2, 14),
    ddl(f"RENAME TABLE `{SCHEMA}`.`u` TO `{SCHEMA}`.`t`", "rename table", "t", 2, 14),
    added(3, "t", 2),
]
MADE_AGAIN = [
    added(1, "t", 1),
    ddl("DROP TABLE `t`", "drop table", "t", 2, 4),
    ddl("CREATE TABLE `t` (`id` INT PRIMARY KEY,`c` INT)", "create table", "t", 2, 3),
    added(1, "t", 2),
]


@pytest.mark.parametrize("dialects", PAIRS[:3], ids=" beside ".join)
@pytest.mark.parametrize(
    ("events", "topics", "wrong"),
    [(RENAMED, "ttut", (3, 0, 1, 2)), (MADE_AGAIN, "tttt", (0, 2, 1, 3))],
    ids=["renamed", "made again"],
)
def test_a_table_that_gets_an_old_name_back_is_in_order(
    dialects: tuple[str, str], events: Sequence[DdlEvent], topics: str, wrong: Sequence[int]
) -> None:
    sides = [side("left", dialects[0]), side("right", dialects[1])]
    left, right = in_topics(sent(sides[0], events), topics), sent(sides[1], events)
    assert kinds(sides, left, right) == []
    assert kinds(sides, left, placed([right[n] for n in wrong])) == ["reordered"]


def delivered(right: Sequence[Record], dialect: str = "open-protocol") -> tuple[list[str], int]:
    """The differences beside the sound stream where repeats are permitted, and how many were counted."""
    sides = [side("left", "canal"), replace(side("right", dialect), at_least_once=True)]
    found = compared(sides, [sent(sides[0], EVENTS), right])
    kept = list(without_repeats(found.differences, sides, found.pairs, found.counts))
    return [d.kind.value for d in kept if d.divergence is None], found.counts.control[1, REPEATED]


DELIVERED: Mapping[str, tuple[str, Sequence[int], tuple[list[str], int]]] = {
    "all again": ("open-protocol", (0, 1, 2, 3, 0, 1, 2, 3), ([], 4)),
    "all again in one partition": ("canal-json", (0, 1, 2, 3, 0, 1, 2, 3), ([], 4)),
    "a replay": ("open-protocol", (0, 1, 2, 0, 1, 2, 3), ([], 3)),
    "a replay in one partition": ("canal-json", (0, 1, 2, 0, 1, 2, 3), ([], 3)),
    "an old one behind a newer one of its table": ("canal-json", (0, 1, 2, 3, 0), (["reordered"], 0)),
}


@pytest.mark.parametrize("name", DELIVERED)
def test_a_replay_of_statements_is_counted_and_an_old_one_behind_a_newer_one_is_reordered(name: str) -> None:
    dialect, order, expected = DELIVERED[name]
    right = sent(side("right", dialect), EVENTS)
    assert delivered(placed([right[n] for n in order]), dialect) == expected


def test_a_statement_that_one_partition_has_twice_is_a_repeat() -> None:
    right = sent(side("right", "open-protocol"), EVENTS)
    assert delivered([*placed(right), *placed([*right, right[3]], 1)]) == ([], 1)


def test_copies_in_another_order_in_one_partition_are_reordered() -> None:
    sides = [side("left", "canal"), side("right", "open-protocol")]
    right = sent(sides[1], EVENTS)
    copies = [*placed(right), *placed([right[1], right[0], *right[2:]], 1)]
    [found] = compared(sides, [sent(sides[0], EVENTS), copies]).differences
    assert (found.kind, found.right_value) == (Class.REORDERED, "in another order in partition 1")


def test_a_statement_of_a_table_that_was_not_given_in_a_message_of_one_that_was_is_seen() -> None:
    """Even where the other side has no message of such a statement."""
    sides = [side("left", "debezium"), side("right", "debezium-connector", version="3.6.1")]
    for subject in ("`elsewhere`.`t`", f"`{SCHEMA}`.`u`"):
        [record] = sent(sides[0], [ddl(f"TRUNCATE TABLE `{SCHEMA}`.`t`", "truncate table", "t", 1, 11)])
        assert kinds(sides, [record], []) == []
        broken = replace(record, value=(record.value or b"").replace(f"`{SCHEMA}`.`t`".encode(), subject.encode()))
        assert kinds(sides, placed([broken]), []) == ["shape"]


@pytest.mark.parametrize("words", ["COMMENT 'x'", "z"])
def test_words_behind_the_name_of_a_table_are_another_statement(words: str) -> None:
    sides = [side("left", "canal-json"), side("right", "canal")]
    for text in ("TRUNCATE TABLE `t`", "DROP TABLE `t`", "RENAME TABLE `v` TO `t`"):
        action = text.lower()[: text.index("TABLE") + 5]
        given = [sent(of, [ddl(text, action)]) for of in sides]
        assert kinds(sides, *given) == []
        assert kinds(sides, given[0], sent(sides[1], [ddl(f"{text} {words}", action)])) != []
        assert kinds(sides, given[0], sent(sides[1], [ddl(f"{text};", action)])) == []


def test_a_copy_of_another_kind_in_one_partition_is_seen() -> None:
    sides = [side("left", "canal"), side("right", "open-protocol")]
    right = sent(sides[1], EVENTS[:2])
    other = [replace(right[0], value=(right[0].value or b"").replace(b'"t":5', b'"t":6')), right[1]]
    found = kinds(sides, sent(sides[0], EVENTS[:2]), [*placed(right), *placed(other, 1)])
    assert found.count("missing") == 2  # either copy is not in the other partition


# -- copies in partitions ----------------------------------------------------------------------------------------------

TWO = [ddl(f"ALTER TABLE `t` ADD COLUMN `n{n}` INT", "add column", second=n, code=5) for n in range(2)]
EXTENDED = side("left", "canal-json", enable_tidb_extension="true")
ROW = RowChange("insert", SCHEMA, "t", TSO + 9, after={"id": "1", "c": None}, start_ts=TSO)
BROADCASTING = ("open-protocol", "debezium")


def rows(of: Side, partition: int, topic: str = "ddl") -> list[Record]:
    """A row of a partition, behind its statements."""
    records = of.encoder().encode([ROW], [TABLE]).records
    return [replace(one, topic=topic, partition=partition, offset=9 + n) for n, one in enumerate(records)]


@pytest.mark.parametrize("dialect", BROADCASTING)
def test_a_partition_that_has_rows_alone_lacks_the_copies_of_all_statements(dialect: str) -> None:
    right = side("right", dialect)
    copies = placed(sent(right, TWO))
    left = [*sent(EXTENDED, TWO), *rows(EXTENDED, 1)]
    found = compared([EXTENDED, right], [left, [*copies, *rows(right, 1)]]).differences
    assert [(d.kind, d.right_value) for d in found] == [(Class.MISSING, "not in partition 1")] * len(TWO)


@pytest.mark.parametrize("dialect", BROADCASTING)
def test_a_partition_of_a_topic_of_other_tables_lacks_nothing(dialect: str) -> None:
    right = side("right", dialect)
    left = [*sent(EXTENDED, TWO), *rows(EXTENDED, 1)]
    assert compared([EXTENDED, right], [left, [*placed(sent(right, TWO)), *rows(right, 1, "u")]]).differences == []


def test_a_dialect_with_statements_in_one_partition_lacks_no_copies() -> None:
    right = side("right", "canal-json", enable_tidb_extension="true")
    streams = [[*sent(of, TWO), *rows(of, 1), *rows(of, 2)] for of in (EXTENDED, right)]
    assert compared([EXTENDED, right], streams).differences == []


def test_the_partitions_that_were_read_are_the_same_for_every_runner() -> None:
    sides = [EXTENDED, side("right", "debezium")]
    streams = [[*sent(of, TWO), *rows(of, 0), *rows(of, 2)] for of in sides]
    unplaced = replace(rows(sides[1], 0)[0], topic=None, partition=None, offset=None)
    streams[1].append(unplaced)
    pairs = pairs_of(sides, {}, NOBODY)
    local = compare_locally(sides, streams, pairs).counts
    assert local.partitions == {(1, "ddl", 0): len(TWO) + 1, (1, "ddl", 2): 1, (1, "", 0): 1}
    assert exactly(sides, streams, pairs, batch=1).counts == local == Counts.from_json(local.to_json())

"""A row that takes the same few values again and again, also within a transaction: what TiCDC tells of it has names.

Upstream logs each step, TiDB keeps the row before the first and after the last. Where the values repeat, no single step
tells which change it belongs to; the whole of a key does, and a fault is still a fault.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from conformance.ddl import tables_of_sql
from differential.align.alignment import align
from differential.align.pair_context import PairContext
from differential.align.steps import StepKind
from differential.align.weighing import Weighing
from differential.classify.naming import Name, Namer
from differential.model import Change, Status
from differential.sides import Side
from reference_impl.model import Record, Row, RowChange
from reference_impl.tso import compose
from tests.amounts import ordinarily
from tests.unit.differential.building import (
    NOON,
    differences,
    image,
    key_change,
    lost,
    numbered,
    repeated,
    row_change,
    timed,
    unexplained,
)

TABLES = tuple(tables_of_sql("USE shop; CREATE TABLE t (id INT PRIMARY KEY, b VARCHAR(9))", "the test"))
TRANSACTIONS, SEEDS = 12, 15
EXTENSION = {"enable-tidb-extension": "true"}

Dialect = tuple[str, Mapping[str, str]]
PAIRS: Mapping[str, tuple[Dialect, Dialect]] = {
    "canal": (("canal-json", EXTENSION), ("canal", {})),
    "canal with GTIDs": (("canal-json", EXTENSION), ("canal", {"gtid": "true"})),
    "debezium": (("debezium", {}), ("debezium-connector", {"tombstones.on.delete": "false"})),
    "without the row before": (
        ("debezium", {"debezium-output-old-value": "false"}),
        ("debezium-connector", {"tombstones.on.delete": "false"}),
    ),
    "without what is deleted": (
        ("canal-json", {**EXTENSION, "delete-only-output-handle-key-columns": "true"}),
        ("canal", {"gtid": "true"}),
    ),
}
ALL_TOLD = ("canal", "canal with GTIDs", "debezium")
NAMED = ("canal with GTIDs", "without what is deleted")
"""Pairs whose upstream side names each transaction."""


def row(state: str | None) -> Row | None:
    return None if state is None else {"id": "1", "b": state}


def change(before: str | None, after: str | None, ms: int) -> RowChange:
    return row_change(row(before), row(after), ms)


def life(seed: int, values: str, *, kept: bool = True) -> list[tuple[list[RowChange], list[RowChange]]]:
    """The changes of each transaction as upstream logs them, and as TiDB keeps them.

    `kept`: TiDB keeps an update of a row that is after the transaction what it was before.
    """
    draw, state, ms, made = random.Random(f"{seed} {values}"), None, NOON, []
    for number in range(TRANSACTIONS):
        ms += draw.randint(1, 1500)
        first, steps = state, []
        for n in range(draw.choice((1, 1, 2, 3, 4))):
            gone = state is not None and draw.random() < 0.25
            after = None if gone else draw.choice([value for value in values if value != state])
            gtid = {"gtid": f"3e11fa47-71ca-11e1-9e33-c80aa9429562:{number + 1}", "rows_event": f"{number}.{n}"}
            steps.append(replace(change(state, after, ms), source=gtid))
            state = after
        is_back = first == state and not (kept and state)
        made.append((steps, [] if is_back else [change(first, state, ms)]))
    return made


def sides_of(name: str) -> list[Side]:
    named = zip(("left", "right"), PAIRS[name], strict=True)
    return [Side(side, dialect, options, tables=TABLES) for side, (dialect, options) in named]


def sent(of: Side, transactions: Sequence[tuple[list[RowChange], list[RowChange]]]) -> list[Record]:
    rows = [one for logged, kept in transactions for one in (kept if of.traits.is_of_ticdc else logged)]
    return timed(of, rows)


Lived = Sequence[tuple[list[RowChange], list[RowChange]]]


def together(lives: Sequence[Lived]) -> list[tuple[list[RowChange], list[RowChange]]]:
    """One stream of the lives of several rows, in the order of time. The rows have the ids 0, 1, 2 and so on."""

    def of_row(given: RowChange, number: int) -> RowChange:
        before, after = (None if row is None else {**row, "id": str(number)} for row in (given.before, given.after))
        source = {name: f"{text}{number:02}" for name, text in (given.source or {}).items() if name == "gtid"}
        return replace(given, before=before, after=after, source={**(given.source or {}), **source})

    made = [
        tuple([of_row(one, number) for one in changes] for changes in transaction)
        for number, of in enumerate(lives)
        for transaction in of
    ]
    return sorted(made, key=lambda of: of[0][0].commit_ts or 0)  # type: ignore[arg-type, return-value]


@pytest.mark.parametrize("values", ["AB", "ABCDEF"])
@pytest.mark.parametrize(
    ("name", "kept"), [*((name, True) for name in PAIRS), *((name, False) for name in PAIRS if name in NAMED)]
)
def test_differences_in_the_same_transactions_have_a_name(name: str, kept: bool, values: str) -> None:
    sides, lived = sides_of(name), together([life(seed, values, kept=kept) for seed in range(SEEDS)])
    assert unexplained(sides, [sent(of, lived) for of in sides]) == []


@pytest.mark.parametrize("name", ALL_TOLD)
def test_lost_transactions_of_one_time_that_lead_back_to_the_row_have_no_name(name: str) -> None:
    sides = sides_of(name)
    states = ["A", *("BA" * 5)]
    made = [[change(None, "A", NOON - 60_000)], *([change(*pair, NOON + 1)] for pair in pairwise(states))]
    gtids = [{"gtid": f"3e11fa47-71ca-11e1-9e33-c80aa9429562:{n}", "rows_event": f"{n}.0"} for n in range(len(made))]
    lived = [([replace(one, source=gtid)], [one]) for [one], gtid in zip(made, gtids, strict=True)]
    lost = [(logged, kept if not n else []) for n, (logged, kept) in enumerate(lived)]
    streams = [sent(of, lives) for of, lives in zip(sides, (lost, lived), strict=True)]
    assert len(unexplained(sides, streams)) == 10


@pytest.mark.parametrize("values", ["AB", "ABCDEF"])
@pytest.mark.parametrize("name", ["canal with GTIDs", "without what is deleted"])
def test_the_effect_of_a_named_transaction_on_a_row_is_one_difference(name: str, values: str) -> None:
    sides, lives = sides_of(name), [life(seed, values) for seed in range(SEEDS)]
    found = Counter(d.key for d in differences(sides, [sent(of, together(lives)) for of in sides]))
    assert found == {f'["{n}"]': sum(len(steps) > 1 for steps, _ in of) for n, of in enumerate(lives)}


def logged(*transactions: Sequence[tuple[Row | None, Row | None]]) -> list[RowChange]:
    """The steps of transactions as upstream logs them, all of one second."""
    numbers = [(n, ends) for n, images in enumerate(transactions) for ends in images]
    return [row_change(*ends, NOON + n, source={"gtid": f"u:{n}"}) for n, ends in numbers]


MADE, GONE = (None, row("A")), (row("A"), None)


@pytest.mark.parametrize(("given", "count"), [([[MADE, GONE] * 2], 1), ([[MADE, GONE]] * 2, 2)])
def test_a_row_inserted_and_deleted_twice_is_reported_once_a_transaction(
    given: list[list[tuple[Row | None, Row | None]]], count: int
) -> None:
    sides = sides_of("canal with GTIDs")
    found = differences(sides, [[], sent(sides[1], [(logged(*given), [])])])
    assert [(d.divergence, d.right_value) for d in found] == [
        ("DV-31", " ".join(["insert delete"] * (2 // count)))
    ] * count


@pytest.mark.parametrize(("lacks", "count"), [("nothing", 2), ("a step", 3)])
def test_half_of_a_change_of_the_key_is_a_step_of_its_transaction_as_any_other(lacks: str, count: int) -> None:
    """Row 1 becomes row 2, another row 1 comes and goes: of both rows TiCDC tells what is left."""
    sides, old = sides_of("canal with GTIDs"), row("B")
    assert old is not None
    upstream = logged([(None, old)], [(old, old | {"id": "2"}), MADE, GONE])
    ticdc = logged([(None, old)], [(old, None), (None, old | {"id": "2"})])
    if lacks == "a step":
        upstream[3:] = []
    found = differences(sides, [sent(sides[0], [([], ticdc)]), sent(sides[1], [(upstream, [])])])
    red = [d for d in found if d.status is Status.UNEXPLAINED]
    assert (len(found), len({d.key for d in found}), bool(red)) == (count, 2, lacks == "a step")


def altered(records: list[Record], at: int) -> list[Record]:
    """With a value that the row never had in one message."""
    value = records[at].value or b""
    old = next(text for text in (b'"A"', b'"B"') if text in value)
    return numbered([*records[:at], replace(records[at], value=value.replace(old, b'"Z"')), *records[at + 1 :]])


@pytest.mark.parametrize("fault", [lost, repeated, altered])
@pytest.mark.parametrize("name", ALL_TOLD)
def test_a_fault_of_either_side_stays_a_fault(name: str, fault: Callable[[list[Record], int], list[Record]]) -> None:
    sides, lives = sides_of(name), [life(seed, "AB") for seed in range(ordinarily(8, SEEDS))]
    transactions = together(lives)
    streams = [sent(of, transactions) for of in sides]
    for number in range(2):
        changes = [one for logged, kept in transactions for one in (logged, kept)[not number]]
        rows = [next(row for row in (one.after, one.before) if row)["id"] for one in changes]
        broken, red = streams[number], set()
        for seed in range(len(lives)):
            mine = [at for at, row in enumerate(rows) if row == str(seed)]
            at = random.Random(seed).choice(mine)
            if not number and fault is not altered and changes[at].before == changes[at].after:
                continue  # a change that changes nothing
            red.add(f'["{seed}"]')
            broken = fault(broken, at)
            rows[at : at + 1] = {lost: [], repeated: [rows[at]] * 2}.get(fault, [rows[at]])
            changes[at : at + 1] = {lost: [], repeated: [changes[at]] * 2}.get(fault, [changes[at]])
        given = [broken if n == number else stream for n, stream in enumerate(streams)]
        assert {d.key for d in unexplained(sides, given)} >= red != set()


def steps(side_of: str, *given: tuple[str, str, int], name: str = "") -> list[Change]:
    """Updates with their times, of the transaction `name` or of one each that has a commit time stamp."""
    made = []
    for offset, (before, after, ms) in enumerate(given):
        one = key_change(image(before), image(after), offset, side_of)
        made.append(replace(one, instant=f"{ms} {name}") if name else replace(one, commit_ts=compose(ms)))
    return made


class AnySteps(Namer):
    """Names all steps that lead to the same row."""

    def steps(self, left: Sequence[Change], right: Sequence[Change]) -> Name | None:
        return Name("DV-0", documented=True)


def test_a_named_transaction_is_read_as_one_or_not_at_all() -> None:
    """Four steps of one transaction are not two changes of two steps each, though it would come out even."""
    logged = steps("right", *(("A", "B", NOON), ("B", "A", NOON)) * 2, name="gtid")
    once, twice = (steps("left", *(("A", "A", NOON + n) for n in range(count))) for count in (1, 2))

    weighing = Weighing(PairContext("left-right", "left", "right", {}), AnySteps())
    [found] = align(once, logged, weighing)
    assert (found.kind, len(found.left), len(found.right)) == (StepKind.FOLD, 1, 4)
    assert StepKind.GAP in {step.kind for step in align(twice, logged, weighing)}

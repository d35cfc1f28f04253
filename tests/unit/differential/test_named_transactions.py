"""Transactions that upstream's messages name: changes of two of them are never taken for those of one.

By their fingerprints, keys are settled as the exact way settles them, also where one side tears a transaction apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from differential.decode.quick import QuickRows
from differential.decode.reader import SlimReader
from differential.decode.slim import change_of
from differential.local import compare_locally
from differential.model import Class, Difference, time_of
from differential.sides import Side
from differential.window import Window
from reference_impl.model import Record, Row, RowChange
from reference_impl.tso import compose
from tests.unit.differential import generated
from tests.unit.differential.building import NOON, exactly, numbered, pairs_for, row_change
from tests.unit.differential.generated import sent, transactions, unexplained
from tests.unit.differential.slims import slims
from tests.unit.differential.streams import changes, messages, side

CANAL = side("right", "canal", gtid="true")
ROWS_ALONE = {"tombstones.on.delete": "false"}
CONNECTOR = side("right", "debezium-connector", **ROWS_ALONE)
METADATA = side("right", "debezium-connector", **ROWS_ALONE, **{"provide.transaction.metadata": "true"})
ROW: Row = dict.fromkeys(("amount", "rate", "name", "state", "raw", "doc", "small", "at")) | {"id": "1"}


def by_canal(gtid: str) -> Mapping[str, Any]:
    return {"es": str(NOON), "gtid": gtid}


def by_connector(gtid: str) -> Mapping[str, Any]:
    return {"source": {"ts_ms": str(NOON), "gtid": gtid or None}}


def by_block(id_: str) -> Mapping[str, Any]:
    return {"source": {"ts_ms": str(NOON)}, "transaction": id_}


TELLING = {
    "canal": (CANAL, by_canal),
    "connector": (CONNECTOR, by_connector),
    "connector with its block": (METADATA, by_block),
}


def life(one: RowChange, *sources: Mapping[str, Any] | None) -> list[RowChange]:
    """A row made and taken away again, in two changes."""
    born = replace(one, op="insert", before=None, after=ROW)
    gone = replace(one, op="delete", before=ROW, after=None)
    return [replace(change, source=source) for change, source in zip((born, gone), sources, strict=True)]


ONE = row_change(None, ROW, NOON, "orders")


def rows_of(of: Side, given: list[RowChange]) -> list[Record]:
    """The messages of rows, which those of a transaction's begin and end are not."""
    return [record for record in messages(of, given) if b'"op":' in (record.value or b"") or of is CANAL]


@pytest.mark.parametrize("name", TELLING)
@pytest.mark.parametrize(("ids", "lost"), [(("u:7", "u:7"), False), (("u:7", "u:8"), True)])
def test_a_row_that_two_transactions_made_and_took_away_did_not_vanish(
    name: str, ids: tuple[str, str], lost: bool
) -> None:
    of, source = TELLING[name]
    ticdc = side("left", "canal-json" if of is CANAL else "debezium")
    found = unexplained((ticdc, of), ([], rows_of(of, life(ONE, *map(source, ids)))))
    assert [d.kind for d in found] == ([Class.EXTRA] * 2 if lost else [])


@pytest.mark.parametrize("name", TELLING)
def test_an_instant_is_the_time_and_the_name_of_the_transaction_in_both_ways(name: str) -> None:
    of, source = TELLING[name]
    given = [replace(one, source=source(f"u:1-{n}")) for n, one in enumerate(changes(seed=3, count=40))]
    records = rows_of(of, given)
    reader = SlimReader(0, of)
    found = slims(reader, records)
    assert QuickRows(of).read([one.value for one in records], [one.key for one in records])[1] == []
    assert found == [row for record in records for row in reader.read_any(record)]
    assert [change_of(row).instant for row in found] == [f"{NOON} u:1-{n}" for n in range(40)]
    assert {time_of(row.instant) for row in found} == {str(NOON)}


@pytest.mark.parametrize("name", ["canal", "connector"])
def test_an_instant_is_the_time_alone_where_no_transaction_is_named(name: str) -> None:
    of, source = TELLING[name]
    reader = SlimReader(0, of)
    [record] = messages(of, [replace(ONE, source=source(""))])
    assert [row.instant for rows in (slims(reader, [record]), reader.read_any(record)) for row in rows] == [
        str(NOON)
    ] * 2


@pytest.mark.parametrize("name", TELLING)
def test_a_window_is_of_the_time_whatever_the_transaction(name: str) -> None:
    of, source = TELLING[name]
    records = rows_of(of, life(ONE, source("u:7"), source("u:8")))
    for begin, there in ((NOON, 2), (NOON + 1, 0)):
        reader = SlimReader(0, replace(of, window=Window(compose(begin))))
        assert len(slims(reader, records)) == there
        assert sum(len(list(reader.read_any(record))) for record in records) == there


def test_sound_streams_that_name_their_transactions_have_no_unexplained_difference() -> None:
    sides = generated.side("left", "canal-json"), generated.side("right", "canal", gtid="true")
    assert unexplained(sides, [sent(one, transactions("shop", 300, 4)) for one in sides]) == []


# -- transactions that one side tears apart ----------------------------------------------------------------------------

VALUES = {
    "amount": ("1.50", "2.75", "3.25", "4.25"),
    "rate": ("1.5", "2.75", "3.25", "4.5"),
    "name": ("a", "b", "c", "d"),
    "small": ("1", "2", "3", "4"),
}
TORN = {
    "canal": (side("left", "canal-json", enable_tidb_extension="true"), CANAL, by_canal),
    "connector": (side("left", "canal-json", enable_tidb_extension="true"), CONNECTOR, by_connector),
    "connector beside Debezium": (side("left", "debezium"), CONNECTOR, by_connector),
}


def updates(states: Sequence[int], *stamps: int) -> list[RowChange]:
    """Of a row for each column: the updates from state to state of the column, at these times."""
    found = []
    for (old, new), at in zip(pairwise(states), stamps, strict=True):
        for number, (column, values) in enumerate(VALUES.items()):
            row = {**ROW, "id": str(number)}
            found.append(row_change(row | {column: values[old]}, row | {column: values[new]}, at, "orders"))
    return found


def both_ways(sides: list[Side], streams: list[list[Record]]) -> tuple[list[Difference], list[Difference]]:
    """(the differences by fingerprints, those of the exact way)."""
    placed = [numbered(stream) for stream in streams]
    pairs = pairs_for(sides)
    by_prints = compare_locally(sides, placed, pairs, partitions=2).differences
    return by_prints, exactly(sides, placed).differences


def shown(differences: Sequence[Difference]) -> list[tuple[str, str]]:
    """What they are, and their names."""
    return sorted((one.kind.value, str(one.divergence)) for one in differences)


@pytest.mark.parametrize("name", TORN)
@pytest.mark.parametrize(
    ("times", "ids", "is_fault"),
    [
        ((NOON, NOON + 1), ("u:1", "u:1", "u:1"), True),
        ((NOON, NOON), ("u:1", "u:1", "u:2"), True),
        ((NOON, NOON + 1), ("u:1", "u:1", "u:2"), False),
        ((NOON, NOON + 1), ("", "", ""), False),
    ],
    ids=["torn", "joined", "as it was", "without names"],
)
def test_steps_of_a_transaction_are_one_change_only_where_it_is_whole(
    name: str, times: tuple[int, int], ids: tuple[str, ...], is_fault: bool
) -> None:
    ticdc, upstream, source = TORN[name]
    names = [id_ for id_ in ids for _ in VALUES]
    steps = [replace(one, source=source(id_)) for one, id_ in zip(updates(range(4), *[NOON] * 3), names, strict=True)]
    folded = messages(ticdc, updates([0, 2, 3], *times))
    streams = [[one for one in folded if b"WATERMARK" not in (one.value or b"")], rows_of(upstream, steps)]
    by_prints, exact = both_ways([ticdc, upstream], streams)
    assert shown(by_prints) == shown(exact)
    assert len({one.key for one in exact if one.kind is Class.EXTRA}) == (len(VALUES) if is_fault else 0)

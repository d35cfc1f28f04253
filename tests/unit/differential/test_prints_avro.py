"""Fingerprints of Avro, with and without the row before: what they settle is what the exact way finds."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from differential.local import compare_locally
from differential.prints.ways import ComparedBy, ReadAs
from reference_impl.model import Record
from tests.unit.differential import generated
from tests.unit.differential.building import pairs_for
from tests.unit.differential.generated import transactions
from tests.unit.differential.test_prints import exactly, with_faults
from tests.unit.differential.test_quick_avro import OPTIONS, sent


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("share", [0, 0.03])
def test_what_fingerprints_settle_of_avro_is_what_the_exact_way_finds(name: str, share: float) -> None:
    of, records = sent(name, "shop")
    other = generated.side("right", "canal-json", "shop", enable_tidb_extension="true")
    sides, draw = [of, other], random.Random(3)
    streams = [records, generated.sent(other, transactions("shop", 150, 3))]
    streams = [with_faults(stream, draw, share) for stream in streams]
    found = compare_locally(sides, streams, pairs_for(sides), batch=97)
    assert found == exactly(sides, streams)
    ways = found.counts.ways
    read, long = (ways["left", way.value] for way in (ReadAs.COLUMNS, ReadAs.ONE_BY_ONE))
    assert share or (read, long) == (len(records), 0)


@pytest.mark.parametrize("name", ["alone", "with the extension", "with the row before"])
def test_keys_whose_changes_agree_as_far_as_each_side_says_need_no_values(name: str) -> None:
    of, records = sent(name, "shop")
    other = generated.side("right", "canal-json", "shop", enable_tidb_extension="true")
    sides, streams = [of, other], [records, generated.sent(other, transactions("shop", 150, 3))]
    ways = compare_locally(sides, streams, pairs_for(sides), batch=97).counts.ways
    compared = {way: count for (kind, way), count in ways.items() if kind == "compared"}
    assert compared == {ComparedBy.PRINTS.value: sum(map(len, streams))}


@pytest.mark.parametrize("dialect", ["canal", "debezium-connector", "open-protocol"])
@pytest.mark.parametrize("name", ["alone", "with the extension"])
def test_lost_repeated_and_late_messages_beside_avro_are_found_as_in_the_exact_way(name: str, dialect: str) -> None:
    of, records = sent(name, "shop")
    other = generated.side("right", dialect, "shop")
    sides, draw = [of, other], random.Random(5)
    streams = [shaken(records, draw), shaken(generated.sent(other, transactions("shop", 150, 3)), draw)]
    found = compare_locally(sides, streams, pairs_for(sides), batch=97)
    assert found == exactly(sides, streams)
    assert found.differences


def shaken(records: Sequence[Record], draw: random.Random) -> list[Record]:
    """The messages, of which a tenth are lost, sent again, or come later."""
    found: list[Record] = []
    late: list[Record] = []
    for record in records:
        kind = draw.choice(("lost", "again", "late")) if draw.random() < 0.1 else ""
        if kind == "late":
            late.append(record)
        elif kind != "lost":
            found += [record] * (2 if kind == "again" else 1)
        if late and draw.random() < 0.2:
            found.append(late.pop(draw.randrange(len(late))))
    return [replace(record, offset=number) for number, record in enumerate([*found, *late])]

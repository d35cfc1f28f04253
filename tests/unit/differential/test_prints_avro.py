"""Fingerprints of Avro, with and without the row before: what they settle is what the exact way finds."""

from __future__ import annotations

import random

import pytest

from differential.local import compare_locally
from differential.prints.ways import Way
from tests.unit.differential import generated
from tests.unit.differential.generated import transactions
from tests.unit.differential.test_columnar import pairs_for
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
    read, long = (ways["left", way.value] for way in (Way.COLUMNS, Way.ONE_BY_ONE))
    deleted = sum(record.value is None for record in records)
    assert share or (read, long) == (len(records) - deleted, deleted)

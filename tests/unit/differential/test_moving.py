"""Blocks that move between machines arrive whole, and two passes find what one machine finds."""

from __future__ import annotations

import binascii
import random
from binascii import crc32
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import pyarrow
import pytest

from differential.local import Outcome, compare_locally
from differential.prints.layout import tables_of
from differential.prints.moving import BLOCKS, GROUPS, only_groups, packed, unpacked
from differential.prints.reading import PrintReader
from differential.prints.settling import settle, settle_prints
from differential.prints.storing import Stored, Values, others_in, prints_in, store, store_others
from differential.record_batches import record_batch
from differential.result.tally import order_of
from differential.sides import Side
from reference_impl.model import Record
from tests.amounts import ordinarily
from tests.unit.differential.building import pairs_for
from tests.unit.differential.generated import DIALECTS, sent, sides_of, transactions
from tests.unit.differential.test_prints import with_faults

PARTS = 5


def streams_of(sides: Sequence[Side], share: float) -> list[list[Record]]:
    changes, draw = transactions("shop", ordinarily(120, 300), 4), random.Random(len(sides))
    return [with_faults(sent(of, changes), draw, share) for of in sides]


def stored(folder: Path, sides: Sequence[Side], streams: Sequence[Sequence[Record]], most_bytes: int) -> list[Stored]:
    places: list[Stored] = []
    for number, records in enumerate(streams):
        reader = PrintReader(number, sides, pairs_for(sides))
        batches = (record_batch(records[begin : begin + 47]) for begin in range(0, len(records), 47))
        places += store(str(folder), PARTS, reader.read(batches), reader.names, most_bytes=most_bytes)
        places += store_others(str(folder), PARTS, reader.others)
    return sorted(places)


def content(places: Sequence[Stored]) -> tuple[list[Any], list[Any], list[Any]]:
    """The fingerprints, images and slim records at places, each sorted."""
    prints, values = prints_in(places).to_pylist(), Values(places)
    images = [
        [values.image(row, name, one["side"], one["table"]) for name in ("before", "after")]
        for row, one in enumerate(prints)
    ]
    return sorted(map(repr, prints)), sorted(map(repr, images)), others_in(places)


@pytest.mark.parametrize("most_bytes", [1, 2**30])
def test_blocks_that_move_arrive_with_every_row_in_its_part(tmp_path: Path, most_bytes: int) -> None:
    sides = sides_of("canal", 2)
    places = stored(tmp_path, sides, streams_of(sides, 0.03), most_bytes)
    blocks = pyarrow.Table.from_batches(packed(places))
    arrived = unpacked(str(tmp_path), blocks.take([*range(len(blocks))][::-1]).to_batches())
    assert content(arrived) == content(places)
    assert [place[0] for place in arrived] == sorted(place[0] for place in places), "part by part"
    groups = {place[0]: {row["group"] % PARTS for row in prints_in([place]).to_pylist()} for place in arrived}
    assert {part for part, found in groups.items() if found - {part}} == set()


def in_two_passes(folder: Path, sides: Sequence[Side], streams: Sequence[Sequence[Record]]) -> tuple[Outcome, int]:
    """What two passes find, and the number of changes whose values moved."""
    pairs, most = pairs_for(sides), len(sides)
    blocks = pyarrow.Table.from_batches(packed(stored(folder, sides, streams, 2**16)))
    assert blocks.schema == BLOCKS
    found, moved = Outcome(), 0
    without_values = blocks.set_column(3, "values", pyarrow.array([b""] * len(blocks), pyarrow.binary()))
    for part, places in groupby(unpacked(str(folder), without_values.to_batches()), itemgetter(0)):
        differences, counts, left_out = settle_prints(pairs, most, tables_of(sides), list(places))
        found.differences += differences
        found.counts.add(counts)
        of_part = blocks.filter((pyarrow.compute.field("part") == part) & ~pyarrow.compute.field("is_of_others"))
        groups = pyarrow.array([left_out.astype(GROUPS).tobytes()] * len(of_part), pyarrow.binary())
        needed = unpacked(str(folder), only_groups(of_part.append_column("groups", groups).to_batches()))
        if needed:
            moved += prints_in(needed).num_rows
            differences, counts = settle(pairs, most, tables_of(sides), needed)
            found.differences += differences
            found.counts.add(counts)
    found.differences.sort(key=order_of)
    return found, moved


@pytest.mark.parametrize(("most", "share"), [(2, 0), (2, 0.03), (3, 0.03)])
@pytest.mark.parametrize("name", DIALECTS)
def test_two_passes_find_what_one_machine_finds(name: str, most: int, share: float, tmp_path: Path) -> None:
    sides = sides_of(name, most)
    streams = streams_of(sides, share)
    found, moved = in_two_passes(tmp_path, sides, streams)
    expected = compare_locally(sides, streams, pairs_for(sides))
    assert found == expected
    assert sum(found.counts.ways.values()) == sum(expected.counts.ways.values())
    assert 0 < moved < sum(expected.counts.changes.values()) or (moved == 0 and not expected.differences)


def test_keys_that_share_a_group_are_counted_in_one_pass_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sides = sides_of("canal", 2)
    streams = streams_of(sides, 0.03)
    expected, moved_at_first = in_two_passes(tmp_path, sides, streams)
    monkeypatch.setattr(binascii, "crc32", lambda data, seed=0: crc32(data, seed) % 40)
    found, moved = in_two_passes(tmp_path, sides, streams)
    assert found == expected
    assert moved_at_first < moved < sum(expected.counts.changes.values())

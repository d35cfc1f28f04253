"""Fingerprints first: what they settle is what the exact way finds, and a change has one however it was read."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any

import orjson
import pyarrow
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from conformance.ddl import tables_of_sql
from differential.decode.fingerprints import NO_ROW, UNKNOWN_IMAGE, print_of
from differential.decode.quick import FEW, QuickRows
from differential.local import compare_locally
from differential.model import Class
from differential.prints.layout import PRINTS
from differential.prints.reading import PrintReader
from differential.prints.storing import Values
from differential.prints.ways import ReadAs
from differential.record_batches import record_batch
from differential.sides import Side
from differential.sources.spec import Spec
from reference_impl.model import Record
from reference_impl.profiles import CLASSIC, DOC, NEWARCH, Profile, profile_of_release
from tests.amounts import ordinarily
from tests.unit.differential import generated
from tests.unit.differential.building import (
    NOON,
    encoder_of,
    exactly,
    numbered,
    pairs_for,
    row_change,
    side_of,
    written,
)
from tests.unit.differential.generated import DIALECTS, sent, sides_of, transactions
from tests.unit.differential.mutations import mutations
from tests.unit.differential.test_quick import DIALECTS as READ_QUICKLY
from tests.unit.differential.test_quick import STREAMS, some_rows, stream_of, taken_by

CHANGES = ordinarily(120, 300)
OF_CANAL = [(name, preset) for name, preset in STREAMS if READ_QUICKLY[name][0].startswith("canal")]


def with_faults(records: Sequence[Record], draw: random.Random, share: float) -> list[Record]:
    """The messages, of which some are lost, sent again, or have something wrong in them."""
    found: list[Record] = []
    for record in records:
        kind = draw.choice(("lost", "again", "broken")) if draw.random() < share else ""
        if kind != "lost":
            value = record.value
            if kind == "broken" and value:
                [value] = mutations(value, draw.randrange(2**32), 1)
            found += [replace(record, value=value)] * (2 if kind == "again" else 1)
    return [replace(record, offset=number) for number, record in enumerate(found)]


@pytest.mark.parametrize(("most", "share"), [(3, 0), (2, 0.03), (3, 0.03)])
@pytest.mark.parametrize("name", DIALECTS)
def test_what_fingerprints_settle_is_what_the_exact_way_finds(name: str, most: int, share: float) -> None:
    sides, draw = sides_of(name, most), random.Random(most)
    streams = [with_faults(sent(of, transactions("shop", CHANGES, 4)), draw, share) for of in sides]
    assert compare_locally(sides, streams, pairs_for(sides), batch=47) == exactly(sides, streams)


def of_one_clock() -> list[Side]:
    tables = tables_of_sql("CREATE TABLE shop.t (id INT PRIMARY KEY, c INT);", "x")
    left = side_of("left", "canal-json", tables, enable_tidb_extension="true")
    return [left, side_of("right", "open-protocol", tables)]


def test_an_equal_change_at_another_time_differs_if_the_sides_share_a_clock() -> None:
    sides = of_one_clock()
    times = zip(sides, (NOON, NOON + 1), strict=True)
    streams = [written(of, [row_change(None, {"id": "1", "c": "1"}, ms)]) for of, ms in times]
    for found in (compare_locally(sides, streams, pairs_for(sides)), exactly(sides, streams)):
        assert [(d.kind, d.column) for d in found.differences] == [(Class.METADATA, "commit_ts")]


def test_changes_of_one_message_are_in_order_in_each_way() -> None:
    """The fast path reads inserts, updates and deletes apart."""
    sides = of_one_clock()
    messages = []
    for number in range(2 * FEW):
        one, two = ({"id": f"{number}", "c": c} for c in "12")
        rows = [(None, one), (one, two), (None, {"id": f"-{number + 1}", "c": "1"}), (two, None), (None, one)]
        messages.append([row_change(*row, NOON + 10 * number + n) for n, row in enumerate(rows)])
    encoder = encoder_of(sides[1])
    right = numbered(record for changes in messages for record in encoder.encode(changes, sides[1].tables).records)
    streams = [written(sides[0], [change for changes in messages for change in changes]), right]
    found = compare_locally(sides, streams, pairs_for(sides))
    assert found.counts.ways["right", ReadAs.COLUMNS] > 0
    for one in (found, exactly(sides, streams)):
        assert one.differences == []


def test_a_repeat_in_a_table_without_a_key_is_a_duplicate_in_each_way() -> None:
    """Canal's clock has seconds and is two of them ahead: both rows have one time, and neither of them is lost."""
    bare = tables_of_sql("CREATE TABLE shop.k (a INT);", "x")
    rows, ahead = ([row_change(None, {"a": "1"}, NOON + ms, "k") for ms in times] for times in ((0, 300), (2000, 2300)))
    sides = [side_of("left", "canal-json", bare, enable_tidb_extension="true"), side_of("right", "canal", bare)]
    streams = [written(of, given) for of, given in zip(sides, ([rows[0], *rows], ahead), strict=True)]
    for found in (compare_locally(sides, streams, pairs_for(sides)), exactly(sides, streams)):
        assert [(d.kind, d.left and d.left.offset) for d in found.differences] == [(Class.DUPLICATE, 1)]


@given(st.integers(0, 2**32), st.sampled_from(sorted(DIALECTS)), st.sampled_from(["shop", "hot", "types"]))
@example(702, "canal", "hot")  # one price that is none, among prices that lack a zero
@example(1, "debezium", "types")
@example(2, "one clock", "shop")
@settings(max_examples=ordinarily(1, 6), deadline=None)
def test_random_streams_with_random_faults_make_no_difference_between_the_ways(
    seed: int, name: str, preset: str
) -> None:
    sides = [generated.side(of.name, of.dialect, preset, **_named(of)) for of in sides_of(name, 2)]
    draw = random.Random(seed)
    streams = [with_faults(sent(of, transactions(preset, 120, seed % 50)), draw, 0.05) for of in sides]
    found, expected = (
        compare_locally(sides, streams, pairs_for(sides), batch=61),
        exactly(sides, streams),
    )
    for one in (found, expected):
        one.counts.offset_examples.clear()  # which changes are examples of how far clocks are apart is free
    assert found == expected


def _named(of: Side) -> dict[str, str]:
    return {name.replace("-", "_"): value for name, value in of.options.items()}


def test_values_are_read_only_of_what_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sides = sides_of("one clock", 2)
    asked: list[int] = []
    monkeypatch.setattr(Values, "image", lambda of, row, *more: asked.append(row))
    streams = [sent(of, transactions("shop", CHANGES, 4)) for of in sides]
    found = compare_locally(sides, streams, pairs_for(sides), scratch=tmp_path)
    assert found.differences == []
    assert sum(found.counts.changes.values()) > CHANGES
    assert asked == []


def long_way(number: int, sides: Sequence[Side]) -> PrintReader:
    """A reader that has no fast path."""
    reader = PrintReader(number, sides, pairs_for(sides))
    reader._slim = _Long(reader)  # type: ignore[assignment]
    return reader


class _Long:
    def __init__(self, reader: PrintReader) -> None:
        self._slim = reader._slim
        self.counts, self.read_any = self._slim.counts, self._slim.read_any

    def read(self, values: Sequence[Any], keys: Sequence[Any]) -> tuple[list[Any], list[int]]:
        return [], list(range(len(values)))

    read_ordinary = read


def printed(reader: PrintReader, records: Sequence[Record]) -> list[tuple[Any, ...]]:
    """The fingerprints of messages, in the order of the messages."""
    table = pyarrow.Table.from_batches(reader.read([record_batch(records)]))
    rows = zip(*(table[name].to_pylist() for name in ("offset", "step", *PRINTS.names)), strict=True)
    return sorted(rows, key=repr)


def assert_prints_alike(sides: Sequence[Side], records: Sequence[Record]) -> None:
    """Messages have one fingerprint in both ways."""
    assert printed(PrintReader(0, sides, pairs_for(sides)), records) == printed(long_way(0, sides), records)


@pytest.mark.parametrize(("name", "preset"), OF_CANAL)
def test_a_change_has_one_fingerprint_however_it_is_read(name: str, preset: str) -> None:
    of, records = stream_of(name, preset)
    assert_prints_alike([of, replace(of, name="right")], records)


@pytest.mark.parametrize(("name", "preset"), OF_CANAL)
def test_what_the_fast_path_takes_of_broken_messages_the_long_way_reads_alike(name: str, preset: str) -> None:
    of, records = stream_of(name, preset)
    sides = [of, replace(of, name="right")]
    short, long, known = PrintReader(0, sides, pairs_for(sides)), long_way(0, sides), QuickRows(of)
    taken = 0
    for number, record, value in some_rows(records):
        broken = [replace(record, value=other) for other in mutations(value, number, ordinarily(15, 50))]
        sure = taken_by(known, broken)
        taken += len(sure)
        if sure:
            assert printed(short, sure) == printed(long, sure)
    assert taken > 0
    assert {row.kind for row in long.others} <= {4, 6}  # counts and check records: no message was odd


def test_different_images_have_different_fingerprints() -> None:
    images = [None, b"", b'{"a":"1"}', b'{"a":null}', b'{"b":"1"}', b'?{"a":"1"}', b'{"a":"1","b":null}', b'{"a":"2"}']
    prints = [print_of(image) for image in images]
    assert len(set(prints)) == len(images)
    assert prints[:2] == [NO_ROW, UNKNOWN_IMAGE]
    assert print_of(b'{"a":"1"}').hex() == "f18aa8291328316384d1848c11f6ac44"


def test_sources_are_read_by_workers_as_messages_are_that_are_given(tmp_path: Path) -> None:
    sides = sides_of("canal", 2)
    streams = [sent(of, transactions("shop", CHANGES, 8)) for of in sides]
    (tmp_path / "left").mkdir()
    for part, begin in enumerate(range(0, len(streams[0]), 100)):
        table = pyarrow.Table.from_batches([record_batch(streams[0][begin : begin + 100])])
        parquet.write_table(table, tmp_path / "left" / f"{part:03}.parquet", row_group_size=30)
    lines = [b'{"topic":"%s","partition":%d,"offset":%d,"payload":%s}' % _kcat(one) for one in streams[1]]
    (tmp_path / "right.jsonl").write_bytes(b"\n".join(lines))
    specs = [Spec("canal-json", str(tmp_path / "left")), Spec("canal", str(tmp_path / "right.jsonl"))]
    expected = compare_locally(sides, streams, pairs_for(sides))
    assert compare_locally(sides, specs, pairs_for(sides), workers=2, scratch=tmp_path) == expected
    assert sorted(one.name for one in tmp_path.iterdir()) == ["left", "right.jsonl"]


def _kcat(record: Record) -> tuple[bytes, int, int, bytes]:
    assert record.value is not None
    return (record.topic or "").encode(), record.partition or 0, record.offset or 0, orjson.dumps(record.value.decode())


@pytest.mark.parametrize("brackets", [0, 1, 7, 8, 9, 500])
def test_a_message_is_cut_behind_its_rows_however_many_brackets_they_have(brackets: int) -> None:
    of = generated.side("left", "canal", "shop")
    sides = [of, replace(of, name="right")]
    found = (one for one in sent(of, transactions("shop", 40, 3)) if b'"note":"orange"' in (one.value or b""))
    record = next(found)
    assert record.value is not None
    record = replace(record, value=record.value.replace(b"orange", b"[]," * brackets))
    taken, left = QuickRows(of).read([record.value], [record.key])
    assert (sum(len(one.positions) for one in taken), left) == (1, [])
    assert_prints_alike(sides, [record])


@pytest.mark.parametrize("profile", [NEWARCH, CLASSIC, DOC, profile_of_release("v6.4.0")], ids=attrgetter("title"))
def test_the_fast_path_takes_every_operation_in_either_order_of_the_images(profile: Profile) -> None:
    of = replace(generated.side("left", "canal-json", "shop", enable_tidb_extension="true"), profile=profile)
    sides = [of, replace(of, name="right")]
    records = [one for one in sent(of, transactions("shop", 100, 3)) if one.value is not None]
    taken, _ = QuickRows(of).read([one.value for one in records], [one.key for one in records])
    assert {one.op for one in taken} == {"insert", "update", "delete"}
    assert_prints_alike(sides, taken_by(QuickRows(of), records))

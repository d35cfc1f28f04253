"""Sides, changes and messages of tests, and their comparison."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from operator import attrgetter
from typing import Any

from differential.align.comparison import compare_key
from differential.align.merging import Merge
from differential.align.pair_context import PairContext
from differential.align.pairs import Pair, pairs_of
from differential.batches import decode
from differential.classify.explaining import namer_of
from differential.classify.naming import Namer
from differential.decode.slim import Slim
from differential.live.whole import count_clock_offsets
from differential.local import Outcome, Stream
from differential.model import Change, Difference, Place, Status
from differential.record_batches import record_batch
from differential.result.tally import order_of
from differential.sides import Side, codec_of
from reference_impl.model import Event, Record, Row, RowChange, RowOp, Table
from reference_impl.options import parse
from reference_impl.protocols import Encoder
from reference_impl.tso import compose, physical_ms
from tests.comparing import compare_locally

NOON = 1_709_208_000_000
"""Milliseconds."""


def side_of(name: str, dialect: str, tables: Iterable[Table] = (), **options: str) -> Side:
    """A side; underscores in names of options stand for hyphens."""
    return Side(name, dialect, {n.replace("_", "-"): v for n, v in options.items()}, tables=tuple(tables))


def op_of(before: object, after: object) -> RowOp:
    """What is done to a row that is there before or after it."""
    return "insert" if before is None else "delete" if after is None else "update"


def row_change(before: Row | None, after: Row | None, ms: float = NOON, table: str = "t", **more: Any) -> RowChange:
    """A change of a row of the schema `shop`, in a transaction of its own."""
    ts = compose(int(ms))
    return RowChange(op_of(before, after), "shop", table, ts, before, after, start_ts=ts, **more)


def encoder_of(of: Side, **more: Any) -> Encoder:
    """An encoder with the options of a side."""
    codec = codec_of(of.dialect)
    return codec.encoder(parse(codec.options, of.options), of.profile, settings=of.settings, **more)


def written(of: Side, events: Iterable[Event], tables: Sequence[Table] | None = None, **more: Any) -> list[Record]:
    """The messages of a side for events, each of which is a transaction."""
    encoder = encoder_of(of, **more)
    given = of.tables if tables is None else tables
    return numbered(record for event in events for record in encoder.encode([event], given).records)


def timed(of: Side, changes: Iterable[RowChange]) -> list[Record]:
    """The messages of a side for changes, each with the time of its change; no tombstones."""
    encoder, made = encoder_of(of), list[Record]()
    for change in changes:
        records = encoder.encode([change], of.tables).records
        made += (replace(one, timestamp=physical_ms(change.commit_ts or 0)) for one in records if one.value is not None)
    return numbered(made)


def numbered(records: Iterable[Record]) -> list[Record]:
    """The messages in one partition, with offsets from 0."""
    return [replace(record, topic="t", partition=0, offset=n) for n, record in enumerate(records)]


def lost(records: Sequence[Record], at: int) -> list[Record]:
    """Without one message."""
    return numbered([*records[:at], *records[at + 1 :]])


def repeated(records: Sequence[Record], at: int) -> list[Record]:
    """With one message twice."""
    return numbered([*records[: at + 1], *records[at:]])


# -- one key


def key_change(
    before: bytes | None, after: bytes | None, offset: int = 0, topic: str = "t", op: str = "", **times: Any
) -> Change:
    """A change of the row of one key, of its images."""
    return Change("s", "t", b'["1"]', op or op_of(before, after), before, after, Place(topic, 0, offset), **times)


def image(state: str | None) -> bytes | None:
    """The image of a row in a state."""
    return None if state is None else f'{{"c":"{state}","id":"1"}}'.encode()


def chain(*states: str | None, **times: Any) -> list[Change]:
    """The changes that lead from each state of a row to the next."""
    return [key_change(image(a), image(b), n, **times) for n, (a, b) in enumerate(pairwise(states))]


def found_of_key(left: Sequence[Change], right: Sequence[Change], namer: Namer, **more: Any) -> list[Difference]:
    """What a comparison finds in the changes of one key."""
    return compare_key(PairContext("left-right", "left", "right", {}, **more), left, right, namer).differences


# -- streams


def types_of(sides: Sequence[Side]) -> Mapping[tuple[str, str, str], Any]:
    """The types of the columns of the first side."""
    return {(t.schema, t.name, c.name): c.type for t in sides[0].tables for c in t.columns}


def pairs_for(sides: Sequence[Side]) -> tuple[Pair, ...]:
    """All pairs of the sides, with the divergences of the catalogue."""
    return pairs_of(sides, types_of(sides), {f"{a.name}-{b.name}": namer_of(a, b) for a, b in combinations(sides, 2)})


def unnamed_pairs(sides: Sequence[Side]) -> tuple[Pair, ...]:
    """All pairs of the sides, without a name for any difference."""
    return pairs_of(sides, types_of(sides), {f"{a.name}-{b.name}": Namer() for a, b in combinations(sides, 2)})


def outcome_of(sides: Sequence[Side], streams: Sequence[Stream]) -> Outcome:
    """What a comparison finds."""
    return compare_locally(sides, streams, pairs_for(sides))


def differences(sides: Sequence[Side], streams: Sequence[Stream]) -> list[Difference]:
    return outcome_of(sides, streams).differences


def unexplained(sides: Sequence[Side], streams: Sequence[Stream]) -> list[Difference]:
    """The differences that have no name."""
    return [d for d in differences(sides, streams) if d.status is Status.UNEXPLAINED]


def exactly(
    sides: Sequence[Side], streams: Sequence[Sequence[Record]], pairs: Sequence[Pair] = (), batch: int = 1000
) -> Outcome:
    """What `Merge` finds in all changes, one by one, if messages are decoded in batches by workers of their own."""
    rows: list[Slim] = []
    pairs = pairs or pairs_for(sides)
    for number, (side, records) in enumerate(zip(sides, streams, strict=True)):
        for begin in range(0, len(records), batch):
            for one in decode(number, side, [record_batch(records[begin : begin + batch])]):
                rows += map(Slim._make, zip(*(column.to_pylist() for column in one.columns), strict=True))
    rows.sort(key=attrgetter("order"))
    exact = Merge(pairs, len(sides))
    differences = sorted(exact.differences(rows), key=order_of)
    count_clock_offsets(pairs, rows, exact.counts)
    return Outcome(differences, exact.counts)

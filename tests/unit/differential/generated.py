"""Streams of the generator in memory: the messages of a side, what they are about, and faults put into them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from differential.decode.changes import ChangeReader
from differential.faults import Fault, Injected, Kind, Message, inject, row_keys
from differential.generate.messages import StreamWriter, schemas_of
from differential.generate.presets import PRESETS
from differential.generate.truth import Plan, Transaction, shard
from differential.model import Change, Difference
from differential.registries import Listed
from differential.sides import Side
from reference_impl.keys import handle_key
from reference_impl.model import Record, Table
from tests.unit.differential.building import side_of
from tests.unit.differential.building import unexplained as unexplained

RowKey = tuple[str, str, str]


@cache
def transactions(preset: str, changes: int, seed: int) -> tuple[Transaction, ...]:
    """A stream of one shard."""
    found = PRESETS[preset]
    return tuple(shard(Plan(found.sources(), seed, changes, 1, found.hot), 0))


@cache
def tables(preset: str) -> tuple[Table, ...]:
    """The tables of a preset."""
    return tuple(source.table for source in PRESETS[preset].sources())


DIALECTS = {
    "canal": (("canal-json", {"enable_tidb_extension": "true"}), ("canal", {})),
    "debezium": (("debezium", {}), ("debezium-connector", {})),
    "one clock": (("canal-json", {"enable_tidb_extension": "true"}), ("open-protocol", {"max_batch_size": "1"})),
}
"""By name, the dialects and options of two sides."""


def sides_of(name: str, most: int) -> list[Side]:
    """The sides of `DIALECTS`, and a third one of TiCDC."""
    names = ("left", "right", "third")
    given = (*DIALECTS[name], *DIALECTS["one clock"])[:most]
    return [side(of, dialect, **options) for of, (dialect, options) in zip(names, given, strict=False)]


def side(name: str, dialect: str, preset: str = "shop", **options: str) -> Side:
    """A side; underscores in names of options stand for hyphens."""
    return side_of(name, dialect, tables(preset), **options)


def sent(of: Side, given: Sequence[Transaction]) -> list[Record]:
    """The messages of a side."""
    writer = StreamWriter(of, 0)
    return [record for transaction in given for record in writer.records(transaction)]


def avro(name: str, preset: str, given: Sequence[Transaction], **options: str) -> tuple[Side, list[Record]]:
    """A side of Avro that knows the schemas of its messages, and these."""
    of = side(name, "avro", preset, **options)
    writer = StreamWriter(of, 0)
    records = [record for transaction in given for record in writer.records(transaction)]
    return replace(of, settings=replace(of.settings, registry=Listed.of(schemas_of(writer.registry)))), records


def broken(
    of: Side, records: Sequence[Record], faults: Sequence[Fault], taken: set[bytes]
) -> tuple[list[Record], list[Injected]]:
    """The messages with faults in them; `taken` are the keys that have one."""
    keys = {table.id: handle_key(table) for table in of.tables}
    messages = [
        Message(r.key, r.value, r.topic or "", r.partition or 0, r.offset or 0, r.timestamp, r.headers) for r in records
    ]
    made, injected = inject(messages, faults, seed=of.name, keys_of=lambda m: row_keys(m, keys), taken=taken)
    return [Record(m.key, m.value, m.partition, m.topic, m.headers, m.offset, m.timestamp) for m in made], injected


@dataclass(frozen=True, slots=True)
class Reached:
    """What a fault may show in: the keys of its rows, and its message."""

    side: int
    fault: Injected
    keys: frozenset[RowKey]

    def by(self, d: Difference) -> bool:
        """Whether the difference is about it."""
        place = (d.left, d.right)[self.side]
        copies = range(2 if self.fault.kind is Kind.REPEATED else 1)
        at_message = (
            place is not None
            and self.fault.after is not None
            and place.topic == self.fault.topic
            and place.offset - self.fault.after in copies
        )
        its_tombstone = d.column == "tombstone" and place is not None and place.topic == self.fault.topic
        return at_message or its_tombstone or (d.schema, d.table, d.key) in self.keys


def reached(number: int, of: Side, sound: Sequence[Record], injected: Sequence[Injected]) -> list[Reached]:
    """Of each fault of a side what it may show in, by the messages without faults."""
    reader, by_place = ChangeReader(of), {(r.topic, r.offset): r for r in sound}

    def keys(fault: Injected) -> frozenset[RowKey]:
        read = reader.read(by_place[fault.topic, fault.before])
        return frozenset((c.schema, c.table, c.key.decode()) for c in read if isinstance(c, Change))

    return [Reached(number, fault, keys(fault)) for fault in injected]


def put_into(
    number: int, of: Side, sound: Sequence[Record], kinds: Iterable[Kind], each: int, taken: set[bytes]
) -> tuple[list[Record], list[Reached]]:
    """The messages of a side with so many faults of each kind in them, and what these may show in."""
    made, injected = broken(of, sound, [Fault(kind, each) for kind in kinds], taken)
    return made, reached(number, of, sound, injected)


def assert_found(found: Sequence[Difference], faults: Sequence[Reached]) -> None:
    """Every fault is found, and nothing else is."""
    assert [one.fault for one in faults if not any(map(one.by, found))] == [], "not found"
    assert [d for d in found if not any(one.by(d) for one in faults)] == [], "found, but not put in"

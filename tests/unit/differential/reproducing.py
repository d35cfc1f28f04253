"""Reproducers of the catalogue of divergences made into messages of both dialects, and those compared.

What a database stores of a transaction is its own: TiDB keeps the last row of each key, MySQL logs every change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import groupby
from typing import Any

from conformance.catalogue.divergences import Divergence, Edit, Reproducer
from conformance.ddl import tables_of_sql
from differential.align.pairs import pairs_of
from differential.classify.explaining import namer_of
from differential.classify.naming import Namer
from differential.local import Outcome
from differential.sides import Side, codec_of
from reference_impl.model import Record, Row, RowChange, Table
from reference_impl.options import parse
from reference_impl.settings import Settings
from reference_impl.values import from_wire
from tests.comparing import compare_locally
from tests.unit.differential.building import numbered, op_of, types_of

SCHEMA = "shop"
PAIR = "left-right"
_FIRST_TSO = 430_000_000_000_000_000
_SECOND = 1000 << 18  # of a TSO

# Defects of recorded producers, which the encoder writes when it is asked to; and the zone that shows one of them.
DEFECTS: Mapping[str, frozenset[str]] = {
    "DBZ-556": frozenset({"debezium/time-default-as-zero"}),
    "DBZ-560": frozenset({"debezium/shifted-timestamp-default"}),
}
ZONES: Mapping[str, str] = {"DBZ-560": "Asia/Shanghai"}


@cache
def _table_of(create: str) -> Table:
    return tables_of_sql(f"USE {SCHEMA}; {create}", "the reproducer")[0]


def table_of(given: Reproducer) -> Table:
    """The table of a reproducer, `shop.t` unless it says otherwise."""
    columns = ", ".join(("id BIGINT PRIMARY KEY", *given.columns))
    return _table_of(given.create or f"CREATE TABLE t ({columns})")


def _row(table: Table, given: Mapping[str, Any] | None) -> Row | None:
    if given is None:
        return None
    full = ({} if "id" in given or table.column("id") is None else {"id": "1"}) | dict(given)
    columns = {c.name: c.type for c in table.columns}
    return {c.name: from_wire(columns[c.name], full.get(c.name)) for c in table.columns}


def changes_of(given: Reproducer, table: Table) -> list[list[RowChange]]:
    """The changes of a reproducer, a list a transaction."""
    grouped = [(change.get("transaction", f"alone {n}"), change) for n, change in enumerate(given.changes)]
    transactions = []
    for n, (_, group) in enumerate(groupby(grouped, key=lambda pair: pair[0])):
        ts = _FIRST_TSO + n * _SECOND
        images = [(c["op"], _row(table, c.get("before")), _row(table, c.get("after"))) for _, c in group]
        rows = [RowChange(op, SCHEMA, table.name, ts, old, new, start_ts=ts - 1) for op, old, new in images]
        transactions.append(rows)
    return transactions


def _key(table: Table, row: Row) -> tuple[Any, ...]:
    return tuple(row[name] for name in table.primary_key or tuple(row))


def as_kept(changes: Iterable[RowChange], table: Table) -> list[RowChange]:
    """What TiDB keeps of a transaction: of each key the row before the first change, and the row after the last."""
    if not table.primary_key:
        return list(changes)  # rows alike are rows of their own
    kept: dict[tuple[Any, ...], RowChange] = {}
    for change in changes:
        before, after = change.before, change.after
        place = _key(table, before or after or {})
        first = kept.pop(place, None)
        old = first.before if first is not None else before
        if old is None and after is None:
            continue
        kept[_key(table, after or before or {})] = replace(change, op=op_of(old, after), before=old, after=after)
    return list(kept.values())


def as_logged(changes: Sequence[RowChange], number: int) -> list[RowChange]:
    """What MySQL logs of a transaction: every change; those of one operation in a row are one rows event."""
    logged = []
    for n, (_, group) in enumerate(groupby(changes, key=lambda change: change.op)):
        logged += [replace(change, source={"rows_event": f"{number}.{n}"}) for change in group]
    return logged


@dataclass(frozen=True)
class Scene:
    """A reproducer under the first options of its divergence: both sides and their messages."""

    entry: Divergence
    more: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def options(self, dialect: str) -> dict[str, str]:
        """Those that the divergence needs, the default being first."""
        needed = {name: values[0] for name, values in self.entry.when.get(dialect, {}).items()}
        return {**self.more.get(dialect, {}), **needed}

    @cached_property
    def table(self) -> Table:
        assert self.entry.reproducer is not None
        return table_of(self.entry.reproducer)

    @cached_property
    def sides(self) -> tuple[Side, Side]:
        """Upstream, TiCDC."""
        entry, settings = self.entry, Settings(timezone=ZONES.get(self.entry.id, "UTC"))
        named = (("left", entry.upstream), ("right", entry.ticdc))
        left, right = (Side(name, d, self.options(d), settings=settings, tables=(self.table,)) for name, d in named)
        return left, right

    @cached_property
    def messages(self) -> dict[str, list[Record]]:
        """The messages of each dialect, before any edit."""
        return {side.dialect: self._messages(side) for side in self.sides}

    def _messages(self, side: Side) -> list[Record]:
        codec, defects = codec_of(side.dialect), frozenset[str]()
        if side.traits.is_of_ticdc:
            defects = DEFECTS.get(self.entry.id, defects)
        options = parse(codec.options, side.options)
        encoder = codec.encoder(options, side.profile, settings=side.settings, defects=defects)
        assert self.entry.reproducer is not None
        records: list[Record] = []
        for n, transaction in enumerate(changes_of(self.entry.reproducer, self.table)):
            own = as_kept(transaction, self.table) if side.traits.is_of_ticdc else as_logged(transaction, n)
            if own:
                records += encoder.encode(own, [self.table]).records
        return numbered(records)

    @cached_property
    def namer(self) -> Namer:
        return namer_of(*self.sides)

    def compared(self, edit: Edit | None = None, *, again: bool = False) -> Outcome:
        """The comparison of the messages, those of one dialect edited; `again`: at a second place as well."""
        streams = [edited(self.messages[side.dialect], edit, side.dialect) for side in self.sides]
        if again:
            streams = [edited(records, edit, of.dialect) for records, of in zip(streams, self.sides, strict=True)]
        return compare_locally(self.sides, streams, pairs_of(self.sides, types_of(self.sides), {PAIR: self.namer}))


def edited(records: list[Record], edit: Edit | None, dialect: str) -> list[Record]:
    """The messages with the first occurrence of `old` replaced. AssertionError where there is none."""
    if edit is None or edit.dialect != dialect:
        return records
    old, new = edit.old.encode(), edit.new.encode()
    for n, record in enumerate(records):
        for part in ("value", "key"):
            data = getattr(record, part)
            if data is not None and old in data:
                changed = replace(record, **{part: data.replace(old, new, 1)})
                return [*records[:n], changed, *records[n + 1 :]]
    raise AssertionError(f"{edit.old!r} is in no message of {dialect}: {[r.value for r in records]}")


def names_in(outcome: Outcome) -> set[str]:
    """Divergences that a comparison named."""
    return {d.divergence for d in outcome.differences if d.divergence} | {key[4] for key in outcome.counts.named}

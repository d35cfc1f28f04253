"""Reproducers of the catalogue of divergences made into messages of both dialects, and those compared.

What a database stores of a transaction is its own: TiDB keeps the last row of each key, MySQL logs every change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Any

from conformance.catalogue.divergences import Divergence, Edit, Reproducer
from differential.align.comparison import Namer
from differential.align.merging import pairs_of
from differential.classify.explaining import namer_of
from differential.local import Outcome
from differential.sides import Side, codec_of
from reference_impl.model import Record, Row, RowChange, Table
from reference_impl.options import parse
from reference_impl.values import from_wire
from reference_impl.wire import table_from_json
from tests.comparing import compare_locally

SCHEMA = "shop"
PAIR = "left-right"
_FIRST_TSO = 430_000_000_000_000_000
_SECOND = 1000 << 18  # of a TSO
_DEFINITION = re.compile(r"`?(?P<name>\w+)`?\s+(?P<rest>.*)", re.DOTALL)
_LATER = re.compile(
    r"\s+(?:CHARACTER\s+SET\s+(?P<charset>\w+)|COLLATE\s+(?P<collation>\w+)|NOT\s+NULL|NULL|PRIMARY\s+KEY|"
    r"DEFAULT\s+(?P<default>NULL|'(?:[^']|'')*'|[-\w.]+(?:\(\d*\))?)|(?:GENERATED\s+ALWAYS\s+)?AS\s*\(.*\)\s+"
    r"(?P<generated>VIRTUAL|STORED))",
    re.IGNORECASE | re.DOTALL,
)


def _definition(text: str) -> tuple[dict[str, Any], bool]:
    """A column, and whether it is the primary key."""
    found = _DEFINITION.fullmatch(text.strip())
    assert found, text
    column: dict[str, Any] = {"name": found["name"], "nullable": True}
    rest = found["rest"]
    more = list(_LATER.finditer(rest))
    column["type"] = rest[: more[0].start()] if more else rest
    for one in more:
        words = " ".join(one[0].upper().split())
        column["nullable"] = column["nullable"] and words not in ("NOT NULL", "PRIMARY KEY")
        column |= {name: text.lower() for name, text in one.groupdict().items() if text and name != "default"}
        if (default := one["default"]) is not None:
            column["default"] = None if default.upper() == "NULL" else default.strip("'").replace("''", "'")
    return column, any("PRIMARY" in one[0].upper() for one in more)


def _parts(text: str) -> list[str]:
    """What stands between the commas of the outermost level."""
    parts, depth, quoted = [""], 0, False
    for char in text:
        quoted ^= char == "'"
        depth += 0 if quoted else (char == "(") - (char == ")")
        if char == "," and depth == 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts]


_KEY = re.compile(r"(PRIMARY|UNIQUE)\s+KEY\s*(\w*)\s*\((.*)\)", re.IGNORECASE)


def table_of(given: Reproducer) -> Table:
    """The table of a reproducer, `shop.t`."""
    body = re.search(r"\((.*)\)", given.create, re.DOTALL)
    texts = _parts(body[1]) if body else ["id BIGINT PRIMARY KEY", *given.columns]
    columns, primary, unique = [], [], []
    for text in texts:
        if key := _KEY.fullmatch(text):
            names = [name.strip(" `") for name in key[3].split(",")]
            if key[1].upper() == "PRIMARY":
                primary += names
            else:
                unique.append({"name": key[2] or names[0], "columns": names})
            continue
        column, is_key = _definition(text)
        columns.append(column)
        primary += [column["name"]] * is_key
    for column in columns:
        column["nullable"] = column["nullable"] and column["name"] not in primary
    create = given.create or f"CREATE TABLE t ({', '.join(texts)})"
    return table_from_json(
        {
            "schema": SCHEMA,
            "name": "t",
            "columns": columns,
            "primary_key": primary,
            "unique_keys": unique,
            "indexes": [],
            "clustered": True,
            "create_sql": create,
        }
    )


def _row(table: Table, given: Mapping[str, Any] | None) -> Row | None:
    if given is None:
        return None
    full = ({} if "id" in given or table.column("id") is None else {"id": "1"}) | dict(given)
    columns = {c.name: c.type for c in table.columns}
    return {c.name: from_wire(columns[c.name], full.get(c.name)) for c in table.columns}


def changes_of(given: Reproducer, table: Table) -> list[list[RowChange]]:
    """The changes of a reproducer, a list a transaction."""
    numbered = [(change.get("transaction", f"alone {n}"), change) for n, change in enumerate(given.changes)]
    transactions = []
    for n, (_, group) in enumerate(groupby(numbered, key=lambda pair: pair[0])):
        ts = _FIRST_TSO + n * _SECOND
        transactions.append(
            [
                RowChange(
                    c["op"],
                    SCHEMA,
                    "t",
                    ts,
                    _row(table, c.get("before")),
                    _row(table, c.get("after")),
                    start_ts=ts - 1,
                )
                for _, c in group
            ]
        )
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
        op = "insert" if old is None else "delete" if after is None else "update"
        kept[_key(table, after or before or {})] = replace(change, op=op, before=old, after=after)
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
        entry = self.entry
        named = (("left", entry.upstream), ("right", entry.ticdc))
        left, right = (Side(name, d, self.options(d), tables=(self.table,)) for name, d in named)
        return left, right

    @cached_property
    def messages(self) -> dict[str, list[Record]]:
        """The messages of each dialect, before any edit."""
        return {side.dialect: self._messages(side) for side in self.sides}

    def _messages(self, side: Side) -> list[Record]:
        codec = codec_of(side.dialect)
        encoder = codec.encoder(parse(codec.options, side.options), side.profile, settings=side.settings)
        assert self.entry.reproducer is not None
        records: list[Record] = []
        for n, transaction in enumerate(changes_of(self.entry.reproducer, self.table)):
            own = as_kept(transaction, self.table) if side.traits.is_of_ticdc else as_logged(transaction, n)
            if own:
                records += encoder.encode(own, [self.table]).records
        return [replace(r, topic="t", partition=0, offset=n) for n, r in enumerate(records)]

    @cached_property
    def namer(self) -> Namer:
        return namer_of(*self.sides)

    def compared(self, edit: Edit | None = None) -> Outcome:
        """The comparison of the messages, those of one dialect edited."""
        streams = [edited(self.messages[side.dialect], edit, side.dialect) for side in self.sides]
        types = {(SCHEMA, "t", c.name): c.type for c in self.table.columns}
        return compare_locally(self.sides, streams, pairs_of(self.sides, types, {PAIR: self.namer}))


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

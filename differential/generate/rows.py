"""Makes rows of a table: unique keys from numbers, and all other columns drawn."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass, field
from datetime import datetime

from conformance.errors import UsageError
from differential.generate.draw import Draw
from differential.generate.values import Maker, NumberedMaker, clock_text, maker_of, numbered, with_charset
from reference_impl.keys import handle_key
from reference_impl.model import Column, Row, Table, Value

__all__ = ["Source", "TableRows"]

_NULLS = 0.08
_MOST_CHANGED = 3


@dataclass(frozen=True, slots=True)
class Source:
    """A table to generate changes for."""

    table: Table
    weight: int = 1  # how often its rows change, compared with other tables
    # Makers of values for columns, in place of the makers for their types. To columns with ON UPDATE they apply only in
    # new rows.
    makers: Mapping[str, Maker] = field(default_factory=dict)
    keys: Mapping[str, NumberedMaker] = field(default_factory=dict)  # makers for key columns that number rows


class TableRows:
    """Makes rows of a table.

    One column of every key numbers the row; `capacity` is the number of such values. Updates keep key columns, except
    `rekeyed` and `renumbered`. A generated column outside the keys has a value that follows from the other columns of
    its row, though not by its expression. Raises `UsageError` for a table with a key that no column can number.
    """

    def __init__(self, source: Source) -> None:
        self.table, self._keys = source.table, source.keys
        handle = handle_key(self.table)
        others = [key.columns for key in self.table.unique_keys if key.columns != handle]
        if self.table.primary_key and self.table.primary_key != handle:
            others.append(self.table.primary_key)
        self._handle = {} if not handle else dict([self._numbering_column(handle)])
        self._unique: dict[str, NumberedMaker] = {}
        for columns in others:
            if not {*columns} & {*self._handle, *self._unique}:
                self._unique |= dict([self._numbering_column(columns)])
        self._stamped = [c for c in self.table.columns if c.on_update_now and c.name not in {*handle, *self._unique}]
        self._stamped_by_updates_only = {c.name for c in self._stamped if c.name in source.makers}
        self._makers = {
            c.name: (source.makers.get(c.name) or maker_of(with_charset(c, self.table)), c.nullable)
            for c in self.table.columns
            if c.name not in self._handle and c.name not in self._unique
        }
        keyed = {*handle, *(name for columns in others for name in columns)}
        self._generated = [c.name for c in self.table.columns if c.generated and c.name in self._makers]
        fixed = {*keyed, *(c.name for c in self._stamped), *self._generated}
        self._free = [name for name in self._makers if name not in fixed]

    @property
    def _name(self) -> str:
        return f"{self.table.schema}.{self.table.name}"

    @property
    def capacity(self) -> int:
        """The largest number of rows at a time."""
        return min([self.unique_capacity, *(limit for _, limit in self._handle.values())])

    @property
    def has_unique(self) -> bool:
        """Whether there is another unique key than the handle key."""
        return bool(self._unique)

    @property
    def unique_capacity(self) -> int:
        """The number of distinct values of the other unique keys."""
        return min((limit for _, limit in self._unique.values()), default=2**62)

    def unique_values(self, rows: Collection[Row]) -> Mapping[str, Set[Value]]:
        """The values of rows in their other unique keys, by numbering column."""
        return {name: {row[name] for row in rows} for name in self._unique}

    def are_held(self, values: Mapping[str, Set[Value]], unique: int) -> bool:
        """Whether `unique_values` has a value that `unique` numbers."""
        return any(make(unique) in values[name] for name, (make, _) in self._unique.items())

    @property
    def has_handle(self) -> bool:
        """Whether there is a handle key."""
        return bool(self._handle)

    def _numbering_column(self, columns: tuple[str, ...]) -> tuple[str, NumberedMaker]:
        """The column of a key with the most distinct values, and its maker."""
        eligible = []
        for name in columns:
            column = self.table.column(name)
            assert column is not None
            if (maker := self._keys.get(name) or numbered(column)) is not None:
                eligible.append((name, maker))
        if not eligible:
            raise UsageError(f"{self._name}: none of the key's columns {', '.join(columns)} can number rows")
        return max(eligible, key=lambda one: one[1][1])

    def _value(self, draw: Draw, name: str) -> Value:
        make, nullable = self._makers[name]
        return None if nullable and draw.chance(_NULLS) else make(draw)

    def new(self, draw: Draw, number: int, unique: int, now: datetime) -> Row:
        """The row of a number; `unique` numbers it in its other unique keys."""
        row = {c.name: self._first(draw, c, number, unique) for c in self.table.columns}
        return self._whole(row, now, self._stamped_by_updates_only)

    def _first(self, draw: Draw, column: Column, number: int, unique: int) -> Value:
        if column.name in self._generated:
            return None
        for makers, number_ in ((self._handle, number), (self._unique, unique)):
            if column.name in makers:
                return makers[column.name][0](number_)
        return self._value(draw, column.name)

    def _whole(self, row: dict[str, Value], now: datetime, given: Collection[str] = ()) -> Row:
        """The row with its generated columns, and with the time in ON UPDATE columns but `given`."""
        row = row | {column.name: clock_text(column.type, now) for column in self._stamped if column.name not in given}
        if self._generated:
            draw = Draw(*self.table.id, *(row[c.name] for c in self.table.columns if c.name not in self._generated))
            row = row | {name: self._value(draw, name) for name in self._generated}
        return row

    def updated(self, draw: Draw, row: Row, now: datetime) -> Row:
        """The row with some non-key columns drawn again; it may stay equal."""
        if not self._free:
            return row
        names = [draw.of(self._free) for _ in range(draw.between(1, _MOST_CHANGED))]
        changed = {**row, **{name: self._value(draw, name) for name in names}}
        return changed if changed == row else self._whole(changed, now)

    def rekeyed(self, row: Row, number: int, now: datetime) -> Row:
        """The row with another handle key."""
        return self._whole({**row, **{name: make(number) for name, (make, _) in self._handle.items()}}, now)

    def renumbered(self, row: Row, unique: int, now: datetime) -> Row:
        """The row with other values in its other unique keys."""
        return self._whole({**row, **{name: make(unique) for name, (make, _) in self._unique.items()}}, now)

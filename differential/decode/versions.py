"""Versions of a side's tables: their column types, and the columns that form a key."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import NoneType

import orjson

from differential.decode.canonical import canonical
from differential.sides import Side
from reference_impl import epochs
from reference_impl.column_types import TEXT, ColumnType, Family
from reference_impl.keys import handle_key
from reference_impl.model import Absent, Column, Row, Table
from reference_impl.upstream.canal.keys import Keys

__all__ = ["Version", "folded", "versions_of"]

_ZEROES = {Family.DATE: "0000-00-00", **dict.fromkeys((Family.DATETIME, Family.TIMESTAMP), "0000-00-00 00:00:00")}


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a table as the producer knows it."""

    table: Table
    types: Mapping[str, ColumnType]  # by column
    key: tuple[str, ...]  # the columns by whose values changes are grouped; empty for all columns
    collations: Mapping[str, str]  # by column
    zero_dates: Mapping[str, str]  # by column of a date type, its zero date
    defaults: frozenset[str]  # the columns with a default; of a date column only a valid date counts

    @classmethod
    def of(cls, table: Table, key: tuple[str, ...]) -> Version:
        """The version for a table; changes are grouped by the columns of `key`, or by all columns."""
        collations = {c.name: c.collation for c in table.columns if c.collation and c.type.family in TEXT}
        zero_dates = {c.name: _ZEROES[c.type.family] for c in table.columns if c.type.family in _ZEROES}
        defaults = frozenset(c.name for c in table.columns if _has_default(c))
        return cls(table, {c.name: c.type for c in table.columns}, key, collations, zero_dates, defaults)

    @property
    def timestamps(self) -> tuple[str, ...]:
        """The columns of TIMESTAMP."""
        return tuple(name for name in self.zero_dates if self.types[name].family is Family.TIMESTAMP)

    def key_of(self, row: Row) -> bytes:
        """The row's key as canonical JSON; keys that are equal in their collation have equal bytes."""
        names = self.key or tuple(name for name in self.types if name in row)
        cells = []
        for name in names:
            cell = canonical(self.types[name], row.get(name))
            if self.key and isinstance(cell, str) and (collation := self.collations.get(name)):
                cell = folded(cell, collation)
            cells.append(cell)
        return orjson.dumps(cells)


def _has_default(column: Column) -> bool:
    """Whether a column has a default; of a date column only a valid date counts."""
    given = column.default
    if isinstance(given, str) and column.type.family in (Family.DATE, Family.DATETIME):
        return epochs.days(given) is not None
    return not isinstance(given, (Absent, NoneType))


def folded(text: str, collation: str) -> str:
    """A key's text in a form that is equal for texts which are equal in the collation.

    Other texts may become equal as well, which does no harm.
    """
    if "_0900_" not in collation and collation != "binary":
        text = text.rstrip(" ")
    if collation.endswith("_ci"):
        decomposed = unicodedata.normalize("NFKD", text.casefold())
        text = "".join(c for c in decomposed if not unicodedata.combining(c))
    return text


def versions_of(side: Side) -> dict[tuple[str, str], list[Version]]:
    """The versions of each table, followed by those that its producer assumes after a key was dropped."""
    given: dict[tuple[str, str], list[Table]] = {}
    for table in side.tables:
        given.setdefault(table.id, []).append(table)
    found = {}
    for id_, tables in given.items():
        keyed = [(table, side.keys.get(id_, handle_key(table))) for table in tables]
        versions = [Version.of(table, key) for table, key in keyed]
        for table, key in keyed:
            assumed = _AFTER_A_DROP[side.traits.dropped_key](side, table, tables)
            versions += [Version.of(table_, key) for table_ in assumed]
        found[id_] = versions
    return found


def _as_it_is(side: Side, table: Table, versions: Sequence[Table]) -> Iterator[Table]:
    """No other table: the producer knows the present key."""
    return iter(())


def _with_declared_key(side: Side, table: Table, versions: Sequence[Table]) -> Iterator[Table]:
    """The table with the primary key that another version declares with a column.

    Canal keeps such a key after it was dropped.  [CJ-906]
    """
    if table.primary_key or side.every_option()["tsdb"] != "true":
        return
    for other in versions:
        if other.primary_key and other.create_sql is not None:
            keys = Keys()
            keys.apply(other.create_sql, other.schema)
            keys.apply(f"ALTER TABLE `{other.name}` DROP PRIMARY KEY", other.schema)
            kept = keys.of(replace(table, create_sql=None))
            names = tuple(column.name for column in table.columns if column.name.lower() in kept)
            if names and len(names) == len(kept):
                yield replace(table, primary_key=names)


def _without_key(side: Side, table: Table, versions: Sequence[Table]) -> Iterator[Table]:
    """The table without any key.

    The connector uses no unique key in place of a dropped primary key.  [DBZ-250]
    """
    key = handle_key(table)
    if not table.primary_key and key and any(handle_key(other) != key for other in versions):
        yield replace(table, unique_keys=())


_AFTER_A_DROP: Mapping[str, Callable[[Side, Table, Sequence[Table]], Iterator[Table]]] = {
    "": _as_it_is,
    "declared": _with_declared_key,
    "none": _without_key,
}
"""By `DialectTraits.dropped_key`: the tables that a producer may assume in place of a version."""

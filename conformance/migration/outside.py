"""Divergences that no comparison of messages shows, and the tables and columns that they may concern.

Documents and recordings show them; the definition of a table decides whether they apply. Where no definition decides,
the report says "not assessed".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from conformance.catalogue.divergences import Divergence, Met, load_divergences
from conformance.migration.move import Move
from conformance.migration.samples import Where
from reference_impl.keys import handle_key
from reference_impl.model import Absent, Column, Expression, Table

__all__ = ["BLOCKING", "Expected", "is_known", "outside_divergences", "statement_divergences", "undetermined"]

_AVRO_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CHANGES_CHILDREN = re.compile(r"\bON\s+(?:DELETE|UPDATE)\s+(?:CASCADE|SET\s+(?:NULL|DEFAULT))\b", re.IGNORECASE)
"""The action of a foreign key that changes rows by itself: RESTRICT and NO ACTION refuse the statement instead."""
_CODED_DEFAULT = re.compile(r"\bDEFAULT\s+(?:0x|0b|[xb]')", re.IGNORECASE)

_OfTable = Callable[[Move, Table], bool]
_OfColumn = Callable[[Move, Table, Column], bool]


def _has_default(column: Column) -> bool:
    return not isinstance(column.default, Absent) and column.default is not None


def _replaces_null(move: Move, table: Table, column: Column) -> bool:
    return column.nullable and _has_default(column)


def _is_keyless(move: Move, table: Table) -> bool:
    return not handle_key(table)


def _before(release: tuple[int, int, int]) -> _OfTable:
    return lambda move, table: move.profile.release < release


def _always(move: Move, table: Table) -> bool:
    return True


def _in_every_column(move: Move, table: Table, column: Column) -> bool:
    return True


def _is_shorter_later(move: Move, table: Table) -> bool:
    """Whether the table has no primary key, and its shortest unique key of NOT NULL columns is not the first one."""
    required = {column.name for column in table.columns if not column.nullable}
    whole = [key for key in table.unique_keys if required.issuperset(key.columns)]
    return not table.primary_key and len(whole) > 1 and min(whole, key=lambda key: len(key.columns)) != whole[0]


def _has_loose_unique(move: Move, table: Table) -> bool:
    return not handle_key(table) and any(key.columns == (key.name,) for key in table.unique_keys)


def _is_out_of_order(move: Move, table: Table) -> bool:
    """Whether the key lists its columns in another order than the table."""
    names = [column.name for column in table.columns]
    places = [names.index(name) for name in handle_key(table) if name in names]
    return places != sorted(places)


def _has_odd_names(move: Move, table: Table) -> bool:
    names = (table.schema, table.name, *(column.name for column in table.columns))
    return not all(map(_AVRO_NAME.fullmatch, names))


_TABLES: Mapping[str, _OfTable] = {
    **dict.fromkeys(("DV-05", "DV-06", "DV-13", "DV-16", "DV-18", "DV-34"), _always),
    **dict.fromkeys(("DBZ-529", "DBZ-540", "DBZ-540a", "UN-3.2-6", "DV-04", "DBZ-541"), _always),
    "DV-10": lambda move, table: not table.primary_key,
    "DV-21": lambda move, table: move.origin_options.get("server") == "mariadb",
    "DV-35": _is_keyless,
    "DV-36": _before((5, 4, 0)),
    "DV-37": _before((5, 4, 0)),
    "DV-58": _before((6, 5, 6)),
    "DV-60": _before((5, 4, 0)),
    "DV-112": lambda move, table: bool(_CHANGES_CHILDREN.search(table.create_sql or "")),
    "DBZ-530": lambda move, table: bool(handle_key(table)),
    "DBZ-531": _is_keyless,
    "DBZ-532": _is_out_of_order,
    "DBZ-533": _is_shorter_later,
    "DBZ-534": _has_loose_unique,
    "DBZ-536": lambda move, table: bool(table.primary_key),
    "DBZ-538": _has_odd_names,
    "DBZ-240d": lambda move, table: bool(_CODED_DEFAULT.search(table.create_sql or "")),
}
"""Divergences of whole tables, each with the test for the tables that it concerns."""

_COLUMNS: Mapping[str, _OfColumn] = {
    **dict.fromkeys(("DV-51", "DV-52", "DV-53", "DV-56", "DV-59", "DBZ-501", "DBZ-565", "DBZ-580a"), _in_every_column),
    "DV-14": lambda move, table, column: column.nullable or column.type.unsigned,
    "DBZ-506": lambda move, table, column: isinstance(column.default, Expression),
    "DBZ-554": lambda move, table, column: not column.nullable and not _has_default(column),
    "DBZ-555": lambda move, table, column: _replaces_null(move, table, column) and move.profile.name == "classic",
    "DBZ-557": lambda move, table, column: _replaces_null(move, table, column) and move.profile.name == "newarch",
    "DBZ-558": lambda move, table, column: _replaces_null(move, table, column) and move.profile.name == "classic",
    "DBZ-561": lambda move, table, column: _has_default(column),
    "UN-3.2-11": _replaces_null,
}
"""Divergences of columns, each with the test for the columns of its types that it concerns."""

BLOCKING = frozenset({"DV-18", "DV-35", "DV-59", "DBZ-501", "DBZ-557", "UN-3.2-6"})
"""Divergences that stop a reader or the changefeed itself, or that lose rows."""

_UNDETERMINED: Mapping[str, str] = {
    "DV-20": "columns that a column selector of the changefeed leaves out",
    "DV-22": "a storage sink: only topics of Kafka are looked at",
    "DV-57": "TIME columns that were made before MySQL 5.6",
    "DV-90": "statements that TiCDC does not replicate",
    "DV-89": "tables that a restore makes together",
    "DBZ-244": "columns that an ALTER made nullable: a definition does not tell its history",
    "DBZ-582": "texts whose bytes are no UTF-8",
    "DBZ-705": "modes for times that the connector has after 3.0",
}


_NONE: Mapping[str, str] = {
    "DV-47": "of releases of Canal that are not among the versions known here",
    "DV-73": "of releases of Canal that are not among the versions known here",
    "DBZ-597": "both do the same",
    "DBZ-604": "both do the same by default",
    "DBZ-608": "both do the same",
    "UN-3.2-14": "of a version of the connector that is not among those known here",
    "UN-3.2-20": "both do the same",
}
"""Divergences that concern no move between the versions known here → why."""


def is_known(name: str) -> bool:
    """Whether a table of this module names a divergence."""
    return any(name in known for known in (_TABLES, _COLUMNS, _UNDETERMINED, _NONE, _DESCRIPTIONS))


@dataclass(frozen=True, slots=True)
class Expected:
    """A divergence with the columns that it concerns; the column "" is the whole table."""

    divergence: Divergence
    places: tuple[Where, ...]


def _applicable(move: Move) -> Iterator[Divergence]:
    pair = load_divergences().get((move.origin, move.target))
    options = {side.dialect: side.every_option() for side in move.sides(())}
    return (one for one in (pair.divergences if pair else ()) if one.applies(options))


def statement_divergences(move: Move) -> tuple[Divergence, ...]:
    """The divergences in the descriptions of tables in messages of statements."""
    return tuple(one for one in _applicable(move) if one.met is Met.OUTSIDE and one.id in _DESCRIPTIONS)


_DESCRIPTIONS = frozenset(f"DBZ-{n}" for n in (*range(508, 512), 590, 596, *range(598, 604), 605, 609, 611, 612))


def outside_divergences(move: Move, tables: Sequence[Table]) -> Iterator[Expected]:
    """The divergences that a comparison does not show, each with the places that it concerns."""
    for one in _applicable(move):
        if one.met not in (Met.OUTSIDE, Met.MESSAGE):
            continue
        if test := _TABLES.get(one.id):
            places = tuple((*table.id, "") for table in tables if test(move, table))
        elif of_column := _COLUMNS.get(one.id):
            places = tuple(
                (*table.id, column.name)
                for table in tables
                for column in table.columns
                if (not one.types or column.type.family.value in one.types) and of_column(move, table, column)
            )
        else:
            continue
        if places:
            yield Expected(one, places)


def undetermined(move: Move) -> Iterator[tuple[str, str]]:
    """The divergences that no definition of a table decides, each with its subject."""
    for one in _applicable(move):
        if one.id in _UNDETERMINED:
            yield one.id, _UNDETERMINED[one.id]

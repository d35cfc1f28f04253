"""Tables that come with the suite: a shop, every column type, and a shop in which one row is hot."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from conformance.catalogue.corpora import Declaration, Family, load_families
from conformance.ddl import tables_of_sql
from differential.generate.boundaries import is_representable, mixed
from differential.generate.rows import Source
from reference_impl.column_types import Family as Kind
from reference_impl.model import Column, Table, Value
from reference_impl.wire import column_from_json

__all__ = ["PRESETS", "Preset"]

_SHOP = """
USE shop;
CREATE TABLE customers (
  id bigint NOT NULL AUTO_INCREMENT,
  email varchar(80) NOT NULL,
  name varchar(60) NOT NULL,
  country char(2),
  tier enum('basic','silver','gold') NOT NULL DEFAULT 'basic',
  wants set('letters','calls','offers'),
  profile json,
  born date,
  joined_at datetime(3) NOT NULL,
  changed_at timestamp(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
  PRIMARY KEY (id),
  UNIQUE KEY email (email)
);
CREATE TABLE accounts (
  customer_id bigint NOT NULL,
  currency char(3) NOT NULL,
  balance decimal(18,4) NOT NULL,
  credit decimal(12,2) unsigned,
  interest double,
  closed tinyint(1) NOT NULL DEFAULT 0,
  opened_at timestamp NULL,
  note text,
  PRIMARY KEY (customer_id, currency)
);
CREATE TABLE orders (
  id bigint unsigned NOT NULL,
  customer_id bigint NOT NULL,
  status enum('new','paid','shipped','returned','it''s lost') NOT NULL,
  total decimal(12,2) NOT NULL,
  discount float,
  placed_at datetime NOT NULL,
  paid_at timestamp(3) NULL,
  comment varchar(255),
  extra json,
  trace binary(16),
  PRIMARY KEY (id)
);
CREATE TABLE items (
  order_id bigint unsigned NOT NULL,
  line smallint unsigned NOT NULL,
  sku varchar(40) NOT NULL,
  quantity int NOT NULL,
  price decimal(10,2) NOT NULL,
  weight double,
  picture varbinary(64),
  flags bit(4),
  season year,
  packing time(3),
  PRIMARY KEY (order_id, line)
);
"""
_WEIGHTS = {"orders": 4, "items": 4, "accounts": 2, "customers": 1}

_HOT = 0.12


@dataclass(frozen=True, slots=True)
class Preset:
    """Tables of a stream.

    `hot` is the share of changes (0 to 1) of the first row of the first table.
    """

    sources: Callable[[], tuple[Source, ...]]
    hot: float = 0.0


def _shop() -> tuple[Source, ...]:
    made = (Source(table, _WEIGHTS[table.name]) for table in tables_of_sql(_SHOP, "the preset shop"))
    return tuple(sorted(made, key=lambda source: -source.weight))


# Only TiDB has vectors.
_TIDB_ONLY = frozenset({Kind.VECTOR})


def _storable(declaration: Declaration) -> tuple[Value, ...]:
    return tuple(value for value in declaration.boundaries.values() if is_representable(value))


_ID = {"name": "id", "type": "bigint", "nullable": False}


def _of_family(family: Family) -> Source:
    # Catalogues list a character type with the charset `binary` as a binary type.
    declared = (one for one in family.declarations if one.column.charset != "binary")
    names = {f"c{n}": declaration for n, declaration in enumerate(declared, 1)}
    columns = {name: _renamed(declaration.column, name) for name, declaration in names.items()}
    table = Table(
        "types",
        "t_" + family.name.replace(" ", "_"),
        (column_from_json(_ID), *columns.values()),
        primary_key=("id",),
        charset="utf8mb4",
    )
    makers = {name: mixed(columns[name], _storable(declaration)) for name, declaration in names.items()}
    return Source(table, 1, makers)


def _renamed(column: Column, name: str) -> Column:
    return Column(name, column.type, column.nullable, charset=column.charset, collation=column.collation)


def _types() -> tuple[Source, ...]:
    return tuple(
        _of_family(family) for family in load_families() if family.declarations[0].column.type.family not in _TIDB_ONLY
    )


PRESETS: Mapping[str, Preset] = {
    "shop": Preset(_shop),
    "types": Preset(_types),
    "hot": Preset(_shop, _HOT),
}

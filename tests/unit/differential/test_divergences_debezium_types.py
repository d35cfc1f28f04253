"""Divergences of Debezium held against the tables and writers of both dialects, column by column, both ways.

Of every column type of the corpora, every boundary, and of defaults: whatever differs between the dialects is claimed
by a divergence that touches that type and aspect, and a divergence claims nothing that does not differ.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pytest

from conformance.cases.defaults import defaults_of
from conformance.catalogue.corpora import load_families
from conformance.catalogue.divergences import Met, load_divergences
from conformance.ddl import tables_of_sql
from differential.classify.explaining import Explainer, namer_of
from differential.decode.canonical import load
from differential.decode.changes import ChangeReader
from differential.model import Cell, Change
from differential.sides import Side, codec_of
from reference_impl.debezium_json import defaults as ticdc_defaults
from reference_impl.debezium_json import schema as ticdc_schema
from reference_impl.debezium_json import texts as ticdc_texts
from reference_impl.debezium_json.options import Options as TicdcOptions
from reference_impl.debezium_json.style import STYLES
from reference_impl.model import Column, Record, RowChange, Table, Value
from reference_impl.options import parse
from reference_impl.profiles import NEWARCH
from reference_impl.settings import Settings
from reference_impl.upstream.debezium import schema as connector_schema
from reference_impl.upstream.debezium.defaults import default_text, null_text
from reference_impl.upstream.debezium.options import Options
from reference_impl.upstream.debezium.texts import Reading, writer
from reference_impl.upstream.debezium.types import form_of
from reference_impl.values import from_wire
from reference_impl.zones import zone_of
from tests.amounts import ordinarily

PAIR = load_divergences()["debezium-connector", "debezium"]
STYLE, SETTINGS = STYLES[NEWARCH.name], Settings()
ID = Column("id", tables_of_sql("CREATE TABLE s.t (id INT NOT NULL)", "id")[0].columns[0].type, nullable=False)

# What each divergence of columns makes differ: the schema's type, its parameters, the default there, or the value.
ASPECTS: Mapping[str, frozenset[str]] = {
    id_: frozenset(aspects.split())
    for aspects, ids in {
        "": "DBZ-570a",
        "type": "DBZ-209a DBZ-502 DBZ-504",
        "type text": "DBZ-504a DBZ-504b DBZ-505 DBZ-505a DBZ-209 DBZ-552 DBZ-580",
        "type text parameters": "DBZ-503 DBZ-568",
        "text": "DBZ-502a DBZ-502b DBZ-507 DBZ-550 DBZ-551 DBZ-553 DBZ-562 DBZ-706 DBZ-564 DBZ-566 DBZ-240 DBZ-240a "
        "DBZ-570 DBZ-574 DBZ-574a DBZ-574b DBZ-575 DBZ-575a DBZ-575b DBZ-576 DBZ-577 DBZ-577a DBZ-217 "
        "DBZ-709a DBZ-709b",
        "text parameters default": "DBZ-571 DBZ-572",
        "parameters": "DBZ-573",
        "default": "DBZ-563a DBZ-567 DBZ-579a DBZ-584a DBZ-585 DBZ-240b DBZ-240c DBZ-240e DBZ-240f",
        "default text": "DBZ-559 DBZ-563 DBZ-579 DBZ-584",
        "type text default": "DBZ-709",
        "type text parameters default": "DBZ-709c",
    }.items()
    for id_ in ids.split()
}

# Divergences of another kind than a type's: columns without a value, defects that no profile has, snapshots, and a text
# that two decoders read differently.
ELSEWHERE = frozenset({"DBZ-570a", "DBZ-578", "DBZ-556", "DBZ-560", "DBZ-576a"}) | {
    one.id for one in PAIR.divergences if one.met is Met.CELL and one.events == ("read",)
}

# Options of the connector, and the families that they touch; none is all.
MODES: tuple[tuple[Mapping[str, str], frozenset[str]], ...] = (
    ({"version": "2.4.0"}, frozenset()),
    ({"version": "3.6.1"}, frozenset()),
    ({"version": "3.0.7"}, frozenset({"timestamp", "time", "int", "vector"})),
    ({"decimal.handling.mode": "string"}, frozenset({"decimal"})),
    ({"decimal.handling.mode": "double"}, frozenset({"decimal"})),
    ({"binary.handling.mode": "base64"}, frozenset({"binary", "varbinary", "blob"})),
    (
        {"binary.handling.mode": "base64-url-safe"},
        frozenset({"binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"}),
    ),
    ({"binary.handling.mode": "hex"}, frozenset({"binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"})),
    ({"time.precision.mode": "connect"}, frozenset({"date", "time", "datetime", "timestamp"})),
    ({"bigint.unsigned.handling.mode": "precise"}, frozenset({"bigint"})),
)

_TEXTS = ("CHAR(9)", "VARCHAR(9)", "TINYTEXT", "TEXT", "MEDIUMTEXT", "LONGTEXT")
_BLOBS = ("BINARY(9)", "VARBINARY(9)", "TINYBLOB", "BLOB", "MEDIUMBLOB", "LONGBLOB")

# Columns beside those of the corpora, as statements define them, and values of the harness protocol.
DEFINED: Mapping[str, tuple[str | None, ...]] = {
    "REAL": ("2.36", "0.123456789", "1e100", "-0", None),
    "BOOLEAN": ("0", "1", "5", None),
    "BOOLEAN DEFAULT TRUE": ("0", None),
    "INTEGER UNSIGNED": ("1", "4294967295", None),
    "INT UNSIGNED": ("1", "4294967295", None),
    "FLOAT4": ("1.5", None),
    "DOUBLE": ("2e23", "1e7", "123", "0.001", None),
    "FLOAT": ("1.1754944e-38", "2e10", "1e-3", "3.3554432e7", "9.8e-45"),
    "TIME": ("-12:34:00", "-12:34:05", "-00:00:01"),
    "TIME(3)": ("-12:34:05.000", "-12:34:05.100", "-01:00:00.000"),
    "TIME(6)": ("-12:34:05.000000", "-01:00:00.000000"),
    "TIME DEFAULT '-00:30:00'": (None, "00:00:01"),
    "ENUM('it''s','b') DEFAULT 'it''s'": (None, "it's", "b"),
    "SET('it''s','b') DEFAULT 'it''s,b'": (None, "it's", "it's,b"),
    "ENUM('a\\\\b','b') DEFAULT 'a\\\\b'": (None, "b"),
    "ENUM('c,d','e') DEFAULT 'c,d'": (None, "c,d", "e"),
    "ENUM('c,d''e','f') DEFAULT 'c,d''e'": (None, "f"),
    "SET('a\\\\b','b') DEFAULT 'a\\\\b,b'": (None, "b"),
    "ENUM('a\\\\''b','b') DEFAULT 'a\\\\''b'": (None, "b"),
    "DATE": ("0000-03-01", "0000-00-00", "2020-00-10", "0018-01-01"),
    "DATE NOT NULL": ("0000-03-01", "0000-00-00"),
    "DATE DEFAULT '2020-01-01'": ("0000-03-01", "0000-00-00", None),
    "DATE NOT NULL DEFAULT '2020-01-01'": ("0000-03-01", "0000-00-00"),
    "DATETIME": ("0000-03-01 00:00:01", "0000-00-00 00:00:00"),
    "DATETIME(6) NOT NULL": ("0000-03-01 00:00:00.000000", "0000-00-00 00:00:00.000000"),
    "DATETIME DEFAULT '2020-01-01 00:00:00'": ("0000-00-00 00:00:00", None),
    "DATETIME DEFAULT '2020-00-10 00:00:00'": (None, "2020-01-01 00:00:00"),
    "DATETIME DEFAULT CURRENT_TIMESTAMP": (None, "2020-01-01 00:00:00"),
    "TIMESTAMP(3) NULL DEFAULT '2020-01-01 08:00:00.500'": ("2024-01-01 00:00:00.000", "0000-00-00 00:00:00.000"),
    "TIMESTAMP NOT NULL": ("0000-00-00 00:00:00",),
    "TIMESTAMP NULL DEFAULT CURRENT_TIMESTAMP": (None, "2024-01-01 00:00:00"),
    "YEAR DEFAULT 0": (None, "0", "2024"),
    "BINARY(5) DEFAULT 'ab'": (None, "YWJjAAA="),  # stored with zeros in TiDB, without them upstream
    "BINARY(5) DEFAULT 'it''s'": (None, "YWJjAAA="),
    r"ENUM('a\\b','d')": (r"a\b", "d", None),
    r"SET('a\\b','d')": (r"a\b", "d", None),
    "ENUM('x''''y','d')": ("x''y", "d"),
    "SET('x''''y','d')": ("x''y", "d"),
    "ENUM('it''s','😀') DEFAULT 'it''s'": ("😀",),
    "SET('it''s','😀') DEFAULT 'it''s'": ("😀",),
    **{f"{definition} CHARACTER SET binary": ("w6l0w6k=", "", None) for definition in _TEXTS[1:]},
    "CHAR(9) CHARACTER SET binary": ("w6l0w6kAAAAA",),
    "JSON DEFAULT (json_array())": ("{}",),
    "JSON": ("1e-4", "100000000.5", r'"\u001f"', '{"a": 1}', '["😀", 1]', '"\\\\u001f"'),
    **dict.fromkeys(_TEXTS, ("\x08", "\x1f", "\x01", "😀")),
    **dict.fromkeys(_BLOBS, ("+/+/+/+/+/+/", "/+++++++++++")),
    **{f"{definition} DEFAULT (uuid())": (None,) for definition in (*_TEXTS, *_BLOBS)},
}


@dataclass(frozen=True)
class Row:
    """A value of a column `c`, in a table of its own."""

    table: Table
    value: Value
    number: int

    @property
    def column(self) -> Column:
        return self.table.columns[1]

    @property
    def event(self) -> RowChange:
        after = {"id": str(self.number), "c": self.value}
        ts = (430_000_000_000 + self.number) << 18
        return RowChange("insert", "s", self.table.name, ts, after=after, start_ts=ts - 1)


def _columns() -> Iterator[tuple[Column, list[Value]]]:
    for family in load_families():
        for declaration in family.declarations:
            yield declaration.column, list(declaration.boundaries.values())
        first = family.declarations[0]
        for default in defaults_of(first):
            others = [value for value in first.boundaries.values() if isinstance(value, (str, bytes))]
            yield replace(first.column, default=default.text), [None, others[-1]]
    for definition, values in DEFINED.items():
        column = tables_of_sql(f"CREATE TABLE s.t (id INT PRIMARY KEY, c {definition})", definition)[0].columns[1]
        yield column, [from_wire(column.type, value) for value in values]


@cache
def rows() -> tuple[Row, ...]:
    found = []
    for n, (column, values) in enumerate(_columns()):
        table = Table("s", f"t{n}", (ID, replace(column, name="c")), ("id",))
        found += [Row(table, value, number) for number, value in enumerate(values, 1)]
    return tuple(found)


def _is_garbled(row: Row) -> bool:
    """Upstream writes a default there that its column cannot hold, or digits that it does not have.  [DBZ-240]"""
    default, family = row.column.default, row.column.type.family.value
    if not isinstance(default, str):
        return False
    if family == "timestamp":
        return row.column.type.fsp > 0 and str(row.value).startswith(("None", "0000"))
    if default == "5e-324":
        return True
    escaped = sum(default.count(c) for c in "'\\")  # and so written twice
    too_long = family == "binary" and escaped > row.column.type.characters - len(default.encode())
    return row.value is None and (too_long or (family == "enum" and "," in default))


def _connector(row: Row, options: Options) -> dict[str, Any]:
    reading = Reading(options, zone_of("UTC"), snapshot=False)
    column = row.column
    form = form_of(column.type, options)
    default = default_text(column, form, reading)
    text = None if row.value is None else writer(column.type, form, reading)(row.value)
    field = json.loads(connector_schema.column_field(column, form, default))
    return _aspects(field, default, null_text(column, form, default) if text is None else text)


def _ticdc(row: Row) -> dict[str, Any]:
    column = row.column
    default = ticdc_defaults.schema_default(column, STYLE, SETTINGS)
    if row.value is None:
        (text,) = ticdc_defaults.null_texts(column, STYLE, SETTINGS)
    else:
        text = ticdc_texts.writer(column, STYLE, SETTINGS)(row.value)
    field = json.loads(ticdc_schema.column_field(column, TicdcOptions(), STYLE, SETTINGS))
    return _aspects(field, default, text)


def _aspects(field: Mapping[str, Any], default: str | None, text: str) -> dict[str, Any]:
    kind = (field["type"], field.get("name"))
    return {"type": kind, "parameters": field.get("parameters"), "default": default, "text": text}


class Reader:
    """Rows of one side, encoded and read back as a comparison does it."""

    def __init__(self, side: Side) -> None:
        codec = codec_of(side.dialect)
        self._encoder = codec.encoder(parse(codec.options, side.options), side.profile)
        self._changes = ChangeReader(side)

    def __call__(self, row: Row) -> Mapping[str, Cell]:
        (record,) = self._encoder.encode([row.event], [row.table]).records
        told = list(self._changes.read(Record(record.key, record.value, 0, "t", (), 0)))
        assert len(told) == 1, (row, told)
        assert isinstance(told[0], Change), (row, told)
        return load(told[0].after or b"{}")


def _watched(explainer: Explainer, row: Row, cell: Cell) -> set[str]:
    spellings = explainer.spellings(("s", row.table.name, "c"), row.column.type)
    return {spelling.divergence for spelling in spellings if spelling.test is None or spelling.test(cell)}


def _claims(
    explainer: Explainer, row: Row, upstream: Mapping[str, Cell], ticdc: Mapping[str, Cell]
) -> dict[str, frozenset[str]]:
    """The divergences that a comparison names, with what they make differ.

    Where the values differ one divergence is named, and what is said of the schema holds all the same.
    """
    where, kind, cell = ("s", row.table.name, "c"), row.column.type, ticdc["c"]
    if upstream.get("c", "") == cell and "c" in upstream:
        return {name: ASPECTS.get(name, frozenset()) for name in _watched(explainer, row, cell)}
    if "c" in upstream:
        name = explainer.cell(where, kind, upstream["c"], cell, ("insert",))
    else:
        name = explainer.absent(where, kind, False, cell, "insert", upstream.keys())
    schema = {name: ASPECTS[name] - {"text"} for name in _watched(explainer, row, cell) & ASPECTS.keys()}
    return schema | ({name.divergence: ASPECTS[name.divergence]} if name else {"unexplained": frozenset({"?"})})


@dataclass(frozen=True)
class Held:
    """What is wrong under a mode, and which divergences were seen for which families."""

    wrong: list[tuple[Any, ...]]
    seen: set[tuple[str, str]]


@cache
def held(mode: int) -> Held:
    """The rows that a mode touches, held against the divergences."""
    given, families = MODES[mode]
    chosen = [row for row in rows() if not families or row.column.type.family.value in families]
    chosen = [row for row in chosen if not _is_garbled(row)]
    if given.get("version", "2.4.0") == "2.4.0":
        chosen = [row for row in chosen if row.column.type.family.value != "vector"]
    if given == {"version": "3.6.1"}:
        chosen = chosen[:: ordinarily(2, 1)]  # what the older version shows it shows of nearly every value as well
    tables = tuple({row.table.name: row.table for row in chosen}.values())
    left, right = Side("left", PAIR.upstream, given, tables=tables), Side("right", PAIR.ticdc, tables=tables)
    explainer = namer_of(left, right)
    assert isinstance(explainer, Explainer)
    options, readers = parse(Options, given), (Reader(left), Reader(right))
    wrong: list[tuple[Any, ...]] = []
    seen: set[tuple[str, str]] = set()
    for row in chosen:
        one, other = _connector(row, options), _ticdc(row)
        differ = {name for name in one if one[name] != other[name]}
        claims = _claims(explainer, row, *(read(row) for read in readers))
        seen |= {(name, row.column.type.family.value) for name, aspects in claims.items() if aspects & differ}
        idle = {name for name, aspects in claims.items() if aspects and not aspects & differ}
        if differ - frozenset().union(*claims.values()) or idle:
            wrong.append((row.column.type.text[:40], row.column.default, row.value, set(claims), differ, one, other))
    return Held(wrong, seen)


@pytest.mark.parametrize("mode", range(len(MODES)), ids=lambda n: ",".join(f"{k}={v}" for k, v in MODES[n][0].items()))
def test_what_differs_is_claimed_and_what_is_claimed_differs(mode: int) -> None:
    assert held(mode).wrong == []


def test_every_divergence_of_columns_is_seen_for_each_of_its_types() -> None:
    entries = [one for one in PAIR.divergences if one.met in (Met.TEXT, Met.CELL, Met.ABSENT)]
    assert {one.id for one in entries} == ASPECTS.keys() | ELSEWHERE
    listed = {(one.id, kind) for one in entries if one.id not in ELSEWHERE for kind in one.types}
    assert sorted(listed - set().union(*(held(mode).seen for mode in range(len(MODES))))) == []

"""The tables of both dialects side by side: wherever they differ an entry says so, and every entry says what is so.

Over every column type of the corpora and more, every boundary and NULL, under every option that decides a text.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

from conformance.catalogue.corpora import load_families
from conformance.catalogue.divergences import Divergence, Met, load_divergences
from differential.classify.predicates import CELLS, COLUMN_CELLS, VALUES
from differential.decode.canonical import canonical
from differential.decode.repairs import escaped
from differential.model import Cell
from differential.type_names.naming import mysql_type_divergences
from reference_impl.canal_json import texts as ticdc_texts
from reference_impl.canal_json import types as ticdc_types
from reference_impl.column_types import BINARY, INTEGERS, TEXT, Family, parse_column_type
from reference_impl.errors import Rejected
from reference_impl.model import Column, RawText, Table, Value
from reference_impl.options import parse
from reference_impl.upstream.canal import Options
from reference_impl.upstream.canal import json_text as canal_json
from reference_impl.upstream.canal import texts as canal_texts
from reference_impl.upstream.canal import types as canal_types
from reference_impl.upstream.canal.layout import canal_column

ENTRIES = load_divergences()["canal", "canal-json"].divergences
OF_VALUES = [
    entry for entry in ENTRIES if entry.predicate in {**VALUES, **CELLS, **COLUMN_CELLS} or entry.id == "DV-107"
]
OF_TYPES = {"DV-02", "DV-12", "DV-102", "DV-104", "DV-107", "DV-111"}
# What of a column an entry is about: `sqlType`, or the text of the value, where it is not the latter alone.
CODES = {"DV-45", "DV-46"}
BOTH = {"DV-54", "DV-105", "DV-106", "DV-107", "DV-117"}
# MariaDB keeps the text of JSON as it was written, and of a U+FFFD nobody can tell whether it was stored: a value of
# these may look alike.
LOOK_ALIKE = {"DV-107", "DV-74"}

MODES = [
    {"canal": {"server": server, "tsdb": tsdb, "jdk": jdk, "binlog_row_image": "FULL"}}
    for server, tsdb, jdk in product(("mysql", "mariadb"), ("true", "false"), ("17", "25"))
]


# -- columns -----------------------------------------------------------------------------------------------------------

# Types as statements spell them, beside those of the corpora.
SPELLED = (
    *("bool", "INTEGER", "integer unsigned", "int1", "INT2", "middleint", "int8", "serial", "smallint(5) unsigned"),
    *("numeric(8,3)", "dec", "FIXED(10,3) unsigned", "decimal", "decimal(5)", "real", "double precision", "float4"),
    *("float(24)", "float(25)", "bit", "char", "binary", "nchar(5)", "national varchar(5)", "long", "long varbinary"),
    *(
        "text(100)",
        "blob(100)",
        "text(70000)",
        "blob(70000)",
        "MEDIUMTEXT",
        "mediumint(5)",
        "bigint(19)",
        r"set('a\b','c')",
    ),
)
SAMPLES: Mapping[Family, Value] = {
    **dict.fromkeys(INTEGERS, "1"),
    **dict.fromkeys((Family.FLOAT, Family.DOUBLE, Family.BIT, Family.DECIMAL), "1"),
    **dict.fromkeys(TEXT, "a"),
    **dict.fromkeys(BINARY, b"a"),
    Family.SET: "c",
}
# Characters that are worth a look in every type that can hold them.
TEXTS: Mapping[str, Value] = {
    "html": "<a>",
    "short escapes": "a\b\f",
    "separators": "a\u2028",
    "latin": "é",
    "not UTF-8": RawText(b"a\xff"),
    "broken": RawText(b"\xe4\xb8"),
}
BYTES: Mapping[str, Value] = {"html": b"<a>", "short escapes": b"a\b\f", "utf-8": b"\xc3\xa9", "not UTF-8": b"a\xff"}
JSON: Mapping[str, Value] = {
    "order": '{"a": 1, "bb": 2, "c": 3}',
    "double": "15000000.5",
    "digits": "2e23",
    "escapes": '"a\u0085\\b"',
    "separators": '"a\u2028"',
    "NUL": '"ab\\u0000c"',
}


def _more(column: Column) -> Mapping[str, Value]:
    kind = column.type
    if kind.family is Family.JSON:
        return JSON
    if kind.family in TEXT and (kind.length is None or kind.length > 3):
        plain = column.charset is None or column.charset.startswith("utf8")
        return TEXTS if plain else {"latin": "é", "html": "<a>"} if column.charset == "latin1" else {}
    if kind.family in BINARY and (kind.length is None or kind.length > 3):
        size = kind.length or 0 if kind.family is Family.BINARY else 0
        return {name: value.ljust(size, b"\0") for name, value in BYTES.items() if isinstance(value, bytes)}
    if kind.family in (Family.FLOAT, Family.DOUBLE):
        return {"two digits": "1e-45" if kind.family is Family.FLOAT else "5e-324"} if not kind.scale else {}
    return {}


@cache
def columns() -> list[tuple[Column, Mapping[str, Value]]]:
    """Every column, with its values by name."""
    found = [(d.column, {**d.boundaries, "NULL": None}) for family in load_families() for d in family.declarations]
    for text in SPELLED:
        kind = parse_column_type(text)
        value = SAMPLES[kind.family]
        if kind.family is Family.DECIMAL:
            value = "1" + ("." + "0" * kind.scale if kind.scale else "")
        found.append((Column("c", kind), {"one": value, "NULL": None}))
    found += [(Column("c", parse_column_type(f"{word}('a\nb','c')")), {"one": "c"}) for word in ("enum", "set")]
    for text in ("char(9)", "varchar(9)", "tinytext", "text", "mediumtext", "longtext"):
        found.append((Column("c", parse_column_type(text), charset="latin1"), {}))
        found.append((Column("c", parse_column_type(text, "binary"), charset="binary"), {}))
    return [(column, {**values, **_more(column)}) for column, values in found]


@dataclass(frozen=True)
class Seen:
    """A value of a column under some options, as both write it; a cell that could not be read is its fault."""

    column: Column
    options: Mapping[str, Mapping[str, str]]
    name: str
    codes: tuple[int, int]
    literals: tuple[str, str]
    cells: tuple[Cell | Rejected, Cell]

    def __str__(self) -> str:
        return f"{self.column.type.text} {self.column.charset} {self.name} {self.options['canal']}: {self.literals}"


def _table(column: Column) -> Table:
    return Table("shop", "t", (column,), create_sql="CREATE TABLE t (…)")


@cache
def everything() -> list[Seen]:
    """Every value of every column that both dialects can write, in every mode."""
    found = []
    for (column, values), options in product(columns(), MODES):
        kind = column.type
        source = canal_column(column, _table(column), parse(Options, options["canal"]))
        try:
            canal, ticdc = canal_texts.writer(source), ticdc_texts.writer(kind)
        except (Rejected, KeyError):
            continue
        reads = canal_texts.reader(source), ticdc_texts.reader(kind, True)
        for name, value in values.items():
            if value is None:
                texts: tuple[str | None, str | None] = (None, None)
                literals = ("null", "null")
            else:
                try:
                    texts = canal(value), ticdc(value)
                except Rejected:
                    continue
                literals = canal_json.literal(texts[0] or ""), ticdc_texts.literal(texts[1] or "")
            shown = canal_types.sql_type(kind, source.mysql_type, texts[0], mariadb=source.mariadb)
            codes = shown, ticdc_types.sql_type(kind, texts[1])
            found.append(Seen(column, options, name, codes, literals, _cells(column, literals, reads)))
    return found


def _cells(column: Column, literals: tuple[str, str], reads: tuple[Any, Any]) -> tuple[Cell | Rejected, Cell]:
    cells: list[Cell | Rejected] = []
    for literal, read in zip(literals, reads, strict=True):
        text = json.loads(literal)
        try:
            cells.append(None if text is None else canonical(column.type, read(text)))
        except Rejected as e:
            as_it_is = escaped(text) if column.type.family is Family.JSON else text
            cells.append(e if as_it_is == text else canonical(column.type, read(as_it_is)))
    assert not isinstance(cells[1], Rejected), (column, literals)
    return cells[0], cells[1]


def claims(seen: Seen) -> Iterator[Divergence]:
    """The entries that concern a value, as a comparison would take them."""
    kind = seen.column.type
    upstream, ticdc = seen.cells
    for entry in OF_VALUES:
        if kind.family.value not in entry.types or not entry.applies(seen.options):
            continue
        if isinstance(upstream, Rejected):
            concerned = entry.met is Met.OUTSIDE and VALUES[entry.predicate](kind, ticdc)
        elif upstream == ticdc:
            concerned = entry.met is Met.TEXT and (not entry.predicate or VALUES[entry.predicate](kind, ticdc))
        elif entry.met is not Met.CELL:
            concerned = False
        elif entry.predicate in COLUMN_CELLS:
            concerned = COLUMN_CELLS[entry.predicate](seen.column, upstream, ticdc)
        else:
            concerned = CELLS[entry.predicate](kind, upstream, ticdc)
        if concerned:
            yield entry


def test_every_difference_of_a_code_or_text_is_an_entry_s() -> None:
    unclaimed = []
    for seen in everything():
        ids = {entry.id for entry in claims(seen)}
        if seen.codes[0] != seen.codes[1] and not ids & (CODES | BOTH):
            unclaimed.append(f"sqlType of {seen}: {seen.codes}")
        if seen.literals[0] != seen.literals[1] and not ids - CODES:
            unclaimed.append(str(seen))
    assert unclaimed == []


def test_no_entry_claims_a_value_that_both_write_alike() -> None:
    alike = []
    for seen in everything():
        for entry in claims(seen):
            of_code = seen.codes[0] != seen.codes[1] and entry.id in CODES | BOTH
            of_text = seen.literals[0] != seen.literals[1] and entry.id not in CODES
            if not (of_code or of_text or entry.id in LOOK_ALIKE):
                alike.append(f"{entry.id}: {seen}")
    assert alike == []


def test_every_entry_of_values_is_seen_in_each_of_its_types() -> None:
    found = {(entry.id, seen.column.type.family.value) for seen in everything() for entry in claims(seen)}
    assert {(entry.id, family) for entry in OF_VALUES for family in entry.types} - found == set()


# -- mysqlType ---------------------------------------------------------------------------------------------------------


def test_every_part_of_a_type_that_differs_is_an_entry_s_and_every_entry_is_seen_in_each_of_its_types() -> None:
    by_id = {entry.id: entry for entry in ENTRIES}
    seen: Counter[tuple[str, str]] = Counter()
    wrong = []
    for (column, _), canal, full in product(columns(), MODES, (False, True)):
        if column.type.family in (Family.VECTOR, Family.GEOMETRY):
            continue
        options = {**canal, "canal-json": {"content-compatible": str(full).lower()}}
        shown = canal_column(column, _table(column), parse(Options, canal["canal"])).mysql_type
        ticdc = ticdc_types.mysql_type(column.type, full=full)
        mariadb = canal["canal"]["server"] == "mariadb"
        for id_ in mysql_type_divergences(column, shown, ticdc, mariadb=mariadb, full=full):
            entry = by_id.get(id_)
            family = column.type.family.value
            if entry is None or family not in entry.types or not entry.applies(options):
                wrong.append(f"{id_ or 'nothing'} of {shown!r}, {ticdc!r} under {options}")
            seen[id_, family] += 1
    assert dict.fromkeys(wrong) == {}
    assert {(id_, family) for id_ in OF_TYPES for family in by_id[id_].types} - seen.keys() == set()

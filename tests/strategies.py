"""Strategies for arbitrary tables, row changes and streams, whether or not a database could produce them.

They exercise codecs; for what a database does, see `conformance.search.inputs`.
"""

from __future__ import annotations

from hypothesis import strategies as st

from conformance.search.values import CHARACTERS, column_types, values_of
from reference_impl.column_types import TEXT, Family, parse_column_type
from reference_impl.model import Column, DdlEvent, Event, Key, RawText, RowChange, RowOp, Table, Value, Watermark
from reference_impl.tso import MAX_TSO

__all__ = ["changes", "column_types", "commit_times", "flags", "raw_texts", "rows", "streams", "tables", "values_of"]

_names = st.one_of(
    st.sampled_from(["id", "a", "b", "c", "Name", "order", "列", "a b", 'q"q', "<x>", "x\\y"]),
    st.text(CHARACTERS, min_size=1, max_size=8),
)

# Families that MySQL lets into a key without a prefix length.
_KEYABLE = (
    frozenset(Family)
    - TEXT.difference({Family.CHAR, Family.VARCHAR})
    - {
        *(Family.TINYBLOB, Family.BLOB, Family.MEDIUMBLOB, Family.LONGBLOB),
        *(Family.JSON, Family.VECTOR, Family.GEOMETRY, Family.FLOAT, Family.DOUBLE),
    }
)


@st.composite
def tables(draw: st.DrawFn, *, keyed: bool = False, generated: bool = True) -> Table:
    """A table of one to seven columns with any keys; with `keyed` it has a primary key."""
    names = draw(st.lists(_names, min_size=1, max_size=7, unique=True))
    types = draw(st.lists(column_types(), min_size=len(names), max_size=len(names)))
    if keyed and not any(column_type.family in _KEYABLE for column_type in types):
        types[0] = parse_column_type("bigint")
    keyable = [name for name, column_type in zip(names, types, strict=True) if column_type.family in _KEYABLE]
    key_columns = st.lists(st.sampled_from(keyable), min_size=1, max_size=3, unique=True) if keyable else st.just([])
    primary = tuple(draw(key_columns if keyed else key_columns | st.just([])))
    unique = draw(st.lists(key_columns.filter(bool), max_size=2)) if keyable else []
    in_key = {name for columns in (primary, *unique) for name in columns}
    columns = []
    for name, column_type in zip(names, types, strict=True):
        is_virtual = generated and name not in in_key and draw(st.integers(0, 9)) == 0
        columns.append(
            Column(
                name=name,
                type=column_type,
                nullable=name not in primary and draw(st.booleans()),
                generated="virtual" if is_virtual else None,
            )
        )
    if all(column.generated == "virtual" for column in columns):
        columns[0] = Column(columns[0].name, columns[0].type, columns[0].nullable)
    return Table(
        schema=draw(_names),
        name=draw(_names),
        columns=tuple(columns),
        primary_key=primary,
        unique_keys=tuple(Key(f"uk{n}", tuple(names)) for n, names in enumerate(unique)),
    )


@st.composite
def rows(draw: st.DrawFn, table: Table) -> dict[str, Value]:
    """A full row of a table, without virtual generated columns."""
    return {
        column.name: None if column.nullable and draw(st.integers(0, 4)) == 0 else draw(values_of(column.type))
        for column in table.columns
        if column.generated != "virtual"
    }


def commit_times() -> st.SearchStrategy[int]:
    """A commit time stamp, up to 2^64-1 and often beyond what a double holds."""
    return st.sampled_from([1, 2**53 + 1, 429918007904436226, 2**63, MAX_TSO]) | st.integers(1, MAX_TSO)


@st.composite
def changes(draw: st.DrawFn, table: Table) -> RowChange:
    """An insert, update or delete of a row of `table`; an update changes some columns, or none."""
    ops: list[RowOp] = ["insert", "update", "delete"]
    op = draw(st.sampled_from(ops))
    row = draw(rows(table))
    before, after = (None, row) if op == "insert" else (row, None)
    if op == "update":
        other = draw(rows(table))
        kept = draw(st.sets(st.sampled_from(sorted(row))))
        after = {name: row[name] if name in kept else value for name, value in other.items()}
    return RowChange(op, table.schema, table.name, draw(commit_times()), before=before, after=after)


@st.composite
def streams(draw: st.DrawFn, *, keyed: bool = False) -> tuple[list[Table], list[Event]]:
    """Some tables, and row changes of them mixed with DDL statements and watermarks."""
    known = draw(st.lists(tables(keyed=keyed), min_size=1, max_size=2, unique_by=lambda table: table.id))
    events: list[Event] = []
    for _ in range(draw(st.integers(1, 5))):
        kind = draw(st.sampled_from(["row", "row", "row", "watermark", "ddl"]))
        table = draw(st.sampled_from(known))
        if kind == "row":
            events.append(draw(changes(table)))
        elif kind == "watermark":
            events.append(Watermark(draw(commit_times())))
        else:
            query = draw(st.text(CHARACTERS, min_size=1, max_size=20))
            events.append(
                DdlEvent(
                    *table.id,
                    query,
                    action="create table",
                    action_code=3,
                    commit_ts=draw(commit_times()),
                    table_after=table,
                )
            )
    return known, events


def flags(*names: str) -> st.SearchStrategy[dict[str, str]]:
    """Some of the named options, each `true` or `false`."""
    return st.fixed_dictionaries({}, optional={name: st.sampled_from(["true", "false"]) for name in names})


def raw_texts() -> st.SearchStrategy[RawText]:
    """Bytes of a character column that are not UTF-8."""

    def is_invalid(data: bytes) -> bool:
        try:
            data.decode()
        except UnicodeDecodeError:
            return True
        return False

    return st.binary(min_size=1, max_size=8).filter(is_invalid).map(RawText)

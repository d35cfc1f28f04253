"""Inputs with rows, statements and watermarks: a table changes between rows, and transactions with several changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from conformance.cases.inputs import (
    BASE,
    Input,
    altered,
    column,
    commit_times,
    ddl,
    delete,
    history,
    insert,
    numbered,
    table,
    timed,
    update,
    with_sql,
)
from conformance.cases.statements import ADDED, CHANGED, DROPPED, add_column, statement_of
from reference_impl.model import Event, Row, Table, Watermark
from reference_impl.registry import RegisteredSchema

__all__ = ["registered_inputs", "repeated_inputs", "stream_inputs"]

_IDS = numbered(name="s")
_AMOUNTS = numbered(column("a", "decimal(5,2)"), name="s")
_RENAMED = table("renamed", BASE.columns)
_ELSEWHERE = table("t", BASE.columns, schema="other")
_LOOSE = with_sql(replace(BASE, clustered=False))
# Stream → its tables, if these are others than `BASE` alone.
_TABLES: Mapping[str, Sequence[Table]] = {
    "create, fill, drop and create again": [],
    "a statement about another table": [BASE, _IDS],
    "several tables in turn": [BASE, _AMOUNTS, _ELSEWHERE],
    "one transaction, a row replaced": [_LOOSE],
}
_ANY_ROW: Row = {"id": "1", "a": "x"}


def _evolution() -> dict[str, Sequence[Event]]:
    """Streams in which a table changes between rows."""
    wide: Row = {"id": "2", "a": "y", "n": "5"}
    return {
        "add column": [
            insert(BASE, _ANY_ROW),
            statement_of(5),
            insert(ADDED, wide),
            update(ADDED, wide, {**wide, "n": None}),
        ],
        "drop column": [insert(BASE, _ANY_ROW), statement_of(6), delete(DROPPED, {"id": "1"})],
        "modify column": [insert(BASE, _ANY_ROW), statement_of(12), update(CHANGED, _ANY_ROW, {"id": "1", "a": "y"})],
        "truncate table": [insert(BASE, _ANY_ROW), statement_of(11), insert(BASE, _ANY_ROW)],
        "truncate table twice": [insert(BASE, _ANY_ROW), statement_of(11), statement_of(11), insert(BASE, _ANY_ROW)],
        "rename table": [
            insert(BASE, _ANY_ROW),
            altered(BASE, _RENAMED, "RENAME TABLE `test`.`t` TO `test`.`renamed`", "rename table", 14),
            insert(_RENAMED, {"id": "2", "a": "y"}),
            delete(_RENAMED, _ANY_ROW),
        ],
        "create, fill, drop and create again": [
            statement_of(1),
            statement_of(3),
            insert(BASE, _ANY_ROW),
            statement_of(4),
            replace(
                ddl(None, "CREATE TABLE `t` (`id` INT PRIMARY KEY,`a` TEXT)", "create table", 3),
                table="t",
                table_after=CHANGED,
            ),
            insert(CHANGED, _ANY_ROW),
        ],
        "multi-schema change": [insert(BASE, _ANY_ROW), statement_of(61), insert(ADDED, wide), delete(ADDED, wide)],
        "a statement about another table": [
            insert(BASE, _ANY_ROW),
            altered(_IDS, _IDS, "ALTER TABLE `s` COMMENT = 'x'", "modify table comment", 17),
            insert(BASE, {"id": "2", "a": None}),
            insert(_IDS, {"id": "1"}),
        ],
        "several statements": [statement_of(5), statement_of(7), statement_of(8), statement_of(17)],
    }


def _transactions() -> dict[str, Sequence[Event]]:
    """Streams in which time stamps or rows coincide."""
    one, two, three = commit_times(3)
    rows: list[Row] = [{"id": str(i), "a": f"row {i}"} for i in range(1, 6)]
    return {
        "one transaction": [insert(BASE, row, one) for row in rows],
        "one transaction, several operations": [
            *(insert(BASE, row, one) for row in rows[:2]),
            update(BASE, rows[0], {**rows[0], "a": None}, two),
            delete(BASE, rows[1], two),
            insert(BASE, rows[2], two),
        ],
        "one transaction, a key changed": [
            insert(BASE, rows[0], one),
            update(BASE, rows[0], {**rows[0], "id": "9"}, two),
            insert(BASE, rows[1], two),
        ],
        "several tables in turn": [
            insert(BASE, rows[0], one),
            insert(_AMOUNTS, {"id": "1", "a": "0.50"}, one),
            insert(_ELSEWHERE, rows[0], two),
            insert(BASE, rows[1], two),
            delete(_AMOUNTS, {"id": "1", "a": "0.50"}, three),
            insert(_ELSEWHERE, rows[1], three),
        ],
        # as by REPLACE, where the primary key is not clustered
        "one transaction, a row replaced": [
            insert(_LOOSE, rows[0], one),
            delete(_LOOSE, rows[0], two),
            insert(_LOOSE, {**rows[0], "a": "another"}, two),
            insert(_LOOSE, rows[1], three),
        ],
        "two transactions in one millisecond": [
            insert(BASE, rows[0], one),
            update(BASE, rows[0], {**rows[0], "a": None}, one + 1),
            insert(BASE, rows[1], two),
        ],
        "a row twice": [insert(BASE, rows[0], one), insert(BASE, rows[0], one)],
        "a row inserted, deleted and inserted again": [
            insert(BASE, rows[0]),
            delete(BASE, rows[0]),
            insert(BASE, rows[0]),
        ],
        "rows and watermarks": [
            insert(BASE, rows[0], one),
            Watermark(one),
            insert(BASE, rows[1], two),
            insert(BASE, rows[2], two),
            Watermark(two),
            Watermark(three),
        ],
        "a row at the time stamp of the watermark before it": [
            insert(BASE, rows[0], one),
            Watermark(two),
            insert(BASE, rows[1], two),
        ],
        "a statement between rows and watermark": [
            insert(BASE, rows[0], one),
            add_column(two),
            Watermark(two),
            Watermark(three),
        ],
        "nothing": [],
    }


def stream_inputs(options: Mapping[str, str]) -> Iterator[Input]:
    """Streams under the options, which make watermarks visible."""
    for name, events in (_evolution() | _transactions()).items():
        yield Input(
            f"stream/{name}",
            tuple(_TABLES.get(name, [BASE])),
            timed(events),
            options=options,
            in_both_styles=True,
            axes={"stream": name},
        )


# Protocol → its requirements on the ids of schemas.
_ID_REQUIREMENTS: Mapping[str, tuple[str, ...]] = {"avro": ("AV-015a",)}

_LARGE_ID = 0x01020304
"""All its bytes differ, and none is zero; this holds for the ids that follow, too."""


def registered_inputs(protocol: str, options: Mapping[str, str]) -> Iterator[Input]:
    """Rows whose schemas get large ids, as in a registry with many other schemas."""
    if protocol not in _ID_REQUIREMENTS:
        return
    row: Row = {"id": "1", "a": "x"}
    yield Input(
        "stream/large schema ids",
        (BASE,),
        timed([*history(BASE, [row, {**row, "a": None}, None]), statement_of(5), insert(ADDED, {**row, "n": "5"})]),
        options,
        registered=(RegisteredSchema(_LARGE_ID, "somebody-else-value", '"string"'),),
        requirements=_ID_REQUIREMENTS[protocol],
        axes={"stream": "large schema ids"},
    )


# Protocol → its requirement that allows a decoder to leave out a repeated event below a watermark.
_REPEAT_REQUIREMENTS: Mapping[str, str] = {"canal-json": "CJ-890", "debezium": "DBZ-455", "open-protocol": "OP-259"}


def repeated_inputs(protocol: str, options: Mapping[str, str]) -> Iterator[Input]:
    """Events repeated below a watermark, as after a restart, and other events at and above it."""
    if protocol not in _REPEAT_REQUIREMENTS:
        return
    one, two, three, four = commit_times(4)
    first, second = insert(BASE, _ANY_ROW, one), update(BASE, _ANY_ROW, {"id": "1", "a": "y"}, two)
    at, above = insert(BASE, {"id": "2", "a": "z"}, three), insert(BASE, {"id": "3", "a": None}, four)
    streams: Mapping[str, tuple[Sequence[Event], tuple[int, ...]]] = {
        "a row": ([first, Watermark(three), first, at, above], (2,)),
        "two rows": ([first, second, Watermark(three), first, second, at, Watermark(four), above], (3, 4)),
        "a row below the second watermark": ([first, Watermark(two), at, Watermark(four), at, above], (4,)),
        "a statement": ([add_column(one), Watermark(three), add_column(one), Watermark(four)], (2,)),
    }
    for name, (events, repeated) in streams.items():
        yield Input(
            f"stream/below a watermark/{name}",
            (BASE,),
            tuple(events),
            options=options,
            role="decode",
            repeated=repeated,
            requirements=(_REPEAT_REQUIREMENTS[protocol],),
            axes={"stream": "below a watermark"},
        )

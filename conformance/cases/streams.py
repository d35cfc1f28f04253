"""Inputs with rows, statements and watermarks: a table changes between rows, and transactions with several changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from conformance.cases.inputs import (
    BASE,
    NOW,
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
            statement_of("add column"),
            insert(ADDED, wide),
            update(ADDED, wide, {**wide, "n": None}),
        ],
        "drop column": [insert(BASE, _ANY_ROW), statement_of("drop column"), delete(DROPPED, {"id": "1"})],
        "modify column": [
            insert(BASE, _ANY_ROW),
            statement_of("modify column"),
            update(CHANGED, _ANY_ROW, {"id": "1", "a": "y"}),
        ],
        "truncate table": [insert(BASE, _ANY_ROW), statement_of("truncate table"), insert(BASE, _ANY_ROW)],
        "truncate table twice": [
            insert(BASE, _ANY_ROW),
            statement_of("truncate table"),
            statement_of("truncate table"),
            insert(BASE, _ANY_ROW),
        ],
        "rename table": [
            insert(BASE, _ANY_ROW),
            altered(BASE, _RENAMED, "RENAME TABLE `test`.`t` TO `test`.`renamed`", "rename table"),
            insert(_RENAMED, {"id": "2", "a": "y"}),
            delete(_RENAMED, _ANY_ROW),
        ],
        "create, fill, drop and create again": [
            statement_of("create schema"),
            statement_of("create table"),
            insert(BASE, _ANY_ROW),
            statement_of("drop table"),
            replace(
                ddl(None, "CREATE TABLE `t` (`id` INT PRIMARY KEY,`a` TEXT)", "create table"),
                table="t",
                table_after=CHANGED,
            ),
            insert(CHANGED, _ANY_ROW),
        ],
        "multi-schema change": [
            insert(BASE, _ANY_ROW),
            statement_of("alter table multi-schema change"),
            insert(ADDED, wide),
            delete(ADDED, wide),
        ],
        "a statement about another table": [
            insert(BASE, _ANY_ROW),
            altered(_IDS, _IDS, "ALTER TABLE `s` COMMENT = 'x'", "modify table comment"),
            insert(BASE, {"id": "2", "a": None}),
            insert(_IDS, {"id": "1"}),
        ],
        "several statements": [
            statement_of("add column"),
            statement_of("add index"),
            statement_of("drop index"),
            statement_of("modify table comment"),
        ],
    }


_ONE, _TWO, _THREE = commit_times(3)
_ROWS: Sequence[Row] = [{"id": str(i), "a": f"row {i}"} for i in range(1, 6)]


def _transactions() -> dict[str, Sequence[Event]]:
    """Streams in which time stamps or rows coincide."""
    return {
        "one transaction": [insert(BASE, row, _ONE) for row in _ROWS],
        "one transaction, several operations": [
            *(insert(BASE, row, _ONE) for row in _ROWS[:2]),
            update(BASE, _ROWS[0], {**_ROWS[0], "a": None}, _TWO),
            delete(BASE, _ROWS[1], _TWO),
            insert(BASE, _ROWS[2], _TWO),
        ],
        "one transaction, a key changed": [
            insert(BASE, _ROWS[0], _ONE),
            update(BASE, _ROWS[0], {**_ROWS[0], "id": "9"}, _TWO),
            insert(BASE, _ROWS[1], _TWO),
        ],
        "several tables in turn": [
            insert(BASE, _ROWS[0], _ONE),
            insert(_AMOUNTS, {"id": "1", "a": "0.50"}, _ONE),
            insert(_ELSEWHERE, _ROWS[0], _TWO),
            insert(BASE, _ROWS[1], _TWO),
            delete(_AMOUNTS, {"id": "1", "a": "0.50"}, _THREE),
            insert(_ELSEWHERE, _ROWS[1], _THREE),
        ],
        # as by REPLACE, where the primary key is not clustered
        "one transaction, a row replaced": [
            insert(_LOOSE, _ROWS[0], _ONE),
            delete(_LOOSE, _ROWS[0], _TWO),
            insert(_LOOSE, {**_ROWS[0], "a": "another"}, _TWO),
            insert(_LOOSE, _ROWS[1], _THREE),
        ],
        "two transactions in one millisecond": [
            insert(BASE, _ROWS[0], _ONE),
            update(BASE, _ROWS[0], {**_ROWS[0], "a": None}, _ONE + 1),
            insert(BASE, _ROWS[1], _TWO),
        ],
        "a row twice": [insert(BASE, _ROWS[0], _ONE), insert(BASE, _ROWS[0], _ONE)],
        "a row inserted, deleted and inserted again": [
            insert(BASE, _ROWS[0]),
            delete(BASE, _ROWS[0]),
            insert(BASE, _ROWS[0]),
        ],
    }


def _watermarks() -> dict[str, Sequence[Event]]:
    """Streams with watermarks, and the empty stream."""
    return {
        "rows and watermarks": [
            insert(BASE, _ROWS[0], _ONE),
            Watermark(_ONE),
            insert(BASE, _ROWS[1], _TWO),
            insert(BASE, _ROWS[2], _TWO),
            Watermark(_TWO),
            Watermark(_THREE),
        ],
        "a row at the time stamp of the watermark before it": [
            insert(BASE, _ROWS[0], _ONE),
            Watermark(_TWO),
            insert(BASE, _ROWS[1], _TWO),
        ],
        "a statement between rows and watermark": [
            insert(BASE, _ROWS[0], _ONE),
            add_column(_TWO),
            Watermark(_TWO),
            Watermark(_THREE),
        ],
        "nothing": [],
    }


# A stream with every kind of message; its cluster id is one that names of schemas have in another form.
_OF_OTHER_CLUSTER = "a statement between rows and watermark"


def stream_inputs(options: Mapping[str, str]) -> Iterator[Input]:
    """Streams under the options, which make watermarks visible."""
    for name, events in (_evolution() | _transactions() | _watermarks()).items():
        yield Input(
            f"stream/{name}",
            tuple(_TABLES.get(name, [BASE])),
            timed(events),
            options=options,
            settings=replace(NOW, cluster_id="1c-2") if name == _OF_OTHER_CLUSTER else NOW,
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
    rows = history(BASE, [_ANY_ROW, {**_ANY_ROW, "a": None}, None])
    yield Input(
        "stream/large schema ids",
        (BASE,),
        timed([*rows, statement_of("add column"), insert(ADDED, {**_ANY_ROW, "n": "5"})]),
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

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

_ANY_ROW: Row = {"id": "1", "a": "x"}


def _rename() -> tuple[Event, ...]:
    new = table("renamed", BASE.columns)
    return timed(
        [
            insert(BASE, _ANY_ROW),
            altered(BASE, new, "RENAME TABLE `test`.`t` TO `test`.`renamed`", "rename table", 14),
            insert(new, {"id": "2", "a": "y"}),
            delete(new, _ANY_ROW),
        ]
    )


def _evolution() -> Iterator[tuple[str, Sequence[Table], Sequence[Event]]]:
    """(name, initial tables, events) of streams in which a table changes between rows."""
    wide: Row = {"id": "2", "a": "y", "n": "5"}
    yield (
        "add column",
        [BASE],
        [insert(BASE, _ANY_ROW), statement_of(5), insert(ADDED, wide), update(ADDED, wide, {**wide, "n": None})],
    )
    yield "drop column", [BASE], [insert(BASE, _ANY_ROW), statement_of(6), delete(DROPPED, {"id": "1"})]
    yield (
        "modify column",
        [BASE],
        [insert(BASE, _ANY_ROW), statement_of(12), update(CHANGED, _ANY_ROW, {"id": "1", "a": "y"})],
    )
    yield "truncate table", [BASE], [insert(BASE, _ANY_ROW), statement_of(11), insert(BASE, _ANY_ROW)]
    yield (
        "truncate table twice",
        [BASE],
        [insert(BASE, _ANY_ROW), statement_of(11), statement_of(11), insert(BASE, _ANY_ROW)],
    )
    yield "rename table", [BASE], _rename()
    yield (
        "create, fill, drop and create again",
        [],
        [
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
    )
    yield (
        "multi-schema change",
        [BASE],
        [insert(BASE, _ANY_ROW), statement_of(61), insert(ADDED, wide), delete(ADDED, wide)],
    )
    other = numbered(name="s")
    yield (
        "a statement about another table",
        [BASE, other],
        [
            insert(BASE, _ANY_ROW),
            altered(other, other, "ALTER TABLE `s` COMMENT = 'x'", "modify table comment", 17),
            insert(BASE, {"id": "2", "a": None}),
            insert(other, {"id": "1"}),
        ],
    )
    yield "several statements", [BASE], [statement_of(5), statement_of(7), statement_of(8), statement_of(17)]


def _transactions() -> Iterator[tuple[str, Sequence[Table], Sequence[Event]]]:
    """(name, tables, events) of streams in which time stamps or rows coincide."""
    one, two, three = commit_times(3)
    rows: list[Row] = [{"id": str(i), "a": f"row {i}"} for i in range(1, 6)]
    other = numbered(column("a", "decimal(5,2)"), name="s")
    elsewhere = table("t", BASE.columns, schema="other")
    yield "one transaction", [BASE], [insert(BASE, row, one) for row in rows]
    yield (
        "one transaction, several operations",
        [BASE],
        [
            *(insert(BASE, row, one) for row in rows[:2]),
            update(BASE, rows[0], {**rows[0], "a": None}, two),
            delete(BASE, rows[1], two),
            insert(BASE, rows[2], two),
        ],
    )
    yield (
        "one transaction, a key changed",
        [BASE],
        [insert(BASE, rows[0], one), update(BASE, rows[0], {**rows[0], "id": "9"}, two), insert(BASE, rows[1], two)],
    )
    yield (
        "several tables in turn",
        [BASE, other, elsewhere],
        [
            insert(BASE, rows[0], one),
            insert(other, {"id": "1", "a": "0.50"}, one),
            insert(elsewhere, rows[0], two),
            insert(BASE, rows[1], two),
            delete(other, {"id": "1", "a": "0.50"}, three),
            insert(elsewhere, rows[1], three),
        ],
    )
    loose = with_sql(replace(BASE, clustered=False))
    yield (
        "one transaction, a row replaced",  # as by REPLACE, where the primary key is not clustered
        [loose],
        [
            insert(loose, rows[0], one),
            delete(loose, rows[0], two),
            insert(loose, {**rows[0], "a": "another"}, two),
            insert(loose, rows[1], three),
        ],
    )
    yield (
        "two transactions in one millisecond",
        [BASE],
        [
            insert(BASE, rows[0], one),
            update(BASE, rows[0], {**rows[0], "a": None}, one + 1),
            insert(BASE, rows[1], two),
        ],
    )
    yield "a row twice", [BASE], [insert(BASE, rows[0], one), insert(BASE, rows[0], one)]
    yield (
        "a row inserted, deleted and inserted again",
        [BASE],
        timed([insert(BASE, rows[0]), delete(BASE, rows[0]), insert(BASE, rows[0])]),
    )
    yield (
        "rows and watermarks",
        [BASE],
        [
            insert(BASE, rows[0], one),
            Watermark(one),
            insert(BASE, rows[1], two),
            insert(BASE, rows[2], two),
            Watermark(two),
            Watermark(three),
        ],
    )
    yield (
        "a row at the time stamp of the watermark before it",
        [BASE],
        [insert(BASE, rows[0], one), Watermark(two), insert(BASE, rows[1], two)],
    )
    yield (
        "a statement between rows and watermark",
        [BASE],
        [insert(BASE, rows[0], one), add_column(two), Watermark(two), Watermark(three)],
    )
    yield "nothing", [BASE], []


def stream_inputs(options: Mapping[str, str]) -> Iterator[Input]:
    """Streams under the options, which make watermarks visible."""
    for name, tables, events in (*_evolution(), *_transactions()):
        yield Input(
            f"stream/{name}",
            tuple(tables),
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

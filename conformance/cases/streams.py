"""Inputs that are more than one row: DDL, watermarks, names, zones, transactions, several tables, partitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from conformance.cases.inputs import (
    FREEDOMS,
    NOW,
    Input,
    column,
    commit_times,
    ddl,
    delete,
    history,
    insert,
    table,
    timed,
    update,
)
from conformance.cases.sql import definition, identifier
from conformance.catalogue.corpora import OptionSpace, Statement, load_names, load_statements, load_zones
from reference_impl.model import DdlEvent, Event, Row, Table, Watermark
from reference_impl.tso import MAX_TSO

__all__ = [
    "BASE",
    "add_column",
    "name_inputs",
    "statement_inputs",
    "stream_inputs",
    "time_inputs",
    "unknown_statement_inputs",
    "untouched_inputs",
    "watermark_inputs",
    "zone_inputs",
]

_ID = column("id", "int", nullable=False)
BASE = table("t", (_ID, column("a", "varchar(20)")))

_AFTER: Mapping[str, Table | None] = {
    "same": BASE,
    "added": table("t", (*BASE.columns, column("n", "int"))),
    "dropped": table("t", (_ID,)),
    "changed": table("t", (_ID, column("a", "text"))),
    "gone": None,
    "": None,
}
_ANY_ROW: Row = {"id": "1", "a": "x"}


def _statement(statement: Statement) -> DdlEvent:
    after = _AFTER[statement.after]
    before = BASE if statement.after and statement.action not in ("create table", "create tables") else None
    return DdlEvent(
        "test",
        statement.table,
        statement.query,
        statement.action,
        statement.code,
        table_before=before,
        table_after=after,
    )


def add_column(commit_ts: int) -> DdlEvent:
    """A column added to `BASE`."""
    return replace(_statement(load_statements()[4]), commit_ts=commit_ts)


def statement_inputs(options: Mapping[str, str]) -> Iterator[Input]:
    """Every action as a statement alone; under the options, which tell the time of a statement."""
    for statement in load_statements():
        event = _statement(statement)
        before = event.table_before
        yield Input(
            f"ddl/{statement.code:02d} {statement.action}",
            (before,) if before is not None else (),
            timed([event]),
            options=options,
            axes={"statement": statement.action},
        )
    stored, virtual = (replace(column(kind[0], "int"), generated=kind) for kind in ("stored", "virtual"))
    computed = {stored.name: "`id` + 1", virtual.name: "`id` + 2"}
    after = table("t", (*BASE.columns, stored, virtual), expressions=computed)
    added = ", ".join(f"ADD COLUMN {definition(c, computed[c.name])}" for c in (stored, virtual))
    event = ddl(
        after, f"ALTER TABLE `t` {added}", "alter table multi-schema change", 61, table_before=BASE, table_after=after
    )
    yield Input(
        "ddl/generated columns", (BASE,), timed([event]), options=options, axes={"statement": "generated columns"}
    )


_QUERIES: Mapping[str, str] = {
    "quotes": "ALTER TABLE `t` COMMENT = 'it''s \"quoted\" \\\\ back'",
    "html": "ALTER TABLE `t` COMMENT = '<b>&amp;</b>'",
    "unicode": "ALTER TABLE `t` COMMENT = '中文 😀 é'",
    "line separators": "ALTER TABLE `t` COMMENT = 'a\u2028b\u2029c'",
    "lines": "ALTER TABLE `t`\n\tCOMMENT = 'x'\r\n",
    "controls": "ALTER TABLE `t` COMMENT = '\x01\x08\x0c\x1f\x7f'",
    "comment": "ALTER TABLE `t` /* a */ ADD COLUMN `n` INT /*T![auto_rand] AUTO_RANDOM(2) */ -- b",
    "long": "ALTER TABLE `t` COMMENT = '" + "x" * 2000 + "'",
    "longer than 64 KiB": "ALTER TABLE `t` /* " + "x" * 70000 + " */ COMMENT = 'x'",
    "semicolon": "ALTER TABLE `t` COMMENT = 'x;';",
    "blanks about it": " \n ALTER  TABLE  `t`  COMMENT = ' x '  ",
    "lower case, no quotes": "alter table t comment 'X'",
}


def _rename() -> tuple[Event, ...]:
    new = table("renamed", BASE.columns)
    return timed(
        [
            insert(BASE, _ANY_ROW),
            ddl(
                new,
                "RENAME TABLE `test`.`t` TO `test`.`renamed`",
                "rename table",
                14,
                table_before=BASE,
                table_after=new,
            ),
            insert(new, {"id": "2", "a": "y"}),
            delete(new, _ANY_ROW),
        ]
    )


def _evolution() -> Iterator[tuple[str, Sequence[Table], Sequence[Event]]]:
    """(name, tables at first, events) of streams in which a table changes between rows."""
    added = _AFTER["added"]
    dropped = _AFTER["dropped"]
    changed = _AFTER["changed"]
    assert added is not None
    assert dropped is not None
    assert changed is not None
    by_code = {s.code: s for s in load_statements()}

    def statement(code: int) -> DdlEvent:
        return _statement(by_code[code])

    wide: Row = {"id": "2", "a": "y", "n": "5"}
    yield (
        "add column",
        [BASE],
        [insert(BASE, _ANY_ROW), statement(5), insert(added, wide), update(added, wide, {**wide, "n": None})],
    )
    yield "drop column", [BASE], [insert(BASE, _ANY_ROW), statement(6), delete(dropped, {"id": "1"})]
    yield (
        "modify column",
        [BASE],
        [insert(BASE, _ANY_ROW), statement(12), update(changed, _ANY_ROW, {"id": "1", "a": "y"})],
    )
    yield (
        "truncate table",
        [BASE],
        [insert(BASE, _ANY_ROW), statement(11), insert(BASE, _ANY_ROW)],
    )
    yield "rename table", [BASE], _rename()
    yield (
        "create, fill, drop and create again",
        [],
        [
            statement(1),
            statement(3),
            insert(BASE, _ANY_ROW),
            statement(4),
            replace(
                ddl(None, "CREATE TABLE `t` (`id` INT PRIMARY KEY,`a` TEXT)", "create table", 3),
                table="t",
                table_after=changed,
            ),
            insert(changed, _ANY_ROW),
        ],
    )
    yield (
        "multi-schema change",
        [BASE],
        [insert(BASE, _ANY_ROW), statement(61), insert(added, wide), delete(added, wide)],
    )
    other = table("s", (_ID,))
    yield (
        "a statement about another table",
        [BASE, other],
        [
            insert(BASE, _ANY_ROW),
            ddl(
                other,
                "ALTER TABLE `s` COMMENT = 'x'",
                "modify table comment",
                17,
                table_before=other,
                table_after=other,
            ),
            insert(BASE, {"id": "2", "a": None}),
            insert(other, {"id": "1"}),
        ],
    )
    yield "several statements", [BASE], [statement(5), statement(7), statement(8), statement(17)]


def _transactions() -> Iterator[tuple[str, Sequence[Table], Sequence[Event]]]:
    """(name, tables, events) of streams in which time stamps or rows meet."""
    one, two, three = commit_times(3)
    rows: list[Row] = [{"id": str(i), "a": f"row {i}"} for i in range(1, 6)]
    other = table("s", (_ID, column("a", "decimal(5,2)")))
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
        [
            insert(BASE, rows[0], one),
            update(BASE, rows[0], {**rows[0], "id": "9"}, two),
            insert(BASE, rows[1], two),
        ],
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
        [
            insert(BASE, rows[0], one),
            add_column(two),
            Watermark(two),
            Watermark(three),
        ],
    )
    yield "nothing", [BASE], []


# Codes that no name is known for, or that are kept for actions of later releases.
_UNKNOWN_CODES = (0, 66, 84, 200, 230, 231, 255)


def unknown_statement_inputs(options: Mapping[str, str]) -> Iterator[Input]:
    """Statements whose action is known by a number alone."""
    for code in _UNKNOWN_CODES:
        event = DdlEvent("test", "t", f"ALTER TABLE `t` /* {code} */", None, code, table_before=BASE, table_after=BASE)
        axes = {"statement": "unknown"}
        yield Input(f"ddl/{code:02d} unknown", (BASE,), timed([event]), options, axes=axes)


def untouched_inputs(space: OptionSpace) -> Iterator[Input]:
    """Statements and watermarks under the options that change rows."""
    events = timed([_statement(load_statements()[4]), _statement(load_statements()[10])])
    for sweep in space.sweeps:
        options = {**space.visible, **space.settled({sweep.option: sweep.value})}
        axes = {"statement": "untouched", "option": sweep.option}
        stream = (*events, Watermark(commit_times(3)[2]))
        yield Input(f"ddl/untouched+{sweep.option}={sweep.value}", (BASE,), stream, options, axes=axes)


def stream_inputs(options: Mapping[str, str]) -> Iterator[Input]:
    """Streams under the options, which make watermarks visible."""
    for name, tables, events in (*_evolution(), *_transactions()):
        yield Input(
            f"stream/{name}",
            tuple(tables),
            timed(events),
            options=options,
            styles=("newarch", "classic"),
            axes={"stream": name},
        )
    for number, (name, query) in enumerate(_QUERIES.items()):
        yield Input(
            f"ddl/text/{name}",
            (BASE,),
            timed([ddl(BASE, query, "modify table comment", 17, table_before=BASE, table_after=BASE)]),
            options=options,
            styles=("newarch", "classic"),
            freedoms=FREEDOMS[number % len(FREEDOMS)],
            axes={"statement": "text"},
        )


_EDGES: Mapping[str, int] = {
    "0": 0,
    "1": 1,
    "2^18": 2**18,
    "2^53-1": 2**53 - 1,
    "2^53+1": 2**53 + 1,
    "2^63-1": 2**63 - 1,
    "2^63": 2**63,
    "max": MAX_TSO,
}


def watermark_inputs(options: Mapping[str, str]) -> Iterator[Input]:
    """Watermarks at the edges of what a time stamp can be, and one after the other."""
    for name, commit_ts in _EDGES.items():
        freedoms = FREEDOMS[len(name) % len(FREEDOMS)]
        event = Watermark(commit_ts)
        yield Input(f"watermark/{name}", (), (event,), options, freedoms=freedoms, axes={"watermark": name})
    rising = tuple(Watermark(ts) for ts in commit_times(5))
    yield Input("watermark/rising", (), rising, options=options, axes={"watermark": "rising"})
    repeated = (rising[0], rising[0], rising[1], rising[1])
    yield Input("watermark/repeated", (), repeated, options=options, axes={"watermark": "repeated"})


def time_inputs(options: Mapping[str, str]) -> Iterator[Input]:
    """Rows and statements whose time stamps are at the edges."""
    for name, commit_ts in list(_EDGES.items())[1:]:
        row = insert(BASE, _ANY_ROW, commit_ts)
        yield Input(f"time/{name}/row", (BASE,), (row,), options=options, axes={"time": name})
        yield Input(f"time/{name}/ddl", (BASE,), (add_column(commit_ts),), options=options, axes={"time": name})


def name_inputs(protocol: str) -> Iterator[Input]:
    """Every name as that of a schema, a table, a key column and a column; and columns named like members.

    The cluster of the latter has a name that cannot stand in the name of a schema as it is.
    """
    names = load_names()
    for label, name in names.names.items():
        columns = (column(name, "int", nullable=False), column(f"{name[:60]} 2", "varchar(10)"))
        made = table(name, columns, [name], schema=name)
        row: Row = {columns[0].name: "1", columns[1].name: "x"}
        comment = f"ALTER TABLE {identifier(name)} COMMENT = ''"
        statement = ddl(made, comment, "modify table comment", 17, table_before=made, table_after=made)
        yield Input(
            f"name/{label}",
            (made,),
            timed([*history(made, [row, {**row, columns[1].name: None}, None]), statement]),
            styles=("newarch", "classic"),
            axes={"name": label},
        )
    members = names.members[protocol]
    made = table("members", [column(n, "varchar(20)", nullable=i > 0) for i, n in enumerate(members)], members[:1])
    row = {n: f"<{n}>" for n in members}
    changed: Row = {**row, members[1]: None, members[-1]: "null"}
    yield Input(
        "name/members of the message",
        (made,),
        history(made, [row, changed, None]),
        settings=replace(NOW, cluster_id="my-cluster.1"),
        styles=("newarch", "classic"),
        axes={"name": "members"},
    )


def zone_inputs() -> Iterator[Input]:
    """TIMESTAMP beside types without a zone, in every zone: days that have an hour twice, or not at all."""
    made = table("z", (_ID, column("ts", "timestamp"), column("t3", "timestamp(3)"), column("dt", "datetime")))
    for zone in load_zones():
        rows: list[Row] = [
            {"id": str(i), "ts": text, "t3": f"{text}.123", "dt": text} for i, text in enumerate(zone.instants, 1)
        ]
        yield Input(
            f"zone/{zone.name}",
            (made,),
            timed([*(insert(made, row) for row in rows), delete(made, rows[0])]),
            settings=replace(NOW, timezone=zone.name),
            axes={"zone": zone.name, "family": "timestamp"},
        )

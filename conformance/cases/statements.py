"""Inputs that are a single DDL statement: every action, also those known only by a number, and unusual texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from conformance.cases.inputs import (
    BASE,
    Input,
    altered,
    column,
    commit_times,
    ddl,
    encoding_in_turn,
    numbered,
    table,
    timed,
    with_sql,
)
from conformance.cases.sql import definition, identifier, qualified
from conformance.catalogue.corpora import OptionSpace, Statement, load_statement_texts, load_statements
from reference_impl.model import DdlEvent, Key, Table, Watermark

__all__ = [
    "ADDED",
    "CHANGED",
    "DROPPED",
    "add_column",
    "definition_inputs",
    "statement_inputs",
    "statement_of",
    "text_inputs",
    "unknown_statement_inputs",
    "untouched_inputs",
]

ADDED = table("t", (*BASE.columns, column("n", "int")))
DROPPED = numbered()
CHANGED = numbered(column("a", "text"))

_AFTER: Mapping[str, Table | None] = {
    "same": BASE,
    "added": ADDED,
    "dropped": DROPPED,
    "changed": CHANGED,
    "gone": None,
    "": None,
}


def _event(statement: Statement) -> DdlEvent:
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


def statement_of(action: str) -> DdlEvent:
    """The statement of an action, without a time. Raises `KeyError` for an unknown action."""
    return _event({statement.action: statement for statement in load_statements()}[action])


def add_column(commit_ts: int) -> DdlEvent:
    """A column added to `BASE`."""
    return replace(statement_of("add column"), commit_ts=commit_ts)


def statement_inputs(options: Mapping[str, str]) -> Iterator[Input]:
    """Every action as a single statement, under the options that show its time stamp."""
    for statement in load_statements():
        event = _event(statement)
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
    event = altered(BASE, after, f"ALTER TABLE `t` {added}", "alter table multi-schema change")
    yield Input(
        "ddl/generated columns", (BASE,), timed([event]), options=options, axes={"statement": "generated columns"}
    )


# Codes without a known name, and codes reserved for later releases.
_UNKNOWN_CODES = (0, 66, 84, 200, 230, 231, 255)


def unknown_statement_inputs(options: Mapping[str, str]) -> Iterator[Input]:
    """Statements whose action is known only by a number."""
    for code in _UNKNOWN_CODES:
        event = DdlEvent("test", "t", f"ALTER TABLE `t` /* {code} */", None, code, table_before=BASE, table_after=BASE)
        axes = {"statement": "unknown"}
        yield Input(f"ddl/{code:02d} unknown", (BASE,), timed([event]), options, axes=axes)


def untouched_inputs(space: OptionSpace) -> Iterator[Input]:
    """Statements and watermarks under the options that change rows."""
    events = timed([statement_of("add column"), statement_of("truncate table")])
    for sweep in space.sweeps:
        options = {**space.visible, **space.with_needs({sweep.option: sweep.value})}
        axes = {"statement": "untouched", "option": sweep.option}
        stream = (*events, Watermark(commit_times(3)[2]))
        yield Input(f"ddl/untouched+{sweep.option}={sweep.value}", (BASE,), stream, options, axes=axes)


def _defined() -> Iterator[tuple[str, Table]]:
    """(name, table): keys of several columns in another order than the table, and emoji in all names."""
    columns = (
        column("a", "int", nullable=False),
        column("v", "decimal(10,2)"),
        column("b", "varchar(10)", nullable=False),
        column("c", "datetime(3)", nullable=False),
    )
    yield "composite key", table("keyed", columns, ("c", "a", "b"))
    unique = Table("test", "keyed", columns, unique_keys=(Key("uk", ("b", "a")),))
    yield "composite unique key", with_sql(unique)
    emoji = (
        column("k😀", "int", nullable=False),
        replace(column("表👩\u200d👧", "varchar(10)", nullable=False), comment="😀 it's", default="é😀"),
        replace(column("e", "enum('😀','a')"), default="😀"),
        replace(column("s", "set('👍','b')"), comment="\U0001f468\u200d\U0001f469"),
    )
    yield "emoji", table("t😀", emoji, ("表👩\u200d👧", "k😀"), schema="s😀")


def definition_inputs(options: Mapping[str, str]) -> Iterator[Input]:
    """Statements that create each of these tables, add a column to it and drop this column again."""
    for name, table_ in _defined():
        added = with_sql(replace(table_, columns=(*table_.columns, replace(column("n😀", "int"), comment="😀"))))
        where = qualified(*table_.id)
        last = added.columns[-1]
        statements = [
            ddl(table_, table_.create_sql or "", "create table", table_after=table_),
            altered(table_, added, f"ALTER TABLE {where} ADD COLUMN {definition(last)}", "add column"),
            altered(added, table_, f"ALTER TABLE {where} DROP COLUMN {identifier(last.name)}", "drop column"),
        ]
        yield Input(f"ddl/definition/{name}", (), timed(statements), options, axes={"statement": "definition"})


def text_inputs(options: Mapping[str, str]) -> Iterator[Input]:
    """Statements whose text has quotes, line ends, controls, comments or great length."""
    for number, (name, query) in enumerate(load_statement_texts().items()):
        yield Input(
            f"ddl/text/{name}",
            (BASE,),
            timed([altered(BASE, BASE, query, "modify table comment")]),
            options=options,
            in_both_styles=True,
            encoding=encoding_in_turn(number),
            axes={"statement": "text"},
        )

"""SQL for a case: the statements that make its tables and produce its events, ready to be pasted into TiDB or MySQL.

Identifiers are back-quoted, strings are escaped as under the default `sql_mode`, bytes are `x'…'`, BIT values `b'…'`.
Nothing here is executed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from conformance.errors import SuiteError
from reference_impl.column_types import BINARY, INTEGERS, TEMPORAL, Family
from reference_impl.keys import handle_key
from reference_impl.model import (
    ABSENT,
    Absent,
    Column,
    DdlEvent,
    Event,
    Expression,
    Index,
    Key,
    Mask,
    RawText,
    Row,
    RowChange,
    Table,
    Value,
)

__all__ = [
    "create_table",
    "default_literal",
    "definition",
    "identifier",
    "literal",
    "qualified",
    "quoted",
    "script",
    "setup",
    "statement",
]

_ESCAPES = str.maketrans({"\\": "\\\\", "'": "''", "\0": "\\0", "\n": "\\n", "\r": "\\r", "\x1a": "\\Z"})
_BINARY_WORD = re.compile(r"(var)?binary|\w*blob", re.IGNORECASE)
_LENIENT = "SET sql_mode = ''"


def identifier(name: str) -> str:
    """A back-quoted name."""
    return "`" + name.replace("`", "``") + "`"


def quoted(text: str) -> str:
    """A string literal."""
    return "'" + text.translate(_ESCAPES) + "'"


_BARE = frozenset({*INTEGERS, Family.DECIMAL, Family.YEAR})
"""Families whose texts are their literals."""


def literal(column: Column, value: Value) -> str:
    """A value of a column as a literal."""
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    if isinstance(value, RawText):
        return f"_binary x'{value.data.hex()}'"
    if isinstance(value, Index):
        return str(value.number)
    if isinstance(value, Mask):
        return str(value.bits)
    family = column.type.family
    if family in _BARE:
        return value
    if family is Family.BIT:
        return f"b'{int(value):0{column.type.bits}b}'"
    if family in (Family.FLOAT, Family.DOUBLE):
        # Without an exponent it would be a DECIMAL literal, which has no negative zero.
        return "-0e0" if value == "-0" else value
    return quoted(value)


def _comparable(column: Column, value: Value) -> str:
    text = literal(column, value)
    return f"CAST({text} AS JSON)" if column.type.family is Family.JSON and value is not None else text


def default_literal(column: Column) -> str:
    """The DEFAULT of a column in SQL. Raises `SuiteError` for a column without one."""
    default = column.default
    if isinstance(default, Absent):
        raise SuiteError(f"column {column.name!r} has no default")
    if isinstance(default, Expression):
        return default.text if default.text.upper().startswith("CURRENT_TIMESTAMP") else f"({default.text})"
    if isinstance(default, str) and column.type.family in BINARY:
        return quoted(default)
    return literal(column, default)


def definition(column: Column, expression: str | None = None) -> str:
    """The definition of a column in CREATE TABLE and ADD COLUMN; `expression` is that of a generated column.

    Raises `SuiteError` for a generated column without an expression.
    """
    # Labels are kept as they are stored: as literals they need their backslashes escaped.
    kind = column.type.text.replace("\\", "\\\\") if column.type.members else column.type.text
    parts = [f"{identifier(column.name)} {kind}"]
    if column.charset and not (column.charset == "binary" and _BINARY_WORD.match(kind)):
        parts.append(f" CHARACTER SET {column.charset}")
    if column.collation:
        parts.append(f" COLLATE {column.collation}")
    if column.generated:
        if expression is None:
            raise SuiteError(f"column {column.name!r} is generated, but no expression is known for it")
        parts.append(f" GENERATED ALWAYS AS ({expression}) {column.generated.upper()}")
    if not column.nullable:
        parts.append(" NOT NULL")
    elif column.type.family is Family.TIMESTAMP:
        parts.append(" NULL")
    if column.default is not ABSENT:
        parts.append(f" DEFAULT {default_literal(column)}")
    if column.on_update_now:
        parts.append(f" ON UPDATE CURRENT_TIMESTAMP{f'({column.type.fsp})' if column.type.fsp else ''}")
    if column.auto_increment:
        parts.append(" AUTO_INCREMENT")
    if column.comment:
        parts.append(f" COMMENT {quoted(column.comment)}")
    return "".join(parts)


def _names(columns: Iterable[str]) -> str:
    return ",".join(map(identifier, columns))


def _key(word: str, key: Key) -> str:
    return f"{word} {identifier(key.name)} ({_names(key.columns)})"


def qualified(schema: str, name: str) -> str:
    """A table's name with its schema."""
    return f"{identifier(schema)}.{identifier(name)}"


def create_table(table: Table, expressions: Mapping[str, str] | None = None) -> str:
    """The CREATE TABLE statement of a table; `expressions` are those of its generated columns.

    Raises `SuiteError` for a generated column without an expression.
    """
    parts = [definition(c, (expressions or {}).get(c.name)) for c in table.columns]
    if table.primary_key:
        kind = "CLUSTERED" if table.clustered else "NONCLUSTERED"
        parts.append(f"PRIMARY KEY ({_names(table.primary_key)}) /*T![clustered_index] {kind} */")
    parts += [_key("UNIQUE KEY", k) for k in table.unique_keys]
    parts += [_key("KEY", k) for k in table.indexes]
    options = f" CHARSET={table.charset}" if table.charset else ""
    options += f" COMMENT={quoted(table.comment)}" if table.comment else ""
    return f"CREATE TABLE {qualified(*table.id)} ({', '.join(parts)}){options}"


def _where(table: Table, row: Row) -> str:
    names = handle_key(table) or tuple(c.name for c in table.columns if c.generated is None)
    columns = {c.name: c for c in table.columns}
    present = [name for name in names if name in row]
    return " AND ".join(f"{identifier(n)} <=> {_comparable(columns[n], row[n])}" for n in present)


def _settable(table: Table, row: Row) -> Iterator[Column]:
    return (c for c in table.columns if c.name in row and c.generated is None)


def _insert(table: Table, row: Row) -> str:
    columns = list(_settable(table, row))
    values = ",".join(literal(c, row[c.name]) for c in columns)
    return f"INSERT INTO {qualified(*table.id)} ({_names(c.name for c in columns)}) VALUES ({values})"


def _update(table: Table, before: Row, after: Row) -> str:
    columns = list(_settable(table, after))
    # A column with ON UPDATE that is left out would be set to the time of the statement.
    changed = [c for c in columns if c.on_update_now or c.name not in before or before[c.name] != after[c.name]]
    changed = changed or columns[:1]
    pairs = ",".join(f"{identifier(c.name)}={literal(c, after[c.name])}" for c in changed)
    return f"UPDATE {qualified(*table.id)} SET {pairs} WHERE {_where(table, before)} LIMIT 1"


def statement(change: RowChange, table: Table) -> str:
    """The statement that makes a row change."""
    if change.op == "update" and change.after is not None:
        return _update(table, change.before or change.after, change.after)
    if change.op == "delete" and change.before is not None:
        return f"DELETE FROM {qualified(*table.id)} WHERE {_where(table, change.before)} LIMIT 1"
    return _insert(table, change.after or {})


def _is_lenient(column: Column, value: Value) -> bool:
    """Whether a value can only be stored outside the strict modes: a zero in a date, the invalid ENUM value."""
    if isinstance(value, Index):
        return value.number == 0
    dated = column.type.family in TEMPORAL and column.type.family not in (Family.TIME, Family.YEAR)
    return dated and isinstance(value, str) and ("-00" in value[:10] or value.startswith("0000-"))


def _has_lenient_default(table: Table) -> bool:
    return any(isinstance(c.default, str) and _is_lenient(c, c.default) for c in table.columns)


def _needs_lenient(events: Iterable[Event], tables: Sequence[Table]) -> bool:
    versions = {t.id: t for t in tables}
    if any(map(_has_lenient_default, tables)):
        return True
    for event in events:
        if isinstance(event, DdlEvent) and (after := event.table_after):
            versions[after.id] = after
            if _has_lenient_default(after):
                return True
        if isinstance(event, RowChange) and (table := versions.get((event.schema, event.table))):
            rows = [row for row in (event.before, event.after) if row is not None]
            if any(_is_lenient(c, row.get(c.name)) for row in rows for c in table.columns):
                return True
    return False


def setup(tables: Sequence[Table], timezone: str) -> list[str]:
    """The statements that set the time zone and create missing databases and tables."""
    zone = "+00:00" if timezone == "UTC" else timezone
    statements = [f"SET time_zone = {quoted(zone)}"]
    statements += [f"CREATE DATABASE IF NOT EXISTS {identifier(s)}" for s in dict.fromkeys(t.schema for t in tables)]
    for table in tables:
        text = table.create_sql or create_table(table)
        statements.append(text.replace("CREATE TABLE ", "CREATE TABLE IF NOT EXISTS ", 1))
    return statements


def _ddl(event: DdlEvent) -> list[str]:
    return [f"USE {identifier(event.schema)}", event.query] if event.table else [event.query]


def script(tables: Sequence[Table], events: Sequence[Event], timezone: str = "UTC") -> tuple[str, ...]:
    """All statements for the tables and events; rows with one commit time stamp are a transaction."""
    versions = {t.id: t for t in tables}
    statements = setup(tables, timezone)
    if _needs_lenient(events, tables):
        statements.insert(1, _LENIENT)
    for commit_ts, group in groupby(events, lambda e: e.commit_ts if isinstance(e, RowChange) else None):
        made: list[str] = []
        for event in group:
            if isinstance(event, RowChange):
                made.append(statement(event, versions[event.schema, event.table]))
            elif isinstance(event, DdlEvent):
                made += _ddl(event)
                versions |= {table.id: table for table in event.tables_after}
        statements += ["BEGIN", *made, "COMMIT"] if commit_ts is not None and len(made) > 1 else made
    return tuple(statements)

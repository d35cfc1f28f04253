"""Computes the rows of each table at the end of a workload, as a snapshot reads them.

The truth has the row changes. DDL statements that change rows (DROP, TRUNCATE, RENAME, ALTER) are read as SQL, as far
as their effect is plain; a row on which the effect is not plain is kept, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from conformance.catalogue.altered_rows import Cells, Unclear, actions_of, altered, defaults_of, new_name_of
from conformance.catalogue.statements import statements
from conformance.catalogue.workload import Change, Truth
from reference_impl.model import ABSENT, Default, Index, Table, Value
from reference_impl.sql_tokens import Token

__all__ = ["FinalRow", "final_rows"]

TableName = tuple[str, str]


@dataclass(frozen=True, slots=True)
class FinalRow:
    """A row at the end of a workload."""

    change: Change  # the row as a change with the operation `read`
    cells: Cells  # its content after the last statement about the row or its table
    reason: str = ""  # why its content is unknown; empty if it is known


def final_rows(truth: Truth, sql: str | None) -> list[FinalRow]:
    """The rows of every table at the end, table by table in the order of names; `sql` is the script, if it exists."""
    state = _State(truth)
    script = statements(sql) if sql is not None else []
    changes = list(truth.changes)
    for number in range(max(len(script), max((c.statement for c in changes), default=-1) + 1)):
        if number < len(script):
            state.statement(script[number])
        while changes and changes[0].statement == number:
            state.change(changes.pop(0))
    return list(state.final_rows())


_NAME = r"(?:`(?:[^`]|``)+`|[\w$]+)"
_TABLE = rf"{_NAME}(?:\s*\.\s*{_NAME})?"


class _State:
    """The tables while the workload runs."""

    def __init__(self, truth: Truth) -> None:
        self._truth = truth
        self._schema = ""
        self._tables: dict[TableName, list[FinalRow]] = {}  # the rows of a table in the order of their inserts
        # The name under which the truth has the last definition of a renamed table.
        self._origin: dict[TableName, TableName] = {}
        # Defaults that a statement set or dropped after the last definition in the truth, by column.
        self._defaults: dict[TableName, dict[str, Default]] = {}
        self._versions: dict[TableName, int] = {}  # the version of the last definition in the truth

    # -- statements ------------------------------------------------------------------------------------------------

    def statement(self, text: str) -> None:
        for pattern, apply in _EFFECTS:
            if match := pattern.match(text):
                apply(self, match)
                return

    def _named(self, text: str) -> TableName:
        names = [n[1:-1].replace("``", "`") if n.startswith("`") else n for n in re.findall(_NAME, text)]
        return (self._schema, names[0]) if len(names) == 1 else (names[0], names[1])

    def use(self, match: re.Match[str]) -> None:
        self._schema = match[1].strip("`")

    def drop(self, match: re.Match[str]) -> None:
        for text in re.findall(_TABLE, match[1]):
            self._tables.pop(self._named(text), None)

    def drop_schema(self, match: re.Match[str]) -> None:
        dropped = match[1].strip("`")
        self._tables = {name: rows for name, rows in self._tables.items() if name[0] != dropped}

    def truncate(self, match: re.Match[str]) -> None:
        self._tables.pop(self._named(match[1]), None)

    def rename(self, match: re.Match[str]) -> None:
        for old, new in re.findall(rf"({_TABLE})\s+to\s+({_TABLE})", match[1], re.IGNORECASE):
            self._move(self._named(old), self._named(new))

    def _move(self, old: TableName, new: TableName) -> None:
        if old in self._tables:
            self._tables[new] = self._tables.pop(old)
        self._defaults[new] = self._defaults.pop(old, {})
        self._versions[new] = self._versions.pop(old, 0)
        self._origin[new] = self._origin.get(old, old)

    def alter_partitions(self, match: re.Match[str]) -> None:
        exchanged = re.findall(rf"with\s+table\s+({_TABLE})", match[2], re.IGNORECASE)
        for name in map(self._named, (match[1], *exchanged)):
            if name in self._tables:
                reason = "a statement about partitions took or gave rows"
                self._tables[name] = [replace(row, reason=reason) for row in self._tables[name]]

    def alter(self, match: re.Match[str]) -> None:
        name = self._named(match[2])
        rows = self._tables.get(name, [])
        actions = actions_of(match[1])
        self._defaults.setdefault(name, {}).update(defaults_of(match[1], actions))
        for i, row in enumerate(rows):
            try:
                rows[i] = _altered(row, match[1], actions)
            except (Unclear, LookupError):
                rows[i] = replace(row, reason="a statement changed its columns after it was written")
        if new := new_name_of(actions):
            self._move(name, (new.schema or self._schema, new.table))

    # -- rows ------------------------------------------------------------------------------------------------------

    def change(self, change: Change) -> None:
        rows = self._tables.setdefault(change.table.id, [])
        if self._versions.get(change.table.id) != change.version:  # the new definition has all defaults until then
            self._versions[change.table.id] = change.version
            self._defaults.pop(change.table.id, None)
        position = next((i for i, row in enumerate(rows) if _is_row(row, change)), None)
        if change.op == "insert" or position is None:
            if change.after is not None:
                rows.append(_row_after(change))
        elif change.after is None:
            del rows[position]
        else:
            rows[position] = _row_after(change)

    def final_rows(self) -> Iterator[FinalRow]:
        for name, rows in sorted(self._tables.items()):
            table = self._truth.tables.get(self._last_version(name))
            for row in rows:
                last = replace(table, schema=name[0], name=name[1]) if table else row.change.table
                yield _as_defined(row, _with_defaults(last, self._defaults.get(name, {})))

    def _last_version(self, name: TableName) -> int:
        """The version of a table's last definition; 0 if the truth has none."""
        origin = self._origin.get(name, name)
        if origin != name and origin in self._tables:  # another table has that name now
            return self._versions[name]
        return max(filter(None, (self._truth.last_version(*known) for known in (origin, name))), default=0)


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text.replace("%N", _NAME).replace("%T", _TABLE), re.IGNORECASE | re.DOTALL)


# (pattern of a statement, its effect on the tables); the first match counts.
_EFFECTS: Sequence[tuple[re.Pattern[str], Callable[[_State, re.Match[str]], None]]] = (
    (_pattern(r"use\s+(%N)"), _State.use),
    (_pattern(r"drop\s+tables?\s+(?:if\s+exists\s+)?(.*)"), _State.drop),
    (_pattern(r"drop\s+(?:database|schema)\s+(?:if\s+exists\s+)?(%N)"), _State.drop_schema),
    (_pattern(r"truncate\s+(?:table\s+)?(%T)"), _State.truncate),
    (_pattern(r"rename\s+tables?\s+(.*)"), _State.rename),
    (
        _pattern(r"alter\s+table\s+(%T)\s+(?:truncate|drop|exchange|discard|import)\s+partition(.*)"),
        _State.alter_partitions,
    ),
    (_pattern(r"(alter\s+table\s+(%T).*)"), _State.alter),
)


def _with_defaults(table: Table, defaults: Mapping[str, Default]) -> Table:
    if not defaults:
        return table
    columns = (replace(c, default=defaults[c.name]) if c.name in defaults else c for c in table.columns)
    return replace(table, columns=tuple(columns))


def _row_after(change: Change) -> FinalRow:
    now = tuple(place for place in change.now if place[0] == "after")
    types = {column.name: column.type for column in change.table.columns}
    cells = {name: (types[name], value) for name, value in (change.after or {}).items()}
    return FinalRow(replace(change, op="read", before=None, now=now), cells)


_NOW = Index(0)
"""Stands for the time of a statement while a row is altered; recognised by identity."""


def _altered(row: FinalRow, statement: str, actions: Sequence[Token]) -> FinalRow:
    """The row after the actions of an ALTER TABLE. Raises `Unclear`, or LookupError for an unknown column."""
    filled = {name for _, name in row.change.now}
    given = {name: (kind, _NOW if name in filled else value) for name, (kind, value) in row.cells.items()}
    cells = altered(given, statement, actions)
    now = tuple(("after", name) for name, (_, value) in cells.items() if value is _NOW)
    cells = {name: (kind, None if value is _NOW else value) for name, (kind, value) in cells.items()}
    return replace(row, change=replace(row.change, now=now), cells=cells)


def _is_row(row: FinalRow, change: Change) -> bool:
    """Whether a change is one of the row, by the primary key or, without one, by all columns."""
    if not change.before:
        return False
    names = change.table.primary_key or tuple(name for name in change.before if name in row.cells)
    return all(name in row.cells and row.cells[name][1] == change.before.get(name) for name in names)


def _as_defined(row: FinalRow, table: Table) -> FinalRow:
    """The row with the columns of its table's last definition; a cell that it lacks is unknown unless it is NULL."""
    images: dict[str, Value] = {}
    for column in table.columns:
        kind, images[column.name] = row.cells.get(column.name, (None, None))
        filled = ("after", column.name) in row.change.now
        plain = column.nullable or images[column.name] is not None
        if kind is None:
            plain = column.nullable and column.default in (ABSENT, None) and column.generated is None
        elif kind.family is not column.type.family:
            plain = images[column.name] is None and column.nullable
        if not plain and not filled:
            row = replace(row, reason=row.reason or f"{column.name} was added or converted after it was written")
    now = tuple(place for place in row.change.now if place[1] in images)
    return replace(row, change=replace(row.change, table=table, after=images, now=now))

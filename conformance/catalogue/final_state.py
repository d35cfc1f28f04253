"""Computes the rows of each table at the end of a workload, as a snapshot reads them.

The truth has the row changes. DDL statements that change rows (DROP, TRUNCATE, RENAME, ALTER) are read as SQL, as far
as their effect is plain; a row on which the effect is not plain is kept, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

from conformance.catalogue.altered_rows import (
    Cell,
    Cells,
    Unclear,
    altered,
    defaults_of,
    new_name_of,
    table_and_actions,
)
from conformance.catalogue.statements import statements
from conformance.catalogue.workload import Change, Truth
from reference_impl.model import ABSENT, Column, Default, Table
from reference_impl.sql_tokens import Token, named_table, skip, skip_wait, split, tokens

__all__ = ["FinalRow", "final_rows"]

TableId = tuple[str, str]
"""(schema, table)."""


@dataclass(frozen=True, slots=True)
class FinalRow:
    """A row at the end of a workload."""

    change: Change  # the row as a change with the operation `read`
    cells: Cells  # its content after the last statement about the row or its table
    reason: str = ""  # why its content is unknown; empty if it is known


def final_rows(truth: Truth, sql: str | None) -> list[FinalRow]:
    """The rows of every table at the end, table by table in the order of names; `sql` is the script, if it exists."""
    state = _State(truth)
    steps: list[tuple[int, str | Change]] = [*enumerate(statements(sql) if sql is not None else ())]
    steps += [(change.statement, change) for change in truth.changes]
    for number, step in sorted(steps, key=itemgetter(0)):  # the changes of a statement come behind it
        if isinstance(step, str):
            state.statement(step, number)
        else:
            state.change(step)
    return list(state.final_rows())


# Statements that change rows beside the truth, and USE, which says whose tables they name.
_MATTERS = re.compile(r"(?:use|create|drop|truncate|rename|alter)\b", re.IGNORECASE)
# Actions of ALTER TABLE … PARTITION that take rows from a table, or give it some.
_PARTITION_ACTIONS = ("TRUNCATE", "DROP", "EXCHANGE", "CONVERT", "DISCARD", "IMPORT")


class _State:
    """The tables while the workload runs."""

    def __init__(self, truth: Truth) -> None:
        self._truth = truth
        self._schema = ""
        self._tables: dict[TableId, list[FinalRow]] = {}  # the rows of a table in the order of their inserts
        self._origin: dict[TableId, TableId] = {}  # the first name of a renamed table
        # Defaults that a statement set or dropped after the last definition in the truth, by column.
        self._defaults: dict[TableId, dict[str, Default]] = {}
        self._versions: dict[TableId, int] = {}  # the version of the last definition
        # (first statement, version) of the definitions with changes.
        self._first_changes: dict[TableId, list[tuple[int, int]]] = {}
        # The definitions without changes that no statement has given to its table so far, in order.
        self._without_changes: dict[TableId, list[int]] = {}
        first = {change.version: change.statement for change in reversed(truth.changes)}
        for version, table in sorted(truth.tables.items()):
            if version in first:
                self._first_changes.setdefault(table.id, []).append((first[version], version))
            else:
                self._without_changes.setdefault(table.id, []).append(version)

    # -- statements ------------------------------------------------------------------------------------------------

    def statement(self, text: str, number: int) -> None:
        """Apply the statement of a number; one of another kind, or that nobody can read, has no effect."""
        if not _MATTERS.match(text):
            return
        verb, *rest = tokens(text)
        with suppress(LookupError):  # an incomplete statement, which the server refused
            if verb.word == "USE":
                self._schema = rest[0].text
            elif verb.word == "CREATE":
                self._create(rest, number)
            elif verb.word == "DROP":
                self._drop(rest)
            elif verb.word == "TRUNCATE":
                table, _ = named_table(skip(rest, "TABLE"), self._schema)
                self._tables.pop(table, None)
            elif verb.word == "RENAME" and rest[0].word in ("TABLE", "TABLES"):
                for part in split(skip(rest[1:], "IF", "EXISTS"), ","):
                    old, after = named_table(part, self._schema)
                    new, _ = named_table(skip(skip_wait(after), "TO"), self._schema)
                    self._rename(old, new)
            elif verb.word == "ALTER":
                self._alter(text, number)

    def _create(self, rest: Sequence[Token], number: int) -> None:
        named = skip(rest, "OR", "REPLACE")
        if named[0].word == "TABLE":
            table, _ = named_table(skip(named[1:], "IF", "NOT", "EXISTS"), self._schema)
            if len(named) < len(rest):
                self._forget(table)
            self._define(table, number)

    def _define(self, table: TableId, number: int) -> None:
        """Give a table the next definition without changes under its name, if this statement may have made it.

        Changes of an earlier definition come before the statement, and those of a later one behind it.
        """
        first_changes = self._first_changes.get(table, ())
        waiting = self._without_changes.get(table, [])
        # A later definition has had changes: this one was made by an earlier statement.
        while waiting and any(version > waiting[0] and first < number for first, version in first_changes):
            del waiting[0]
        # No earlier definition is still without its changes: this statement may have made this one.
        if waiting and not any(version < waiting[0] and first >= number for first, version in first_changes):
            self._versions[table] = waiting.pop(0)
            self._defaults.pop(table, None)

    def _drop(self, rest: Sequence[Token]) -> None:
        names = skip(rest[1:], "IF", "EXISTS")
        if rest[0].word in ("TABLE", "TABLES"):
            for part in split(names, ","):
                table, _ = named_table(part, self._schema)
                self._forget(table)
        elif rest[0].word in ("DATABASE", "SCHEMA"):
            for table in {one for known in self._by_table() for one in known if one[0] == names[0].text}:
                self._forget(table)

    def _by_table(self) -> Sequence[dict[TableId, Any]]:
        """All that is known of tables."""
        return self._tables, self._origin, self._defaults, self._versions

    def _knows(self, table: TableId) -> bool:
        return any(table in known for known in self._by_table())

    def _forget(self, table: TableId) -> None:
        for known in self._by_table():
            known.pop(table, None)

    def _rename(self, old: TableId, new: TableId) -> None:
        """Rename a table; one that does not exist, as after IF EXISTS, leaves the table `new` as it is."""
        if not self._knows(old):
            return
        if old in self._tables:
            self._tables[new] = self._tables.pop(old)
        self._defaults[new] = self._defaults.pop(old, {})
        self._versions[new] = self._versions.pop(old, 0)
        self._origin[new] = self._origin.pop(old, old)

    def _alter(self, text: str, number: int) -> None:
        table, actions = table_and_actions(text, self._schema)
        words = [piece.word for piece in actions]
        if words[:2] == ["CONVERT", "TABLE"] or (words[1:2] == ["PARTITION"] and words[0] in _PARTITION_ACTIONS):
            tables = [table]
            if "TABLE" in words:
                tables.append(named_table(actions[words.index("TABLE") + 1 :], self._schema)[0])
            self._change_partitions(tables)
            return
        if not self._knows(table):  # as after IF EXISTS
            return
        rows = self._tables.get(table, [])
        self._define(table, number)
        if defaults := defaults_of(text, actions):
            self._defaults.setdefault(table, {}).update(defaults)
        for i, row in enumerate(rows):
            try:
                rows[i] = replace(row, cells=altered(row.cells, text, actions))
            except (Unclear, LookupError):
                rows[i] = replace(row, reason="a statement changed its columns after it was written")
        if new := new_name_of(actions):
            self._rename(table, (new.schema or self._schema, new.table))

    def _change_partitions(self, tables: Sequence[TableId]) -> None:
        """Mark the rows of the tables as unknown; of two tables that exchange rows, each may have every row."""
        reason = "a statement about partitions took or gave rows"
        rows = [replace(row, reason=reason) for table in tables for row in self._tables.get(table, ())]
        self._tables |= {table: list(rows) for table in tables}

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
                last = replace(table or row.change.table, schema=name[0], name=name[1])
                yield _as_defined(row, _with_defaults(last, self._defaults.get(name, {})))

    def _last_version(self, name: TableId) -> int:
        """The version of a table's last definition, under its name or the first one; 0 if the truth has none.

        Of definitions that no statement has made, the truth does not tell which table with that name has them.
        """
        origin = self._origin.get(name, name)
        names = {name} if self._knows(origin) else {name, origin}  # another table may have the first name now
        without_changes = (version for one in names for version in self._without_changes.get(one, ()))
        return max([self._versions.get(name, 0), *without_changes])


def _with_defaults(table: Table, defaults: Mapping[str, Default]) -> Table:
    if not defaults:
        return table
    columns = (replace(c, default=defaults[c.name]) if c.name in defaults else c for c in table.columns)
    return replace(table, columns=tuple(columns))


def _row_after(change: Change) -> FinalRow:
    """The row that a change leaves."""
    after = change.after or {}
    cells = {
        column.name: Cell(column.type, after[column.name], ("after", column.name) in change.now)
        for column in change.table.columns
        if column.name in after
    }
    return FinalRow(replace(change, op="read", before=None), cells)


def _is_row(row: FinalRow, change: Change) -> bool:
    """Whether a change is one of the row, by the primary key or, without one, by all columns."""
    if not change.before:
        return False
    names = change.table.primary_key or tuple(name for name in change.before if name in row.cells)
    return all(name in row.cells and row.cells[name].value == change.before.get(name) for name in names)


def _as_defined(row: FinalRow, table: Table) -> FinalRow:
    """The row with the columns of its table's last definition; if a value is not known, with the reason."""
    cells = {column.name: row.cells.get(column.name) for column in table.columns}
    unknown = [column.name for column in table.columns if not _is_known(cells[column.name], column)]
    reason = row.reason or (f"{unknown[0]} was added or converted after it was written" if unknown else "")
    after = {name: cell.value if cell else None for name, cell in cells.items()}
    now = tuple(("after", name) for name, cell in cells.items() if cell and cell.is_now)
    return FinalRow(replace(row.change, table=table, after=after, now=now), row.cells, reason)


def _is_known(cell: Cell | None, column: Column) -> bool:
    """Whether the value of a cell is known under the last definition of its column."""
    if cell is None:  # a column that was added: NULL, unless a default or an expression fills it
        return column.nullable and column.default in (ABSENT, None) and column.generated is None
    if cell.is_now:  # `Change.event` fills in the time
        return True
    if cell.value is None:
        return column.nullable
    return cell.type.family is column.type.family

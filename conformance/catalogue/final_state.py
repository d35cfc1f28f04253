"""The rows of each table at the end of a workload, as a snapshot reads them.

Rows come from the truth. Statements that touch rows and are not in the truth (DROP, TRUNCATE, RENAME, ALTER) are read
as SQL where they are plain; a row that is not plain stays, with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from conformance.catalogue.altered_rows import Cells, Unclear, actions_of, altered, defaults_of
from conformance.catalogue.statements import statements
from conformance.catalogue.workload import Change, Truth
from reference_impl.model import ABSENT, Default, Table, Value

__all__ = ["Left", "final_rows"]

TableName = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Left:
    """A row at the end of a workload, as a change of kind `read`; with `reason` its content is unknown.

    `cells` are its content when the last statement about it or its table had run.
    """

    change: Change
    cells: Cells
    reason: str = ""


@dataclass(slots=True)
class _Rows:
    """The rows of a table, in the order in which they came."""

    left: list[Left] = field(default_factory=list)


def final_rows(truth: Truth, sql: str | None) -> list[Left]:
    """The rows of every table at the end, table by table in the order of names; `sql` is the script, if it exists."""
    state = _State(truth)
    script = statements(sql) if sql is not None else []
    changes = list(truth.changes)
    for number in range(max(len(script), max((c.statement for c in changes), default=-1) + 1)):
        if number < len(script):
            state.statement(script[number])
        while changes and changes[0].statement == number:
            state.change(changes.pop(0))
    return list(state.left())


_NAME = r"(?:`(?:[^`]|``)+`|[\w$]+)"
_TABLE = rf"{_NAME}(?:\s*\.\s*{_NAME})?"
_FATES = (
    (r"use\s+(%N)", "use"),
    (r"drop\s+table\s+(?:if\s+exists\s+)?(.*)", "drop"),
    (r"drop\s+(?:database|schema)\s+(?:if\s+exists\s+)?(%N)", "drop_schema"),
    (r"truncate\s+(?:table\s+)?(%T)", "truncate"),
    (r"rename\s+table\s+(.*)", "rename"),
    (r"alter\s+table\s+(%T)\s+rename\s+(?:to\s+|as\s+)?(?!column|index|key)(%T)\s*\Z", "move"),
    (r"alter\s+table\s+(%T)\s+(?:truncate|drop|exchange|discard|import)\s+partition(.*)", "partition"),
    (r"(alter\s+table\s+(%T).*)", "alter"),
)
_PATTERNS = [
    (re.compile(p.replace("%N", _NAME).replace("%T", _TABLE), re.IGNORECASE | re.DOTALL), name) for p, name in _FATES
]


class _State:
    """The tables while the workload runs."""

    def __init__(self, truth: Truth) -> None:
        self._truth = truth
        self._schema = ""
        self._tables: dict[TableName, _Rows] = {}
        # The name under which the last version of a table's definition stands in the truth.
        self._origin: dict[TableName, TableName] = {}
        # Defaults that a statement set or dropped after the version that has rows.
        self._defaults: dict[TableName, dict[str, Default]] = {}
        self._versions: dict[TableName, int] = {}

    # -- statements ------------------------------------------------------------------------------------------------

    def statement(self, text: str) -> None:
        for pattern, name in _PATTERNS:
            if found := pattern.match(text):
                _FATE[name](self, found)
                return

    def _named(self, text: str) -> TableName:
        names = [n[1:-1].replace("``", "`") if n.startswith("`") else n for n in re.findall(_NAME, text)]
        return (self._schema, names[0]) if len(names) == 1 else (names[0], names[1])

    def use(self, found: re.Match[str]) -> None:
        self._schema = found[1].strip("`")

    def drop(self, found: re.Match[str]) -> None:
        for text in re.findall(_TABLE, found[1]):
            self._tables.pop(self._named(text), None)

    def drop_schema(self, found: re.Match[str]) -> None:
        gone = found[1].strip("`")
        self._tables = {name: rows for name, rows in self._tables.items() if name[0] != gone}

    def truncate(self, found: re.Match[str]) -> None:
        self._tables.pop(self._named(found[1]), None)

    def rename(self, found: re.Match[str]) -> None:
        for old, new in re.findall(rf"({_TABLE})\s+to\s+({_TABLE})", found[1], re.IGNORECASE):
            self._move(self._named(old), self._named(new))

    def move(self, found: re.Match[str]) -> None:
        self._move(self._named(found[1]), self._named(found[2]))

    def _move(self, old: TableName, new: TableName) -> None:
        if old in self._tables:
            self._tables[new] = self._tables.pop(old)
        self._defaults[new] = self._defaults.pop(old, {})
        self._versions[new] = self._versions.pop(old, 0)
        self._origin[new] = self._origin.get(old, old)

    def partition(self, found: re.Match[str]) -> None:
        self._doubt(self._named(found[1]), "a statement about partitions took or gave rows")
        for text in re.findall(rf"with\s+table\s+({_TABLE})", found[2], re.IGNORECASE):
            self._doubt(self._named(text), "a statement about partitions took or gave rows")

    def alter(self, found: re.Match[str]) -> None:
        name = self._named(found[2])
        rows = self._tables.get(name)
        if rows is None:
            return
        actions = actions_of(found[1])
        self._defaults.setdefault(name, {}).update(defaults_of(found[1], actions))
        for at, row in enumerate(rows.left):
            try:
                rows.left[at] = replace(row, cells=altered(row.cells, found[1], actions))
            except (Unclear, LookupError):
                rows.left[at] = replace(row, reason="a statement changed its columns after it was written")

    def _doubt(self, name: TableName, reason: str) -> None:
        rows = self._tables.get(name)
        if rows is not None:
            rows.left = [replace(row, reason=reason) for row in rows.left]

    # -- rows ------------------------------------------------------------------------------------------------------

    def change(self, change: Change) -> None:
        rows = self._tables.setdefault(change.table.id, _Rows()).left
        if self._versions.get(change.table.id) != change.version:  # it has the defaults in force until then
            self._versions[change.table.id] = change.version
            self._defaults.pop(change.table.id, None)
        at = next((k for k, row in enumerate(rows) if _is_row(row, change)), None)
        if change.op == "insert" or at is None:
            if change.after is not None:
                rows.append(_left(change))
        elif change.after is None:
            del rows[at]
        else:
            rows[at] = _left(change)

    def left(self) -> Iterator[Left]:
        for name, rows in sorted(self._tables.items()):
            version = self._truth.last_version(*self._origin.get(name, name))
            version = max(filter(None, (version, self._truth.last_version(*name))), default=0)
            table = self._truth.tables.get(version)
            for row in rows.left:
                last = replace(table, schema=name[0], name=name[1]) if table else row.change.table
                yield _under(row, _with_defaults(last, self._defaults.get(name, {})))


_FATE: Mapping[str, Callable[[_State, re.Match[str]], None]] = {
    name: getattr(_State, name) for name in dict.fromkeys(name for _, name in _FATES)
}


def _with_defaults(table: Table, defaults: Mapping[str, Default]) -> Table:
    if not defaults:
        return table
    columns = (replace(c, default=defaults[c.name]) if c.name in defaults else c for c in table.columns)
    return replace(table, columns=tuple(columns))


def _left(change: Change) -> Left:
    now = tuple(place for place in change.now if place[0] == "after")
    families = {column.name: column.type.family for column in change.table.columns}
    cells = {name: (families[name], value) for name, value in (change.after or {}).items()}
    return Left(replace(change, op="read", before=None, now=now), cells)


def _is_row(row: Left, change: Change) -> bool:
    """Whether a change is of that row: compares the primary key, or else all columns."""
    if not change.before:
        return False
    names = change.table.primary_key or tuple(name for name in change.before if name in row.cells)
    return all(name in row.cells and row.cells[name][1] == change.before.get(name) for name in names)


def _under(row: Left, table: Table) -> Left:
    """The row under the last definition of its table. Cells that it lacks are unknown, except NULL."""
    images: dict[str, Value] = {}
    for column in table.columns:
        family, images[column.name] = row.cells.get(column.name, (None, None))
        filled = ("after", column.name) in row.change.now
        plain = column.nullable or images[column.name] is not None
        if family is None:
            plain = column.nullable and column.default in (ABSENT, None) and column.generated is None
        elif family is not column.type.family:
            plain = images[column.name] is None and column.nullable
        if not plain and not filled:
            row = replace(row, reason=row.reason or f"{column.name} was added or converted after it was written")
    now = tuple(place for place in row.change.now if place[1] in images)
    return replace(row, change=replace(row.change, table=table, after=images, now=now))

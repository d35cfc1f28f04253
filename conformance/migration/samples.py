"""The samples of a trial: rows with every value of a column, and every kind of change of a row.

A `Probe` is a small table with transactions that both dialects write. Each column has a probe in which it is the only
column besides a harmless key, so that the column must cause every effect; columns with the same declaration share a
probe. A probe for each table tries what concerns whole rows: changes of keys, several changes in a transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import groupby, pairwise
from typing import NamedTuple, TypeAlias

from conformance.migration.values import plain_value, values_of
from differential.generate.presets import PRESETS
from differential.generate.truth import Identity, Logged, collapsed
from differential.generate.values import numbered, with_charset
from reference_impl.column_types import INTEGERS, TEXT, Family, parse_column_type
from reference_impl.keys import handle_key
from reference_impl.model import Column, DdlEvent, Key, Row, RowChange, Table, Value, Watermark
from reference_impl.tso import compose
from reference_impl.upstream.canal.unparsed import is_unknown_type

__all__ = [
    "ID",
    "Probe",
    "Step",
    "Where",
    "column_probes",
    "every_type",
    "free_name",
    "has_decimal",
    "row_probe",
    "statement_probe",
    "unlike",
    "witness_of",
]

_FIRST_MS = 1_709_164_800_000
_UPDATES = 4
"""The number of different values of the plain column in a row probe."""
ID = Column("id", parse_column_type("bigint"), nullable=False)
_NOTE = Column("note", parse_column_type("varchar(20)"), charset="utf8mb4")
Where: TypeAlias = tuple[str, str, str]
"""Schema, table, column."""


@dataclass(frozen=True, slots=True)
class Step:
    """A transaction, a statement or a watermark: what the server logs of it, and what TiDB keeps.

    `what` names it in words. `values` are those tried in the column; for an update the old value comes first.
    """

    what: str
    logged: tuple[RowChange | DdlEvent, ...]
    kept: tuple[RowChange | DdlEvent | Watermark, ...]
    values: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class Probe:
    """A table of the trial, with the transactions that both dialects write."""

    table: Table
    column: str
    """The column that is tried; "" for rows and statements."""
    places: tuple[Where, ...]
    """The user's columns for which the probe stands; empty for statements."""
    steps: tuple[Step, ...]
    about: Table = field(compare=False)
    """The first of the user's tables for which the probe stands."""
    witness: str = ""
    """A column that is always NULL, or "". It has a type at which Canal's parser gives up the user's table, so that the
    parser gives up this table, too. No job needs to declare the column."""

    @property
    def types(self) -> Mapping[str, str]:
        """The type of each column, as text."""
        return {column.name: column.type.text for column in self.table.columns}


class _Change(NamedTuple):
    """A change of the row `number`; with `new_number`, a change of its key makes it the row of that number."""

    number: int
    before: Row | None
    after: Row | None
    new_number: int | None = None


class _StepMaker:
    """Makes the steps of a probe, whose commits are a second apart."""

    def __init__(self, table: Table, witness: Column | None = None) -> None:
        self._table, self._ms, self.steps = table, _FIRST_MS, list[Step]()
        self._null: Row = {} if witness is None else {witness.name: None}

    def row(self, what: str, number: int, before: Row | None, after: Row | None, *values: Value) -> None:
        """Add a step with one change of the row `number`."""
        self.rows(what, _Change(number, before, after), values=values)

    def rows(self, what: str, *changes: _Change, values: tuple[Value, ...] = ()) -> None:
        """Add a transaction."""
        commit_ts, start_ts = self._next()
        logged = [self._logged(change, commit_ts, start_ts) for change in changes]
        events: list[RowChange] = []
        for n, (_, group) in enumerate(groupby((one.change for one in logged), key=lambda change: change.op)):
            events += [replace(change, source={"rows_event": f"{commit_ts}.{n}"}) for change in group]
        # A single change stays whole: the encoder decides whether to split an update of a key.
        kept = (logged[0].change,) if len(logged) == 1 else collapsed(logged)
        self.steps.append(Step(what, tuple(events), kept, values))

    def statement(self, what: str, event: DdlEvent) -> None:
        """Add a statement that both dialects write."""
        commit_ts, _ = self._next()
        event = replace(event, commit_ts=commit_ts)
        self.steps.append(Step(what, (event,), (event,)))

    def watermark(self) -> None:
        """Add a watermark, which upstream does not have."""
        commit_ts, _ = self._next()
        self.steps.append(Step("watermark", (), (Watermark(commit_ts),)))

    def _next(self) -> tuple[int, int]:
        self._ms += 1000
        return compose(self._ms, 1), compose(self._ms - 1, 0)

    def _logged(self, change: _Change, commit_ts: int, start_ts: int) -> Logged:
        op = "insert" if change.before is None else "delete" if change.after is None else "update"
        before, after = (None if row is None else {**row, **self._null} for row in (change.before, change.after))
        event = RowChange(op, *self._table.id, commit_ts, before, after, start_ts=start_ts)  # type: ignore[arg-type]

        def identity(number: int, row: Row | None) -> Identity | None:
            return None if row is None else (0, number)

        new_number = change.number if change.new_number is None else change.new_number
        return Logged(identity(change.number, before), identity(new_number, after), event)


# -- a column ----------------------------------------------------------------------------------------------------------


def column_probes(tables: Sequence[Table]) -> Iterator[Probe]:
    """A probe for each distinct declaration of a column, with all columns declared that way."""
    groups: dict[tuple[object, ...], list[tuple[Table, Column]]] = {}
    for table in tables:
        key = handle_key(table)
        for column in table.columns:
            declared = with_charset(column, table)
            plain = replace(declared, name="", comment=None, auto_increment=False)
            identity = (plain, column.name in key, _if_unusual(column.name), has_decimal(table), is_given_up(table))
            groups.setdefault(identity, []).append((table, declared))
    for number, members in enumerate(groups.values(), 1):
        table, column = members[0]
        places = tuple((*of.id, one.name) for of, one in members)
        if values_of(column):
            name = free_name(table.schema, f"migrate_{number}", tables)
            yield _column_probe(name, table, column, places, is_key=column.name in handle_key(table))


@cache
def every_type() -> tuple[Table, ...]:
    """A table for each family of column types, as in the preset `types` of `generate`."""
    return tuple(source.table for source in PRESETS["types"].sources())


def free_name(schema: str, name: str, tables: Iterable[Table]) -> str:
    """The name, made longer until none of the tables in the schema has it."""
    taken = {table.name.lower() for table in tables if table.schema == schema}
    while name in taken:
        name += "_"
    return name


def has_decimal(table: Table) -> bool:
    """Whether a table has a DECIMAL column: with one, Flink reads the fractions of all columns exactly."""
    return any(column.type.family is Family.DECIMAL for column in table.columns)


def is_given_up(table: Table) -> bool:
    """Whether Canal's parser gives up the table and asks the server for the types of its columns."""
    return any(is_unknown_type(column.type.text) for column in table.columns)


def witness_of(table: Table, columns: Sequence[Column]) -> Column | None:
    """A column, always NULL, at which Canal's parser gives up the table; None if `columns` have one already."""
    given_up = next((column for column in table.columns if is_unknown_type(column.type.text)), None)
    if given_up is None or any(is_unknown_type(column.type.text) for column in columns):
        return None
    return unlike(Column("witness", given_up.type), *(column.name for column in columns))


def _if_unusual(name: str) -> str:
    """The name itself if it is unusual, else "": a column with an unusual name has a probe of its own."""
    return "" if name.isascii() and name.isidentifier() and name == name.lower() else name


def _column_probe(name: str, table: Table, column: Column, places: tuple[Where, ...], *, is_key: bool) -> Probe:
    beside = unlike(_NOTE if is_key else ID, column.name)
    columns = (column, beside) if is_key else (beside, column)
    witness = witness_of(table, columns)
    keyed = (column.name,) if is_key else (beside.name,)
    made = Table(
        table.schema,
        name,
        (*columns, *filter(None, [witness])),
        primary_key=keyed,
        clustered=table.clustered,
        charset=table.charset,
    )
    maker = _StepMaker(made, witness)
    if is_key:
        _key_steps(maker, column, beside)
    else:
        _value_steps(maker, column, beside)
    return Probe(made, column.name, places, tuple(maker.steps), table, witness.name if witness else "")


def unlike(column: Column, *names: str) -> Column:
    """The column, renamed so that none of the others has its name."""
    taken = {name.lower() for name in names}
    while column.name.lower() in taken:
        column = replace(column, name=f"{column.name}_")
    return column


def _value_steps(maker: _StepMaker, column: Column, beside: Column) -> None:
    values = values_of(column)

    def row(number: int, value: Value) -> Row:
        return {beside.name: str(number), column.name: value}

    for number, value in enumerate(values, 1):
        maker.row("insert", number, None, row(number, value), value)
    path = [values[1 % len(values)], None, values[0]] if column.nullable else [values[1 % len(values)], values[0]]
    for before, after in pairwise([values[0], *path]):
        if before != after:
            maker.row("update", 1, row(1, before), row(1, after), before, after)
    maker.row("delete", 1, row(1, path[-1]), None, path[-1])


def _key_steps(maker: _StepMaker, column: Column, beside: Column) -> None:
    seen: set[object] = set()
    for number, value in enumerate(v for v in values_of(column) if v is not None):
        same = value.rstrip(" ").casefold() if isinstance(value, str) else value
        if same in seen:
            continue
        seen.add(same)
        first, second = ({column.name: value, beside.name: text} for text in ("one", "two"))
        maker.row("insert", number, None, first, value)
        maker.row("update", number, first, second, value)
        maker.row("delete", number, second, None, value)


# -- rows --------------------------------------------------------------------------------------------------------------


def row_probe(table: Table) -> Probe:
    """The probe for the rows of a table: its key columns and one plain column."""
    keyed = [*handle_key(table), *(name for key in table.unique_keys for name in key.columns), *table.primary_key]
    others = [c for c in table.columns if c.name not in keyed and c.generated is None and _is_changeable(c)]
    plain = next((c for c in others if not _is_odd(c)), None)
    kept = tuple(column for column in table.columns if column.name in keyed or column is plain)
    if plain is None and others:  # some reader may fail on each of the other columns, so a new column replaces them
        plain = unlike(_NOTE, *(column.name for column in table.columns))
        kept = (*kept, plain)
    if not keyed:  # equal rows are indistinguishable: a number makes them differ
        kept = (unlike(ID, *(column.name for column in (*table.columns, *kept))), *kept)
    row_maker = _Rows(kept, plain.name if plain else None)
    witness = witness_of(table, kept)
    cut = replace(table, columns=(*kept, *filter(None, [witness])), indexes=())
    maker = _StepMaker(cut, witness)
    _row_steps(maker, row_maker, cut)
    return Probe(cut, "", ((*table.id, ""),), tuple(maker.steps), table, witness.name if witness else "")


def _is_odd(column: Column) -> bool:
    """Whether a column is of a type that some reader may not read."""
    return column.type.family not in (*INTEGERS, *TEXT) or column.type.length == 1


def _is_changeable(column: Column) -> bool:
    """Whether values with consecutive numbers differ, as `_updates` requires."""
    values = [plain_value(column, number) for number in range(_UPDATES)]
    return all(a != b for a, b in pairwise(values)) and values[0] != values[-1]


class _Rows:
    """Makes rows of a table by number; rows with different numbers have different keys, if their types have as many."""

    def __init__(self, columns: Sequence[Column], plain: str | None) -> None:
        self._columns, self.plain = columns, plain
        self._makers = {c.name: made for c in columns if (made := numbered(c)) is not None}

    def row(self, number: int, plain: int = 0) -> Row:
        """The row of a number; another `plain` gives its plain column another value."""
        return {column.name: self._value(column, number, plain) for column in self._columns}

    def _value(self, column: Column, number: int, plain: int) -> Value:
        if column.name == self.plain:
            return plain_value(column, plain)
        if column.name in self._makers:
            make, limit = self._makers[column.name]
            value = make(number % limit)
            # Zeros at the end are a matter of the column, which has a probe of its own.
            return value.rstrip(b"\0").rjust(len(value), b"\0") if isinstance(value, bytes) else value
        return plain_value(column, number)


def _row_steps(maker: _StepMaker, rows: _Rows, table: Table) -> None:
    one, two, three = rows.row(1), rows.row(2), rows.row(3)
    maker.row("insert", 1, None, one)
    maker.rows("insert of two rows in one transaction", _Change(2, None, two), _Change(3, None, three))
    if rows.plain:
        one, two, three = _updates(maker, rows, one, two, three)
    nine = rows.row(9)
    maker.rows("insert and delete of a row in one transaction", _Change(9, None, nine), _Change(9, nine, None))
    if rows.plain:
        first, second = rows.row(8), rows.row(8, 1)
        maker.rows("insert and update of a row in one transaction", _Change(8, None, first), _Change(8, first, second))
        third = rows.row(8, 2)
        maker.rows("update and delete of a row in one transaction", _Change(8, second, third), _Change(8, third, None))
    key_changes = [*_key_changes(table)]
    apart = max(10, len(key_changes))  # each change takes a row to a number that no other row has
    for number, (what, columns) in enumerate(key_changes, 11):
        before, other = rows.row(number), rows.row(number + apart)
        after = {**before, **{name: other[name] for name in columns}}
        maker.row("insert", number, None, before)
        if after != before:
            moves = bool({*columns} & {*handle_key(table)})
            maker.rows(what, _Change(number, before, after, number + apart if moves else None))
    if rows.plain:
        maker.rows(
            "delete and insert of a row in one transaction",
            _Change(2, two, None),
            _Change(2, None, rows.row(2, 2)),
        )
    maker.row("delete", 1, one, None)


def _updates(maker: _StepMaker, rows: _Rows, one: Row, two: Row, three: Row) -> tuple[Row, Row, Row]:
    """Add updates of the plain column of three rows; returns the rows after them."""
    first, second, third = (rows.row(1, plain) for plain in (1, 2, 3))
    maker.row("update", 1, one, first)
    new_two, new_three = rows.row(2, 1), rows.row(3, 1)
    maker.rows("update of two rows in one transaction", _Change(2, two, new_two), _Change(3, three, new_three))
    maker.rows("two updates of a row in one transaction", _Change(1, first, second), _Change(1, second, third))
    return third, new_two, new_three


def statement_probe(table: Table, statements: Iterable[DdlEvent]) -> Probe:
    """The probe for statements about a table, with a watermark after them."""
    maker = _StepMaker(table)
    for event in statements:
        maker.statement(event.action or event.query, event)
    maker.watermark()
    return Probe(table, "", (), tuple(maker.steps), table)


def _key_changes(table: Table) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The changes of keys that a row may see, each with the columns that it changes."""
    handle = handle_key(table)
    if handle:
        yield "update of the primary key", handle
    for key in _others(table, handle):
        if changed := tuple(name for name in key.columns if name not in handle):
            yield f"update of the unique key {key.name}", changed


def _others(table: Table, handle: Iterable[str]) -> Iterator[Key]:
    return (key for key in table.unique_keys if key.columns != tuple(handle))

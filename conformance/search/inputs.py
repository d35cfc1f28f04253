"""Strategies for inputs that a database could have produced, under options of a protocol.

One liberty is taken: in a unique key without `id`, rows may have equal values.

The simplest choice always comes first, so that a counter-example shrinks to the fewest columns and events, one row, the
shortest values and the default options.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal, TypeAlias

from hypothesis import strategies as st

from conformance.cases.defaults import literal_default
from conformance.cases.inputs import NOW, Input, altered, change, commit_times, with_sql
from conformance.cases.sql import definition
from conformance.cases.unrepresentable import UNREPRESENTABLE
from conformance.catalogue.corpora import OptionSpace, load_families, load_names
from conformance.search.scope import EVERYTHING, Scope
from conformance.search.spaces import option_space
from conformance.search.values import column_types, values_of
from reference_impl.column_types import BINARY, TEXT, ColumnType, Family, parse_column_type
from reference_impl.model import ABSENT, Column, Event, Key, Row, RowChange, Table, Value, Watermark

__all__ = ["inputs"]

_ID = Column("id", parse_column_type("int"), nullable=False)
_PLAIN_NAMES = ("a", "b", "c")
# Types without parameters: among the many types with parameters they would be drawn rarely.
_OFTEN = ("bigint unsigned", "bigint", "double", "float", "date", "json", "text", "blob")
_COMMENTS = st.sampled_from([None, "it's <b>"])
_BOOL, _UP_TO_3 = st.booleans(), st.integers(0, 3)
_NARROW_LIMIT = "600"
_CLUSTERS = ("default", "my-cluster.1")
_ZONES = ("UTC", "Asia/Shanghai", "America/New_York")
_RENAMED = {"t": "renamed", "renamed": "t"}

# Types that need a prefix length in a key.
_NEVER_IN_A_KEY = (
    (TEXT - {Family.CHAR, Family.VARCHAR})
    | (BINARY - {Family.BINARY, Family.VARBINARY})
    | {Family.JSON, Family.VECTOR, Family.FLOAT, Family.DOUBLE}
)

_Kind: TypeAlias = Literal[
    "insert",
    "update",
    "delete",
    "change key",
    "insert into other table",
    "watermark",
    "add or drop column",
    "truncate",
    "comment",
    "rename",
]


@dataclass(frozen=True, slots=True)
class _ColumnData:
    """A column and its values; they are drawn together, so that shrinking removes them together."""

    column: Column
    values: Sequence[Value]


@dataclass(frozen=True, slots=True)
class _Step:
    """A step of a stream."""

    kind: _Kind
    """`change key`: an update of the key; `add or drop column`: adds a column, or drops it if it is there."""
    pick: int = 0
    """Index of the value of each column, modulo their number."""
    kept: int = 0
    """A bit for each of the first four columns that an update does not change."""
    row: int = 0
    """Index of the row to update or delete, modulo their number."""
    joins: bool = False
    """Whether the step belongs to the transaction of the row change before, if there is one."""


@cache
def _boundaries() -> Mapping[ColumnType, tuple[Value, ...]]:
    """The types declared in the corpora, and the boundaries of their values."""
    declared = (d for family in load_families() for d in family.declarations if d.column.charset is None)
    return {d.column.type: tuple(v for v in d.boundaries.values() if v is not None) for d in declared}


@cache
def _values_but_null(column_type: ColumnType) -> st.SearchStrategy[Value]:
    """Values of a type, boundaries among them; never NULL."""
    boundaries = _boundaries().get(column_type)
    return st.one_of(values_of(column_type), *([st.sampled_from(boundaries)] if boundaries else []))


@cache
def _drawn_types(families: frozenset[Family]) -> st.SearchStrategy[ColumnType]:
    corpus = [column_type for column_type in _boundaries() if column_type.family in families]
    often = [column_type for column_type in map(parse_column_type, _OFTEN) if column_type.family in families]
    return st.one_of(st.sampled_from(corpus), column_types(families), *([st.sampled_from(often)] if often else []))


@cache
def _value_lists(column_type: ColumnType, *, nullable: bool) -> st.SearchStrategy[list[Value]]:
    values = _values_but_null(column_type)
    return st.lists(st.one_of(values, st.none()) if nullable else values, min_size=1, max_size=3)


@cache
def _defaults(column_type: ColumnType) -> st.SearchStrategy[Value]:
    return values_of(column_type, invalid_index=False)


@st.composite
def _column_data(draw: st.DrawFn, names: st.SearchStrategy[str], families: frozenset[Family]) -> _ColumnData:
    """A column with values.

    Half of the columns are NOT NULL. Half have a default where that is possible, and may have a comment.
    """
    column_type = draw(_drawn_types(families))
    column = Column(draw(names), column_type, nullable=not draw(_BOOL))
    values = draw(_value_lists(column_type, nullable=column.nullable))
    if not draw(_BOOL):
        return _ColumnData(column, values)
    column = replace(column, comment=draw(_COMMENTS))
    text = literal_default(column, draw(_defaults(column_type)))
    if text is not None:
        column = replace(column, default=text)
    elif column.nullable:
        column = replace(column, default=None)
    if column.nullable and draw(_BOOL):
        values = [*values, None]
    return _ColumnData(column, values)


def _table(key: Column, others: Sequence[_ColumnData], key_kind: str, *, clustered: bool) -> Table:
    """The table `test.t`; `key_kind` is one of `_KEY_KINDS`."""
    columns = (key, *(other.column for other in others))
    keyable = [c for c in columns if c.type.family not in _NEVER_IN_A_KEY]
    not_null = [c for c in keyable if not c.nullable and c.default is ABSENT]  # never empty: `id` is one
    nullable = [c for c in keyable if c.nullable]
    primary, unique = {
        "one": (("id",), ()),
        "two": (("id",), (Key("uk", (not_null[-1].name,)),)),
        "composite": (tuple(dict.fromkeys(("id", not_null[-1].name))), ()),
        "nullable": (("id",), (Key("uk", (nullable[-1].name,)),)) if nullable else (("id",), ()),
        "unique": ((), (Key("uk", ("id",)),)),
        "none": ((), ()),
    }[key_kind]
    return with_sql(Table("test", "t", columns, primary_key=primary, unique_keys=unique, clustered=clustered))


def _other_table(table: Table, families: frozenset[Family]) -> Table:
    """A table of the same name in another schema; its columns have the same names, and other types if possible."""
    key_type = other_type = table.columns[0].type
    if Family.VARCHAR in families:
        key_type, other_type = parse_column_type("varchar(10)"), parse_column_type("varchar(20)")
    key = Column(_ID.name, key_type, nullable=False)
    others = (Column(c.name, other_type) for c in table.columns[1:])
    return with_sql(Table("other", table.name, (key, *others), primary_key=(key.name,)))


@cache
def _steps(kinds: frozenset[str], *, statements: bool) -> st.SearchStrategy[list[_Step]]:
    """Steps of a stream of events of these kinds; with `statements`, at least one statement or watermark."""
    joins = st.sampled_from([False, False, True])
    rows = [
        st.builds(_Step, st.just("insert"), _UP_TO_3, joins=joins),
        st.builds(_Step, st.just("update"), _UP_TO_3, st.integers(0, 15), _UP_TO_3, joins),
        st.builds(_Step, st.just("delete"), row=_UP_TO_3, joins=joins),
        st.builds(_Step, st.just("change key"), _UP_TO_3, st.integers(0, 15), _UP_TO_3, joins),
        st.builds(_Step, st.just("insert into other table"), joins=joins),
    ]
    row_steps = rows if "row" in kinds else []
    if not statements:
        return st.lists(st.one_of(row_steps), min_size=1, max_size=6)
    other_kinds: list[_Kind] = []
    if "watermark" in kinds:
        other_kinds += ["watermark"]
    if "ddl" in kinds:
        other_kinds += ["comment", "truncate", "add or drop column", "add or drop column", "rename"]
    other_step = st.sampled_from([_Step(kind) for kind in other_kinds])
    any_step = st.one_of(row_steps + [other_step] * 3)
    first, last = st.lists(any_step, max_size=3), st.lists(any_step, max_size=2)
    return st.builds(lambda before, step, after: [*before, step, *after], first, other_step, last)


@dataclass(slots=True)
class _StreamBuilder:
    """Builds a stream step by step."""

    table: Table
    """The current version of the table."""
    other_table: Table
    values: Mapping[str, Sequence[Value]]
    """Column → the values to choose from."""
    added: Column
    """The column that statements add and drop."""
    rows: dict[str, Row] = field(default_factory=dict)
    """The current rows, by key."""
    events: list[Event] = field(default_factory=list)
    joined: list[bool] = field(default_factory=list)
    """For each event, whether its step `joins`."""
    inserted: int = 0
    """The last key."""

    def add_step(self, step: _Step) -> None:
        """Add the events of a step: one, or two if an update or delete finds no row, so that one is inserted first."""
        if step.kind == "watermark":
            self._add(Watermark(0), joins=False)
        elif step.kind == "insert into other table":
            self._insert_into_other_table(joins=step.joins)
        elif step.kind in ("insert", "update", "delete", "change key"):
            self._change_row(step)
        else:
            self._alter(step)

    def _add(self, event: Event, *, joins: bool) -> None:
        self.events.append(event)
        self.joined.append(joins and len(self.events) > 1)

    def _insert_into_other_table(self, *, joins: bool) -> None:
        self.inserted += 1
        names = [c.name for c in self.other_table.columns]
        self._add(change(self.other_table, None, dict.fromkeys(names, f"{self.inserted}")), joins=joins)

    def _row(self, id_: str, pick: int, kept: Row | None = None) -> Row:
        """A row of the table: the values that `pick` chooses, or those of `kept`."""
        others = ((c.name, self.values[c.name]) for c in self.table.columns if c.name != _ID.name)
        return {_ID.name: id_} | {name: values[pick % len(values)] for name, values in others} | dict(kept or {})

    def _change_row(self, step: _Step) -> None:
        if step.kind == "insert" or not self.rows:
            self.inserted += 1
            id_ = str(self.inserted)
            joins = step.joins and step.kind == "insert"
            self.rows[id_] = self._row(id_, step.pick)
            self._add(change(self.table, None, self.rows[id_]), joins=joins)
            if step.kind == "insert":
                return
        id_ = list(self.rows)[step.row % len(self.rows)]
        before = self.rows.pop(id_)
        if step.kind == "delete":
            self._add(change(self.table, before, None), joins=step.joins)
            return
        kept = {name: value for bit, (name, value) in enumerate(before.items()) if step.kept >> bit & 1}
        if step.kind == "change key":
            self.inserted += 1
            id_ = kept[_ID.name] = str(self.inserted)
        after = self._row(id_, step.pick, kept)
        self.rows[id_] = after
        self._add(change(self.table, before, after), joins=step.joins)

    def _alter(self, step: _Step) -> None:
        before = after = self.table
        added, alter = self.added, f"ALTER TABLE `{before.name}`"
        if step.kind == "truncate":
            query, action = f"TRUNCATE TABLE `{before.name}`", "truncate table"
            self.rows.clear()
        elif step.kind == "comment":
            query, action = f"{alter} COMMENT = 'x'", "modify table comment"
        elif step.kind == "rename":
            after = replace(before, name=_RENAMED[before.name])
            query, action = f"{alter} RENAME TO `{after.name}`", "rename table"
        elif added.name in [c.name for c in before.columns]:
            after = replace(before, columns=before.columns[:-1])
            query, action = f"{alter} DROP COLUMN `{added.name}`", "drop column"
        else:
            after = replace(before, columns=(*before.columns, added))
            query, action = f"{alter} ADD COLUMN {definition(added)}", "add column"
        self.table = after = after if after is before else with_sql(after)
        self.rows = {
            id_: {c.name: row[c.name] if c.name in row else _stored(c) for c in after.columns}
            for id_, row in self.rows.items()
        }
        self._add(altered(before, after, query, action), joins=False)

    def timed(self) -> tuple[Event, ...]:
        """The events with rising commit time stamps, one for each transaction."""
        times = iter(commit_times(len(self.events)))
        timed: list[Event] = []
        ts = 0
        for event, joins in zip(self.events, self.joined, strict=True):
            if not joins or not timed or not isinstance(timed[-1], RowChange):
                ts = next(times)
            timed.append(replace(event, commit_ts=ts))
        return tuple(timed)


def _stored(column: Column) -> Value:
    """The value of an existing row in a column added later: the default; a BINARY is padded."""
    default = column.default
    if isinstance(default, str) and column.type.family in BINARY:
        default = default.encode()
    if isinstance(default, bytes) and column.type.family is Family.BINARY:
        return default.ljust(column.type.characters, b"\0")
    return default if isinstance(default, (str, bytes)) else None


def _options(space: OptionSpace, scope: Scope) -> st.SearchStrategy[dict[str, str]]:
    """Declared options of the protocol, with those that they require; half of the examples have none."""
    values = {name: texts for name, texts in space.values.items() if scope.has_option(name)}
    chosen = st.fixed_dictionaries({name: st.sampled_from(texts) for name, texts in values.items()})
    drawn: st.SearchStrategy[dict[str, str]] = st.one_of(
        st.just({}), st.builds(_limited, chosen.map(space.with_needs), _BOOL)
    )
    return drawn if scope.options is None else drawn.filter(lambda options: all(map(scope.has_option, options)))


def _limited(options: dict[str, str], narrow: bool) -> dict[str, str]:
    """The options; if `narrow`, and they handle large messages, with a limit that some rows exceed."""
    is_handled = "large-message-handle-option" in options
    return {**options, "max-message-bytes": _NARROW_LIMIT} if narrow and is_handled else options


def _is_representable(space: OptionSpace, given: Input) -> bool:
    return not any(UNREPRESENTABLE[u.what](given) for u in space.unrepresentable)


@cache
def _all_column_data(families: frozenset[Family]) -> st.SearchStrategy[list[_ColumnData]]:
    special = [name for name in load_names().names.values() if name.lower() != _ID.name]
    named = _column_data(st.sampled_from([*_PLAIN_NAMES, *special]), families)
    return st.lists(named, max_size=6, unique_by=lambda data: data.column.name.lower())


@cache
def _added_column(families: frozenset[Family]) -> st.SearchStrategy[_ColumnData]:
    return _column_data(st.just("n"), families)


_KEY_KINDS = st.sampled_from(["one", "one", "two", "composite", "nullable", "unique", "none"])
_SETTINGS = st.builds(
    lambda zone, partitions, cluster: replace(NOW, timezone=zone, partitions=partitions, cluster_id=cluster),
    st.sampled_from(_ZONES),
    st.sampled_from([1, 1, 3]),
    st.sampled_from(_CLUSTERS),
)


@st.composite
def _inputs(draw: st.DrawFn, space: OptionSpace, scope: Scope, options: st.SearchStrategy[dict[str, str]]) -> Input:
    key_type = scope.key_type
    assert key_type is not None
    key, families = replace(_ID, type=key_type), scope.families
    others = draw(_all_column_data(families))
    table = _table(key, others, draw(_KEY_KINDS), clustered=not draw(_BOOL))
    has_statements = bool({"ddl", "watermark"} & scope.kinds and draw(_BOOL)) or "row" not in scope.kinds
    # Without statements no column is added, and the key stands in.
    added_data = draw(_added_column(families)) if has_statements else _ColumnData(key, [])
    values = {data.column.name: data.values for data in (*others, added_data)}
    # Nullable, as earlier rows would have no value in a NOT NULL column without a default.
    added = replace(added_data.column, nullable=True)
    if has_statements and draw(_BOOL):  # the column exists from the start, and may be dropped
        table = with_sql(replace(table, columns=(*table.columns, added)))
    stream = _StreamBuilder(table, _other_table(table, families), values, added)
    for step in draw(_steps(scope.kinds, statements=has_statements)):
        stream.add_step(step)
    visible = {name: value for name, value in space.visible.items() if scope.has_option(name)}
    chosen = draw(options) | (visible if has_statements else {})
    events = stream.timed()
    has_other_table = any(isinstance(e, RowChange) and e.schema == stream.other_table.schema for e in events)
    tables = (table, stream.other_table) if has_other_table else (table,)
    return Input("search", tables, events, options=chosen, settings=draw(_SETTINGS))


def inputs(protocol: str, scope: Scope = EVERYTHING) -> st.SearchStrategy[Input]:
    """Inputs that the protocol can express: a stream of rows of one or two tables, statements and watermarks.

    Everything drawn is within the scope; an empty scope gives no input.
    """
    if scope.is_empty:
        return st.nothing()
    space = option_space(protocol)
    return _inputs(space, scope, _options(space, scope)).filter(lambda given: _is_representable(space, given))

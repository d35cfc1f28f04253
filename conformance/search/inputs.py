"""Strategies for inputs that a database could have produced, under options of a protocol.

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
from conformance.cases.inputs import NOW, Input, change, commit_times, ddl, with_sql
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
_FLAG, _SMALL = st.booleans(), st.integers(0, 3)
_NARROW = "600"
_CLUSTERS = ("default", "my-cluster.1")
_ZONES = ("UTC", "Asia/Shanghai", "America/New_York")

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
    "another key",
    "elsewhere",
    "watermark",
    "another column",
    "truncate",
    "comment",
    "rename",
]


@dataclass(frozen=True, slots=True)
class _Content:
    """A column and values for it, which shrinking removes together."""

    column: Column
    values: Sequence[Value]


@dataclass(frozen=True, slots=True)
class _Step:
    """A step of a stream."""

    kind: _Kind
    """`another key`: an update of the key; `elsewhere`: an insert into the other table.

    `another column` adds a column, or drops it again.
    """
    pick: int = 0
    """Chooses a value of each column."""
    kept: int = 0
    """A bit for each column that an update does not change."""
    row: int = 0
    """Chooses a row."""
    joins: bool = False
    """The step belongs to the transaction before."""


@cache
def _boundaries() -> Mapping[ColumnType, tuple[Value, ...]]:
    """The types declared in the corpora, and the boundaries of their values."""
    declared = (d for family in load_families() for d in family.declarations if d.column.charset is None)
    return {d.column.type: tuple(v for v in d.boundaries.values() if v is not None) for d in declared}


@cache
def _present(kind: ColumnType) -> st.SearchStrategy[Value]:
    boundaries = _boundaries().get(kind)
    return st.one_of(values_of(kind), *([st.sampled_from(boundaries)] if boundaries else []))


@cache
def _types(families: frozenset[Family]) -> st.SearchStrategy[ColumnType]:
    corpus = [kind for kind in _boundaries() if kind.family in families]
    often = [kind for kind in map(parse_column_type, _OFTEN) if kind.family in families]
    return st.one_of(st.sampled_from(corpus), column_types(families), *([st.sampled_from(often)] if often else []))


@cache
def _some(kind: ColumnType, *, nullable: bool) -> st.SearchStrategy[list[Value]]:
    return st.lists(st.one_of(_present(kind), st.none()) if nullable else _present(kind), min_size=1, max_size=3)


@cache
def _defaults(kind: ColumnType) -> st.SearchStrategy[Value]:
    return values_of(kind, invalid_index=False)


@st.composite
def _contents(draw: st.DrawFn, names: st.SearchStrategy[str], families: frozenset[Family]) -> _Content:
    """A column with values; about half have a default, with NULL among the values if allowed; some are NOT NULL."""
    kind = draw(_types(families))
    made = Column(draw(names), kind, nullable=not draw(_FLAG))
    values = draw(_some(kind, nullable=made.nullable))
    if not draw(_FLAG):
        return _Content(made, values)
    made = replace(made, comment=draw(_COMMENTS))
    text = literal_default(made, draw(_defaults(kind)))
    if text is not None:
        made = replace(made, default=text)
    elif made.nullable:
        made = replace(made, default=None)
    return _Content(made, [*values, None] if made.nullable and draw(_FLAG) else values)


def _table(key: Column, contents: Sequence[_Content], keys: str, *, clustered: bool) -> Table:
    columns = (key, *(content.column for content in contents))
    keyable = [c for c in columns if c.type.family not in _NEVER_IN_A_KEY]
    fit = [c for c in keyable if not c.nullable and c.default is ABSENT]
    loose = [c for c in keyable if c.nullable]
    primary, unique = {
        "one": (("id",), ()),
        "two": (("id",), (Key("uk", (fit[-1].name,)),)),
        "composite": (tuple(dict.fromkeys(("id", fit[-1].name))), ()),
        "nullable": (("id",), (Key("uk", (loose[-1].name,)),)) if loose else (("id",), ()),
        "unique": ((), (Key("uk", ("id",)),)),
        "none": ((), ()),
    }[keys]
    return with_sql(Table("test", "t", columns, primary_key=primary, unique_keys=unique, clustered=clustered))


def _elsewhere(table: Table, families: frozenset[Family]) -> Table:
    """A table of the same name in another schema; its columns have the same names but other types."""
    own = table.columns[0].type
    kind, other = (parse_column_type(f"varchar({n})") if Family.VARCHAR in families else own for n in (10, 20))
    key = Column(_ID.name, kind, nullable=False)
    others = (Column(c.name, other) for c in table.columns[1:])
    return with_sql(Table("other", table.name, (key, *others), primary_key=(key.name,)))


@cache
def _steps(kinds: frozenset[str], *, statements: bool) -> st.SearchStrategy[list[_Step]]:
    """Steps of a stream of events of these kinds; with `statements`, at least one statement or watermark."""
    joins = st.sampled_from([False, False, True])
    rows = [
        st.builds(_Step, st.just("insert"), _SMALL, joins=joins),
        st.builds(_Step, st.just("update"), _SMALL, st.integers(0, 15), _SMALL, joins),
        st.builds(_Step, st.just("delete"), row=_SMALL, joins=joins),
        st.builds(_Step, st.just("another key"), _SMALL, st.integers(0, 15), _SMALL, joins),
        st.builds(_Step, st.just("elsewhere"), joins=joins),
    ]
    some = rows if "row" in kinds else []
    if not statements:
        return st.lists(st.one_of(some), min_size=1, max_size=6)
    others: list[_Kind] = ["watermark"] if "watermark" in kinds else []
    others += ["comment", "truncate", "another column", "another column", "rename"] if "ddl" in kinds else []
    statement = st.sampled_from([_Step(kind) for kind in others])
    some_or_others = st.one_of(some + [statement] * 3)
    first, last = st.lists(some_or_others, max_size=3), st.lists(some_or_others, max_size=2)
    return st.builds(lambda before, step, after: [*before, step, *after], first, statement, last)


@dataclass(slots=True)
class _StreamBuilder:
    """Builds a stream step by step."""

    table: Table
    """The current version of the table."""
    elsewhere: Table
    """The other table."""
    contents: Mapping[str, Sequence[Value]]
    """The values to choose from, by column."""
    added: Column
    """The column that statements add and drop."""
    rows: dict[str, Row] = field(default_factory=dict)
    """The current rows, by key."""
    events: list[Event] = field(default_factory=list)
    joins: list[bool] = field(default_factory=list)
    """For each event, whether it belongs to the transaction before."""
    inserted: int = 0
    """The last key."""

    def take(self, step: _Step) -> None:
        """Add the effect of a step. A missing row is inserted first."""
        if step.kind == "watermark":
            self._add(Watermark(0), joins=False)
        elif step.kind == "elsewhere":
            self._add_elsewhere(joins=step.joins)
        elif step.kind in ("insert", "update", "delete", "another key"):
            self._change(step)
        else:
            self._alter(step)

    def _add(self, event: Event, *, joins: bool) -> None:
        self.events.append(event)
        self.joins.append(joins and len(self.events) > 1)

    def _add_elsewhere(self, *, joins: bool) -> None:
        self.inserted += 1
        names = [c.name for c in self.elsewhere.columns]
        self._add(change(self.elsewhere, None, dict.fromkeys(names, f"{self.inserted}")), joins=joins)

    def _row(self, id_: str, pick: int, kept: Row | None = None) -> Row:
        others = ((c.name, self.contents[c.name]) for c in self.table.columns if c.name != _ID.name)
        return {_ID.name: id_} | {name: values[pick % len(values)] for name, values in others} | dict(kept or {})

    def _change(self, step: _Step) -> None:
        if step.kind == "insert" or not self.rows:
            self.inserted += 1
            id_, joins = str(self.inserted), step.joins and step.kind == "insert"
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
        if step.kind == "another key":
            self.inserted += 1
            id_ = kept[_ID.name] = str(self.inserted)
        after = self._row(id_, step.pick, kept)
        self.rows[id_] = after
        self._add(change(self.table, before, after), joins=step.joins)

    def _alter(self, step: _Step) -> None:
        before, after = self.table, self.table
        names = [c.name for c in before.columns]
        query, action, code = "COMMENT = 'x'", "modify table comment", 17
        added = self.added
        if step.kind == "another column" and added.name not in names:
            after = replace(before, columns=(*before.columns, added))
            query, action, code = f"ADD COLUMN {definition(added)}", "add column", 5
        elif step.kind == "another column":
            after = replace(before, columns=before.columns[:-1])
            query, action, code = f"DROP COLUMN `{added.name}`", "drop column", 6
        elif step.kind == "rename":
            after = replace(before, name=_OTHER_NAME[before.name])
            query, action, code = f"RENAME TO `{after.name}`", "rename table", 14
        self.table = after = after if after is before else with_sql(after)
        text = f"ALTER TABLE `{before.name}` {query}"
        if step.kind == "truncate":
            text, action, code = f"TRUNCATE TABLE `{before.name}`", "truncate table", 11
            self.rows.clear()
        self.rows = {
            id_: {c.name: row[c.name] if c.name in row else _stored(c) for c in after.columns}
            for id_, row in self.rows.items()
        }
        self._add(ddl(after, text, action, code, table_before=before, table_after=after), joins=False)

    def timed(self) -> tuple[Event, ...]:
        """The events with rising commit time stamps, one for each transaction."""
        times = iter(commit_times(len(self.events)))
        timed: list[Event] = []
        ts = 0
        for event, joins in zip(self.events, self.joins, strict=True):
            if not joins or not timed or isinstance(timed[-1], Watermark):
                ts = next(times)
            timed.append(replace(event, commit_ts=ts))
        return tuple(timed)


_OTHER_NAME = {"t": "renamed", "renamed": "t"}


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
        st.just({}), st.builds(_limited, chosen.map(space.with_needs), _FLAG)
    )
    return drawn if scope.options is None else drawn.filter(lambda options: all(map(scope.has_option, options)))


def _limited(options: dict[str, str], narrow: bool) -> dict[str, str]:
    """The options; if `narrow`, and they handle large messages, with a limit that some rows exceed."""
    is_handled = "large-message-handle-option" in options
    return {**options, "max-message-bytes": _NARROW} if narrow and is_handled else options


def _is_representable(space: OptionSpace, given: Input) -> bool:
    return not any(UNREPRESENTABLE[u.what](given) for u in space.unrepresentable)


@cache
def _all_contents(families: frozenset[Family]) -> st.SearchStrategy[list[_Content]]:
    special = [name for name in load_names().names.values() if name.lower() != _ID.name]
    named = _contents(st.sampled_from([*_PLAIN_NAMES, *special]), families)
    return st.lists(named, max_size=6, unique_by=lambda content: content.column.name.lower())


@cache
def _later(families: frozenset[Family]) -> st.SearchStrategy[_Content]:
    return _contents(st.just("n"), families)


_KEYS = st.sampled_from(["one", "one", "two", "composite", "nullable", "unique", "none"])
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
    contents = draw(_all_contents(families))
    table = _table(key, contents, draw(_KEYS), clustered=not draw(_FLAG))
    has_statements = draw(_FLAG) if {"ddl", "watermark"} & scope.kinds else False
    has_statements = has_statements or "row" not in scope.kinds
    later = draw(_later(families)) if has_statements else _Content(key, [])
    # The column is nullable: earlier rows would have no value in a NOT NULL column without a default.
    values, added = {c.column.name: c.values for c in (*contents, later)}, replace(later.column, nullable=True)
    if has_statements and draw(_FLAG):  # the column exists from the start, and may be dropped
        table = with_sql(replace(table, columns=(*table.columns, added)))
    stream = _StreamBuilder(table, _elsewhere(table, families), values, added)
    for step in draw(_steps(scope.kinds, statements=has_statements)):
        stream.take(step)
    visible = {name: value for name, value in space.visible.items() if scope.has_option(name)}
    chosen = draw(options) | (visible if has_statements else {})
    events = stream.timed()
    has_other_table = any(isinstance(e, RowChange) and e.schema == stream.elsewhere.schema for e in events)
    tables = (table, stream.elsewhere) if has_other_table else (table,)
    return Input("search", tables, events, options=chosen, settings=draw(_SETTINGS))


def inputs(protocol: str, scope: Scope = EVERYTHING) -> st.SearchStrategy[Input]:
    """Inputs that the protocol can express: a stream of rows of one or two tables, statements and watermarks.

    Everything drawn is within the scope; an empty scope gives no input.
    """
    if scope.is_empty:
        return st.nothing()
    space = option_space(protocol)
    return _inputs(space, scope, _options(space, scope)).filter(lambda given: _is_representable(space, given))

"""The short way to read a row message of the canal family: an ordinary one of a table that is known.

It accepts nothing that the long way (`changes`) would refuse or find odd, and gives the same slim record; whatever it
is not sure of it leaves to the long way. What is found depends on neither. A test compares the two.
"""

from __future__ import annotations

import binascii
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import orjson

from differential.canonical import canonical
from differential.model import Cell
from differential.sides import Side, codec_of
from differential.slim import Kind, Slim, seed_of, token
from reference_impl.canal_json import texts, types
from reference_impl.column_types import ColumnType, Family
from reference_impl.errors import Rejected
from reference_impl.keys import handle_key
from reference_impl.model import Column, Record, Table, Value
from reference_impl.options import parse
from reference_impl.upstream.canal import layout as canal_layout
from reference_impl.upstream.canal import texts as canal_texts
from reference_impl.upstream.canal import types as canal_types
from reference_impl.upstream.canal.message import MEMBERS

__all__ = ["QuickRows"]

Convert: TypeAlias = "Callable[[str], Cell]"
Code: TypeAlias = "Callable[[str | None], int]"

_OPS = {"INSERT": "insert", "UPDATE": "update", "DELETE": "delete"}
_TEXT_OR_NULL = frozenset({str, type(None)})
_INTEGER = frozenset({int})
_MOST_MS = 2**53


class _Unsure(Exception):
    """The long way must look."""


@dataclass(frozen=True, slots=True)
class _Column:
    """A column as a dialect has it. `code` gives its `sqlType`, which `varies` with the value or not."""

    kind: ColumnType
    shown: str
    read: Callable[[str], Value]
    write: Callable[[Value], str]
    code: Code
    varies: bool

    def convert(self, text: str) -> Cell:
        """The canonical form of a text; unsure of one that the dialect would have written otherwise."""
        try:
            value = self.read(text)
            if self.write(value) != text:
                raise _Unsure
        except (Rejected, ValueError):
            raise _Unsure from None
        return canonical(self.kind, value)


def _ticdc(table: Table, column: Column, options: Any) -> _Column:
    kind = column.type
    shown = types.mysql_type(kind, full=options.content_compatible)
    varies = types.widening(kind) is not None
    return _Column(
        kind, shown, texts.reader(kind, True), texts.writer(kind), lambda text: types.sql_type(kind, text), varies
    )


def _alibaba(table: Table, column: Column, options: Any) -> _Column:
    source = canal_layout.source_of(column, table, options)
    varies = column.type.unsigned or column.type.family in canal_types.NULL_CODES

    def code(text: str | None) -> int:
        return canal_types.sql_type(source.kind, source.shown, text, mariadb=source.mariadb)

    return _Column(column.type, source.shown, canal_texts.reader(source), canal_texts.writer(source), code, varies)


@dataclass(frozen=True, slots=True)
class _Dialect:
    """What the two dialects of the family do differently in a row message."""

    column: Callable[[Table, Column, Any], _Column]
    members: frozenset[str]
    times: tuple[str, ...]
    no_key: object  # `pkNames` of a table without a primary key
    has_virtual: bool
    instant: str  # the member that tells it where there is no commit time stamp
    ordinary: Callable[[Mapping[str, Any], Any], bool]


_SECOND = 1000


def _is_ordinary(tree: Mapping[str, Any], options: Any) -> bool:
    """What Canal's message must be beside: in order, at a whole second, with a position only where one is asked for."""
    columns = list(tree["data"][0])
    return (
        list(tree) == list(MEMBERS)
        and columns == list(tree["sqlType"])
        and columns == list(tree["mysqlType"])
        and tree["es"] % _SECOND == 0
        and type(tree["gtid"]) is str
        and (options.gtid or not tree["gtid"])
    )


_SHARED = frozenset(
    ("id", "database", "table", "pkNames", "isDdl", "type", "es", "ts", "sql", "sqlType", "mysqlType", "data", "old")
)
_TIMES = ("id", "es", "ts")
_DIALECTS: Mapping[str, _Dialect] = {
    "canal-json": _Dialect(_ticdc, _SHARED, _TIMES, [], False, "es", lambda tree, options: True),
    "canal": _Dialect(_alibaba, _SHARED | {"gtid"}, _TIMES, None, True, "es", _is_ordinary),
}


@dataclass(frozen=True, slots=True)
class _Plan:
    """What every ordinary row message of a table version looks like, and how its texts become canonical."""

    codes: Mapping[str, int]  # of NULL, in table order
    varying: tuple[tuple[str, Code], ...]
    mysql_type: Mapping[str, str]
    pk_names: object
    # Columns whose text is its own canonical form if the test is passed, else there is the long way of the column.
    tests: tuple[tuple[str, Callable[[str], object], Convert], ...]
    converts: tuple[tuple[str, Convert], ...]
    key: tuple[str, ...]
    seed: int


def _plan(dialect: _Dialect, table: Table, options: Any) -> _Plan | None:
    """The plan for a table; None where its rows or keys ask for a closer look."""
    shown = [c for c in table.columns if dialect.has_virtual or c.generated != "virtual"]
    key = handle_key(table)
    if not key or any(c.collation and c.name in key for c in table.columns):
        return None
    columns = {c.name: dialect.column(table, c, options) for c in shown}
    tests, converts = [], []
    for name, column in columns.items():
        sure = texts.surely(column.kind, True) if _is_plain(dialect, column.kind) else None
        if sure is not None:
            tests.append((name, sure, column.convert))
        else:
            few = column.kind.family in (Family.ENUM, Family.SET, Family.BIT, Family.YEAR)
            converts.append((name, lru_cache(maxsize=1024)(column.convert) if few else column.convert))
    return _Plan(
        codes={name: column.code(None) for name, column in columns.items()},
        varying=tuple((name, column.code) for name, column in columns.items() if column.varies),
        mysql_type={name: column.shown for name, column in columns.items()},
        pk_names=[c.name for c in shown if c.name in table.primary_key] or dialect.no_key,
        tests=tuple(tests),
        converts=tuple(converts),
        key=key,
        seed=seed_of(table.schema, table.name),
    )


_PLAIN = frozenset(
    (
        *(Family.TINYINT, Family.SMALLINT, Family.MEDIUMINT, Family.INT, Family.BIGINT),
        *(Family.DATE, Family.DATETIME, Family.TIMESTAMP),
    )
)
_PLAIN_IN_TICDC = _PLAIN | frozenset(
    (Family.DECIMAL, Family.CHAR, Family.VARCHAR, Family.TINYTEXT, Family.TEXT, Family.MEDIUMTEXT, Family.LONGTEXT)
)


def _is_plain(dialect: _Dialect, kind: ColumnType) -> bool:
    """Whether the dialect's text of a value is the canonical one."""
    return kind.family in (_PLAIN if dialect.has_virtual else _PLAIN_IN_TICDC)


class QuickRows:
    """The short way for one side. A table with several versions is always read the long way."""

    def __init__(self, side: Side) -> None:
        dialect = _DIALECTS.get(side.dialect)
        self._plans: dict[tuple[str, str], _Plan] = {}
        if dialect is None:
            return
        self._dialect = dialect
        options = self._options = parse(codec_of(side.dialect).options, side.options)
        self._extension = getattr(options, "enable_tidb_extension", False)
        self._members = dialect.members | ({"_tidb"} if self._extension else frozenset())
        self._changed_only = getattr(options, "changed_only", True)
        if getattr(options, "large_message_handle_compression", "none") != "none":
            return
        if getattr(options, "delete_only_output_handle_key_columns", False):
            return
        if getattr(options, "binlog_row_image", "FULL") != "FULL":
            return
        known: dict[tuple[str, str], int] = {}
        for table in side.tables:
            known[table.id] = known.get(table.id, 0) + 1
        for table in side.tables:
            if side.settings.timezone != "UTC" and any(c.type.family is Family.TIMESTAMP for c in table.columns):
                continue
            if known[table.id] == 1 and (plan := _plan(dialect, table, options)) is not None:
                self._plans[table.id] = plan

    def row(self, side: int, record: Record) -> Slim | None:
        """The slim record of a row message of one row, None where the long way must look."""
        if not self._plans or not record.value or record.key:
            return None
        try:
            tree = orjson.loads(record.value)
            members = sum(map(len, (tree, *(part for part in tree.values() if type(part) is dict))))
            members += sum(len(row) for part in (tree["data"], tree["old"]) if part for row in part)
            # Every member has one such pair of bytes, and no text has: what is left over is a doubled member.
            if record.value.count(b'":') - record.value.count(b'\\":') != members:
                return None
            return self._slim(side, record, tree)
        except (_Unsure, orjson.JSONDecodeError, KeyError, TypeError, AttributeError, IndexError, ValueError):
            return None

    def _slim(self, side: int, record: Record, tree: Any) -> Slim:
        plan = self._plans[tree["database"], tree["table"]]
        commit_ts: str | None = None
        if self._extension:
            tidb = tree["_tidb"]
            time = tidb["commitTs"]
            if type(time) is not int or len(tidb) != 1 or time < 0:
                raise _Unsure
            commit_ts = str(time)
        data, old, codes, op = tree["data"], tree["old"], tree["sqlType"], _OPS[tree["type"]]
        row = data[0]
        expected = plan.codes
        if plan.varying:
            expected = {**expected, **{name: code(row[name]) for name, code in plan.varying}}
        if (
            tree.keys() != self._members
            or len(data) != 1
            or codes != expected
            or not _INTEGER.issuperset(map(type, codes.values()))
            or tree["mysqlType"] != plan.mysql_type
            or tree["pkNames"] != plan.pk_names
            or tree["isDdl"] is not False
            or tree["sql"] != ""
            or row.keys() != plan.codes.keys()
            or not all(type(tree[name]) is int and 0 <= tree[name] < _MOST_MS for name in self._dialect.times)
            or not self._dialect.ordinary(tree, self._options)
        ):
            raise _Unsure
        image, before, after = self._image(plan, row), None, None
        if op == "update":
            before, after = self._before(plan, old, row, image), image
        elif old is not None:
            raise _Unsure
        elif op == "insert":
            after = image
        else:
            before = image
        return self._record(side, record, tree, plan, op, commit_ts, before, after)

    def _record(
        self,
        side: int,
        record: Record,
        tree: Mapping[str, Any],
        plan: _Plan,
        op: str,
        commit_ts: str | None,
        before: Mapping[str, Cell] | None,
        after: Mapping[str, Cell] | None,
    ) -> Slim:
        cells = before if after is None else after
        assert cells is not None
        key = orjson.dumps([cells[name] for name in plan.key])
        if before is not None and after is not None and any(before[name] != after[name] for name in plan.key):
            raise _Unsure  # it moves from one key to another
        instant = str(tree[self._dialect.instant]) if commit_ts is None else ""
        payload = token(_dumped(before)) + b"\n" + token(_dumped(after))
        where = (side, record.topic or "", record.partition or 0, record.offset or 0, 0)
        more = (Kind.CHANGE, op, False, commit_ts, instant, payload)
        return (binascii.crc32(key, plan.seed), tree["database"], tree["table"], key, *where, *more)

    def _image(self, plan: _Plan, row: dict[str, Any]) -> dict[str, Cell]:
        """The texts of a row made canonical, in place."""
        if not _TEXT_OR_NULL.issuperset(map(type, row.values())):
            raise _Unsure
        for name, sure, convert in plan.tests:
            text = row[name]
            if text is not None and not sure(text):
                row[name] = convert(text)
        for name, convert in plan.converts:
            text = row[name]
            if text is not None:
                row[name] = convert(text)
        return row

    def _before(self, plan: _Plan, old: Any, row: Mapping[str, Any], image: Mapping[str, Cell]) -> dict[str, Cell]:
        """The whole old row of an update."""
        given = old[0]
        if len(old) != 1 or not _TEXT_OR_NULL.issuperset(map(type, given.values())):
            raise _Unsure
        if not self._changed_only:
            if given.keys() != row.keys():
                raise _Unsure
            return self._image(plan, given)
        if not given.keys() <= row.keys():
            raise _Unsure
        for name, sure, convert in plan.tests:
            if name in given and given[name] is not None and not sure(given[name]):
                given[name] = convert(given[name])
        for name, convert in plan.converts:
            if name in given and given[name] is not None:
                given[name] = convert(given[name])
        if any(image[name] == cell for name, cell in given.items()):
            raise _Unsure
        return {**image, **given}


def _dumped(cells: Mapping[str, Cell] | None) -> bytes | None:
    return None if cells is None else orjson.dumps(cells, option=orjson.OPT_SORT_KEYS)

"""The truth of a workload: the rows that a list of SQL statements changes on one server, in order.

A truth file holds JSON lines, made from the SQL alone: `{"kind": "table", "version", "table"}` and
`{"kind": "rows", "statement", "transaction", "schema", "table", "table_version", "op", "rows": [{before, after}]}`.
Images are full, also where producers leave out columns. Values are those of the harness protocol, and in addition
`{"now": true}` (the time of the statement) and `{"opaque": "vec:[…]"}`; geometry is base64 of four bytes of SRID and of
WKB; a TIMESTAMP is in UTC. A default is the text of the DDL: it becomes an `Expression`, and `null` becomes None.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from typing import Any, Literal

from conformance.errors import UsageError
from reference_impl.column_types import BINARY, ColumnType, Family, parse_column_type
from reference_impl.errors import Rejected
from reference_impl.model import ABSENT, Column, Default, Expression, Key, Row, RowChange, Table, Value
from reference_impl.values import from_wire

__all__ = ["Change", "Truth", "column_type", "read_truth"]

_OPS: Mapping[str, Literal["insert", "update", "delete"]] = {"I": "insert", "U": "update", "D": "delete"}

_BINARY_WORD = re.compile(
    r"\s*(?:(?:var)?binary|(?:tiny|medium|long)?blob|char\s+byte|long\s+varbinary|geo|\w*point|"
    r"\w*linestring|\w*polygon)",
    re.IGNORECASE,
)
_LISTED = re.compile(r"\s*(enum|set)\s*\((.*)\)\s*\Z", re.IGNORECASE | re.DOTALL)
_LABEL = re.compile(r"""(?:'((?:[^'\\]|''|\\.)*)'|"((?:[^"\\]|""|\\.)*)")\s*(?:,\s*|\Z)""", re.DOTALL)
_ESCAPED = {quote: re.compile(rf"{quote}{quote}|\\(.)", re.DOTALL) for quote in ("'", '"')}
_EPOCH = datetime.fromtimestamp(0, UTC)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "b": "\b", "Z": "\x1a"}


@dataclass(frozen=True, slots=True)
class Change:
    """One row change of a workload, or (`read`) a row of a table at its end."""

    line: int  # its line in the truth
    statement: int  # the number of its statement, from 0
    transaction: int
    table: Table
    version: int  # the version of the table's definition
    op: Literal["insert", "update", "delete", "read"]
    before: Row | None
    after: Row | None
    # (`before` or `after`, column) of the cells that hold the time of their statement; the rows have None there.
    now: tuple[tuple[str, str], ...] = ()

    def without(self, left_out: Set[str]) -> Change:
        """The change without the columns in `left_out`, given as `schema.table.column`."""
        names = {c.name for c in self.table.columns if f"{self.table.schema}.{self.table.name}.{c.name}" in left_out}
        if not names:
            return self
        table = replace(self.table, columns=tuple(c for c in self.table.columns if c.name not in names))
        before, after = ({n: v for n, v in r.items() if n not in names} if r else r for r in (self.before, self.after))
        now = tuple(cell for cell in self.now if cell[1] not in names)
        return replace(self, table=table, before=before, after=after, now=now)

    def event(
        self,
        source: Mapping[str, object] | None = None,
        now: Mapping[tuple[str, str], datetime] | None = None,
        zone: tzinfo = UTC,
    ) -> RowChange:
        """The change as an event with this `source`, and with TIMESTAMP values as a session in `zone` shows them.

        `now` has the times for the cells of `self.now`.
        """
        names = [c.name for c in self.table.columns if c.type.family is Family.TIMESTAMP]
        before, after = (_in_zone(self._filled(image, now or {}), names, zone) for image in ("before", "after"))
        return RowChange(self.op, self.table.schema, self.table.name, None, before, after, source=source)

    def _filled(self, image: str, now: Mapping[tuple[str, str], datetime]) -> Row | None:
        row = self.before if image == "before" else self.after
        cells = [cell for cell in self.now if cell[0] == image]
        if row is None or not cells:
            return row
        return {**row, **{cell[1]: _now_in(self.table, cell[1], now.get(cell, _EPOCH)) for cell in cells}}


@dataclass(frozen=True, slots=True)
class Truth:
    """The content of a truth file."""

    name: str
    changes: tuple[Change, ...]
    tables: Mapping[int, Table] = field(default_factory=dict)  # by version
    problems: tuple[str, ...] = ()  # unreadable lines and malformed values


def read_truth(data: bytes, name: str) -> Truth:
    """The truth in the bytes of a file called `name`. Raises `UsageError` where no line can be read."""
    reader = _Reader(name)
    for number, line in enumerate(data.splitlines(), 1):
        if line.strip():
            reader.line(number, line)
    if not reader.changes and not reader.tables:
        detail = f": {reader.problems[0]}" if reader.problems else ""
        raise UsageError(f"{name}: no truth of a workload{detail}")
    return Truth(name, tuple(reader.changes), reader.tables, tuple(reader.problems))


class _Reader:
    """Reads a truth line by line, and collects its tables, changes and problems."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.tables: dict[int, Table] = {}
        self.changes: list[Change] = []
        self.problems: list[str] = []

    def line(self, number: int, text: bytes) -> None:
        try:
            given = json.loads(text)
            if given["kind"] == "table":
                self.tables[given["version"]] = _table(given["table"])
            elif given["kind"] == "rows":
                self._rows(number, given)
            else:
                self._problem(number, f"the kind {given['kind']!r} is neither table nor rows")
        except KeyError as e:
            self._problem(number, f"no member or table {e.args[0]!r}")
        except Rejected as e:
            self._problem(number, e.message)
        except (ValueError, TypeError, AttributeError, RecursionError) as e:
            self._problem(number, f"not a line of a truth: {e}")

    def _problem(self, number: int, text: str) -> None:
        self.problems.append(f"{self._name}, line {number}: {text}")

    def _rows(self, number: int, given: Mapping[str, Any]) -> None:
        table = self.tables[given["table_version"]]
        for row in given["rows"]:
            now: list[tuple[str, str]] = []
            images = {name: self._row(number, table, row[name], name, now) for name in ("before", "after")}
            change = Change(
                number,
                operator.index(given["statement"]),
                operator.index(given["transaction"]),
                table,
                given["table_version"],
                _OPS[given["op"]],
                images["before"],
                images["after"],
                tuple(now),
            )
            self.changes.append(change)

    def _row(self, number: int, table: Table, given: Any, image: str, now: list[tuple[str, str]]) -> Row | None:
        if given is None:
            return None
        row: dict[str, Value] = {}
        for column in table.columns:  # images come in the order of the table, whatever the order of the line
            if column.name not in given:
                continue
            value = given[column.name]
            if value == {"now": True}:
                now.append((image, column.name))
                row[column.name] = None
                continue
            try:
                row[column.name] = _value(column.type, value)
            except Rejected as e:
                # The server has stored it: an encoder decides whether it can be written.
                row[column.name] = value if isinstance(value, str) else None
                if not isinstance(value, str):
                    self._problem(number, f"{table.name}.{column.name}: {e.message}")
        return row


def _value(column_type: ColumnType, given: Any) -> Value:
    """A value of the truth. Raises `Rejected` for a value that does not fit its column."""
    if isinstance(given, dict) and "opaque" in given:
        return _vector(str(given["opaque"]))
    if column_type.family is Family.ENUM and isinstance(given, str):
        return _label(column_type, given)
    if column_type.family is Family.SET and isinstance(given, str):
        return ",".join(_label(column_type, label) for label in given.split(","))
    if column_type.family is Family.JSON and isinstance(given, str):
        return given  # MariaDB keeps what was written, JSON or not quite
    if column_type.family in BINARY and isinstance(given, str) and not _BINARY_WORD.match(column_type.text):
        return given.encode()  # a character column of charset binary: the truth has its text
    return from_wire(column_type, given)


def _label(column_type: ColumnType, label: str) -> str:
    """The label as the type lists it: a server drops trailing blanks, which the text of the type keeps."""
    similar = [member for member in column_type.members if member.rstrip(" ") == label.rstrip(" ")]
    return similar[0] if label not in column_type.members and len(similar) == 1 else label


def _vector(text: str) -> str:
    elements = json.loads(text.removeprefix("vec:"), parse_int=Decimal, parse_float=Decimal)
    return "[" + ",".join(f"{e.normalize():f}" for e in elements) + "]"


def _in_zone(row: Row | None, names: Sequence[str], zone: tzinfo) -> Row | None:
    """The row with the TIMESTAMP columns `names` in the time zone."""
    if row is None or not names:
        return row
    return {name: _timestamp_in_zone(value, zone) if name in names else value for name, value in row.items()}


def _timestamp_in_zone(value: Value, zone: tzinfo) -> Value:
    if not isinstance(value, str) or value.startswith("0000"):
        return value
    seconds, point, fraction = value.partition(".")
    try:
        moment = datetime.fromisoformat(seconds).replace(tzinfo=UTC).astimezone(zone)
    except (ValueError, OverflowError):
        return value
    return f"{moment:%Y-%m-%d %H:%M:%S}{point}{fraction}"


def _now_in(table: Table, name: str, now: datetime) -> str:
    """The time of a statement as a value: whole seconds unless the column keeps a fraction."""
    column = table.column(name)
    assert column is not None
    text = now.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")
    if column.type.family is Family.DATE:
        return text[:10]
    return text[: 20 + column.type.fsp] if column.type.fsp else text[:19]


# -- tables ------------------------------------------------------------------------------------------------------------


# The truth's mark of how a table was created, and a stand-in for its statement: whoever reads it learns only that it is
# CREATE TABLE … SELECT. The real one lists no columns, and servers log it in different ways.
_CREATED: Mapping[str, str] = {"ctas": "create table select"}


def _table(given: Mapping[str, Any]) -> Table:
    return Table(
        schema=given["schema"],
        name=given["name"],
        columns=tuple(_column(c, given.get("charset")) for c in given["columns"]),
        primary_key=tuple(given.get("primary_key") or ()),
        unique_keys=tuple(map(_key, given.get("unique_keys") or ())),
        charset=given.get("charset"),
        comment=given.get("comment"),
        create_sql=_CREATED.get(given.get("created_via", "")),
    )


def _key(given: Mapping[str, Any]) -> Key:
    return Key(given["name"] or "", tuple(given["columns"]))


def _column(given: Mapping[str, Any], table_charset: str | None) -> Column:
    collation = given.get("collation")
    charset = given.get("charset") or (collation.partition("_")[0] if collation else None)
    return Column(
        name=given["name"],
        type=column_type(given["type"], charset or table_charset),
        nullable=given.get("nullable", True),
        default=_default(given),
        charset=charset,
        collation=collation,
        generated=given.get("generated"),
        auto_increment=given.get("auto_increment", False),
        on_update_now=given.get("on_update_now", False),
        comment=given.get("comment"),
    )


def _default(given: Mapping[str, Any]) -> Default:
    if "default" not in given:
        return ABSENT
    default = given["default"]
    return None if default is None else Expression(default["sql"])


def column_type(text: str, charset: str | None = None) -> ColumnType:
    """The type of a column as a person wrote it in DDL; `text` keeps the spelling.

    Labels are unescaped. Raises `Rejected` (class `type`) for a text that is not a column type.
    """
    if found := _LISTED.match(text):
        plain = parse_column_type(found[1].lower() + "('')")
        return replace(plain, text=text, members=tuple(_labels(found[2])))
    return parse_column_type(text, charset)


def _labels(arguments: str) -> Iterable[str]:
    for found in _LABEL.finditer(arguments.strip()):
        quote, text = ("'", found[1]) if found[2] is None else ('"', found[2])
        yield _unescaped(text, quote)


def _unescaped(text: str, quote: str) -> str:
    return _ESCAPED[quote].sub(lambda m: _ESCAPES.get(m[1], m[1]) if m[1] else quote, text)

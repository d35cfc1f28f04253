"""Reads Open Protocol, in every profile and every form that the document allows.

Messages that break a rule are refused with the class of the rule; nothing is repaired.  [OP-002, OP-237 … OP-249]
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from reference_impl import exact_json
from reference_impl.actions import ACTIONS, CHANGES_COLUMNS
from reference_impl.compression import decompress, decompressed_limit
from reference_impl.errors import Rejected
from reference_impl.exact_json import Object, Tree
from reference_impl.large_messages import file_name, files_by_name
from reference_impl.model import Claim, DdlEvent, Event, Record, Row, RowChange, Table, Value, Watermark
from reference_impl.open_protocol.framing import unframe
from reference_impl.open_protocol.options import Options
from reference_impl.open_protocol.types import NULL, read, type_on_the_wire
from reference_impl.settings import Settings
from reference_impl.tso import MAX_TSO

__all__ = ["Decoder"]

_ROW, _DDL, _RESOLVED = 1, 2, 3
_COLUMN_MEMBERS = frozenset({"t", "h", "f", "v"})
_KINDS = {int: "an integer", str: "a string", bool: "true or false"}

Members: TypeAlias = dict[str, Tree]


def _document(data: bytes) -> Tree:
    tree = exact_json.loads_quickly(data)
    return exact_json.loads(data) if tree is None else tree


def _object(tree: Tree, subject: str, *, doubled: frozenset[str] = frozenset()) -> Members:
    """The tree as an object; only members in `doubled` may occur twice."""
    if type(tree) is dict:
        return tree
    if not isinstance(tree, Object):
        raise Rejected("schema", f"{subject} is not an object")
    for name in tree.doubled:
        if name not in doubled:
            raise Rejected("schema", f"{subject}: doubled member {name!r}")
    return tree


def _member(tree: Members, name: str, kind: type[Any], subject: str, *, default: Any = None) -> Any:
    """A member of the JSON kind `kind`, or `default` if it is missing. Without a default it is required."""
    value = tree.get(name, default)
    if name not in tree and default is None:
        raise Rejected("schema", f"{subject} has no member {name!r}")
    if type(value) is not kind:
        raise Rejected("schema", f"{subject}: {name!r} is not {_KINDS[kind]}")
    return value


def _in_range(number: int, most: int, subject: str) -> int:
    if not 0 <= number <= most:
        raise Rejected("range", f"{subject} {number} is outside 0 to {most}")
    return number


class Decoder:
    """TiCDC's Open Protocol decoder.  [OP-121, OP-243]

    The decoder reads the columns of a table in `tables` by their declared types, until a DDL event that may change the
    table's columns. It reads all other columns by `t`, `f` and the form of the value; ENUM and SET are then numbers. An
    update without a before image is read as an insert. A column that is missing from an image is missing in the row.

    The arguments are those of `decode`. Values keep their texts, also those of TIMESTAMP, so `settings` has no effect.
    """

    def __init__(self, options: Options | None = None, *, settings: Settings | None = None) -> None:
        self._options = options or Options()

    def decode(
        self, records: Iterable[Record], tables: Iterable[Table] = (), claims: Iterable[Claim] = ()
    ) -> list[Event]:
        """The events that `records` carry, in their order. Raises `Rejected`."""
        stream = _Stream(self._options, tables, claims)
        return [event for record in records for event in stream.events(record)]


class _Stream:
    """The state of one call of `decode`: the table versions in force, and the claim-check files by name."""

    def __init__(self, options: Options, tables: Iterable[Table], claims: Iterable[Claim]) -> None:
        self._compression, self._largest = options.large_message_handle_compression, decompressed_limit(options)
        self._tables = {table.id: table for table in tables}
        self._claims = files_by_name(claims)

    def events(self, record: Record) -> Iterator[Event]:
        for key, value in unframe(record.key, record.value):
            yield self._event(_Key(key), value)

    def _event(self, key: _Key, value: bytes) -> Event:
        if key.kind == _RESOLVED:
            if value:
                raise Rejected("semantics", f"a resolved event with a value of {len(value)} bytes")  # [OP-007]
            return Watermark(key.ts)
        if not value:
            raise Rejected("framing", "the value of a row or DDL event has no bytes")
        body = _object(_document(decompress(self._compression, value, self._largest)), "the value")
        if key.kind == _DDL:
            return self._ddl(key, body)
        return self._row(key, body) if key.claim is None else self._claimed(key)

    def _ddl(self, key: _Key, body: Members) -> DdlEvent:
        query: str = _member(body, "q", str, "DDL value")
        code = _in_range(_member(body, "t", int, "DDL value"), 255, "DDL type")
        if code in CHANGES_COLUMNS:
            self._tables = {
                (schema, name): table
                for (schema, name), table in self._tables.items()
                if key.schema not in ("", schema) or key.table not in ("", name)
            }
        return DdlEvent(
            schema=key.schema,
            table=key.table,
            query=query,
            action=ACTIONS.get(code),
            action_code=code,
            commit_ts=key.ts,
        )

    def _claimed(self, key: _Key) -> Event:
        """The event in the claim-check file that a key names.  [OP-172, OP-173]"""
        name = file_name(str(key.claim))
        content = self._claims.get(name)
        if content is None:
            raise Rejected("semantics", f"claim-check storage has no file {name!r}")
        file = _object(_document(content), "claim-check file")
        try:
            parts = [
                b64decode(_member(file, part, str, "claim-check file"), validate=True) for part in ("key", "value")
            ]
        except ValueError:
            raise Rejected("type", "claim-check file: a part is not base64") from None
        pairs = unframe(*parts)
        if len(pairs) != 1:
            raise Rejected("semantics", f"claim-check file {name!r} holds {len(pairs)} events")
        whole = _Key(pairs[0][0])
        if whole.claim is not None or whole.identity != key.identity:
            raise Rejected("semantics", f"claim-check file {name!r} holds another event")
        return self._event(whole, pairs[0][1])

    def _row(self, key: _Key, body: Members) -> RowChange:
        if not key.schema or not key.table:
            raise Rejected("schema", "a row event that names no table")  # [OP-020]
        table = self._tables.get((key.schema, key.table))
        images = {name: self._image(name, body[name], table) for name in ("u", "p", "d") if name in body}
        new, previous, deleted = images.get("u"), images.get("p"), images.get("d")
        if not new and not deleted:
            raise Rejected("schema", "a row value without a column in 'u' or 'd'")  # [OP-051, OP-237]
        if deleted and (new or previous):
            raise Rejected("semantics", "a row value with 'd' and with 'u' or 'p'")
        return RowChange(
            op="delete" if deleted else "insert" if previous is None else "update",
            schema=key.schema,
            table=key.table,
            commit_ts=key.ts,
            before=deleted or previous,
            after=new or None,
            partition_id=key.partition_id,
            row_id=key.row_id,
        )

    def _image(self, name: str, tree: Tree, table: Table | None) -> Row:
        image = _object(tree, repr(name), doubled=_COLUMN_MEMBERS if name == "p" else frozenset())
        row: dict[str, Value] = {}
        for column, member in image.items():
            if name == "p" and column in _COLUMN_MEMBERS and not isinstance(member, dict):
                continue  # a member of a column without its name: which column it was is unknown  [OP-058]
            try:
                row[column] = _value(_object(member, "the column"), table, column)
            except Rejected as e:
                raise Rejected(e.reason, f"{name}.{column}: {e.message}") from None
        return row


def _value(member: Members, table: Table | None, name: str) -> Value:
    # For speed `_member` and `_in_range` are called only for members that they may refuse.
    code, flags = member.get("t"), member.get("f")
    if type(code) is not int or "v" not in member:
        _member(member, "t", int, "the column")
        raise Rejected("schema", "the column has no member 'v'")
    _member(member, "h", bool, "the column", default=False)
    if "f" in member and not (type(flags) is int and 0 <= flags <= 255):
        _in_range(_member(member, "f", int, "the column"), 255, "flag")
    value = member["v"]
    if code == NULL and value is None:
        return None
    declared = None if table is None else table.column(name)
    column_type = type_on_the_wire(code, flags, value, None if declared is None else declared.type)
    return None if value is None else read(column_type, value)


class _Key:
    """The members of an event key; None for an optional member that is missing, zero or empty."""

    __slots__ = ("claim", "kind", "partition_id", "row_id", "schema", "table", "ts")

    def __init__(self, data: bytes) -> None:
        """Read a key.

        Raises `Rejected`: class `syntax` or `schema` for malformed JSON, `type` for an unknown event type, `range` for
        a time stamp beyond 64 bits.
        """
        tree = _object(_document(data), "event key", doubled=frozenset({"ohk"}))  # [OP-032]
        self.kind: int = _member(tree, "t", int, "event key")
        ts: int = _member(tree, "ts", int, "event key")
        self.schema: str = _member(tree, "scm", str, "event key", default="")
        self.table: str = _member(tree, "tbl", str, "event key", default="")
        partition_id, row_id, claim = 0, 0, ""
        if len(tree) > 2 + ("scm" in tree) + ("tbl" in tree):  # few keys have other members
            partition_id = _member(tree, "ptn", int, "event key", default=0)
            row_id = _member(tree, "rid", int, "event key", default=0)
            _member(tree, "ohk", bool, "event key", default=False)
            claim = _member(tree, "ccl", str, "event key", default="")
        if self.kind not in (_ROW, _DDL, _RESOLVED):
            raise Rejected("type", f"unknown event type {self.kind}")
        self.ts = _in_range(ts, MAX_TSO, "time stamp")
        self.partition_id = partition_id or None
        self.row_id = str(row_id) if row_id else None
        self.claim = claim or None

    @property
    def identity(self) -> tuple[int, int, str, str]:
        """The members that must agree between a message and its claim-check file."""
        return self.kind, self.ts, self.schema, self.table

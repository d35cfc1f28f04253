"""Reads rows of TiCDC's Avro a column of datums at a time; equal values are converted once.

A message has the shape of a table where its key and its value name the schemas that the dialect registers for it. With
the extension it has an operation and a time; without the row before, an update leaves that row unknown, and a delete is
a key without a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from operator import itemgetter
from typing import Any, TypeAlias

import fastavro

from differential.decode.quick.cells import UNSURE, folding
from differential.decode.quick.datums import Cells
from differential.decode.quick.engine import Found
from differential.decode.quick.plan import Field, Plan, note
from differential.registries import Listed
from differential.sides import Side
from reference_impl.avro import binary
from reference_impl.avro.extension import BEFORE, COMMIT_TIME, COMMIT_TS, OP
from reference_impl.avro.framing import HEADER_SIZE, header
from reference_impl.avro.layout import layout
from reference_impl.avro.options import Options
from reference_impl.avro.registered import Registered, read_schema
from reference_impl.avro.style import style_of
from reference_impl.keys import handle_key, key_columns
from reference_impl.model import Table
from reference_impl.names import sanitized
from reference_impl.tso import physical_ms

__all__ = ["head", "is_quick", "longest", "shapes", "subjects"]

_OPS = {"c": "insert", "u": "update", "d": "delete"}
_EXTENSION = frozenset({OP, COMMIT_TS, COMMIT_TIME})
_LENGTH = 4  # bytes of the length of a key
_OVERHEAD = 1024  # more than a Kafka record takes beside key and value

Datum: TypeAlias = Mapping[str, Any]
_Row: TypeAlias = tuple[Any, ...]
_Changed: TypeAlias = "tuple[str, int, bytes | None, _Row | None, _Row | None]"
_NOTHING = ("null", None)


def is_quick(options: Options) -> bool:
    """Whether messages under these options can be read the short way."""
    return True


def longest(options: Options) -> int:
    """The size limit of a message, in bytes."""
    return options.max_message_bytes - _OVERHEAD


def subjects(values: Sequence[bytes | None], keys: Sequence[bytes | None]) -> Sequence[bytes | None]:
    """Each message as one text: the length of the key (4 bytes), key, value.

    Without a value (null) the text ends with the key. None where the key is missing, or the value is empty.
    """
    return [
        b"%b%b%b" % (len(key).to_bytes(_LENGTH, "big"), key, value or b"") if key and value != b"" else None
        for value, key in zip(values, keys, strict=True)
    ]


def _parts(message: bytes) -> tuple[bytes, bytes]:
    end = _LENGTH + int.from_bytes(message[:_LENGTH], "big")
    return message[_LENGTH:end], message[end:]


def head(message: bytes) -> object:
    """The shape of a message as a dictionary key: the headers of its key and its value."""
    key, value = _parts(message)
    return key[:HEADER_SIZE], value[:HEADER_SIZE]


class _Record:
    """The fields of a record, and the non-null branch of each nullable field."""

    def __init__(self, schema: Registered) -> None:
        self.name = schema.coding["name"]
        self.coding = binary.prepared(schema.coding)
        self._branches = [
            (field["name"], next((one for one in field["type"] if one != "null"), None))
            if isinstance(field["type"], list)
            else (field["name"], None)
            for field in schema.coding["fields"]
            if field["name"] != BEFORE
        ]
        self._before = None if schema.before is None else _Record(schema.before)

    def bytes_of(self, datum: Datum) -> bytes:
        """A datum as the dialect writes it.

        Naming the branch of a union saves fastavro most of its time.
        """
        tagged = self._tagged(datum)
        if self._before is not None:
            before = datum[BEFORE]
            tagged[BEFORE] = _NOTHING if before is None else (self._before.name, self._before._tagged(before))
        return binary.write(self.coding, tagged)

    def _tagged(self, datum: Datum) -> dict[str, Any]:
        return {
            name: datum[name] if branch is None else _NOTHING if datum[name] is None else (branch, datum[name])
            for name, branch in self._branches
        }


class Shape:
    """The rows of a table, with key and value of two schemas."""

    def __init__(self, side: Side, table: Table, key: Registered, value: Registered, options: Options) -> None:
        style = style_of(side.profile)
        handle, columns = handle_key(table), table.columns
        fields = [Field(column.name, None, folding(table, column.name)) for column in columns]
        self._is_extended, self._has_before = bool(value.extension), value.before is not None
        self.plan = Plan(table.schema, table.name, fields, handle, has_commit_ts=self._is_extended)
        self._cells = [Cells(column, value, options, style) for column in columns]
        self._row = _getter([cells.field for cells in self._cells])
        fixed = {*handle, *key_columns(table)}  # an update that changes one of them is two messages
        self._fixed = [place for place, column in enumerate(columns) if column.name in fixed]
        self._key, self._value = _Record(key), _Record(value)

    def read(self, messages: Sequence[bytes], positions: Sequence[int]) -> tuple[list[Found], list[int]]:
        """The slim records of messages, and the positions of the messages that the long way must read."""
        by_op: dict[str, list[_Changed]] = {}
        left: list[int] = []
        for message, position in zip(messages, positions, strict=True):
            change = self._change(position, *_parts(message))
            if change is None:
                left.append(position)
            else:
                by_op.setdefault(change[0], []).append(change)
        found = []
        for op, same in by_op.items():
            _, places, times, befores, afters = zip(*same, strict=True)
            unsure: set[int] = set()
            before = self._columns(befores, unsure) if self._has_before and op != "insert" else None
            after = None if op == "delete" else self._columns(afters, unsure)
            keys, steps = self.plan.keys(after or before or ()), [0] * len(places)
            stamps, unknown = times if self._is_extended else None, before is None and op != "insert"
            of = Found(self.plan, op, False, places, steps, stamps, None, keys, before, after, unknown)
            if unsure:
                left += [places[n] for n in sorted(unsure)]
                of = of.only([n not in unsure for n in range(len(places))])
            if of.positions:
                found.append(of)
        return found, left

    def _columns(self, rows: Sequence[_Row], unsure: set[int]) -> list[Sequence[bytes]]:
        """The cells of rows by column.

        `unsure` collects the numbers of rows that the long way must read.
        """
        columns: list[Sequence[bytes]] = []
        for cells, column in zip(self._cells, zip(*rows, strict=True), strict=True):
            columns.append(cells.of(column))
            if UNSURE in columns[-1]:
                unsure.update(n for n, cell in enumerate(columns[-1]) if cell == UNSURE)
        return columns

    def _change(self, position: int, key: bytes, value: bytes) -> _Changed | None:
        """Operation, position, time, and the rows before and after.

        None if the long way must read the message.
        """
        source = BytesIO(value[HEADER_SIZE:])
        try:
            datum: Any = fastavro.schemaless_reader(source, self._value.coding, None)
            if self._value.bytes_of(datum) != source.getvalue() or self._key.bytes_of(datum) != key[HEADER_SIZE:]:
                return None
        except Exception:  # noqa: BLE001 - the long way reads the message again and reports what is wrong
            return None
        if not self._is_extended:
            return "upsert", position, None, None, self._row(datum)
        op, commit_ts, before = _OPS.get(datum[OP]), datum[COMMIT_TS], datum.get(BEFORE)
        if op is None or commit_ts <= 0 or datum[COMMIT_TIME] != physical_ms(commit_ts):
            return None
        row, time = self._row(datum), b"%d" % commit_ts
        if op == "insert":
            return None if before is not None else (op, position, time, None, row)
        if op == "update" and not self._has_before:
            return op, position, time, None, row
        if before is None:
            return None
        old = self._row(before)
        if op == "delete":
            return (op, position, time, old, None) if repr(old) == repr(row) else None
        is_one = all(repr(old[place]) == repr(row[place]) for place in self._fixed)
        return (op, position, time, old, row) if is_one else None


class Deletes:
    """The deletes of a table: a key of one schema, and no value."""

    def __init__(self, side: Side, table: Table, key: Registered, options: Options) -> None:
        style, names = style_of(side.profile), {one.name for one in key.columns}
        columns = [column for column in table.columns if sanitized(column.name) in names]
        fields = [Field(column.name, None, folding(table, column.name)) for column in columns]
        self.plan = Plan(table.schema, table.name, fields, handle_key(table), has_commit_ts=False)
        self._is_partial = len(columns) < len(table.columns)
        self._cells = [Cells(column, key, options, style) for column in columns]
        self._row, self._key = _getter([cells.field for cells in self._cells]), _Record(key)

    def read(self, messages: Sequence[bytes], positions: Sequence[int]) -> tuple[list[Found], list[int]]:
        """The slim records of messages, and the positions of the messages that the long way must read."""
        rows = list(map(self._of, messages))
        places = [position for position, row in zip(positions, rows, strict=True) if row is not None]
        left = [position for position, row in zip(positions, rows, strict=True) if row is None]
        if not places:
            return [], left
        columns: Any = zip(*filter(None, rows), strict=True)
        before = [cells.of(column) for cells, column in zip(self._cells, columns, strict=True)]
        unsure: set[int] = set()
        for column in before:
            note(column, places, unsure)
        keys, steps = self.plan.keys(before), [0] * len(places)
        found = Found(self.plan, "delete", False, places, steps, None, None, keys, before, None)
        found = replace(found, before_partial=self._is_partial)
        if unsure:
            found = found.only([place not in unsure for place in places])
        return [found] if found.positions else [], left + sorted(unsure)

    def _of(self, message: bytes) -> _Row | None:
        """The datums of the key; None if the long way must read the message."""
        body = message[_LENGTH + HEADER_SIZE :]
        try:
            datum: Any = fastavro.schemaless_reader(BytesIO(body), self._key.coding, None)
            return self._row(datum) if self._key.bytes_of(datum) == body else None
        except Exception:  # noqa: BLE001 - the long way reads the message again and reports what is wrong
            return None


def _getter(names: Sequence[str]) -> Callable[[Datum], _Row]:
    """A function from a datum to some of its fields."""
    get: Any = itemgetter(*names)
    return get if len(names) > 1 else lambda datum: (datum[names[0]],)


def shapes(side: Side, table: Table, options: Options) -> Iterator[tuple[object, Shape | Deletes]]:
    """The shapes of a table, each with its head.

    Raises `Rejected` for a type or name that the dialect does not support.
    """
    registry = side.settings.registry
    names = [(sanitized(one.schema), sanitized(one.name)) for one in side.tables]
    if not isinstance(registry, Listed) or names.count((sanitized(table.schema), sanitized(table.name))) > 1:
        return
    made = layout(table, options, style_of(side.profile), side.settings)
    if made.key is None or not handle_key(table) or any(column.generated == "virtual" for column in table.columns):
        return
    ids, schemas = [], []
    for part in (made.key, made.value):
        ids.append(registry.register(table.name, part.text))
        schema = read_schema(registry.schema(ids[-1]))
        schema.faults.settle()
        schemas.append(schema)
    key, value = schemas
    is_plain = not value.extension and value.before is None and side.window is None
    if is_plain or frozenset(value.extension) == _EXTENSION:
        yield (header(ids[0]), header(ids[1])), Shape(side, table, key, value, options)
    if value.before is None and side.window is None:
        yield (header(ids[0]), b""), Deletes(side, table, key, options)

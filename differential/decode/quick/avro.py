"""Reads rows of TiCDC's Avro a column of datums at a time; equal values are converted once.

A message has the shape of a table if its key and its value name the schemas that the dialect registers for the table.
With the extension a message has an operation and a time. Under options without before images, the row before an update
is unknown, and a delete is a key without a value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from operator import not_
from typing import Any

from differential.decode.quick.avro_columns import Messages, Records
from differential.decode.quick.cells import UNSURE, folding
from differential.decode.quick.change_columns import ChangeColumns
from differential.decode.quick.datums import DatumCells
from differential.decode.quick.dialect import Dialect
from differential.decode.quick.plan import Field, Plan, note_unsure
from differential.registries import Listed
from differential.sides import Side
from reference_impl.avro.extension import BEFORE, COMMIT_TIME, COMMIT_TS, OP
from reference_impl.avro.framing import HEADER_SIZE, header
from reference_impl.avro.layout import layout
from reference_impl.avro.options import Options
from reference_impl.avro.registered import RecordSchema, read_schema
from reference_impl.avro.style import style_of
from reference_impl.keys import handle_key, key_columns
from reference_impl.model import Table
from reference_impl.names import sanitized
from reference_impl.tso import physical_ms

__all__ = ["DIALECT"]

_OPS = {"c": "insert", "u": "update", "d": "delete"}
_EXTENSION = frozenset({OP, COMMIT_TS, COMMIT_TIME})
_LENGTH = 4  # bytes of the length of a key
_OVERHEAD = 1024  # more bytes than a Kafka record takes in addition to key and value


def _subjects(values: Sequence[bytes | None], keys: Sequence[bytes | None]) -> Sequence[bytes | None]:
    """Each message as one text: the length of the key (4 bytes), key, value.

    Without a value (null) the text ends with the key. None if the key is missing, or the value is empty.
    """
    return [
        b"%b%b%b" % (len(key).to_bytes(_LENGTH, "big"), key, value or b"") if key and value != b"" else None
        for value, key in zip(values, keys, strict=True)
    ]


def _head(message: bytes) -> object:
    """The headers of the key and the value of a message."""
    end = _LENGTH + int.from_bytes(message[:_LENGTH], "big")
    return message[_LENGTH : min(end, _LENGTH + HEADER_SIZE)], message[end : end + HEADER_SIZE]


class _Values:
    """Messages with a value: the changes of a table by one schema of keys and one of values."""

    def __init__(self, side: Side, table: Table, key: RecordSchema, value: RecordSchema, options: Options) -> None:
        style = style_of(side.profile)
        handle, columns = handle_key(table), table.columns
        fields = [Field(column.name, read=None, fold=folding(table, column.name)) for column in columns]
        self._is_extended, self._has_before = bool(value.extension), value.before is not None
        self.plan = Plan(table.schema, table.name, fields, handle, has_commit_ts=self._is_extended)
        self._cells = [DatumCells(column, value, options, style) for column in columns]
        fixed = {*handle, *key_columns(table)}  # an update that changes one of them is two messages
        self._fixed = [cells.field for cells, column in zip(self._cells, columns, strict=True) if column.name in fixed]
        self._key, self._value = key.coding, value.coding

    def read(self, messages: Sequence[bytes], positions: Sequence[int]) -> tuple[list[ChangeColumns], list[int]]:
        """The slim records of messages, and the positions of the messages that the slow path must read."""
        sure, rows = self._rows(messages)
        left = [] if all(sure) else list(compress(positions, map(not_, sure)))
        found = []
        for op in dict.fromkeys(filter(None, compress(rows.ops, sure))):
            keep = [is_sure and one == op for is_sure, one in zip(sure, rows.ops, strict=True)]
            kept_positions = list(compress(positions, keep))
            stamps = [b"%d" % time for time in compress(rows.times, keep)] if self._is_extended else None
            unsure: set[int] = set()
            before = self._columns(rows.before, keep, unsure) if self._has_before and op != "insert" else None
            after = None if op == "delete" else self._columns(rows.after, keep, unsure)
            keys, steps = self.plan.keys(after or before or ()), [0] * len(kept_positions)
            changes = ChangeColumns(
                self.plan,
                op,
                moved=False,
                positions=kept_positions,
                steps=steps,
                commit_ts=stamps,
                instants=None,
                keys=keys,
                before=before,
                after=after,
                before_unknown=before is None and op != "insert",
            )
            if unsure:
                left += [kept_positions[n] for n in sorted(unsure)]
                changes = changes.only([n not in unsure for n in range(len(kept_positions))])
            if changes.positions:
                found.append(changes)
        return found, left

    def _columns(
        self, fields: Mapping[str, Sequence[Any]], keep: Sequence[bool], unsure: set[int]
    ) -> list[Sequence[bytes]]:
        """The cells of the rows whose flag in `keep` is set, by column.

        `unsure` collects the numbers of rows that the slow path must read.
        """
        columns: list[Sequence[bytes]] = []
        is_whole = all(keep)
        for cells in self._cells:
            column = fields[cells.field]
            columns.append(cells.of(column if is_whole else list(compress(column, keep))))
            if UNSURE in columns[-1]:
                unsure.update(n for n, cell in enumerate(columns[-1]) if cell == UNSURE)
        return columns

    def _rows(self, messages: Sequence[bytes]) -> tuple[list[bool], _Rows]:
        """By message, whether the fast path is sure; and the contents of the messages, by column."""
        source = Messages(messages)
        key_ends = source.begins + _LENGTH + [int.from_bytes(message[:_LENGTH], "big") for message in messages]
        key = Records(self._key, source, source.begins + _LENGTH + HEADER_SIZE, key_ends)
        value = Records(self._value, source, key_ends + HEADER_SIZE, source.ends)
        sure: list[bool] = (key.sure & value.sure).tolist()
        fields = value.fields
        for name, column in key.fields.items():
            _exclude_unlike(column, fields[name], sure)
        if not self._is_extended:
            return sure, _Rows(["upsert"] * len(sure), (), {}, fields)
        times = fields[COMMIT_TS]
        is_due = [time > 0 and physical_ms(time) == ms for time, ms in zip(times, fields[COMMIT_TIME], strict=True)]
        ops = list(map(_OPS.get, fields[OP]))
        has_row_before, before = value.within.get(BEFORE) or ([False] * len(sure), {})
        # Under options without before images a delete has no value: one with a value is never sure.
        ops_with_row_before = {"update", "delete"} if self._has_before else {"delete"}
        for number, (op, has_row) in enumerate(zip(ops, has_row_before, strict=True)):
            if op is None or not is_due[number] or has_row != (op in ops_with_row_before):
                sure[number] = False
        if self._has_before:
            self._exclude_odd(ops, before, fields, sure)
        return sure, _Rows(ops, times, before, fields)

    def _exclude_odd(
        self, ops: Sequence[str | None], before: Mapping[str, Any], after: Mapping[str, Any], sure: list[bool]
    ) -> None:
        """Clear the flags of updates that change a key column, and of deletes with two rows that differ."""
        for op, names in (("update", self._fixed), ("delete", [cells.field for cells in self._cells])):
            numbers = [number for number, one in enumerate(ops) if one == op and sure[number]]
            flags = [True] * len(numbers)
            for name in names:
                old, new = before[name], after[name]
                _exclude_unlike([old[number] for number in numbers], [new[number] for number in numbers], flags)
            for number in compress(numbers, map(not_, flags)):
                sure[number] = False


@dataclass(frozen=True, slots=True)
class _Rows:
    """The contents of messages, by column: operations, TSOs, and the fields of both rows."""

    ops: Sequence[str | None]
    times: Sequence[int]
    before: Mapping[str, Sequence[Any]]
    after: Mapping[str, Sequence[Any]]


def _exclude_unlike(column: Sequence[Any], other: Sequence[Any], flags: list[bool]) -> None:
    """Clear the flags of values that differ from those of another column; 0.0 differs from -0.0."""
    if column == other and 0.0 not in column:
        return
    for number, (a, b) in enumerate(zip(column, other, strict=True)):
        if a != b or (a == 0 and repr(a) != repr(b)):
            flags[number] = False


class _Deletes:
    """The deletes of a table: a key of one schema, and no value."""

    def __init__(self, side: Side, table: Table, key: RecordSchema, options: Options) -> None:
        style, names = style_of(side.profile), {one.name for one in key.columns}
        columns = [column for column in table.columns if sanitized(column.name) in names]
        fields = [Field(column.name, read=None, fold=folding(table, column.name)) for column in columns]
        self.plan = Plan(table.schema, table.name, fields, handle_key(table), has_commit_ts=False)
        self._is_partial = len(columns) < len(table.columns)
        self._cells, self._key = [DatumCells(column, key, options, style) for column in columns], key.coding

    def read(self, messages: Sequence[bytes], positions: Sequence[int]) -> tuple[list[ChangeColumns], list[int]]:
        """The slim records of messages, and the positions of the messages that the slow path must read."""
        source = Messages(messages)
        key = Records(self._key, source, source.begins + _LENGTH + HEADER_SIZE, source.ends)
        keep: list[bool] = key.sure.tolist()
        kept_positions = list(compress(positions, keep))
        left = list(compress(positions, map(not_, keep)))
        if not kept_positions:
            return [], left
        before = [cells.of(list(compress(key.fields[cells.field], keep))) for cells in self._cells]
        unsure: set[int] = set()
        for column in before:
            note_unsure(column, kept_positions, unsure)
        keys, steps = self.plan.keys(before), [0] * len(kept_positions)
        found = ChangeColumns(
            self.plan,
            "delete",
            moved=False,
            positions=kept_positions,
            steps=steps,
            commit_ts=None,
            instants=None,
            keys=keys,
            before=before,
            after=None,
            before_partial=self._is_partial,
        )
        if unsure:
            found = found.only([position not in unsure for position in kept_positions])
        return [found] if found.positions else [], left + sorted(unsure)


def _shapes(side: Side, table: Table, options: Options) -> Iterator[tuple[object, _Values | _Deletes]]:
    """The shapes of a table, each with its head; none for a table that is always left to the slow path.

    Raises `Rejected` for a type or name that the dialect does not support, and for a schema that is not listed.
    """
    registry = side.settings.registry
    if not isinstance(registry, Listed):
        return
    names = [(sanitized(one.schema), sanitized(one.name)) for one in side.tables]
    if names.count((sanitized(table.schema), sanitized(table.name))) > 1:  # their schemas have the same names
        return
    made = layout(table, options, style_of(side.profile), side.settings)
    if made.key is None or not handle_key(table) or any(column.generated == "virtual" for column in table.columns):
        return
    ids, schemas = [], []
    for part in (made.key, made.value):
        ids.append(registry.register(table.name, part.text))
        schema = read_schema(registry.schema(ids[-1]))
        schema.faults.raise_first()
        schemas.append(schema)
    key, value = schemas
    # Only the slow path knows what a window makes of messages without a time.
    may_lack_time = value.before is None and side.window is None
    if (not value.extension and may_lack_time) or frozenset(value.extension) == _EXTENSION:
        yield (header(ids[0]), header(ids[1])), _Values(side, table, key, value, options)
    if may_lack_time:
        yield (header(ids[0]), b""), _Deletes(side, table, key, options)


DIALECT = Dialect(_head, _shapes, subjects=_subjects, longest=lambda options: options.max_message_bytes - _OVERHEAD)

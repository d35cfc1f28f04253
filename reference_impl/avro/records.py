"""Reads bodies of records into rows, by a registered schema, with the column names of the tables.

[AV-037, AV-116 … AV-122, AV-203 … AV-208]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

from reference_impl.avro import binary
from reference_impl.avro.extension import BEFORE, CHECKSUM, CHECKSUM_VERSION, COMMIT_TIME, COMMIT_TS, CORRUPTED, OP
from reference_impl.avro.readers import Reader, reader
from reference_impl.avro.registered import Column, RecordSchema
from reference_impl.errors import Rejected
from reference_impl.faults import Faults
from reference_impl.model import Row, Table
from reference_impl.names import sanitized
from reference_impl.tso import physical_ms

__all__ = ["Contents", "RecordReader"]

Datum: TypeAlias = Mapping[str, Any]
_Columns: TypeAlias = tuple[tuple[str, str, Reader], ...]

_OP_AND_TIMES = frozenset({OP, COMMIT_TS, COMMIT_TIME})
_CHECKSUMS = frozenset({CHECKSUM, CORRUPTED, CHECKSUM_VERSION})
_NOTHING: frozenset[str] = frozenset()
_WITH_BEFORE = (frozenset({OP}), _OP_AND_TIMES, _OP_AND_TIMES | _CHECKSUMS)
_OPS = frozenset({"c", "u", "d"})
_MAX_CHECKSUM = 2**32 - 1
_LONGEST_CHECKSUM = len(str(2**64))  # digits enough to see that a number is too large


class Contents(NamedTuple):
    """The contents of a key or value."""

    schema: str
    table: str
    row: Row
    before: Row | None = None  # the row before the change
    has_before: bool = False  # whether the schema has a field for `before`
    op: str | None = None  # `_tidb_op`, None without this field
    commit_ts: int | None = None  # a TSO, None without the extension


def _table_of(schema: RecordSchema, tables: Iterable[Table]) -> Table | None:
    """The table of a record: of several with its sanitised name, the only one with all of its columns."""
    space = schema.namespace.partition(".")[2]
    fitting = [table for table in tables if (sanitized(table.schema), sanitized(table.name)) == (space, schema.name)]
    if len(fitting) > 1:
        fields = {column.name for column in schema.columns}
        fitting = [table for table in fitting if fields <= {sanitized(column.name) for column in table.columns}]
    return fitting[0] if len(fitting) == 1 else None


class RecordReader:
    """Reads the bodies that were written by one registered schema."""

    def __init__(self, schema: RecordSchema, tables: Mapping[tuple[str, str], Table]) -> None:
        table = _table_of(schema, tables.values())
        self._declared = {} if table is None else {sanitized(column.name): column for column in table.columns}
        self._id = (schema.namespace.partition(".")[2], schema.name) if table is None else table.id
        self._coding = binary.prepared(schema.coding)
        self._faults = None if schema.faults.is_empty else schema.faults
        self._value_faults = {required: self._extension_fault(schema, required) for required in (False, True)}
        self._columns = self._readers(schema.columns)
        self._before = None if schema.before is None else self._readers(schema.before.columns)
        self._extension = frozenset(schema.extension)

    def _readers(self, columns: Iterable[Column]) -> _Columns:
        """Field, column and reader of each sent column; virtual columns are not sent.  [AV-110]"""
        readers = []
        for column in columns:
            declared = self._declared.get(column.name)
            if declared is None:
                readers.append((column.name, column.name, reader(column.type)))
            elif declared.generated != "virtual":
                readers.append((column.name, declared.name, reader(column.type)))
        return tuple(readers)

    def _datum(self, body: bytes) -> Datum:
        datum = binary.read(self._coding, body)
        if self._faults is not None:
            self._faults.raise_first()
        return datum

    def key(self, body: bytes) -> Contents:
        """The row of a key. Raises `Rejected`."""
        datum = self._datum(body)
        if self._extension or self._before is not None:
            raise Rejected("schema", "a key has fields that are not columns")  # [AV-030]
        return Contents(*self._id, self._row(datum))

    def value(self, body: bytes, *, extension: bool) -> Contents:
        """The row of a value; with `extension` it must have the extension's fields. Raises `Rejected`."""
        datum = self._datum(body)
        if (fault := self._value_faults[extension]) is not None:
            raise Rejected("schema", fault)
        try:
            self._check_checksum(datum)
            return Contents(
                *self._id,
                self._row(datum),
                self._row_before(datum),
                self._before is not None,
                self._op(datum),
                self._commit_ts(datum),
            )
        except Rejected:
            steps = (self._row, self._row_before, self._op, self._commit_ts, self._check_checksum)
            _raise_first((step, datum) for step in steps)
            raise

    @staticmethod
    def _extension_fault(schema: RecordSchema, required: bool) -> str | None:
        """The fault in the set of a value's extension fields, None for a valid set.

        If `required`, the set must include the operation and the times.
        """
        has = frozenset(schema.extension)
        if required and not has >= _OP_AND_TIMES:
            return f"a value without {min(_OP_AND_TIMES - has)!r}"
        sets = (_NOTHING, _OP_AND_TIMES, _OP_AND_TIMES | _CHECKSUMS) if schema.before is None else _WITH_BEFORE
        return None if has in sets else f"a value with only {sorted(has)} of the extension"  # [AV-119, AV-122]

    def _row(self, datum: Datum) -> Row:
        return _row(self._columns, datum)

    def _row_before(self, datum: Datum) -> Row | None:
        if self._before is None or datum[BEFORE] is None:
            return None
        return _row(self._before, datum[BEFORE])

    def _op(self, datum: Datum) -> str | None:
        if not self._extension:
            return None
        op: str = datum[OP]
        if op not in _OPS:
            raise Rejected("type", f"{OP} is {op!r}")
        return op

    def _commit_ts(self, datum: Datum) -> int | None:
        if COMMIT_TS not in self._extension:
            return None
        commit_ts: int = datum[COMMIT_TS] % 2**64
        if datum[COMMIT_TIME] != physical_ms(commit_ts):
            raise Rejected("semantics", f"{COMMIT_TIME} {datum[COMMIT_TIME]} is not that of {commit_ts}")
        return commit_ts

    def _check_checksum(self, datum: Datum) -> None:
        """Check that a checksum is a number or empty.

        It is not verified, since some modes lack the data.  [AV-127]
        """
        text: str = datum.get(CHECKSUM, "")
        if text and not (text.isascii() and text.isdigit()):
            raise Rejected("type", f"{CHECKSUM} is {text!r}")
        if text and int(text[:_LONGEST_CHECKSUM]) > _MAX_CHECKSUM:
            raise Rejected("range", f"{CHECKSUM} is {text}")


def _row(columns: _Columns, datum: Datum) -> Row:
    try:
        return {name: None if (value := datum[field]) is None else read(value) for field, name, read in columns}
    except Rejected:
        _raise_first((read, datum[field]) for field, _, read in columns if datum[field] is not None)
        raise


def _raise_first(steps: Iterable[tuple[Callable[[Any], object], Any]]) -> None:
    """Run all steps, each a function and its argument, and raise the fault with the highest precedence."""
    faults = Faults()
    for step, argument in steps:
        try:
            step(argument)
        except Rejected as e:
            faults.add(e.reason, e.message)
    faults.raise_first()

"""Checks and converts parquet files with the columns of Kafka's records. Needs pyarrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow
from pyarrow import compute, parquet, types

from conformance.errors import UsageError

__all__ = ["as_record_batches", "opened", "readable"]

_Test: TypeAlias = Callable[[Any], bool]

_TEXT: tuple[_Test, ...] = (types.is_string, types.is_large_string, types.is_string_view)
_BINARY: tuple[_Test, ...] = (types.is_binary, types.is_large_binary, types.is_binary_view, *_TEXT)
_INTEGER: tuple[_Test, ...] = (types.is_integer,)
_TIME: tuple[_Test, ...] = (types.is_timestamp, types.is_integer)

_COLUMNS = {
    "key": (_BINARY, pyarrow.binary()),
    "value": (_BINARY, pyarrow.binary()),
    "topic": (_TEXT, pyarrow.string()),
    "partition": (_INTEGER, pyarrow.int32()),
    "offset": (_INTEGER, pyarrow.int64()),
    "timestamp": (_TIME, pyarrow.int64()),
}
"""The permitted types of each column, and the type it is read as. Only `value` is required."""

_NOT_NEGATIVE = ("partition", "offset")


def opened(file: Path) -> Any:
    """Open a parquet file.

    Raises `UsageError` if it is malformed, lacks `value`, or has a column twice or of a wrong type.
    """
    try:
        found: Any = parquet.ParquetFile(file)
    except (OSError, pyarrow.ArrowInvalid) as e:
        raise UsageError(f"{file}: not a parquet file ({e})") from None
    schema = found.schema_arrow
    if "value" not in schema.names:
        raise UsageError(f"{file}: has no column `value`; the columns must be those of Kafka's records")
    for name in filter(schema.names.__contains__, _COLUMNS):
        if schema.names.count(name) > 1:
            raise UsageError(f"{file}: has more than one column `{name}`")
        tests, kind = _COLUMNS[name]
        given = schema.field(name).type
        plain = given.value_type if types.is_dictionary(given) else given
        if not types.is_null(plain) and not any(test(plain) for test in tests):
            expected = "timestamp" if name == "timestamp" else kind
            raise UsageError(f"{file}: column `{name}` is {given}; in Kafka's records it is {expected}")
    return found


@contextmanager
def readable(file: Path | str) -> Iterator[None]:
    """Raise `UsageError` with the name of a file whose rows cannot be read."""
    try:
        yield
    except (OSError, pyarrow.ArrowInvalid) as e:
        raise UsageError(f"{file}: its rows cannot be read ({e})") from None


def _milliseconds(times: Any) -> Any:
    """Times as milliseconds since 1970; those without a zone are in UTC."""
    return times.cast(pyarrow.timestamp("ms", times.type.tz), safe=False).cast(pyarrow.int64())


def as_record_batches(file: Path | str, rows: Any) -> Any:
    """A table or batch of these columns with the types of Kafka's records, and times in milliseconds since 1970.

    Raises `UsageError` if a value does not fit, or a partition or offset is negative.
    """
    try:
        columns = [
            _milliseconds(column) if types.is_timestamp(column.type) else column.cast(_COLUMNS[name][1])
            for name, column in zip(rows.schema.names, rows.columns, strict=True)
        ]
    except pyarrow.ArrowInvalid as e:
        raise UsageError(f"{file}: {e}") from None
    for name, column in zip(rows.schema.names, columns, strict=True):
        least = compute.min(column).as_py() if name in _NOT_NEGATIVE else None
        if least is not None and least < 0:
            raise UsageError(f"{file}: a message has the {name} {least}, and Kafka has no negative ones")
    return type(rows).from_arrays(columns, names=rows.schema.names)

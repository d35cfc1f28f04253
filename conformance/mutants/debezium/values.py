"""Encoders that write images of rows, values or NULL wrongly; decoders that misread values."""

from __future__ import annotations

import base64
import math
import struct
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mutants.debezium.edits import Message, decoder, encoder, images, rows, values, values_by_truth
from conformance.mutants.model import Mutant, Wrap
from conformance.mutants.wrappers import Context, in_families, read_values, reference
from reference_impl import exact_json
from reference_impl.column_types import BINARY, TEXT, Family
from reference_impl.debezium_json.types import allowed
from reference_impl.model import Column
from reference_impl.profiles import NEWARCH

__all__ = ["MUTANTS"]

# -- images ------------------------------------------------------------------------------------------------------------


def _after_from_before(message: Message, context: Context) -> None:
    message.payload["after"] = message.payload.get("before", message.payload["after"])


def _drop_stored_columns(message: Message, context: Context) -> None:
    for table in context.request["tables"]:
        if (table["schema"], table["name"]) == message.table:
            for column in (c for c in table["columns"] if c.get("generated") == "stored"):
                for image in images(message):
                    image.pop(column["name"], None)


# -- written values ----------------------------------------------------------------------------------------------------

_LARGEST_SIGNED = (1 << 63) - 1


def _through_float64(value: Any, column: Column) -> int:
    return int(float(value))


def _rounded_to_float32(value: Any) -> float:
    """The nearest 32-bit float; zero for a number that is too large."""
    try:
        narrow = float(struct.unpack("f", struct.pack("f", float(value)))[0])
    except OverflowError:
        return 0.0
    return narrow if math.isfinite(narrow) else 0.0


def _through_float32(value: Any, column: Column) -> Any:
    """The value rounded to 32 bits, with all digits that the result has as a 64-bit float."""
    return exact_json.loads(repr(_rounded_to_float32(value)))


def _base64_of_text(value: str, column: Column) -> str:
    return base64.b64encode(value.encode()).decode()


def _escaped(value: str, column: Column) -> str:
    """The label in the form of `allowed`."""
    return allowed(replace(column.type, members=(value,)))


def _large_unsigned(change: Callable[[int], int]) -> Wrap:
    """Writes `change(number)` for numbers of BIGINT UNSIGNED that no signed type holds."""

    def edit(written: Any, truth: Any, column: Column) -> Any:
        is_unsigned = truth is not None and column.type.family is Family.BIGINT and column.type.unsigned
        return change(int(truth)) if is_unsigned and int(truth) > _LARGEST_SIGNED else written

    return values_by_truth(edit)


def _reproduces(defect: str) -> Wrap:
    """An encoder with a known defect of a recorded producer."""
    return reference(NEWARCH, f"debezium/{defect}")


MUTANTS: tuple[Mutant, ...] = (
    encoder("update-after-old", "DBZ-043c", "`after` of updates is the old row")(rows(_after_from_before, "u")),
    encoder("stored-columns-lost", "DBZ-045", "stored generated columns are not in the images")(
        rows(_drop_stored_columns)
    ),
    encoder("bigint-double", "DBZ-118a", "BIGINT goes through a 64-bit float")(
        values(lambda column: column.type.family is Family.BIGINT and not column.type.unsigned, _through_float64)
    ),
    encoder("decimal-narrowed", "DBZ-123a", "DECIMAL goes through a 32-bit float")(
        values(in_families(Family.DECIMAL), _through_float32)
    ),
    encoder("text-by-collation", "DBZ-130", "a binary collation makes base64")(
        values(lambda column: column.type.family in TEXT and (column.collation or "").endswith("_bin"), _base64_of_text)
    ),
    encoder("enum-escaped", "DBZ-132", "ENUM is escaped as in `allowed`")(values(in_families(Family.ENUM), _escaped)),
    encoder("text-raw", "DBZ-010a", "bytes that are not UTF-8 are copied")(_reproduces("raw-invalid-utf8")),
    encoder("null-large-default-as-zero", "DBZ-162a", "NULL in BIGINT UNSIGNED is 0 beside a large default")(
        _reproduces("large-default-as-zero")
    ),
    encoder("null-time-default-as-zero", "DBZ-162c", "NULL in TIME is 0 beside a default")(
        _reproduces("time-default-as-zero")
    ),
    encoder("bigint-unsigned-whole", "DBZ-119b", "large BIGINT UNSIGNED is not wrapped")(
        _large_unsigned(lambda number: number)
    ),
    encoder("bigint-unsigned-clamped", "DBZ-119b", "large BIGINT UNSIGNED is the largest signed")(
        _large_unsigned(lambda number: _LARGEST_SIGNED)
    ),
    decoder("read-integers-double", "DBZ-451g", "integers go through a 64-bit float")(
        read_values(in_families(Family.BIGINT), lambda value, column: str(_through_float64(value, column)))
    ),
    # An answer has bytes in base64: here they are coded twice.
    decoder("read-bytes-coded", "DBZ-451q", "bytes stay base64")(read_values(in_families(*BINARY), _base64_of_text)),
)

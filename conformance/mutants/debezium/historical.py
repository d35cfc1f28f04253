"""Historical or suspected defects of TiCDC's Debezium JSON: refusals of valid rows, unsent statements, missing keys.

`fixtures/history.toml` has the defect behind each mutant; it calls the suspected ones H-….
"""

from __future__ import annotations

from types import NoneType

from conformance.mutants.debezium.edits import Message, encoder, rows
from conformance.mutants.input_edits import breaks_down, refuses_values, unsent
from conformance.mutants.model import Mutant, Wrap
from conformance.mutants.wrappers import Context, KeyAndValue, edit_bytes
from reference_impl.column_types import Family

__all__ = ["MUTANTS"]


def _refuses_null(*families: Family, kind_of_default: type) -> Wrap:
    """An encoder that refuses NULL in columns of these families whose DEFAULT is a `str` or, for NULL, a `NoneType`."""
    return refuses_values(
        lambda column, value: (
            value is None and column.type.family in families and isinstance(column.default, kind_of_default)
        )
    )


_UNSENT = ("truncate table", "rename table", "rename tables", "drop view")


def _without_empty_key(key: bytes | None, value: bytes | None, context: Context) -> KeyAndValue:
    """Drop a key with an empty payload, except that of a watermark."""
    is_watermark = b'"op":"m"' in (value or b"")
    is_dropped = value and not is_watermark and (key or b"").startswith(b'{"payload":{}')
    return (None if is_dropped else key), value


def _first_of_key_null(message: Message, context: Context) -> None:
    if len(message.key) > 1:
        message.key[next(iter(message.key))] = None


MUTANTS: tuple[Mutant, ...] = (
    encoder("clock-default-null-refused", "DBZ-010", "NULL is refused in a DATETIME or TIMESTAMP with DEFAULT NULL")(
        _refuses_null(Family.DATETIME, Family.TIMESTAMP, kind_of_default=NoneType)
    ),
    encoder("enum-null-refused", "DBZ-010", "NULL is refused in an ENUM or SET with a default")(
        _refuses_null(Family.ENUM, Family.SET, kind_of_default=str)
    ),
    encoder("date-null-refused", "DBZ-010", "NULL is refused in a DATE with a default")(
        _refuses_null(Family.DATE, kind_of_default=str)
    ),
    encoder("rows-with-extension-refused", "DBZ-010", "rows are refused with enable-tidb-extension")(
        breaks_down(lambda event, context: event["kind"] == "row" and context.option("enable-tidb-extension") == "true")
    ),
    encoder("statements-unsent", "DBZ-300e", "TRUNCATE TABLE, RENAME TABLE and DROP VIEW are not sent")(
        unsent(lambda event, context: event.get("action") in _UNSENT)
    ),
    encoder("key-null-of-keyless", "DBZ-010a", "rows of tables without a key have no key")(
        edit_bytes(_without_empty_key)
    ),
    encoder("key-first-null", "DBZ-030a", "the first column of a key of several is null")(rows(_first_of_key_null)),
)

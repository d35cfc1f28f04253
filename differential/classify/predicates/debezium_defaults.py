"""Predicates of the connector's divergences in defaults and zero dates.

They need the definition of the column.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from differential.classify.predicates.kinds import ColumnCellTest
from differential.decode.canonical import canonical
from differential.model import Cell
from reference_impl import epochs
from reference_impl.column_types import ColumnType, Family
from reference_impl.debezium_json.defaults import schema_default
from reference_impl.debezium_json.style import STYLES
from reference_impl.model import Column, Expression
from reference_impl.profiles import NEWARCH
from reference_impl.settings import Settings
from reference_impl.upstream.debezium.defaults import default_text
from reference_impl.upstream.debezium.options import Options
from reference_impl.upstream.debezium.texts import Reading
from reference_impl.upstream.debezium.types import form_of
from reference_impl.zones import zone_of

__all__ = ["COLUMN_CELLS", "EPOCHS", "zero_of"]

_READING = Reading(Options(version="2.4.0"), zone_of("UTC"), snapshot=False)
_DOUBLES = replace(_READING, options=Options(version="2.4.0", decimal_handling_mode="double"))


def zero_of(column_type: ColumnType) -> Cell:
    """The zero date of a column."""
    return "0000-00-00" if column_type.family is Family.DATE else canonical(column_type, "0000-00-00 00:00:00")


EPOCHS = {Family.DATE: "1970-01-01", Family.DATETIME: "1970-01-01 00:00:00"}
"""The substitutes for invalid dates in a column without NULL."""


# Defaults, in schemas and in place of NULL


def _literal(column: Column) -> Cell:
    """The default as a value, None for no default and for an expression."""
    return canonical(column.type, column.default) if isinstance(column.default, str) else None


def _described_differently(reading: Reading) -> ColumnCellTest:
    """A test: whether the schemas spell a literal default differently while the values are equal."""

    def test(column: Column, upstream: Cell, ticdc: Cell) -> bool:
        if not isinstance(column.default, str) or upstream != ticdc:
            return False
        theirs = default_text(column, form_of(column.type, reading.options), reading)
        return theirs != schema_default(column, STYLES[NEWARCH.name], Settings())

    return test


def _is_expression(column: Column, upstream: Cell, ticdc: Cell) -> bool:
    """NULL upstream; the text of the default's expression in TiCDC."""
    if not isinstance(column.default, Expression) or upstream is not None or ticdc is None:
        return False
    text = column.default.text
    return ticdc in (canonical(column.type, text), canonical(column.type, text.encode()))


def _is_described_by_expression(column: Column, upstream: Cell, ticdc: Cell) -> bool:
    expression = isinstance(column.default, Expression) and upstream == ticdc
    return expression and schema_default(column, STYLES[NEWARCH.name], Settings()) is not None


_MOST = 2**63 - 1


def _is_saturated(column: Column, upstream: Cell, ticdc: Cell) -> bool:
    default = column.default
    return isinstance(default, str) and int(default) > _MOST and upstream == str(_MOST) and ticdc == default


def _is_raw_default(column: Column, upstream: Cell, ticdc: Cell) -> bool:
    """A default with quotes or backslashes: escaped upstream, as in the statement, unescaped in TiCDC.

    The escaped text is no label of an ENUM or SET, where the reader therefore takes it for NULL.
    """
    default = column.default
    if not isinstance(default, str):
        return False
    texts = [default.replace("\\", "\\\\").replace("'", "''"), default]
    if column.type.members:
        return texts[0] != default and [upstream, ticdc] == [None, default]
    if isinstance(ticdc, dict):
        return [upstream, ticdc] == [canonical(column.type, text.encode()) for text in texts]
    return texts == [upstream, ticdc]


def _has_comma(column: Column, upstream: Cell, ticdc: Cell) -> bool:
    """A default with a comma, which is no label upstream: labels there have a backslash before it."""
    default = column.default
    return isinstance(default, str) and "," in default and [upstream, ticdc] == [None, default]


def _loses_sign(column: Column, upstream: Cell, ticdc: Cell) -> bool:
    default = _literal(column)
    return isinstance(default, str) and default.startswith("-00:") and [upstream, ticdc] == [default[1:], default]


def _is_year_2000(column: Column, upstream: Cell, ticdc: Cell) -> bool:
    return column.default in ("0", "0000") and upstream == "2000" and ticdc == "0"


def _is_default_of_zero(column: Column, upstream: Cell, ticdc: Cell) -> bool:
    """A zero date in a column with a default: the default upstream.

    In TiCDC it is NULL, which was read as the zero date, or 1970-01-01.
    """
    default = _literal(column)
    other = zero_of(column.type) if column.nullable else canonical(column.type, EPOCHS[column.type.family])
    return default is not None and upstream == default and ticdc == other


def _is_no_date(column: Column, upstream: Cell, ticdc: Cell) -> bool:
    """NULL in a column whose default is not a calendar date: NULL upstream, 1970-01-01 in TiCDC."""
    default = column.default
    if not isinstance(default, str) or upstream is not None or default.startswith("0000-00-00"):
        return False
    return epochs.days(default) is None and ticdc == canonical(column.type, EPOCHS[column.type.family])


def _is_zero_time(column: Column, upstream: Cell, ticdc: Cell) -> bool:
    """NULL in a TIME column with a default: the default upstream, 0 in TiCDC."""
    return upstream is not None and upstream == _literal(column) and ticdc == canonical(column.type, "00:00:00")


_QUARTER, _FARTHEST = 900, 14 * 3600


def _are_in_two_zones(a: Cell, b: Cell) -> bool:
    """Whether two date times may be one wall clock in two zones."""
    if not (isinstance(a, str) and isinstance(b, str)):
        return False
    try:
        seconds = abs((datetime.fromisoformat(a) - datetime.fromisoformat(b)).total_seconds())
    except ValueError:
        return False
    return seconds % _QUARTER == 0 and seconds <= _FARTHEST


def _is_shifted(column: Column, upstream: Cell, ticdc: Cell) -> bool:
    """NULL in a TIMESTAMP column: its default is written in a zone, and so shifted from UTC."""
    return upstream != ticdc and _are_in_two_zones(upstream, ticdc) and _are_in_two_zones(upstream, _literal(column))


def _is_year_zero(column: Column, upstream: Cell, ticdc: Cell) -> bool:
    """A date of the year 0: the default, NULL or 1970-01-01 upstream, a date of the year 2000 in TiCDC."""
    if not isinstance(ticdc, str) or not ticdc.startswith("2000-"):
        return False
    default = _literal(column)
    epoch = None if column.nullable else canonical(column.type, EPOCHS[column.type.family])
    return upstream == (epoch if default is None else default)


def _is_zero_for_null(column: Column, upstream: Cell, ticdc: Cell) -> bool:
    """A zero TIMESTAMP, which is NULL or, in a column with another default, that default upstream."""
    if ticdc != zero_of(column.type):
        return False
    default = _literal(column)
    return _are_in_two_zones(upstream, default) if upstream is not None else default in (None, ticdc)


def _is_no_time_of_day(column: Column, upstream: Cell, ticdc: Cell) -> bool:
    """A TIME outside a day, which upstream writes as NULL, the default or 0."""
    if not isinstance(ticdc, str) or 0 <= epochs.time_micros(ticdc) <= epochs.DAY:
        return False
    default = _literal(column)
    if not isinstance(default, str):
        return upstream == (None if column.nullable else canonical(column.type, "00:00:00"))
    text = default.lstrip("-") if default.startswith("-00:") else default
    if not 0 <= epochs.time_micros(text) <= epochs.DAY:  # the default is none either
        return upstream is None
    return upstream in (default, text)


COLUMN_CELLS: Mapping[str, ColumnCellTest] = {
    "no time of a day": _is_no_time_of_day,
    "default in the schema": _described_differently(_READING),
    "DECIMAL default that Java prints differently": _described_differently(_DOUBLES),
    "expression as a default": _is_described_by_expression,
    "zero TIMESTAMP as NULL": _is_zero_for_null,
    "year 0": _is_year_zero,
    "NULL for an expression": _is_expression,
    "default beyond 63 bits": _is_saturated,
    "default as in the statement": _is_raw_default,
    "default with a comma": _has_comma,
    "default without its sign": _loses_sign,
    "default year 0": _is_year_2000,
    "default of a zero date": _is_default_of_zero,
    "default that is no date": _is_no_date,
    "default as zero time": _is_zero_time,
    "default shifted by a zone": _is_shifted,
}

"""Predicates of the divergences between Debezium's connector and TiCDC's Debezium JSON.

Upstream's output often depends on the word for a type in the statement, so several predicates test that word. Where
the output follows from the value, the predicates use the tables and writers of the reference implementation.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from differential.classify.predicates.common import double_of, nodes_of, tree_of
from differential.classify.predicates.debezium_defaults import COLUMN_CELLS as DEFAULT_CELLS
from differential.classify.predicates.debezium_defaults import zero_of
from differential.classify.predicates.kinds import CellTest, ColumnCellTest, StepTest, ValueTest
from differential.model import Cell, Change
from reference_impl import epochs, exact_json
from reference_impl.column_types import ColumnType, Family
from reference_impl.debezium_json import json_text as ticdc_json
from reference_impl.debezium_json import types as ticdc_types
from reference_impl.errors import Rejected
from reference_impl.floats import nearest_float32, plain
from reference_impl.java_numbers import double_text, exact_text, float_text
from reference_impl.model import Column
from reference_impl.upstream.charsets import misread
from reference_impl.upstream.debezium import json_text as connector_json
from reference_impl.upstream.debezium import types as connector_types
from reference_impl.upstream.debezium.options import Options
from reference_impl.upstream.debezium.payload_column import LOST, PayloadColumn
from reference_impl.upstream.debezium.readers import reader
from reference_impl.upstream.debezium.texts import Reading, old_negative
from reference_impl.upstream.debezium.types import Form, word_of
from reference_impl.zones import zone_of

__all__ = ["CELLS", "COLUMN_CELLS", "LACKED", "STEPS", "VALUES"]

_OLD_CONNECTOR = Reading(Options(version="2.4.0"), zone_of("UTC"), snapshot=False)


def _is_word(*words: str) -> ValueTest:
    return lambda column_type, cell: word_of(column_type) in words


def _bytes_of(cell: Cell) -> bytes:
    return base64.b64decode(cell.get("base64", "")) if isinstance(cell, dict) else b""


# Numbers


def _digits_in_double(column_type: ColumnType, text: str) -> str:
    """The digits of a DECIMAL that survive in a double."""
    whole, _, fraction = plain(repr(float(text)), 64).partition(".")
    scale = column_type.scale or 0
    digits = f"{whole}.{fraction.ljust(scale, '0')}" if scale else whole
    return digits if digits.strip("-0.") else digits.lstrip("-")


def _double_holds(column_type: ColumnType, cell: Cell) -> bool:
    return not isinstance(cell, str) or _digits_in_double(column_type, cell) == cell


def _is_rounded(column_type: ColumnType, upstream: Cell, ticdc: Cell) -> bool:
    return isinstance(upstream, str) and isinstance(ticdc, str) and _digits_in_double(column_type, upstream) == ticdc


def _narrowed(text: str) -> str | None:
    """The text of a double as a float, None if it is too large."""
    printed = float_text(float(text))
    return None if printed.endswith("Infinity") else plain(printed, 64)


def _float_holds_real(column_type: ColumnType, cell: Cell) -> bool:
    return word_of(column_type) == "real" and (not isinstance(cell, str) or _narrowed(cell) == cell)


def _is_narrowed(column_type: ColumnType, upstream: Cell, ticdc: Cell) -> bool:
    return (
        word_of(column_type) == "real"
        and isinstance(ticdc, str)
        and upstream is not None
        and upstream == _narrowed(ticdc)
    )


def _is_beyond_float(column_type: ColumnType, cell: Cell) -> bool:
    return word_of(column_type) == "real" and isinstance(cell, str) and _narrowed(cell) is None


def _is_boolean(column_type: ColumnType, cell: Cell) -> bool:
    return word_of(column_type) in ("bool", "boolean") and cell in ("0", "1", None)


def _is_true_for_a_number(column_type: ColumnType, upstream: Cell, ticdc: Cell) -> bool:
    """A BOOLEAN that is 1 upstream, for any number but 0 in TiCDC."""
    return word_of(column_type) in ("bool", "boolean") and upstream == "1" and isinstance(ticdc, str) and ticdc != "0"


def _is_float4(column_type: ColumnType, upstream: Cell, ticdc: Cell) -> bool:
    return word_of(column_type) == "float4" and upstream is None and isinstance(ticdc, str)


def _is_integer_unsigned(column_type: ColumnType, cell: Cell) -> bool:
    return word_of(column_type) == "integer" and column_type.unsigned


def _has_scale(column_type: ColumnType) -> bool:
    """Whether a type is FLOAT(M,D)."""
    return column_type.family is Family.FLOAT and column_type.scale is not None


def _java_text(column_type: ColumnType, text: str) -> str:
    """The text of a FLOAT or DOUBLE as the connector prints it."""
    if _has_scale(column_type):
        return double_text(nearest_float32(text))
    single = column_type.family is Family.FLOAT or word_of(column_type) == "real"
    return float_text(float(text)) if single else double_text(float(text))


def _is_other_float(column_type: ColumnType, cell: Cell) -> bool:
    """A FLOAT or DOUBLE that is another number as Java prints it."""
    if not isinstance(cell, str) or word_of(column_type) == "float4":
        return False
    return Decimal(_java_text(column_type, cell)) != Decimal(cell)


def _prints_float_differently(column_type: ColumnType, cell: Cell) -> bool:
    """A FLOAT or DOUBLE that is the same number in another text as Java prints it."""
    if not isinstance(cell, str) or word_of(column_type) == "float4":
        return False
    text, bits = _java_text(column_type, cell), 32 if column_type.family is Family.FLOAT else 64
    return text != ticdc_json.number(cell, bits) and Decimal(text) == Decimal(cell)


def _prints_decimal_differently(column_type: ColumnType, cell: Cell) -> bool:
    """A DECIMAL whose text as a double is another one in Java than in TiCDC."""
    return isinstance(cell, str) and double_text(float(cell)) != ticdc_json.number(cell, 64)


# Texts and bytes


def _is_string(column_type: ColumnType) -> bool:
    """Whether the connector writes a column type with bytes as a plain string."""
    return connector_types.form_of(column_type, Options()) is Form.STRING


def _is_not_string(column_type: ColumnType, cell: Cell) -> bool:
    return not _is_string(column_type)


def _is_hex(column_type: ColumnType, cell: Cell) -> bool:
    return not _is_string(column_type) and _bytes_of(cell) != b""


def _is_url_unsafe(column_type: ColumnType, cell: Cell) -> bool:
    return not _is_string(column_type) and re.search("[+/]", base64.b64encode(_bytes_of(cell)).decode()) is not None


def _escapes_differ(column_type: ColumnType, cell: Cell) -> bool:
    """Control characters with different escapes; in a JSON column they are escaped already."""
    if not isinstance(cell, str) or column_type.family is Family.JSON:
        return False
    return any(connector_json.literal(c) != ticdc_json.literal(c) for c in {*cell} if c < " ")


def _is_beyond_16_bits(column_type: ColumnType, cell: Cell) -> bool:
    return isinstance(cell, str) and max(cell, default="") > "\uffff"


def _has_comma(column_type: ColumnType, cell: Cell) -> bool:
    return isinstance(cell, str) and "," in cell


def _labels_differ(column_type: ColumnType) -> bool:
    return connector_types.parameters(column_type, Form.ENUM)["allowed"] != ticdc_types.allowed(column_type)


def _has_backslash(column_type: ColumnType, cell: Cell) -> bool:
    """Labels with a backslash, which a statement escapes."""
    return _labels_differ(column_type) and any("\\" in label for label in column_type.members)


def _has_quotes(column_type: ColumnType, cell: Cell) -> bool:
    """Labels with two quotes in a row, which TiCDC's list of labels shows as one."""
    return _labels_differ(column_type) and not _has_backslash(column_type, cell)


# JSON


def _has_separators(column_type: ColumnType, cell: Cell) -> bool:
    """JSON with a comma or colon, after which TiDB puts a blank."""
    return any((isinstance(n, dict) and n) or (isinstance(n, list) and len(n) > 1) for n in nodes_of(tree_of(cell)))


def _has_escape_with_a_letter(column_type: ColumnType, cell: Cell) -> bool:
    """Control characters whose escape has a hexadecimal letter, which is upper-case upstream."""
    tree = tree_of(cell)
    texts = [n for n in nodes_of(tree) if isinstance(n, str)]
    texts += [name for n in nodes_of(tree) if isinstance(n, dict) for name in n]
    return any(re.search("[\x0b\x0e\x0f\x1a-\x1f]", text) for text in texts)


def _same_leaves(a: Any, b: Any) -> bool:
    """Whether two trees are equal, if a double in `b` may stand for all of its digits in `a`."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same_leaves(a[name], b[name]) for name in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_same_leaves, a, b))
    if exact_json.same(a, b):
        return True
    double = double_of(b)
    if double is None or double_of(a) is None or Decimal(b) != Decimal(repr(double)):
        return False
    return Decimal(a) == Decimal(exact_text(double))


def _has_all_digits(column_type: ColumnType, upstream: Cell, ticdc: Cell) -> bool:
    """JSON whose doubles upstream prints with all of their digits."""
    return upstream is not None and ticdc is not None and _same_leaves(tree_of(upstream), tree_of(ticdc))


# Times


def _is_zero_with_fraction(column_type: ColumnType, cell: Cell) -> bool:
    return column_type.fsp > 0 and cell == zero_of(column_type)


def _is_wrong_time(column_type: ColumnType, cell: Cell) -> bool:
    """A negative TIME that the old connector writes as a wrong number, but as that of no other TIME."""
    return (
        isinstance(cell, str)
        and cell.startswith("-")
        and old_negative(cell, column_type.fsp) != epochs.time_micros(cell)
        and not _is_ambiguous_time(column_type, cell)
    )


def _is_ambiguous_time(column_type: ColumnType, cell: Cell) -> bool:
    """A negative TIME that the old connector writes as it writes another TIME."""
    if not isinstance(cell, str) or not cell.startswith("-"):
        return False
    read = reader(PayloadColumn(column_type, Form.TIME, exact=True, reading=_OLD_CONNECTOR))
    return read(old_negative(cell, column_type.fsp)) is LOST


_MILLIS = 3


def _is_cut(column_type: ColumnType, upstream: Cell, ticdc: Cell) -> bool:
    """A time whose digits beyond milliseconds are lost upstream."""
    if not (isinstance(upstream, str) and isinstance(ticdc, str)) or column_type.fsp <= _MILLIS:
        return False
    return upstream == ticdc[: -(column_type.fsp - _MILLIS)] + "0" * (column_type.fsp - _MILLIS)


# Steps


def _moved_at_once(upstream: Sequence[Change], ticdc: Sequence[Change]) -> bool:
    """Half of a key change: a record of its own upstream, part of one message in TiCDC."""
    return len(upstream) == len(ticdc) == 1 and ticdc[0].moved and not upstream[0].moved


# Snapshots and years


def _has_six_digits(column_type: ColumnType, upstream: Cell, ticdc: Cell) -> bool:
    """A FLOAT that a snapshot has in six digits, as the server prints it."""
    if not (isinstance(upstream, str) and isinstance(ticdc, str)) or column_type.scale is not None:
        return False
    return upstream == plain(f"{nearest_float32(ticdc):.6g}", 32)


def _lacks_sign(column_type: ColumnType, upstream: Cell, ticdc: Cell) -> bool:
    return isinstance(ticdc, str) and ticdc.startswith("-00:") and upstream == ticdc[1:]


def _is_year_2000(column_type: ColumnType, upstream: Cell, ticdc: Cell) -> bool:
    return upstream == "2000" and ticdc == "0"


def _is_year_2001(column_type: ColumnType, upstream: Cell, ticdc: Cell) -> bool:
    """A DATETIME of the year 0, which is 2001 upstream and 2000 in TiCDC."""
    if not (isinstance(upstream, str) and isinstance(ticdc, str)):
        return False
    return (upstream[:4], ticdc[:4]) == ("2001", "2000") and upstream[4:] == ticdc[4:]


def _is_misread(column: Column, upstream: Cell, ticdc: Cell) -> bool:
    """A text in a charset that the connector mistakes for another one."""
    if column.charset is None or not isinstance(ticdc, str):
        return False
    try:
        return upstream == misread(ticdc, column.charset)
    except Rejected:
        return False


VALUES: Mapping[str, ValueTest] = {
    "DECIMAL that a double holds": _double_holds,
    "DECIMAL that Java prints differently": _prints_decimal_differently,
    "REAL that a float holds": _float_holds_real,
    "BOOLEAN of 0 or 1": _is_boolean,
    "FLOAT4": _is_word("float4"),
    "INTEGER UNSIGNED": _is_integer_unsigned,
    "unsigned": lambda column_type, cell: column_type.unsigned,
    "FLOAT(M,D) in other digits": lambda column_type, cell: (
        _has_scale(column_type) and _is_other_float(column_type, cell)
    ),
    "float in more digits of Java": lambda column_type, cell: (
        not _has_scale(column_type) and _is_other_float(column_type, cell)
    ),
    "float that Java prints differently": _prints_float_differently,
    "binary word": _is_not_string,
    "bytes that hexadecimal shows": _is_hex,
    "bytes with + or / in base64": _is_url_unsafe,
    "text of bytes": lambda column_type, cell: _is_string(column_type) and _bytes_of(cell) != b"",
    "control characters": _escapes_differ,
    "characters beyond 16 bits": _is_beyond_16_bits,
    "label with a comma": _has_comma,
    "labels with a backslash": _has_backslash,
    "labels with two quotes": _has_quotes,
    "JSON with separators": _has_separators,
    "JSON with control characters": _has_escape_with_a_letter,
    "zero TIMESTAMP with a fraction": _is_zero_with_fraction,
    "negative TIME of the old connector": _is_wrong_time,
}
CELLS: Mapping[str, CellTest] = {
    "DECIMAL rounded to a double": _is_rounded,
    "REAL narrowed to a float": _is_narrowed,
    "truth of a BOOLEAN": _is_true_for_a_number,
    "FLOAT4 as NULL": _is_float4,
    "JSON double in all digits": _has_all_digits,
    "cut to milliseconds": _is_cut,
    "FLOAT of six digits": _has_six_digits,
    "TIME without its sign": _lacks_sign,
    "year 0 as 2000": _is_year_2000,
    "year 0 as 2001": _is_year_2001,
}
COLUMN_CELLS: Mapping[str, ColumnCellTest] = {**DEFAULT_CELLS, "charset taken for another": _is_misread}
LACKED: Mapping[str, ValueTest] = {
    "REAL beyond all floats": _is_beyond_float,
    "negative TIME that stands for two": _is_ambiguous_time,
}
STEPS: Mapping[str, StepTest] = {"change of a key as one message": _moved_at_once}

"""Predicates of the checks on a column's description in a schema."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from conformance.oracle.debezium.known_values import CURRENT, calendar_day, default_text, instant
from conformance.oracle.debezium.places import DESCRIPTIONS, column_of, given_in, type_of
from conformance.oracle.rules import Condition, Place
from conformance.oracle.tree import MISSING
from reference_impl.column_types import Family
from reference_impl.debezium_json.defaults import schema_default
from reference_impl.debezium_json.style import STYLES
from reference_impl.exact_json import loads, same
from reference_impl.model import Column, DdlEvent, Expression

__all__ = ["PREDICATES", "is_open"]

# -- types -------------------------------------------------------------------------------------------------------------


def has_scale(place: Place) -> bool:
    """The type of the column states fractional digits."""
    return type_of(place).scale is not None


def _labels(text: str) -> str:
    """The labels of the parameter `allowed` without backslashes and quotes."""
    return text.replace("\\", "").replace("'", "")


def is_escaped_otherwise(place: Place) -> bool:
    """The answered labels differ at most in escapes or quotes."""
    return isinstance(place.got, str) and _labels(place.got) == _labels(str(place.expected))


def has_virtual(place: Place) -> bool:
    """The table has virtual generated columns."""
    return place.table is not None and any(column.generated == "virtual" for column in place.table.columns)


# -- defaults ----------------------------------------------------------------------------------------------------------


def _default(place: Place) -> str:
    """The text of the column's default; "" without one."""
    return default_text(column_of(place)) or ""


def is_default_expression(place: Place) -> bool:
    """The default is an expression."""
    return isinstance(column_of(place).default, Expression)


def is_default_no_instant(place: Place) -> bool:
    """The default is CURRENT_TIMESTAMP or the zero TIMESTAMP."""
    return instant(_default(place), place.case.settings) is None


def is_default_zero(place: Place) -> bool:
    """The default is the zero date."""
    return _default(place).startswith("0000-00-00")


def is_default_no_day(place: Place) -> bool:
    """The default is CURRENT_TIMESTAMP or no day of the calendar."""
    return calendar_day(_default(place)) is None


def _described(place: Place, column: Column) -> Any:
    """The default in the schema of a column, `MISSING` without one."""
    text = schema_default(column, STYLES[place.profile.name], place.case.settings)
    return MISSING if text is None else loads(text)


def _other_defaults(place: Place) -> Mapping[str | None, Any]:
    """The defaults of the column in other versions of its table: their texts, and what its schema would have for them.

    Those equal to the default of now are left out, however they are spelt.
    """
    column, table = column_of(place), place.table
    versions = [*place.case.tables]
    for event in place.case.events:
        if isinstance(event, DdlEvent):
            versions += [*([event.table_before] if event.table_before else []), *event.tables_after]
    others = (version.column(column.name) for version in versions if table is not None and version.id == table.id)
    by_text = {default_text(other): other.default for other in others if other is not None}
    by_text.pop(default_text(column), None)
    now = _described(place, column) if by_text else MISSING
    then = {text: _described(place, replace(column, default=default)) for text, default in by_text.items()}
    return {text: default for text, default in then.items() if not _is_same(default, now)}


def _is_same(a: Any, b: Any) -> bool:
    """Whether two described defaults are equal, or both are missing."""
    return a is b if MISSING in (a, b) else same(a, b)


def is_default_changed(place: Place) -> bool:
    """The column has another default in another version of its table."""
    return place.column is not None and bool(_other_defaults(place))


def is_earlier_default(place: Place) -> bool:
    """The answered default is that of another version of the table."""
    earlier = _other_defaults(place)
    text = None if place.got is MISSING else str(place.got)
    return text in earlier or any(_is_same(place.got, default) for default in earlier.values())


# Paths of described defaults, without the name of the column before `default`.
_DEFAULTS = frozenset((*at.split("."), "default") for at in DESCRIPTIONS)


def is_open(place: Place) -> bool:
    """The place is the described default of a TIMESTAMP that is an expression other than CURRENT_TIMESTAMP.

    Producers describe such an expression with a number, although the field is a text. The default of another version of
    the table stays wrong.
    """
    column, path = place.column, place.path
    without_column = (*path[:-2], *path[-1:])
    if column is None or column.type.family is not Family.TIMESTAMP or without_column not in _DEFAULTS:
        return False
    return is_default_expression(place) and default_text(column) != CURRENT and not is_earlier_default(place)


# -- tidb_type ---------------------------------------------------------------------------------------------------------

# Type word of bytes → type word of the text that has the same bytes.
_TWINS: Mapping[str, str] = {
    "binary": "char",
    "varbinary": "varchar",
    **{f"{size}blob": f"{size}text" for size in ("tiny", "", "medium", "long")},
}


def _word(text: object) -> str:
    """The first word of a type: `int` of `INT(11) UNSIGNED`."""
    return str(text).lower().partition("(")[0].strip().partition(" ")[0]


def is_twin(place: Place) -> bool:
    """The column is a text of the charset binary, and the answer has the text type instead of the binary one."""
    word = place.column.type.text.lower() if place.column is not None else ""
    is_text = "char" in word or "text" in word
    return is_text and _TWINS.get(str(place.expected)) == _word(place.got)


def is_another_word(place: Place) -> bool:
    """The answered type has another first word, or is not a text."""
    return not isinstance(place.got, str) or _word(place.got) != _word(place.expected)


def is_upper_case(place: Place) -> bool:
    """The answered type has capital letters."""
    return isinstance(place.got, str) and place.got != place.got.lower()


def is_signed_otherwise(place: Place) -> bool:
    """Exactly one of the answered and the expected type is unsigned."""
    return len({"unsigned" in str(text).lower() for text in (place.expected, place.got)}) == 2


def is_described_without(place: Place) -> bool:
    """The answer lacks `tidb_type` also in the column's description in `after`."""
    after = given_in(place, "value", "schema", "fields", "after", "fields", str(place.path[-2]))
    return not (isinstance(after, dict) and "tidb_type" in after)


PREDICATES: tuple[Condition, ...] = (
    *(has_scale, has_virtual, is_another_word, is_default_changed, is_default_expression),
    *(is_default_no_day, is_default_no_instant, is_default_zero, is_described_without, is_earlier_default),
    *(is_escaped_otherwise, is_signed_otherwise, is_twin, is_upper_case),
)

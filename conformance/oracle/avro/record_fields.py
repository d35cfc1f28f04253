"""Predicates of the checks of Avro on the names of records and on their fields."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from conformance.oracle.avro.binary import full_name
from conformance.oracle.avro.compare import fields_at
from conformance.oracle.avro.conditions import differs, versions
from conformance.oracle.avro.expected_events import renamed
from conformance.oracle.avro.reading import EXTENSION, schema_tree
from conformance.oracle.conditions import is_virtual
from conformance.oracle.rules import Condition, Place
from conformance.oracle.tree import MISSING, Maybe, part_in
from reference_impl import exact_json
from reference_impl.avro.layout import layout
from reference_impl.avro.style import style_of
from reference_impl.errors import Rejected
from reference_impl.model import ABSENT, DdlEvent, RowChange, Table
from reference_impl.names import sanitized
from reference_impl.profiles import Profile
from reference_impl.settings import Settings

__all__ = ["PREDICATES"]

# The characters of the longest escape that may stand for one character, as `_u1F600_`.
_LONGEST_ESCAPE = 8

# -- columns of a record -----------------------------------------------------------------------------------------------


def in_valid_index(place: Place, field: str) -> bool:
    """Whether a field is a column of a primary key, or of a unique key without a nullable column.  [AV-112]"""
    table = place.table
    if table is None:
        return True
    keys = (table.primary_key, *(key.columns for key in table.unique_keys))
    valid = (key for key in keys if not any(c.nullable for c in map(table.column, key) if c))
    return any(field in (name, sanitized(name)) for key in valid for name in key)


def is_field_of_no_index(place: Place) -> bool:
    """The answer has an additional field that is not a column of a valid index."""
    return place.expected is MISSING and not in_valid_index(place, str(place.path[-1]))


def is_key_of_no_index(place: Place) -> bool:
    """The answered key has a field that is not a column of a valid index."""
    row = part_in(place.got, "row")
    return isinstance(row, dict) and not all(in_valid_index(place, name) for name in row)


def is_stale(place: Place) -> bool:
    """The answered fields are those of another version of the table than the one in force."""
    if place.table is None or not any(isinstance(event, DdlEvent) for event in place.case.events):
        return False
    _, got = _field_names(place)
    for table in versions(place.case):
        other = renamed(table)
        if table.id == place.table.id and other != place.table:
            names = [column.name for column in other.columns if column.generated != "virtual" or column.name in got]
            if set(names) == set(got):
                return True
    return False


@lru_cache(maxsize=64)
def _schema_fields(
    table: Table, options: Any, profile: Profile, settings: Settings, part: str
) -> Mapping[str, Any] | None:
    """The fields of columns in the schema of a table's `key` or `value`; None if the table has no such schema."""
    try:
        written = getattr(layout(table, options, style_of(profile), settings), part)
    except Rejected:
        return None
    fields: Mapping[str, Any] | None = written and schema_tree(exact_json.loads(written.text))["fields"]
    return fields


def has_stale_schema(place: Place) -> bool:
    """The answered fields are, with types and defaults, those of another version of the table."""
    if place.table is None or not any(isinstance(event, DdlEvent) for event in place.case.events):
        return False
    got = part_in(place.got_tree, *fields_at(place))
    part = "key" if place.path[0] == "key" else "value"

    def are_of(table: Table) -> bool:
        fields = _schema_fields(table, place.options, place.profile, place.case.settings, part)
        return fields is not None and got is not None and [*got.items()] == [*fields.items()]

    # An encoder that writes no defaults may have written the schema in force.
    if are_of(_without_defaults(place.table)):
        return False
    return any(are_of(t) for t in versions(place.case) if t.id == place.table.id and renamed(t) != place.table)


def _without_defaults(table: Table) -> Table:
    return replace(table, columns=tuple(replace(column, default=ABSENT) for column in table.columns))


def is_nested(place: Place) -> bool:
    """One of the answered fields is a record."""
    fields = part_in(place.got_tree, *fields_at(place)) or {}
    return any(part_in(field, "type", "type") == "record" for field in fields.values())


def is_of_extension(place: Place) -> bool:
    """The name is one of the fields of the extension."""
    return place.path[-1] in EXTENSION


def is_like_extension(place: Place) -> bool:
    """A field with a name like those of the extension differs."""
    return str(place.path[-1]).startswith("_tidb_") and differs(place)


# -- names of fields ---------------------------------------------------------------------------------------------------


def _field_names(place: Place) -> tuple[list[str], list[str]]:
    """(expected, answered) names of the fields of the place's record, without optional ones."""
    if place.path[0] == "event":
        path: tuple[str | int, ...] = place.path[:-1]
    else:
        path = fields_at(place)
    expected = part_in(place.expected_tree, *path) or {}
    needed = [name for name, value in expected.items() if not isinstance(value, Maybe)]
    return needed, [name for name in part_in(place.got_tree, *path) or () if name in needed or name not in expected]


def _renaming(place: Place) -> tuple[str, str] | None:
    """(expected, answered) name of the field at the place; None if it is not renamed.

    Missing and additional fields are paired in order.
    """
    expected, got = _field_names(place)
    missing = [name for name in expected if name not in got]
    extra = [name for name in got if name not in expected]
    if len(missing) != len(extra):
        return None
    return next((pair for pair in zip(missing, extra, strict=True) if place.path[-1] in pair), None)


def _column_name(place: Place, field: str) -> str:
    """The name in the table of the column of a field, whose underscores may stand for other characters."""
    if place.table is None or "_" not in field:
        return field
    columns = (column.name for table in versions(place.case) if table.id == place.table.id for column in table.columns)
    return next((name for name in columns if sanitized(name) == field), field)


class _Names(NamedTuple):
    """The names of a column and of its field."""

    column: str
    expected: str
    got: str

    @property
    def is_sanitized(self) -> bool:
        """Whether the field should have another name than its column."""
        return self.column != self.expected


def _names(place: Place) -> _Names | None:
    """The names at a place; None if more than the name differs."""
    name = str(place.path[-1])
    renaming = _renaming(place) if differs(place) else (name, name)
    return _Names(_column_name(place, renaming[0]), *renaming) if renaming else None


def is_renamed(place: Place) -> bool:
    """The column is not virtual, and its field has another name than expected."""
    return not is_virtual(place) and _renaming(place) is not None


def keeps_name(place: Place) -> bool:
    """The field should have the name of its column; it differs at most in its name."""
    names = _names(place)
    return names is not None and not names.is_sanitized


def begins_with_digit(place: Place) -> bool:
    """The field needs an underscore before the digit of its column; it differs at most by lacking this underscore."""
    names = _names(place)
    if names is None or not names.is_sanitized or not names.column[:1].isdigit():
        return False
    return not differs(place) or names.got == names.expected[1:]


def has_other_characters(place: Place) -> bool:
    """The name needs sanitizing, and `begins_with_digit` does not hold; the field differs at most in its name."""
    names = _names(place)
    return names is not None and names.is_sanitized and not begins_with_digit(place)


# -- names of records --------------------------------------------------------------------------------------------------


def _record_name(place: Place) -> tuple[str, str]:
    """(name of the table or schema, its sanitized form in the expected text)."""
    event, expected = place.event, str(place.expected).rpartition(".")[2]
    if not isinstance(event, RowChange):
        return "", expected
    return event.table if place.path[-1] == "name" else event.schema, expected


def _answered_name(place: Place) -> str | None:
    """The name of the table or schema at the end of the answered text; None if the text before the name is wrong."""
    first = "" if place.path[-1] == "name" else str(place.expected).rpartition(".")[0] + "."
    return place.got[len(first) :] if isinstance(place.got, str) and place.got.startswith(first) else None


def is_no_text(place: Place) -> bool:
    """The answer has something other than a text."""
    return not isinstance(place.got, str)


def is_other_table(place: Place) -> bool:
    """The answered name does not end in the name of the table."""
    return is_no_text(place) or place.got.rpartition(".")[2] != _record_name(place)[1]


def is_other_schema(place: Place) -> bool:
    """The answered namespace, stated or part of the full name, does not end in the name of the schema."""
    full = full_name(part_in(place.got_tree, *place.path[:-1]) or {})
    return not is_no_text(place) and full.rpartition(".")[0].rpartition(".")[2] != _record_name(place)[1]


def record_begins_with_digit(place: Place) -> bool:
    """The record needs an underscore before the digit of its table or schema; it differs at most by lacking this."""
    name, expected = _record_name(place)
    return name[:1].isdigit() and (not differs(place) or _answered_name(place) == expected[1:])


def record_has_other_characters(place: Place) -> bool:
    """The name needs more sanitizing than of a first digit; the answer is wrong at most in this."""
    if record_begins_with_digit(place):
        return False
    name, expected = _record_name(place)
    if not differs(place):
        return sanitized(name) != name
    answered = _answered_name(place)
    if answered is None:
        return False
    return sanitized(answered) == expected or answered == name or _is_sanitized_otherwise(place, name, answered)


def _is_sanitized_otherwise(place: Place, name: str, answered: str) -> bool:
    """Whether a name differs only in what replaces the characters that Avro forbids.

    A character may be replaced by nothing, or by as many characters as an escape has; the name has characters left.
    """
    parts = re.split(r"([^A-Za-z0-9_]+)", name)  # kept and replaced characters by turns
    is_table = place.path[-1] == "name"
    others = {sanitized(t.name if is_table else t.schema) for t in versions(place.case)} - {sanitized(name)}
    if len(parts) == 1 or answered in others or not re.fullmatch(r"\w+", answered, re.ASCII):
        return False
    parts[0] = "_" * name[:1].isdigit() + parts[0]
    ends = {0}  # where the parts so far may end; a pattern would try their combinations one by one
    for n, part in enumerate(parts):
        if n % 2 == 0:
            ends = {end + len(part) for end in ends if answered.startswith(part, end)}
        else:
            longest = _LONGEST_ESCAPE * len(part)
            ends = {after for end in ends for after in range(end, min(end + longest, len(answered)) + 1)}
    return len(answered) in ends


PREDICATES: Sequence[Condition] = (
    *(
        begins_with_digit,
        has_other_characters,
        has_stale_schema,
        is_field_of_no_index,
        is_key_of_no_index,
        is_like_extension,
    ),
    *(is_nested, is_no_text, is_of_extension, is_other_schema, is_other_table, is_renamed, is_stale),
    *(keeps_name, record_begins_with_digit, record_has_other_characters),
)

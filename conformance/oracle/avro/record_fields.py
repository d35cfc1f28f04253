"""What the checks of Avro ask about the names of records and about which fields these have, by which names.

Predicates have one line, which says when they hold.
"""

from __future__ import annotations

from collections.abc import Sequence

from conformance.oracle.avro.binary import full_name
from conformance.oracle.avro.compare import fields_at
from conformance.oracle.avro.conditions import differs, versions
from conformance.oracle.avro.expected_events import renamed
from conformance.oracle.avro.reading import EXTENSION, given_in
from conformance.oracle.conditions import is_virtual
from conformance.oracle.rules import Condition, Place
from conformance.oracle.tree import MISSING, Maybe
from reference_impl.model import DdlEvent, RowChange
from reference_impl.names import sanitized

__all__ = ["PREDICATES"]

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
    """A field is too much, and no column of a valid index."""
    return place.expected is MISSING and not in_valid_index(place, str(place.path[-1]))


def is_key_of_no_index(place: Place) -> bool:
    """A key is given with a field that is no column of a valid index."""
    row = given_in(place.got, "row")
    return isinstance(row, dict) and not all(in_valid_index(place, name) for name in row)


def is_stale(place: Place) -> bool:
    """The fields given are those of another version of the table than the one in force."""
    if place.table is None or not any(isinstance(event, DdlEvent) for event in place.case.events):
        return False
    _, given = _names(place)
    for table in versions(place.case):
        other = renamed(table)
        if table.id == place.table.id and other != place.table:
            names = [column.name for column in other.columns if column.generated != "virtual" or column.name in given]
            if set(names) == set(given):
                return True
    return False


def is_nested(place: Place) -> bool:
    """One of the fields given is a record."""
    fields = given_in(place.got_tree, *fields_at(place)) or {}
    return any(given_in(field, "type", "type") == "record" for field in fields.values())


def is_of_extension(place: Place) -> bool:
    """The name is one of the fields of the extension."""
    return place.path[-1] in EXTENSION


def is_like_extension(place: Place) -> bool:
    """A difference is in a field that is named like those of the extension."""
    return str(place.path[-1]).startswith("_tidb_") and differs(place)


# -- names of fields ---------------------------------------------------------------------------------------------------


def _names(place: Place) -> tuple[list[str], list[str]]:
    """(expected, given) names of the fields of the record that the place belongs to, those apart that need not be."""
    if place.path[0] == "event":
        path: tuple[str | int, ...] = place.path[:-1]
    else:
        path = fields_at(place)
    expected = given_in(place.expected_tree, *path) or {}
    needed = [name for name, value in expected.items() if not isinstance(value, Maybe)]
    return needed, [name for name in given_in(place.got_tree, *path) or () if name in needed or name not in expected]


def _renaming(place: Place) -> tuple[str, str] | None:
    """(expected, given) name of the place's column, where it is there under another name or is such a name itself."""
    expected, given = _names(place)
    missing, extra = [n for n in expected if n not in given], [n for n in given if n not in expected]
    if len(missing) != len(extra):
        return None
    return next((pair for pair in zip(missing, extra, strict=True) if place.path[-1] in pair), None)


def _original(place: Place, field: str) -> str:
    """What the column of a field is called in its table. An underscore may stand for another character."""
    if place.table is None or "_" not in field:
        return field
    columns = (column.name for table in versions(place.case) if table.id == place.table.id for column in table.columns)
    return next((name for name in columns if sanitized(name) == field), field)


def _naming(place: Place) -> tuple[str, str, str] | None:
    """(name of the column, expected name of its field, given one), where nothing differs or the name alone does."""
    name = str(place.path[-1])
    names = _renaming(place) if differs(place) else (name, name)
    return (_original(place, names[0]), *names) if names else None


def is_renamed(place: Place) -> bool:
    """The column, not a virtual one, goes by another name."""
    return not is_virtual(place) and _renaming(place) is not None


def keeps_name(place: Place) -> bool:
    """The field should be called as its column is, and is it, or nothing but this differs."""
    naming = _naming(place)
    return naming is not None and naming[0] == naming[1]


def begins_with_digit(place: Place) -> bool:
    """The field should have an underscore before the digit of its column, and has it, or lacks nothing else."""
    naming = _naming(place)
    if naming is None or naming[0] == naming[1] or not naming[0][:1].isdigit():
        return False
    return not differs(place) or naming[2] == naming[1][1:]


def has_other_characters(place: Place) -> bool:
    """The name of the field differs from that of its column in further characters, or should."""
    naming = _naming(place)
    return naming is not None and naming[0] != naming[1] and not begins_with_digit(place)


# -- names of records --------------------------------------------------------------------------------------------------


def _record_name(place: Place) -> tuple[str, str]:
    """(name of the table or schema, its part of the expected text)."""
    event, wanted = place.event, str(place.expected).rpartition(".")[2]
    if not isinstance(event, RowChange):
        return "", wanted
    return event.table if place.path[-1] == "name" else event.schema, wanted


def _given_name(place: Place) -> str | None:
    """What is given as the name of the table or schema; None if something else is wrong, too."""
    first = "" if place.path[-1] == "name" else str(place.expected).rpartition(".")[0] + "."
    return place.got[len(first) :] if isinstance(place.got, str) and place.got.startswith(first) else None


def is_no_text(place: Place) -> bool:
    """Something else than a text is given."""
    return not isinstance(place.got, str)


def is_other_table(place: Place) -> bool:
    """What is given does not end in the name of the table."""
    return is_no_text(place) or place.got.rpartition(".")[2] != _record_name(place)[1]


def is_other_schema(place: Place) -> bool:
    """The namespace given, or that in the name which is given, does not end in the name of the schema."""
    full = full_name(given_in(place.got_tree, *place.path[:-1]) or {})
    return not is_no_text(place) and full.rpartition(".")[0].rpartition(".")[2] != _record_name(place)[1]


def record_begins_with_digit(place: Place) -> bool:
    """The record should have an underscore before the digit of its table or schema, and has it, or lacks just this."""
    name, wanted = _record_name(place)
    return name[:1].isdigit() and (not differs(place) or _given_name(place) == wanted[1:])


def record_has_other_characters(place: Place) -> bool:
    """The name of the record differs from that of its table or schema in further characters, or should."""
    if record_begins_with_digit(place):
        return False
    name, wanted = _record_name(place)
    if not differs(place):
        return sanitized(name) != name
    given = _given_name(place)
    return given is not None and (sanitized(given) == wanted or given == name)


PREDICATES: Sequence[Condition] = (
    *(begins_with_digit, has_other_characters, is_field_of_no_index, is_key_of_no_index, is_like_extension),
    *(is_nested, is_no_text, is_of_extension, is_other_schema, is_other_table, is_renamed, is_stale),
    *(keeps_name, record_begins_with_digit, record_has_other_characters),
)

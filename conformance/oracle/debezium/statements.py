"""Predicates of the checks on DDL messages: statement, names, columns of a table."""

from __future__ import annotations

import re

from conformance.oracle.debezium.known_values import CURRENT, default_text
from conformance.oracle.debezium.places import column_of
from conformance.oracle.rules import Condition, Place
from reference_impl.actions import RENAMES, action_code
from reference_impl.column_types import Family
from reference_impl.model import DdlEvent

__all__ = ["PREDICATES"]

# -- what the statement is ---------------------------------------------------------------------------------------------


def is_about_schema(place: Place) -> bool:
    """The statement names no table."""
    return isinstance(place.event, DdlEvent) and not place.event.table


def _old_names(place: Place) -> set[tuple[str, str]]:
    """(schema, name) of the tables of the case before the statement."""
    event = place.event
    before = event.table_before if isinstance(event, DdlEvent) else None
    tables = [*place.case.tables, *([before] if before is not None else [])]
    return {table.id for table in tables}


def is_old_schema(place: Place) -> bool:
    """The answer has the schema of a table before the statement."""
    return any(schema == place.got for schema, _ in _old_names(place))


def is_old_table(place: Place) -> bool:
    """The answer has the name of a table before the statement."""
    return any(table == place.got for _, table in _old_names(place))


def is_schema_changed(place: Place) -> bool:
    """The statement moves a table to another schema."""
    event = place.event
    return (
        isinstance(event, DdlEvent)
        and action_code(event) in RENAMES
        and any(schema != event.schema for schema, _ in _old_names(place))
    )


# -- the id of a table, and its key ------------------------------------------------------------------------------------


def has_quote(place: Place) -> bool:
    """A name of the statement has a quote."""
    event = place.event
    return isinstance(event, DdlEvent) and '"' in event.schema + event.table


def is_quote_escaped(place: Place) -> bool:
    """The sides differ only in how the `id` escapes or doubles quotes."""
    expected, got = (str(text).replace("\\", "").replace('""', '"') for text in (place.expected, place.got))
    return expected == got


def is_turned(place: Place) -> bool:
    """In the answered `id`, the parts before and after a comma have changed places."""
    expected = str(place.expected)
    commas = (at for at, char in enumerate(expected) if char == ",")
    return any(f"{expected[at + 1 :]},{expected[:at]}" == place.got for at in commas)


def is_permuted_key(place: Place) -> bool:
    """The answer has exactly the columns of the key, perhaps in another order."""
    changes = (
        tree.get("value", {}).get("payload", {}).get("tableChanges") for tree in (place.expected_tree, place.got_tree)
    )
    try:
        expected, got = (change[0]["table"]["primaryKeyColumnNames"] for change in changes)
        return sorted(expected) == sorted(got)
    except (TypeError, KeyError, IndexError):
        return False


# -- columns -----------------------------------------------------------------------------------------------------------

_CHARSET = re.compile(r"\bchar(acter )?set\b", re.IGNORECASE)


def is_defined(place: Place) -> bool:
    """The text of the statement has the name of the column."""
    event = place.event
    if not isinstance(event, DdlEvent) or place.column is None:
        return False
    return re.search(rf"(?<![\w$]){re.escape(place.column.name)}(?![\w$])", event.query) is not None


def is_under_another_name(place: Place) -> bool:
    """The answer has as many columns as expected, so that a missing one has another name."""
    trees = []
    for tree in (place.expected_tree, place.got_tree):
        part = tree
        for step in place.path[:-1]:
            part = part[step]  # type: ignore[index]
        trees.append(part)
    return len(trees[0]) == len(trees[1])


def has_comment(place: Place) -> bool:
    """The column has a comment."""
    return place.column is not None and bool(place.column.comment)


def is_signed_int(place: Place) -> bool:
    """The column is an INT, and signed."""
    return place.column is not None and place.column.type.family is Family.INT and not place.column.type.unsigned


def is_filled_by_server(place: Place) -> bool:
    """The column is AUTO_INCREMENT, or a TIMESTAMP with ON UPDATE."""
    column = place.column
    if column is None:
        return False
    return column.auto_increment or (column.type.family is Family.TIMESTAMP and column.on_update_now)


def is_charset_implied(place: Place) -> bool:
    """The charset follows from the collation alone, and is utf8: the statement names none."""
    column, event = column_of(place), place.event
    is_named = isinstance(event, DdlEvent) and _CHARSET.search(event.query) is not None
    return column.collation == "utf8_unicode_ci" and not is_named


def is_utf8mb4(place: Place) -> bool:
    """The answer has the charset utf8mb4."""
    return bool(place.got == "utf8mb4")


def is_default_now(place: Place) -> bool:
    """The default is CURRENT_TIMESTAMP."""
    return place.column is not None and (default_text(place.column) or "").upper() == CURRENT


def is_catalogue_default(place: Place) -> bool:
    """The answer has no default, the declared one or the start of 1970; a right CURRENT_TIMESTAMP does not count."""
    if str(place.got).upper() == CURRENT:
        return False
    return place.got in (None, default_text(column_of(place)), "1970-01-01 00:00:00")


def has_label_to_escape(place: Place) -> bool:
    """A label of the column's type has a quote or a backslash."""
    members = place.column.type.members if place.column is not None else ()
    return any("'" in member or "\\" in member for member in members)


def _unescaped(label: object) -> str:
    return str(label).replace("\\", "").replace("''", "'").strip("'")


def is_label_escaped(place: Place) -> bool:
    """The answered label differs at most in escapes or quotes."""
    return isinstance(place.got, str) and _unescaped(place.expected) == _unescaped(place.got)


PREDICATES: tuple[Condition, ...] = (
    *(has_comment, has_label_to_escape, has_quote, is_about_schema, is_catalogue_default, is_charset_implied),
    *(is_default_now, is_defined, is_filled_by_server, is_label_escaped, is_old_schema, is_old_table),
    *(is_permuted_key, is_quote_escaped, is_schema_changed, is_signed_int, is_turned, is_under_another_name),
    is_utf8mb4,
)

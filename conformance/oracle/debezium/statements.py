"""Rules of DDL messages: key, payload and schema. The columns of `tableChanges` are in `changes`.

[DBZ-300 … DBZ-326, DBZ-340 … DBZ-342]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.oracle.conditions import all_of, any_of, apart_from, kind, no, shows
from conformance.oracle.debezium.names import is_named_for_table
from conformance.oracle.debezium.places import expected_in
from conformance.oracle.rules import Condition, Place, Row, Rule, ranked
from conformance.oracle.tree import MISSING, Kind
from reference_impl.actions import action_code
from reference_impl.model import DdlEvent

__all__ = ["statement_rules"]

_FORM = frozenset({Kind.MISSING, Kind.JSON_KIND})
_LEAF = frozenset({Kind.MISSING, Kind.JSON_KIND, Kind.VALUE})
_WRONG = frozenset({Kind.JSON_KIND, Kind.VALUE})
_GONE, _EXTRA, _ORDER, _DOUBLED = (frozenset({k}) for k in (Kind.MISSING, Kind.EXTRA, Kind.ORDER, Kind.DOUBLED))

_ddl = kind("ddl")
_CHANGES = "value.payload.tableChanges"

# -- what the statement is -----------------------------------------------------------------------------------------

_TRUNCATE, _DROP_TABLE, _RENAMES = 11, 4, frozenset({14, 47})

# The type of the change of some statements; that of every other one is ALTER.
_TYPES: Mapping[str, frozenset[int]] = {
    "DBZ-300": frozenset({3, 60}),
    "DBZ-300b": frozenset({_DROP_TABLE}),
    "DBZ-300c": frozenset({7, 8, 18, 21, 24}),
}


def _code(place: Place) -> int | None:
    return action_code(place.event) if isinstance(place.event, DdlEvent) else None


def _is(*codes: int) -> Condition:
    return lambda place: _code(place) in codes


_renames = _is(*_RENAMES)


def _is_about_schema(place: Place) -> bool:
    return isinstance(place.event, DdlEvent) and not place.event.table


def _old_names(place: Place) -> set[tuple[str, str]]:
    """The names that tables of the case had before the statement."""
    event = place.event
    before = event.table_before if isinstance(event, DdlEvent) else None
    tables = [*place.case.tables, *([before] if before is not None else [])]
    return {table.id for table in tables}


def _is_old(part: int) -> Condition:
    """What was given is the old name of a table (1) or of its schema (0)."""
    return lambda place: any(name[part] == place.got for name in _old_names(place))


def _changes_schema(place: Place) -> bool:
    event = place.event
    return _renames(place) and isinstance(event, DdlEvent) and any(n[0] != event.schema for n in _old_names(place))


def _has_quote(place: Place) -> bool:
    event = place.event
    return isinstance(event, DdlEvent) and '"' in event.schema + event.table


def _is_escaped(place: Place) -> bool:
    """The names in an `id` have their quotes escaped or doubled."""
    bare = (str(text).replace("\\", "").replace('""', '"') for text in (place.expected, place.got))
    return next(bare) == next(bare)


def _is_turned(place: Place) -> bool:
    """What stands on both sides of a comma in an `id` has changed places."""
    expected = str(place.expected)
    commas = (at for at, char in enumerate(expected) if char == ",")
    return any(f"{expected[at + 1 :]},{expected[:at]}" == place.got for at in commas)


def _has_primary_key(place: Place) -> bool:
    return place.table is not None and bool(place.table.primary_key)


def _is_permuted(place: Place) -> bool:
    """The names of the key are all there and no other, in another order."""
    changes = (tree.get("value", {}).get("payload", {}).get("tableChanges") for tree in (place.tree, place.given))
    try:
        expected, given = (change[0]["table"]["primaryKeyColumnNames"] for change in changes)
        return sorted(expected) == sorted(given)
    except (TypeError, KeyError, IndexError):
        return False


# -- key -----------------------------------------------------------------------------------------------------------


def _key_rules() -> Iterator[Rule]:
    column = "key.payload.{column}"
    yield Rule("DBZ-310", "key.payload", _ddl, _FORM | _DOUBLED)
    yield Rule("DBZ-310", column, _ddl, _GONE | _EXTRA)
    moved: Row = ("DBZ-311a", all_of(_ddl, _changes_schema, shows(_is_old(0))))
    yield from ranked(column, _WRONG, moved, ("DBZ-311", all_of(_ddl, apart_from(moved))))
    for requirement, member in (
        ("DBZ-310b", "name"),
        ("DBZ-310c", "type"),
        ("DBZ-310d", "optional"),
        ("DBZ-310e", "version"),
    ):
        yield Rule(requirement, f"key.schema.{member}", _ddl, _LEAF)
    fields = "key.schema.fields"
    yield Rule("DBZ-310a", fields, _ddl, _FORM | _DOUBLED)
    yield Rule("DBZ-310a", f"{fields}.{{column}}", _ddl, _LEAF | _EXTRA)
    yield Rule("DBZ-040b", f"{fields}.{{column}}", _ddl, _DOUBLED)
    yield Rule("DBZ-310f", f"{fields}.{{column}}", _ddl, _ORDER)
    yield Rule("DBZ-310f", "key.schema", _ddl, _ORDER)
    for member in ("type", "optional", "field"):
        yield Rule("DBZ-310a", f"{fields}.{{column}}.{member}", _ddl, _LEAF)
    for member in ("*", "name", "version", "parameters", "default", "tidb_type"):
        yield Rule("DBZ-040a", f"{fields}.{{column}}.{member}", _ddl, _EXTRA)


# -- payload -------------------------------------------------------------------------------------------------------


def _payload_rules() -> Iterator[Rule]:
    at = "value.payload"
    yield Rule("DBZ-320", f"{at}.ddl", _ddl, _LEAF)
    yield Rule("DBZ-320a", f"{at}.databaseName", _ddl, _LEAF)
    yield Rule("DBZ-320b", f"{at}.schemaName", _ddl, _LEAF)
    yield Rule("DBZ-320c", at, _ddl, _ORDER)
    old: Row = ("DBZ-321a", all_of(_ddl, _renames, shows(_is_old(0))))
    yield from ranked(f"{at}.source.db", _WRONG, old, ("DBZ-321d", all_of(_ddl, apart_from(old))))
    of_table: tuple[Row, ...] = (
        ("DBZ-321a", all_of(_ddl, _renames, shows(_is_old(1)))),
        ("DBZ-321b", all_of(_ddl, _is_about_schema)),
    )
    yield from ranked(f"{at}.source.table", _WRONG, *of_table, ("DBZ-321", all_of(_ddl, apart_from(*of_table))))
    yield Rule("DBZ-302", _CHANGES, _ddl, _FORM)
    empty: Condition = lambda place: not expected_in(place, "value", "payload", "tableChanges")  # noqa: E731
    yield Rule("DBZ-301", _CHANGES, all_of(_ddl, empty), frozenset())
    yield Rule("DBZ-301", f"{_CHANGES}[]", all_of(_ddl, empty), _EXTRA)
    yield Rule("DBZ-302a", f"{_CHANGES}[]", all_of(_ddl, no(empty)), _EXTRA)
    yield Rule("DBZ-302", f"{_CHANGES}[]", _ddl, _FORM)
    yield Rule("DBZ-040a", f"{_CHANGES}[].*", _ddl, _EXTRA)
    yield Rule("DBZ-040b", f"{_CHANGES}[]", _ddl, _DOUBLED)
    yield Rule("DBZ-322", f"{_CHANGES}[]", _ddl, _ORDER)
    others = no(any_of(*(_is(*codes) for codes in _TYPES.values())))
    for requirement, codes in _TYPES.items():
        yield Rule(requirement, f"{_CHANGES}[].type", _is(*codes), _LEAF)
    yield Rule("DBZ-300a", f"{_CHANGES}[].type", all_of(_ddl, others), _LEAF)
    written: tuple[Row, ...] = (
        ("DBZ-323b", all_of(_ddl, _has_quote, shows(_is_escaped))),
        ("DBZ-323c", all_of(_ddl, _renames, shows(_is_turned))),
    )
    yield from ranked(
        f"{_CHANGES}[].id",
        _LEAF,
        *written,
        ("DBZ-323a", all_of(_ddl, _renames, apart_from(*written))),
        ("DBZ-323", all_of(_ddl, no(_renames), apart_from(*written))),
    )


def _table_rules() -> Iterator[Rule]:
    at = f"{_CHANGES}[].table"
    gone: Condition = lambda place: place.expected is None or place.got is None  # noqa: E731
    dropped: tuple[Row, ...] = (
        ("DBZ-324", all_of(_ddl, _is(_DROP_TABLE))),
        ("DBZ-324a", all_of(_ddl, _is(8, 24), shows(gone))),
    )
    yield from ranked(at, _LEAF, *dropped, ("DBZ-302", all_of(_ddl, apart_from(*dropped))))
    yield Rule("DBZ-040a", f"{at}.*", _ddl, _EXTRA)
    yield Rule("DBZ-040b", at, _ddl, _DOUBLED)
    yield Rule("DBZ-325e", at, _ddl, _ORDER)
    yield Rule("DBZ-325", f"{at}.defaultCharsetName", _ddl, _LEAF)
    yield Rule("DBZ-325d", f"{at}.comment", _ddl, _LEAF)
    names = f"{at}.primaryKeyColumnNames"
    yield Rule("DBZ-325a", names, _ddl, _FORM)
    order: Row = ("DBZ-326", all_of(_ddl, shows(any_of(no(_has_primary_key), _is_permuted))))
    of_key = all_of(_ddl, _has_primary_key, apart_from(order))
    yield from ranked(f"{names}[]", _LEAF | _EXTRA, order, ("DBZ-325a", of_key))
    yield Rule("DBZ-326", names, all_of(_ddl, no(_has_primary_key)), frozenset())


# -- schema --------------------------------------------------------------------------------------------------------


def _schema_rules() -> Iterator[Rule]:
    name = "value.schema.name"
    yield Rule("DBZ-340", name, all_of(_ddl, shows(no(is_named_for_table))), _LEAF)
    yield Rule("DBZ-340d", name, all_of(_ddl, shows(is_named_for_table)), _LEAF)
    for requirement, member in (
        ("DBZ-340a", "type"),
        ("DBZ-340b", "optional"),
        ("DBZ-340c", "version"),
    ):
        yield Rule(requirement, f"value.schema.{member}", _ddl, _LEAF)
    yield Rule("DBZ-310f", "value.schema", _ddl, _ORDER)
    fields = "value.schema.fields"
    changes = f"{fields}.tableChanges"
    table = f"{changes}.items.fields.table"
    columns = f"{table}.fields.columns"
    for requirement, at in (
        ("DBZ-341", fields),
        ("DBZ-342", changes),
        ("DBZ-342", f"{changes}.items"),
        ("DBZ-342", f"{changes}.items.fields"),
        ("DBZ-342a", table),
        ("DBZ-342a", f"{table}.fields"),
        ("DBZ-342b", columns),
        ("DBZ-342b", f"{columns}.items"),
        ("DBZ-342b", f"{columns}.items.fields"),
    ):
        yield Rule(requirement, at, _ddl, _FORM)
        yield Rule(requirement, f"{at}.*", _ddl, _LEAF)
        yield Rule("DBZ-040a", f"{at}.*", _ddl, _EXTRA)
        yield Rule("DBZ-040b", at, _ddl, _DOUBLED)
        lists = at.endswith("fields")
        yield Rule("DBZ-051h" if lists else "DBZ-310f", at, _ddl, _ORDER)
    for name in ("ts_ms", "transaction", "op"):
        yield Rule("DBZ-341", f"{fields}.{name}", all_of(_ddl, lambda place: place.expected is not MISSING), _LEAF)
        yield Rule("DBZ-341", f"{fields}.{name}.*", _ddl, _LEAF)
        yield Rule("DBZ-040a", f"{fields}.{name}", _ddl, _EXTRA)
    for name in ("databaseName", "schemaName", "ddl"):
        yield Rule("DBZ-341", f"{fields}.{name}", _ddl, _LEAF)
        yield Rule("DBZ-341", f"{fields}.{name}.*", _ddl, _LEAF)
    for name in ("ts_ms", "databaseName", "schemaName", "ddl"):
        yield Rule("DBZ-310f", f"{fields}.{name}", _ddl, _ORDER)


def statement_rules() -> Iterator[Rule]:
    """Every rule of DDL messages but those of the columns of a table."""
    yield from _key_rules()
    yield from _payload_rules()
    yield from _table_rules()
    yield from _schema_rules()

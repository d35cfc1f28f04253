"""Rules of the columns in `tableChanges` of a DDL message.  [DBZ-325b, DBZ-325c, DBZ-327, DBZ-330 … DBZ-339]"""

from __future__ import annotations

import re
from collections.abc import Iterator

from conformance.oracle.conditions import all_of, any_of, apart_from, family, generated, kind, no, shows
from conformance.oracle.debezium.known_values import CURRENT, default_text
from conformance.oracle.debezium.places import column_of, has_column, has_default, is_unsigned_integer, type_of
from conformance.oracle.rules import Condition, Place, Row, Rule, always, ranked
from conformance.oracle.tree import Kind
from reference_impl.column_types import TEXT, Family
from reference_impl.model import DdlEvent

__all__ = ["CHANGED_COLUMNS", "change_rules"]

CHANGED_COLUMNS = "value.payload.tableChanges[].table.columns"

_LEAF = frozenset({Kind.MISSING, Kind.JSON_KIND, Kind.VALUE})
_PRESENCE = frozenset({Kind.MISSING, Kind.EXTRA})
_EXTRA, _ORDER, _DOUBLED = (frozenset({k}) for k in (Kind.EXTRA, Kind.ORDER, Kind.DOUBLED))

_CHARSET = re.compile(r"\bchar(acter )?set\b", re.IGNORECASE)

_CLOCKS = family(Family.DATETIME, Family.TIME, Family.TIMESTAMP)
_of_statement = family(Family.DATETIME, Family.TIME, Family.TIMESTAMP, Family.YEAR)
_characters = family(*TEXT, Family.ENUM, Family.SET)
_bit, _enum, _set, _float = (family(f) for f in (Family.BIT, Family.ENUM, Family.SET, Family.FLOAT))
_plain_int = all_of(family(Family.INT), no(is_unsigned_integer()))


def _is_defined(place: Place) -> bool:
    """The statement names the column, as far as its text shows."""
    event = place.event
    if not isinstance(event, DdlEvent) or place.column is None:
        return False
    return re.search(rf"(?<![\w$]){re.escape(place.column.name)}(?![\w$])", event.query) is not None


def _is_renamed(place: Place) -> bool:
    """There are as many columns as there should be, so that this one has another name."""
    trees = []
    for tree in (place.tree, place.given):
        part = tree
        for step in place.path[:-1]:
            part = part[step]  # type: ignore[index]
        trees.append(part)
    return len(trees[0]) == len(trees[1])


def _has_comment(place: Place) -> bool:
    return bool(column_of(place).comment)


def _is_null(place: Place) -> bool:
    return place.expected is None


def _is_now(place: Place) -> bool:
    return (default_text(column_of(place)) or "").upper() == CURRENT


def _counts(place: Place) -> bool:
    """The column is AUTO_INCREMENT, or a TIMESTAMP with ON UPDATE."""
    column = column_of(place)
    return column.auto_increment or (column.type.family is Family.TIMESTAMP and column.on_update_now)


def _is_implied(place: Place) -> bool:
    """The charset follows from the collation alone, and is utf8: the statement names none."""
    column, event = column_of(place), place.event
    is_named = isinstance(event, DdlEvent) and _CHARSET.search(event.query) is not None
    return column.collation == "utf8_unicode_ci" and not is_named


def _has_scale(place: Place) -> bool:
    return type_of(place).scale is not None


def _is_catalogue_default(place: Place) -> bool:
    return place.got in (None, default_text(column_of(place)), "1970-01-01 00:00:00")


def _unescaped(label: object) -> str:
    return str(label).replace("\\", "").replace("''", "'").strip("'")


def _is_label_escaped(place: Place) -> bool:
    return isinstance(place.got, str) and _unescaped(place.expected) == _unescaped(place.got)


_has_label_to_escape: Condition = lambda place: any(  # noqa: E731
    "'" in member or "\\" in member for member in type_of(place).members
)

_NOW: Row = ("DBZ-334a", all_of(_is_now, shows(lambda place: str(place.got).upper() == CURRENT)))
_WRITTEN: Row = ("DBZ-331b", all_of(_of_statement, _is_defined, shows(_is_catalogue_default), apart_from(_NOW)))
_OF_DEFAULTS = (_NOW, _WRITTEN)
_BITS: Row = ("DBZ-334c", all_of(_bit, has_default, shows(lambda place: place.got is not None)))
_LABELS: Row = ("DBZ-335b", all_of(_has_label_to_escape, shows(_is_label_escaped)))
_LENGTHS: tuple[Row, ...] = (
    ("DBZ-339", all_of(_float, no(_has_scale))),
    ("DBZ-338k", any_of(_enum, _set)),
    ("DBZ-331a", _CLOCKS),
)

_SCALES: tuple[Row, ...] = (("DBZ-338i", family(Family.DECIMAL)), ("DBZ-338j", _is_null))

# Who speaks of a member, the most special first.
_MEMBERS: dict[str, tuple[Row, ...]] = {
    "jdbcType": (("DBZ-338", _plain_int), ("DBZ-338a", no(_plain_int))),
    "nativeType": (("DBZ-330a", always),),
    "comment": (
        ("DBZ-333", all_of(_has_comment, no(_is_null))),
        ("DBZ-331", all_of(_has_comment, _is_null)),
        ("DBZ-333a", no(_has_comment)),
    ),
    "defaultValueExpression": (
        *_OF_DEFAULTS,
        ("DBZ-334a", all_of(_is_now, apart_from(*_OF_DEFAULTS))),
        ("DBZ-334b", all_of(no(has_default), apart_from(*_OF_DEFAULTS))),
        _BITS,
        ("DBZ-334", all_of(has_default, apart_from(*_OF_DEFAULTS, ("DBZ-334a", _is_now), _BITS))),
    ),
    "enumValues": (("DBZ-335", _enum), ("DBZ-335a", no(_enum))),
    "enumValues[]": (
        _LABELS,
        ("DBZ-335", all_of(_enum, apart_from(_LABELS))),
        ("DBZ-335a", all_of(no(_enum), apart_from(_LABELS))),
    ),
    "typeName": (("DBZ-338l", _plain_int), ("DBZ-338b", no(_plain_int))),
    "typeExpression": (("DBZ-338m", _plain_int), ("DBZ-338c", no(_plain_int))),
    "charsetName": (
        ("DBZ-338e", all_of(_characters, _is_implied, shows(lambda place: place.got == "utf8mb4"))),
        ("DBZ-338d", _characters),
        ("DBZ-338f", no(_characters)),
    ),
    "length": (
        *_LENGTHS,
        ("DBZ-338h", _is_null),
        ("DBZ-338g", all_of(no(_is_null), apart_from(*_LENGTHS))),
    ),
    "scale": (
        ("DBZ-338i", family(Family.DECIMAL)),
        ("DBZ-338j", _is_null),
        ("DBZ-040", apart_from(*_SCALES)),
    ),
    "position": (("DBZ-327", always),),
    "optional": (("DBZ-337", always),),
    "autoIncremented": (("DBZ-336", _counts), ("DBZ-336a", no(_counts))),
    "generated": (
        ("DBZ-336", _counts),
        ("DBZ-336b", generated("virtual", "stored")),
        ("DBZ-336c", no(any_of(_counts, generated("virtual", "stored")))),
    ),
}


def change_rules() -> Iterator[Rule]:
    """Every rule of the columns of a changed table."""
    column = f"{CHANGED_COLUMNS}.{{column}}"
    known = all_of(kind("ddl"), has_column)
    yield from ranked(column, _PRESENCE, ("DBZ-325c", shows(_is_renamed)), ("DBZ-325b", always))
    yield Rule("DBZ-325b", column, kinds=frozenset({Kind.JSON_KIND}))
    yield Rule("DBZ-325b", CHANGED_COLUMNS, kinds=_ORDER | _DOUBLED | frozenset({Kind.MISSING, Kind.JSON_KIND}))
    yield Rule("DBZ-330", column, kinds=_ORDER)
    yield Rule("DBZ-040b", column, kinds=_DOUBLED)
    yield Rule("DBZ-325c", f"{column}.name", kinds=_LEAF)
    yield Rule("DBZ-040a", f"{column}.*", kinds=_EXTRA)
    for member, steps in _MEMBERS.items():
        for requirement, condition in steps:
            extra = _EXTRA if member == "enumValues[]" else frozenset[Kind]()
            yield Rule(requirement, f"{column}.{member}", all_of(known, condition), _LEAF | extra)

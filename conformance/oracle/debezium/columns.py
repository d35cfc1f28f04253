"""Rules of how columns are described in schemas: type, name, parameters, default, `tidb_type`.

[DBZ-030b, DBZ-035, DBZ-036, DBZ-054 … DBZ-059, DBZ-100 … DBZ-131, DBZ-140 … DBZ-153]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.oracle.conditions import (
    all_of,
    any_of,
    apart_from,
    family,
    generated,
    kind,
    never,
    no,
    option,
    same,
    shows,
)
from conformance.oracle.debezium.known_values import CURRENT, calendar_day, default_text, instant
from conformance.oracle.debezium.places import (
    DESCRIPTIONS,
    column_of,
    given_in,
    has_column,
    has_default,
    is_boolean,
    is_unsigned_integer,
    same_in_value,
    type_of,
)
from conformance.oracle.rules import Condition, Place, Row, Rule, absent, always, ranked
from conformance.oracle.tree import MISSING, Kind
from reference_impl.column_types import BINARY, INTEGERS, TEXT, Family
from reference_impl.model import DdlEvent, Expression

__all__ = ["column_rules"]

_FORM = frozenset({Kind.MISSING, Kind.EXTRA, Kind.JSON_KIND, Kind.VALUE, Kind.TEXT})
_GONE, _EXTRA = frozenset({Kind.MISSING}), frozenset({Kind.EXTRA})
_DOUBLED, _ORDER = frozenset({Kind.DOUBLED}), frozenset({Kind.ORDER})
_WRONG = frozenset({Kind.VALUE, Kind.JSON_KIND})

_KEY = DESCRIPTIONS[2]

_of_row = kind("row")
_row = all_of(_of_row, has_column)
_extension = option("enable_tidb_extension")
_extension_named: Condition = lambda place: "enable-tidb-extension" in place.case.options  # noqa: E731

# -- types ---------------------------------------------------------------------------------------------------------


def _bits(*, one: bool) -> Condition:
    return all_of(family(Family.BIT), lambda place: (type_of(place).bits == 1) == one)


def _micro(place: Place) -> bool:
    return type_of(place).fsp > 3


def _scaled(place: Place) -> bool:
    return type_of(place).scale is not None


_signed = no(is_unsigned_integer())

_TYPES: tuple[tuple[str, Condition], ...] = (
    ("DBZ-100", _bits(one=True)),
    ("DBZ-101", _bits(one=False)),
    ("DBZ-102", family(*TEXT)),
    ("DBZ-103", family(*BINARY)),
    ("DBZ-104", family(Family.ENUM)),
    ("DBZ-105", family(Family.SET)),
    ("DBZ-106", family(Family.DATE)),
    ("DBZ-107", all_of(family(Family.DATETIME), no(_micro))),
    ("DBZ-108", all_of(family(Family.DATETIME), _micro)),
    ("DBZ-109", family(Family.TIMESTAMP)),
    ("DBZ-110", family(Family.TIME)),
    ("DBZ-111", family(Family.JSON)),
    ("DBZ-112b", all_of(is_boolean, lambda place: place.got in (place.expected, "boolean"))),
    ("DBZ-112", all_of(family(Family.TINYINT), no(all_of(is_boolean, lambda place: place.got == "boolean")))),
    ("DBZ-113", all_of(family(Family.SMALLINT), _signed)),
    ("DBZ-114", is_unsigned_integer(Family.SMALLINT)),
    ("DBZ-115", family(Family.MEDIUMINT)),
    ("DBZ-116", all_of(family(Family.INT), _signed)),
    ("DBZ-117", is_unsigned_integer(Family.INT)),
    ("DBZ-118", all_of(family(Family.BIGINT), _signed)),
    ("DBZ-119", is_unsigned_integer(Family.BIGINT)),
    ("DBZ-120", all_of(family(Family.FLOAT), no(_scaled))),
    ("DBZ-121", all_of(family(Family.FLOAT), _scaled)),
    ("DBZ-122", family(Family.DOUBLE)),
    ("DBZ-123", family(Family.DECIMAL)),
    ("DBZ-124", family(Family.YEAR)),
    ("DBZ-125", family(Family.VECTOR)),
)

_enum, _set, _vector = family(Family.ENUM), family(Family.SET), family(Family.VECTOR)


def _labels(text: str) -> str:
    """The labels of an `allowed` with all that escapes and quotes left out."""
    return text.replace("\\", "").replace("'", "")


def _is_escaped_otherwise(place: Place) -> bool:
    return isinstance(place.got, str) and _labels(place.got) == _labels(str(place.expected))


def _type_steps(member: str) -> Iterator[tuple[str, Condition]]:
    """The rules of a member that follows from the type."""
    if member == "version":
        yield "DBZ-125", _vector
        yield "DBZ-054a", no(_vector)
    elif member == "parameters.allowed":
        yield "DBZ-131", all_of(_enum, shows(_is_escaped_otherwise))
        yield "DBZ-104b", all_of(_enum, shows(no(_is_escaped_otherwise)))
        yield "DBZ-131a", all_of(_set, shows(_is_escaped_otherwise))
        yield "DBZ-105b", all_of(_set, shows(no(_is_escaped_otherwise)))
        yield "DBZ-040a", no(any_of(_enum, _set))
    elif member == "parameters.length":
        yield "DBZ-101", _bits(one=False)
        yield "DBZ-040a", no(_bits(one=False))
    elif member == "parameters":
        yield "DBZ-104b", _enum
        yield "DBZ-105b", _set
        yield "DBZ-101", _bits(one=False)
        yield "DBZ-040a", no(any_of(_enum, _set, _bits(one=False)))
    else:
        yield from _TYPES


# -- defaults ------------------------------------------------------------------------------------------------------


def _is_expression(place: Place) -> bool:
    return isinstance(column_of(place).default, Expression)


def _is_now(place: Place) -> bool:
    return default_text(column_of(place)) == CURRENT


def _text(place: Place) -> str:
    return default_text(column_of(place)) or ""


def _is_zero_date(place: Place) -> bool:
    return _text(place).startswith("0000-00-00")


def _is_unreadable(place: Place) -> bool:
    return calendar_day(_text(place)) is None


def _is_zero_timestamp(place: Place) -> bool:
    return instant(_text(place), place.case.settings) is None


_numbers = family(*INTEGERS, Family.FLOAT, Family.DOUBLE, Family.DECIMAL)
_large = family(
    *(TEXT - {Family.CHAR, Family.VARCHAR}),
    *(BINARY - {Family.BINARY, Family.VARBINARY, Family.GEOMETRY}),
    Family.JSON,
)
_datetime, _timestamp = family(Family.DATETIME), family(Family.TIMESTAMP)

# What is described of a default, the most special first.
_DEFAULTS: tuple[tuple[str, Condition], ...] = (
    ("DBZ-143a", all_of(_timestamp, any_of(_is_now, _is_zero_timestamp))),
    ("DBZ-143", _timestamp),
    ("DBZ-142b", all_of(_datetime, _is_zero_date)),
    ("DBZ-142a", all_of(_datetime, any_of(_is_now, _is_unreadable))),
    ("DBZ-142", _datetime),
    ("DBZ-148b", _is_expression),
    ("DBZ-140", _numbers),
    ("DBZ-141", family(Family.DATE)),
    ("DBZ-144", family(Family.YEAR)),
    ("DBZ-145", family(Family.TIME)),
    ("DBZ-146", family(Family.BIT)),
    ("DBZ-148a", family(*BINARY)),
    ("DBZ-148", always),
)


def _earlier_defaults(place: Place) -> set[str | None]:
    """The defaults of the column in other versions of its table."""
    column, table = column_of(place), place.table
    versions = [*place.case.tables]
    for event in place.case.events:
        if isinstance(event, DdlEvent):
            versions += [t for t in (event.table_before, event.table_after, *event.other_tables) if t is not None]
    others = (version.column(column.name) for version in versions if table is not None and version.id == table.id)
    return {default_text(other) for other in others if other is not None} - {default_text(column)}


def _is_changed(place: Place) -> bool:
    return bool(_earlier_defaults(place))


def _is_earlier_default(place: Place) -> bool:
    given = None if place.got is MISSING else str(place.got)
    return given in _earlier_defaults(place)


def _default_steps() -> Iterator[tuple[str, Condition]]:
    """A default where there is none; one that is lost, or wrong. Each kind of default has one rule."""
    stale: Row = ("DBZ-149", all_of(_is_changed, shows(_is_earlier_default)))
    yield stale
    yield "DBZ-148c", all_of(no(has_default), _large, apart_from(stale))
    yield "DBZ-055a", all_of(no(has_default), no(_large), apart_from(stale))
    earlier: list[Condition] = [no(has_default)]
    for requirement, condition in _DEFAULTS:
        yield requirement, all_of(condition, no(any_of(*earlier)), apart_from(stale))
        earlier.append(condition)


# -- tidb_type -----------------------------------------------------------------------------------------------------

_TWINS: Mapping[str, str] = {
    "binary": "char",
    "varbinary": "varchar",
    **{f"{size}blob": f"{size}text" for size in ("tiny", "", "medium", "long")},
}


def _word(text: object) -> str:
    return str(text).lower().partition("(")[0].strip().partition(" ")[0]


def _says_unsigned(text: object) -> bool:
    return "unsigned" in str(text).lower()


def _is_decided_by_charset(place: Place) -> bool:
    word = type_of(place).text.lower()
    return "char" in word or "text" in word


def _is_twin(place: Place) -> bool:
    return _is_decided_by_charset(place) and _TWINS.get(str(place.expected)) == _word(place.got)


def _is_another_word(place: Place) -> bool:
    return not isinstance(place.got, str) or _word(place.got) != _word(place.expected)


def _is_other_case(place: Place) -> bool:
    return isinstance(place.got, str) and place.got != place.got.lower()


def _is_signed_otherwise(place: Place) -> bool:
    return _says_unsigned(place.expected) != _says_unsigned(place.got)


_OF_TIDB_TYPE: tuple[Row, ...] = (
    ("DBZ-151a", shows(_is_twin)),
    ("DBZ-151", shows(all_of(_is_another_word, no(_is_twin)))),
    ("DBZ-151a", shows(_is_other_case)),
    ("DBZ-152", shows(_is_signed_otherwise)),
)
_TIDB_TYPES: tuple[Row, ...] = (*_OF_TIDB_TYPE, ("DBZ-153", apart_from(*_OF_TIDB_TYPE)))


def _is_described_without(place: Place) -> bool:
    """The given description of `after` has no `tidb_type` either."""
    after = given_in(place, "value", "schema", "fields", "after", "fields", column_of(place).name)
    return not (isinstance(after, dict) and "tidb_type" in after)


def _tidb_type_rules(at: str) -> Iterator[Rule]:
    place = f"{at}.{{column}}.tidb_type"
    extension = all_of(_row, _extension)
    elsewhere = no(_is_described_without) if "after" not in at else never
    yield Rule("DBZ-056", place, all_of(extension, elsewhere), _GONE)
    yield Rule("DBZ-150", place, all_of(extension, no(elsewhere)), _GONE)
    yield absent("DBZ-150b", place, all_of(extension, lambda p: p.profile.name == "classic"))
    yield absent("DBZ-150a", place, all_of(_row, no(_extension), any_of(_extension_named, same)))
    yield absent("DBZ-012", place, all_of(_row, no(_extension), no(_extension_named)))
    there = all_of(extension, lambda p: p.expected is not MISSING and p.got is not MISSING)
    yield from ranked(
        place, _WRONG, *((requirement, all_of(there, condition)) for requirement, condition in _TIDB_TYPES)
    )


# -- descriptions --------------------------------------------------------------------------------------------------

_MEMBERS = ("type", "name", "version", "parameters", "parameters.allowed", "parameters.length")
_TYPE_OF_KEY = frozenset({"type", "name"})


def _of_value(at: str) -> Condition:
    """The fault is that of the description itself: a key's that the given value has, too."""
    return any_of(same, same_in_value) if at == _KEY else always


def _member_rules(at: str) -> Iterator[Rule]:
    column = f"{at}.{{column}}"
    for member in _MEMBERS:
        place = f"{column}.{member}"
        for requirement, condition in _type_steps(member):
            yield Rule(requirement, place, all_of(_row, condition, _of_value(at)), _FORM, when_absent=False)
        if at == _KEY:
            own = "DBZ-030b" if member in _TYPE_OF_KEY else "DBZ-036"
            yield Rule(own, place, all_of(_row, any_of(same, no(same_in_value))), _FORM)
    yield Rule("DBZ-055", f"{column}.optional", all_of(_row, _of_value(at)), _FORM)
    for requirement, condition in _default_steps():
        yield Rule(requirement, f"{column}.default", all_of(_row, _of_value(at), condition), _FORM, when_absent=True)
    if at == _KEY:
        yield Rule("DBZ-035", f"{column}.optional", all_of(_row, any_of(same, no(same_in_value))), _FORM)
        yield Rule("DBZ-036", f"{column}.default", all_of(_row, any_of(same, no(same_in_value))), _FORM)
    yield Rule("DBZ-030b" if at == _KEY else "DBZ-051b", f"{column}.field", _row, _FORM)
    yield Rule("DBZ-040a", f"{column}.*", _row, _EXTRA)
    yield Rule("DBZ-040", f"{column}.*", _row, _FORM - _EXTRA)
    yield Rule("DBZ-040a", f"{column}.parameters.*", _row, _EXTRA)
    yield Rule("DBZ-040b", column, _row, _DOUBLED)
    yield Rule("DBZ-040b", f"{column}.parameters", _row, _DOUBLED)
    yield Rule("DBZ-054", column, _row, _ORDER)


# -- which columns are described -----------------------------------------------------------------------------------


def _without_virtual(place: Place, tree: object) -> list[str]:
    table = place.table
    assert table is not None
    assert isinstance(tree, dict)
    virtual = {column.name for column in table.columns if column.generated == "virtual"}
    return [name for name in tree if name not in virtual]


def _is_moved_virtual(place: Place) -> bool:
    """Only virtual generated columns stand elsewhere."""
    if place.table is None or not (isinstance(place.expected, dict) and isinstance(place.got, dict)):
        return False
    return _without_virtual(place, place.expected) == _without_virtual(place, place.got)


def _has_virtual(place: Place) -> bool:
    return place.table is not None and any(column.generated == "virtual" for column in place.table.columns)


def _image_rules(at: str) -> Iterator[Rule]:
    column = f"{at}.{{column}}"
    yield Rule("DBZ-057", column, all_of(_row, generated("virtual")), _GONE)
    yield Rule("DBZ-051b", column, all_of(_row, no(generated("virtual"))), _GONE | _WRONG)
    yield Rule("DBZ-051b", column, all_of(_row, generated("virtual")), _WRONG)
    yield Rule("DBZ-040a", column, _of_row, _EXTRA)
    yield Rule("DBZ-057b", at, _of_row, _DOUBLED)
    yield Rule("DBZ-057a", at, all_of(_of_row, _has_virtual, any_of(same_order, _is_moved_virtual)), _ORDER)
    yield Rule("DBZ-051c", at, all_of(_of_row, any_of(same_order, no(_is_moved_virtual))), _ORDER)
    yield Rule("DBZ-051b", at, _of_row, _GONE | _WRONG)


def same_order(place: Place) -> bool:
    """The members that both objects have stand in one order."""
    if not (isinstance(place.expected, dict) and isinstance(place.got, dict)):
        return True
    common = [name for name in place.expected if name in place.got]
    return common == [name for name in place.got if name in place.expected]


def column_rules() -> Iterator[Rule]:
    """Every rule of the descriptions of columns; which columns a key describes is a rule of keys."""
    for at in DESCRIPTIONS:
        yield from _member_rules(at)
        yield from _tidb_type_rules(at)
        if at != _KEY:
            yield from _image_rules(at)

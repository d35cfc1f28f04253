"""Rules of the columns of a row: which there are, their `sqlType`, their `mysqlType`.  [CJ-030, CJ-301 … CJ-378]"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.oracle.canal_json.places import (
    DATA,
    codes_of_update,
    is_integer_unsigned,
    is_known_by_another_case,
    is_reduced_unasked,
    limit,
    reduced_as,
    truth,
)
from conformance.oracle.conditions import all_of, any_of, apart_from, family, generated, never, no, option, shows
from conformance.oracle.rules import Condition, Place, Row, Rule, ranked
from conformance.oracle.tree import MISSING, Kind
from reference_impl.column_types import INTEGERS, Family

__all__ = ["BLOBS", "CHARACTERS", "CODE_RULES", "REDUCTIONS", "TEXTS", "type_rules"]

SQL_TYPE, MYSQL_TYPE = "value.sqlType.{column}", "value.mysqlType.{column}"

CHARACTERS = (Family.CHAR, Family.VARCHAR)
TEXTS = (Family.TINYTEXT, Family.TEXT, Family.MEDIUMTEXT, Family.LONGTEXT)
BLOBS = (Family.TINYBLOB, Family.BLOB, Family.MEDIUMBLOB, Family.LONGBLOB)
_BINARIES = (Family.BINARY, Family.VARBINARY)
_CLOCKS = (Family.TIME, Family.DATETIME, Family.TIMESTAMP)

# By which requirement a message has fewer columns than its table.
REDUCTIONS = ("CJ-104", "CJ-112", "CJ-113", "CJ-131", "CJ-134")

_PRESENCE = frozenset({Kind.MISSING, Kind.EXTRA})
_LEAF = frozenset({Kind.VALUE, Kind.JSON_KIND})


# -- which columns -----------------------------------------------------------------------------------------------


def _presence_rules() -> Iterator[Rule]:
    for at in (SQL_TYPE, MYSQL_TYPE, DATA):
        null: Condition = (lambda place: place.expected is None) if at == DATA else never
        # Of these, the document says only what should be.
        advised = any_of(*map(reduced_as, REDUCTIONS), generated("virtual"), null)
        there: Condition = lambda place: place.expected is not MISSING  # noqa: E731
        for requirement, condition in (
            ("CJ-037", shows(is_known_by_another_case)),
            ("CJ-205", is_reduced_unasked),
            *((requirement, reduced_as(requirement)) for requirement in REDUCTIONS),
            ("CJ-030", generated("virtual")),
            *((("CJ-034a", null),) if at == DATA else ()),
            ("CJ-030a", all_of(there, shows(no(advised)))),
        ):
            absence = requirement == "CJ-030" or requirement in REDUCTIONS
            yield Rule(requirement, at, condition, _PRESENCE, when_absent=absence)


# -- sqlType -----------------------------------------------------------------------------------------------------

_CODES: tuple[tuple[str, tuple[Family, ...]], ...] = (
    ("CJ-301", (Family.TINYINT,)),
    ("CJ-302", (Family.SMALLINT,)),
    ("CJ-303", (Family.MEDIUMINT,)),
    ("CJ-304", (Family.INT,)),
    ("CJ-305", (Family.BIGINT,)),
    ("CJ-306", (Family.FLOAT,)),
    ("CJ-307", (Family.DOUBLE,)),
    ("CJ-308", (Family.DECIMAL,)),
    ("CJ-309", (Family.BIT,)),
    ("CJ-310", (Family.CHAR,)),
    ("CJ-311", (Family.VARCHAR,)),
    ("CJ-312", _BINARIES),
    ("CJ-313", TEXTS),
    ("CJ-314", BLOBS),
    ("CJ-315", (Family.DATE,)),
    ("CJ-316", (Family.DATETIME, Family.TIMESTAMP)),
    ("CJ-317", (Family.TIME,)),
    ("CJ-318", (Family.YEAR,)),
    ("CJ-319", (Family.ENUM,)),
    ("CJ-320", (Family.SET,)),
    ("CJ-321", (Family.JSON,)),
    ("CJ-322", (Family.VECTOR,)),
)

CODE_RULES: Mapping[Family, str] = {family: requirement for requirement, families in _CODES for family in families}
"""The requirement on the code of each family; of unsigned integers only where they have none of their own."""

# Up to the signed maximum of the width, and above it.
_WIDENED: tuple[tuple[str, str, Family], ...] = (
    ("CJ-330", "CJ-331", Family.TINYINT),
    ("CJ-332", "CJ-333", Family.SMALLINT),
    ("CJ-334", "CJ-334", Family.MEDIUMINT),
    ("CJ-335", "CJ-336", Family.INT),
    ("CJ-337", "CJ-338", Family.BIGINT),
)


def _number(place: Place) -> int | None:
    value = truth(place)
    return int(value) if isinstance(value, str) and is_integer_unsigned(place) else None


def _null(place: Place) -> bool:
    return truth(place) is None


def _above(place: Place) -> bool:
    number = _number(place)
    return number is not None and place.column is not None and number > limit(place.column.type)


def _at_border(place: Place) -> bool:
    number = _number(place)
    return number is not None and place.column is not None and number - limit(place.column.type) in (0, 1)


def _crosses(place: Place) -> bool:
    codes = codes_of_update(place)
    return codes is not None and codes[0] != codes[1]


def _is_of_old_row(place: Place) -> bool:
    codes = codes_of_update(place)
    return codes is not None and place.got == codes[0]


def _code_rules() -> Iterator[Rule]:
    unsigned: Condition = is_integer_unsigned
    numeric = family(Family.FLOAT, Family.DOUBLE, Family.DECIMAL)
    unsigned_number = all_of(numeric, lambda place: place.column is not None and place.column.type.unsigned)
    steps: list[Row] = [("CJ-340", all_of(_at_border, no(family(Family.MEDIUMINT))))]
    for below, above, kind in _WIDENED:
        steps.append((below, all_of(unsigned, family(kind), no(_above))))
        steps.append((above, all_of(unsigned, family(kind), _above)))
    steps += [(requirement, all_of(family(*kinds), no(unsigned))) for requirement, kinds in _CODES]
    advice = (
        ("CJ-341", all_of(unsigned, _null)),
        ("CJ-031", all_of(_crosses, shows(_is_of_old_row))),
        ("CJ-339", unsigned_number),
    )
    other = apart_from(*advice)  # of those, the document says only what should be
    yield from ranked(SQL_TYPE, _LEAF, *advice, *((requirement, all_of(when, other)) for requirement, when in steps))


# -- mysqlType ---------------------------------------------------------------------------------------------------

_full = option("content_compatible")


def _type_text(place: Place) -> str:
    return place.column.type.text.lower() if place.column is not None else ""


def _word(place: Place) -> str:
    return _type_text(place).partition("(")[0].strip().removesuffix(" unsigned").removesuffix(" zerofill").strip()


def _by_charset(place: Place) -> bool:
    """The charset turned a character type into its binary twin."""
    return family(*_BINARIES, *BLOBS)(place) and ("char" in _word(place) or "text" in _word(place))


def _is_unsigned(place: Place) -> bool:
    return place.column is not None and place.column.type.unsigned and not family(Family.BIT, Family.YEAR)(place)


def _is_zerofill(place: Place) -> bool:
    return place.column is not None and place.column.type.zerofill


def _has_parameters(place: Place) -> bool:
    return "(" in str(place.got)


def _has_other_words(place: Place) -> bool:
    """The words after the first are others."""
    return str(place.got).partition(" ")[2] != str(place.expected).partition(" ")[2]


def _numbers(place: Place) -> int:
    """How many numbers stand in the parentheses of the declared type."""
    text = _type_text(place)
    return text.count(",") + 1 if "(" in text else 0


def _integer(unsigned: bool) -> Condition:
    integers = family(*INTEGERS)
    return lambda place: integers(place) and is_integer_unsigned(place) == unsigned


def _is_boolean(place: Place) -> bool:
    return _type_text(place) in ("bool", "boolean", "tinyint(1)")


_floats, _decimal = family(Family.FLOAT, Family.DOUBLE), family(Family.DECIMAL)

# Full type texts: the first that applies speaks.
_FULL: tuple[tuple[str, Condition], ...] = (
    ("CJ-364", all_of(family(Family.TINYINT), _is_boolean)),
    ("CJ-362", all_of(family(*INTEGERS), _is_zerofill)),
    ("CJ-363", all_of(family(*INTEGERS), lambda place: _numbers(place) == 1)),
    ("CJ-361", _integer(True)),
    ("CJ-360", _integer(False)),
    ("CJ-366", all_of(_floats, lambda place: _numbers(place) == 2)),
    ("CJ-365", _floats),
    ("CJ-370", all_of(_decimal, _is_unsigned)),
    ("CJ-369", _decimal),
    ("CJ-371", family(Family.BIT)),
    ("CJ-372", family(*CHARACTERS)),
    ("CJ-373", family(*_BINARIES)),
    ("CJ-374", family(*TEXTS, *BLOBS, Family.JSON, Family.DATE)),
    ("CJ-375", family(*_CLOCKS)),
    ("CJ-376", family(Family.YEAR)),
    ("CJ-377", family(Family.ENUM, Family.SET)),
    ("CJ-378", family(Family.VECTOR)),
)


def _name_rules() -> Iterator[Rule]:
    plain = no(_full)
    filled = all_of(_is_zerofill, shows(_has_other_words))
    yield from ranked(
        MYSQL_TYPE,
        _LEAF,
        ("CJ-355", all_of(plain, lambda place: "(" in _type_text(place), shows(_has_parameters))),
        ("CJ-354", all_of(plain, filled)),
        ("CJ-350", all_of(plain, _is_unsigned, shows(all_of(_has_other_words, no(_is_zerofill))))),
        ("CJ-353", all_of(plain, _by_charset, shows(no(_has_parameters)))),
        ("CJ-355", all_of(plain, shows(_has_parameters))),
        ("CJ-351", all_of(plain, shows(no(any_of(filled, _by_charset, _has_parameters))))),
    )
    earlier: list[Condition] = []
    for requirement, applies in _FULL:
        yield Rule(requirement, MYSQL_TYPE, all_of(_full, applies, no(any_of(*earlier))), _LEAF)
        earlier.append(applies)


def type_rules() -> Iterator[Rule]:
    """Every rule of columns and their types."""
    yield from _presence_rules()
    yield from _code_rules()
    yield from _name_rules()

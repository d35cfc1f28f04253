"""Encoders that get defaults wrong: as a column's description has them, and in place of NULL.  [DBZ-140 … DBZ-163]"""

from __future__ import annotations

import base64
import copy
from collections.abc import Callable, Iterator
from typing import Any

from conformance.mutants.debezium.edits import (
    Tree,
    Wrap,
    described,
    encoder,
    has_default,
    truths,
)
from conformance.mutants.model import Answerer, Mutant
from conformance.mutants.wrappers import reference
from reference_impl.column_types import BINARY, INTEGERS, TEXT, Family
from reference_impl.epochs import EPOCH_TEXT, days
from reference_impl.model import Column, Expression
from reference_impl.profiles import NEWARCH

__all__ = ["MUTANTS"]

Applies = Callable[[Column], bool]
Make = Callable[[Any, Column], Any]

# -- in descriptions ---------------------------------------------------------------------------------------------------


def _is_now(column: Column) -> bool:
    return isinstance(column.default, Expression) and column.default.text.upper().startswith("CURRENT_TIMESTAMP")


def _is_zero(column: Column) -> bool:
    return isinstance(column.default, str) and column.default.startswith("0000")


def _is_no_day(column: Column) -> bool:
    return isinstance(column.default, str) and days(column.default) is None


def _is_plain(*families: Family) -> Applies:
    return lambda column: column.type.family in families and isinstance(column.default, str)


def _is_expression(column: Column) -> bool:
    return isinstance(column.default, Expression) and not _is_now(column)


def _default(applies: Applies, make: Make) -> Wrap:
    """The default that is described is another; none where `make` gives None."""

    def edit(field: Tree, column: Column) -> None:
        if "default" not in field:
            return
        made = make(field["default"], column)
        if made is None:
            del field["default"]
        else:
            field["default"] = made

    return described(applies, edit)


def _with_default(applies: Applies, make: Callable[[Column], Any]) -> Wrap:
    """Columns without a default in their description get one."""

    def edit(field: Tree, column: Column) -> None:
        field.setdefault("default", make(column))

    return described(applies, edit)


def _text(value: Any, column: Column) -> str:
    return str(value)


def _lost(value: Any, column: Column) -> None:
    return None


def _as_declared(value: Any, column: Column) -> Any:
    return column.default


def _as_number(value: Any, column: Column) -> int:
    return int(str(column.default))


def _coded(value: str, column: Column) -> str:
    return base64.b64encode(value.encode()).decode()


_LARGE = (
    *(Family.TINYTEXT, Family.TEXT, Family.MEDIUMTEXT, Family.LONGTEXT, Family.JSON),
    *(Family.TINYBLOB, Family.BLOB, Family.MEDIUMBLOB, Family.LONGBLOB),
)

# (requirement, name, what is wrong, columns, the default made of the right one; None for none)
_DESCRIBED: tuple[tuple[str, str, str, Applies, Make], ...] = (
    (
        "DBZ-140",
        "number-text",
        "the default of a number is a text",
        _is_plain(*INTEGERS, Family.FLOAT, Family.DOUBLE, Family.DECIMAL),
        _text,
    ),
    ("DBZ-140", "number-exact", "the default of a BIGINT has all its digits", _is_plain(Family.BIGINT), _as_number),
    ("DBZ-141", "date-text", "the default of a DATE is its text", _is_plain(Family.DATE), _as_declared),
    ("DBZ-141", "date-lost", "a DATE has no default", _is_plain(Family.DATE), _lost),
    ("DBZ-142", "datetime-text", "the default of a DATETIME is its text", _is_plain(Family.DATETIME), _as_declared),
    (
        "DBZ-142",
        "datetime-seconds",
        "the default of a DATETIME is in seconds",
        lambda c: _is_plain(Family.DATETIME)(c) and not _is_no_day(c),
        lambda v, c: v // (1000 if c.type.fsp <= 3 else 1_000_000),
    ),
    (
        "DBZ-142a",
        "datetime-now-text",
        "the default CURRENT_TIMESTAMP of a DATETIME is those words",
        lambda c: c.type.family is Family.DATETIME and _is_now(c),
        lambda v, c: "CURRENT_TIMESTAMP",
    ),
    (
        "DBZ-142a",
        "datetime-now-lost",
        "a DATETIME that defaults to CURRENT_TIMESTAMP has no default",
        lambda c: c.type.family is Family.DATETIME and _is_now(c),
        _lost,
    ),
    (
        "DBZ-142b",
        "datetime-zero-lost",
        "a zero default of a DATETIME is left out",
        lambda c: c.type.family is Family.DATETIME and _is_zero(c),
        _lost,
    ),
    ("DBZ-143", "timestamp-text", "the default of a TIMESTAMP is its text", _is_plain(Family.TIMESTAMP), _as_declared),
    (
        "DBZ-143",
        "timestamp-digits",
        "the default of a TIMESTAMP has no fractional digits",
        _is_plain(Family.TIMESTAMP),
        lambda v, c: f"{v[:19]}Z",
    ),
    (
        "DBZ-143a",
        "timestamp-now-lost",
        "a TIMESTAMP that defaults to CURRENT_TIMESTAMP or zero has no default",
        lambda c: c.type.family is Family.TIMESTAMP and (_is_now(c) or _is_zero(c)),
        _lost,
    ),
    ("DBZ-144", "year-text", "the default of a YEAR is its text", _is_plain(Family.YEAR), _text),
    ("DBZ-144", "year-short", "the default of a YEAR has two digits", _is_plain(Family.YEAR), lambda v, c: v % 100),
    ("DBZ-145", "time-text", "the default of a TIME is its text", _is_plain(Family.TIME), _as_declared),
    (
        "DBZ-145",
        "time-millis",
        "the default of a TIME is in milliseconds",
        _is_plain(Family.TIME),
        lambda v, c: v // 1000,
    ),
    ("DBZ-146", "bit-number", "the default of a BIT is its number", _is_plain(Family.BIT), _as_number),
    ("DBZ-148", "text-quoted", "the default of a text is in quotes", _is_plain(*TEXT), lambda v, c: f"'{v}'"),
    (
        "DBZ-148",
        "enum-number",
        "the default of an ENUM is its number",
        _is_plain(Family.ENUM),
        lambda v, c: c.type.members.index(v) + 1,
    ),
    ("DBZ-148", "empty-lost", "a default that is empty is left out", _is_plain(*TEXT), lambda v, c: v or None),
    ("DBZ-148a", "binary-base64", "the default of bytes is base64", _is_plain(*BINARY), _coded),
    (
        "DBZ-148a",
        "binary-unpadded",
        "the default of BINARY is not padded",
        _is_plain(Family.BINARY),
        lambda v, c: v.rstrip("\0"),
    ),
    (
        "DBZ-148b",
        "expression-lost",
        "a default that is an expression is left out",
        lambda c: _is_expression(c) and c.type.family not in (Family.DATETIME, Family.TIMESTAMP),
        _lost,
    ),
)


_SCHEMA = b',"schema":{'


def _with_schema_of(record: Tree, other: Tree) -> Tree:
    """The payload of one record and the schema of another, of values that are not compressed."""
    value, schema = (base64.b64decode(r["value"]).partition(_SCHEMA) for r in (record, other))
    return {**record, "value": base64.b64encode(value[0] + _SCHEMA + schema[2]).decode()} if value[1] else record


def _described_first(inner: Answerer) -> Answerer:
    """Descriptions of columns keep the defaults that these had before the first event."""

    def with_first_defaults(request: Tree) -> Tree:
        changed = copy.deepcopy(request)
        first = {(t["schema"], t["name"]): {c["name"]: c for c in t["columns"]} for t in request["tables"]}
        for event in changed["events"]:
            table = event.get("table_after")
            columns = first.get((table["schema"], table["name"]), {}) if table else {}
            for column in table["columns"] if table else ():
                column.pop("default", None)
                if "default" in columns.get(column["name"], ()):
                    column["default"] = columns[column["name"]]["default"]
        return changed

    def answer(request: Tree) -> Tree:
        given = inner(request)
        if request["op"] != "encode" or "ok" not in given:
            return given
        other = inner(with_first_defaults(request))["ok"]["records"]
        records = [_with_schema_of(*pair) for pair in zip(given["ok"]["records"], other, strict=True)]
        return {**given, "ok": {**given["ok"], "records": records}}

    return answer


# A default that is no longer there, or of a column that is of another type by now, breaks their rules, too.
_OF_DEFAULTS = (
    *("DBZ-055a", "DBZ-140", "DBZ-141", "DBZ-142", "DBZ-142a", "DBZ-142b", "DBZ-143", "DBZ-143a", "DBZ-144"),
    *("DBZ-145", "DBZ-146", "DBZ-148", "DBZ-148a", "DBZ-148b", "DBZ-148c"),
)


def _descriptions() -> Iterator[Mutant]:
    for requirement, name, description, applies, make in _DESCRIBED:
        yield encoder(f"default-{name}", requirement, description, _default(applies, make))
    yield encoder(
        "default-datetime-zero-always",
        "DBZ-142b",
        "a zero default of a nullable DATETIME is 0",
        _with_default(lambda c: c.type.family is Family.DATETIME and _is_zero(c), lambda c: 0),
    )
    yield encoder(
        "default-date-zero-always",
        "DBZ-141",
        "a zero default of a nullable DATE is 0",
        _with_default(lambda c: c.type.family is Family.DATE and _is_no_day(c), lambda c: 0),
    )
    yield encoder(
        "default-timestamp-epoch-always",
        "DBZ-143a",
        "the default CURRENT_TIMESTAMP of a nullable TIMESTAMP is the start of 1970",
        _with_default(
            lambda c: c.type.family is Family.TIMESTAMP and (_is_now(c) or _is_zero(c)), lambda c: EPOCH_TEXT
        ),
    )
    yield encoder(
        "default-expression-of-number",
        "DBZ-148b",
        "the default of a number that is an expression is its text",
        _with_default(
            lambda c: _is_expression(c) and c.type.family in INTEGERS,
            lambda c: c.default.text if isinstance(c.default, Expression) else "",
        ),
    )
    yield encoder(
        "default-of-large",
        "DBZ-148c",
        "texts, blobs and JSON have an empty default",
        _with_default(lambda c: c.type.family in _LARGE and not has_default(c), lambda c: ""),
    )
    yield encoder(
        "default-first", "DBZ-149", "the default that is described is the first one", _described_first, *_OF_DEFAULTS
    )


# -- in place of NULL --------------------------------------------------------------------------------------------------

Null = Callable[[Any, Column], Any]


def _nulls(applies: Applies, make: Null) -> Wrap:
    """What is written for NULL is another."""
    return truths(lambda value, truth, column: make(value, column) if truth is None and applies(column) else value)


def _replaced(*families: Family) -> Applies:
    """Columns of these families with a default that is no expression."""
    return _is_plain(*families)


def _without_default(column: Column) -> bool:
    return not has_default(column)


_NUMBERS = (Family.FLOAT, Family.DOUBLE, Family.DECIMAL, Family.BIT)

# (requirement, name, what is wrong, columns, what is written)
_REPLACED: tuple[tuple[str, str, str, Applies, Null], ...] = (
    ("DBZ-160", "kept", "NULL is null beside a default", has_default, lambda v, c: None),
    (
        "DBZ-160a",
        "empty",
        "NULL is an empty text",
        lambda c: _without_default(c) and c.type.family in (*TEXT, *BINARY, Family.ENUM, Family.SET),
        lambda v, c: "",
    ),
    (
        "DBZ-160a",
        "zero",
        "a number that is NULL is 0",
        lambda c: _without_default(c) and c.type.family in INTEGERS,
        lambda v, c: 0,
    ),
    ("DBZ-162", "number-text", "NULL in numbers is the text of the default", _replaced(*_NUMBERS), _as_declared),
    ("DBZ-162a", "integer-text", "NULL in integers is the text of the default", _replaced(*INTEGERS), _text),
    (
        "DBZ-162a",
        "bigint-double",
        "NULL in BIGINT is the default as a 64-bit float",
        _replaced(Family.BIGINT),
        lambda v, c: int(float(v)),
    ),
    ("DBZ-162d", "date-text", "NULL in DATE is the text of the default", _replaced(Family.DATE), _as_declared),
    ("DBZ-162e", "binary-text", "NULL in bytes is the text of the default", _replaced(*BINARY), _as_declared),
    (
        "DBZ-162f",
        "datetime-text",
        "NULL in DATETIME is the text of the default",
        _replaced(Family.DATETIME),
        _as_declared,
    ),
    (
        "DBZ-162f",
        "datetime-zero",
        "NULL in DATETIME with a zero default is 0",
        lambda c: c.type.family is Family.DATETIME and _is_zero(c),
        lambda v, c: 0,
    ),
    (
        "DBZ-162g",
        "timestamp-epoch",
        "NULL in TIMESTAMP with CURRENT_TIMESTAMP is the start of 1970",
        lambda c: c.type.family is Family.TIMESTAMP and (_is_now(c) or _is_zero(c)),
        lambda v, c: EPOCH_TEXT,
    ),
    (
        "DBZ-163",
        "timestamp-text",
        "NULL in TIMESTAMP is the text of the default",
        lambda c: _is_plain(Family.TIMESTAMP)(c) and not _is_zero(c),
        _as_declared,
    ),
)

# (requirement, defect of a recorded producer, what is wrong)
_DEFECTS: tuple[tuple[str, str, str], ...] = (
    ("DBZ-162a", "large-default-as-zero", "NULL in BIGINT UNSIGNED is 0 beside a large default"),
    ("DBZ-162b", "year-default-as-text", "NULL in YEAR is the text of the default"),
    ("DBZ-162c", "time-default-as-zero", "NULL in TIME is 0"),
    ("DBZ-162e", "doubled-binary-default", "NULL in bytes is the default, twice"),
)


# What is neither null nor a form of the default makes the image wrong as well.
_OF_IMAGES = ("DBZ-043b", "DBZ-043c")
_INVENTED = dict.fromkeys(("empty", "zero", "bigint-double", "integer-text"), _OF_IMAGES)
_OF_NULLS = ("DBZ-162", "DBZ-162a", "DBZ-162d", "DBZ-162f", "DBZ-162g", "DBZ-163")


def _nothing(value: Any, column: Column) -> Any:
    return "" if isinstance(value, str) else 0


def _null() -> Iterator[Mutant]:
    for requirement, name, description, applies, make in _REPLACED:
        yield encoder(f"null-{name}", requirement, description, _nulls(applies, make), *_INVENTED.get(name, ()))
    for requirement, defect, description in _DEFECTS:
        yield encoder(f"null-{defect}", requirement, description, reference(NEWARCH, f"debezium/{defect}"))
    yield encoder(
        "null-nothing",
        "DBZ-043c",
        "NULL beside a default is an empty text or 0",
        _nulls(_replaced(*TEXT, *INTEGERS, Family.DATE, Family.TIMESTAMP), _nothing),
        *("DBZ-043b", *_OF_NULLS),
    )
    yield encoder(
        "null-another-instant",
        "DBZ-043c",
        "NULL in TIMESTAMP is the start of 2001 beside a default",
        _nulls(_replaced(Family.TIMESTAMP), lambda v, c: "2001-01-01T00:00:00Z"),
        *("DBZ-043b", *_OF_NULLS),
    )
    yield encoder(
        "empty-null",
        "DBZ-160a",
        "an empty text is null",
        truths(lambda value, truth, column: None if value == "" and column.type.family in TEXT else value),
        "DBZ-102a",
        "DBZ-160",
    )


MUTANTS: tuple[Mutant, ...] = (*_descriptions(), *_null())

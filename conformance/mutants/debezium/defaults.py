"""Encoders that get the defaults in the descriptions of columns wrong.  [DBZ-140 … DBZ-149]"""

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
)
from conformance.mutants.model import Answerer, Mutant
from reference_impl.column_types import BINARY, INTEGERS, TEXT, Family
from reference_impl.epochs import EPOCH_TEXT, days
from reference_impl.model import Column, Expression

__all__ = ["MUTANTS", "as_declared", "as_text", "is_now", "is_plain", "is_zero"]

Applies = Callable[[Column], bool]
Make = Callable[[Any, Column], Any]


def is_now(column: Column) -> bool:
    """Whether the default is CURRENT_TIMESTAMP."""
    return isinstance(column.default, Expression) and column.default.text.upper().startswith("CURRENT_TIMESTAMP")


def is_zero(column: Column) -> bool:
    """Whether the default is a date of zeros."""
    return isinstance(column.default, str) and column.default.startswith("0000")


def _is_no_day(column: Column) -> bool:
    return isinstance(column.default, str) and days(column.default) is None


def is_plain(*families: Family) -> Applies:
    """Columns of these families with a default that is no expression."""
    return lambda column: column.type.family in families and isinstance(column.default, str)


def _is_expression(column: Column) -> bool:
    return isinstance(column.default, Expression) and not is_now(column)


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


def as_text(value: Any, column: Column) -> str:
    """What is described, as text."""
    return str(value)


def _lost(value: Any, column: Column) -> None:
    return None


def as_declared(value: Any, column: Column) -> Any:
    """The default as the table has it."""
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
        is_plain(*INTEGERS, Family.FLOAT, Family.DOUBLE, Family.DECIMAL),
        as_text,
    ),
    ("DBZ-140", "number-exact", "the default of a BIGINT has all its digits", is_plain(Family.BIGINT), _as_number),
    ("DBZ-141", "date-text", "the default of a DATE is its text", is_plain(Family.DATE), as_declared),
    ("DBZ-141", "date-lost", "a DATE has no default", is_plain(Family.DATE), _lost),
    ("DBZ-142", "datetime-text", "the default of a DATETIME is its text", is_plain(Family.DATETIME), as_declared),
    (
        "DBZ-142",
        "datetime-seconds",
        "the default of a DATETIME is in seconds",
        lambda c: is_plain(Family.DATETIME)(c) and not _is_no_day(c),
        lambda v, c: v // (1000 if c.type.fsp <= 3 else 1_000_000),
    ),
    (
        "DBZ-142a",
        "datetime-now-text",
        "the default CURRENT_TIMESTAMP of a DATETIME is those words",
        lambda c: c.type.family is Family.DATETIME and is_now(c),
        lambda v, c: "CURRENT_TIMESTAMP",
    ),
    (
        "DBZ-142a",
        "datetime-now-lost",
        "a DATETIME that defaults to CURRENT_TIMESTAMP has no default",
        lambda c: c.type.family is Family.DATETIME and is_now(c),
        _lost,
    ),
    (
        "DBZ-142b",
        "datetime-zero-lost",
        "a zero default of a DATETIME is left out",
        lambda c: c.type.family is Family.DATETIME and is_zero(c),
        _lost,
    ),
    ("DBZ-143", "timestamp-text", "the default of a TIMESTAMP is its text", is_plain(Family.TIMESTAMP), as_declared),
    (
        "DBZ-143",
        "timestamp-digits",
        "the default of a TIMESTAMP has no fractional digits",
        is_plain(Family.TIMESTAMP),
        lambda v, c: f"{v[:19]}Z",
    ),
    (
        "DBZ-143a",
        "timestamp-now-lost",
        "a TIMESTAMP that defaults to CURRENT_TIMESTAMP or zero has no default",
        lambda c: c.type.family is Family.TIMESTAMP and (is_now(c) or is_zero(c)),
        _lost,
    ),
    ("DBZ-144", "year-text", "the default of a YEAR is its text", is_plain(Family.YEAR), as_text),
    ("DBZ-144", "year-short", "the default of a YEAR has two digits", is_plain(Family.YEAR), lambda v, c: v % 100),
    ("DBZ-145", "time-text", "the default of a TIME is its text", is_plain(Family.TIME), as_declared),
    (
        "DBZ-145",
        "time-millis",
        "the default of a TIME is in milliseconds",
        is_plain(Family.TIME),
        lambda v, c: v // 1000,
    ),
    ("DBZ-146", "bit-number", "the default of a BIT is its number", is_plain(Family.BIT), _as_number),
    ("DBZ-148", "text-quoted", "the default of a text is in quotes", is_plain(*TEXT), lambda v, c: f"'{v}'"),
    (
        "DBZ-148",
        "enum-number",
        "the default of an ENUM is its number",
        is_plain(Family.ENUM),
        lambda v, c: c.type.members.index(v) + 1,
    ),
    ("DBZ-148", "empty-lost", "a default that is empty is left out", is_plain(*TEXT), lambda v, c: v or None),
    ("DBZ-148a", "binary-base64", "the default of bytes is base64", is_plain(*BINARY), _coded),
    (
        "DBZ-148a",
        "binary-unpadded",
        "the default of BINARY is not padded",
        is_plain(Family.BINARY),
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
_OF_DEFAULTS = ("DBZ-055a", "DBZ-140", "DBZ-144", "DBZ-145", "DBZ-146", "DBZ-148a")


def _descriptions() -> Iterator[Mutant]:
    for requirement, name, description, applies, make in _DESCRIBED:
        yield encoder(f"default-{name}", requirement, description, _default(applies, make))
    yield encoder(
        "default-datetime-zero-always",
        "DBZ-142b",
        "a zero default of a nullable DATETIME is 0",
        _with_default(lambda c: c.type.family is Family.DATETIME and is_zero(c), lambda c: 0),
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
        _with_default(lambda c: c.type.family is Family.TIMESTAMP and (is_now(c) or is_zero(c)), lambda c: EPOCH_TEXT),
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


MUTANTS: tuple[Mutant, ...] = tuple(_descriptions())

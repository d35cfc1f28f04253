"""Decoders of the upstream dialects that are wrong in one place: the events are the same, the requirements are not."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from conformance.mutants.model import Mutant
from conformance.mutants.upstream.edits import Json, Wrap
from conformance.mutants.wrappers import Context, accepts, edit_answer, edit_event
from reference_impl.column_types import BINARY, INTEGERS, TEXT, Family
from reference_impl.model import Column
from reference_impl.protocols import CANAL, CONNECTOR

__all__ = ["decoders"]

Change: TypeAlias = Callable[[Any, Column], Any]


# -- events ----------------------------------------------------------------------------------------------------------


def _rows(edit: Callable[[Json], None]) -> Wrap:
    def one(event: Json, context: Context) -> None:
        if event["kind"] == "row":
            edit(event)

    return edit_event(one)


def _last_lost(ok: Json, context: Context) -> None:
    del ok["events"][-1:]


def _insert_as_upsert(event: Json) -> None:
    if event["op"] == "insert":
        event["op"] = "upsert"


def _made_up_time(event: Json) -> None:
    event["commit_ts"] = "454371860512768001"


def _nulls_lost(event: Json) -> None:
    if event.get("after"):
        event["after"] = {name: value for name, value in event["after"].items() if value is not None}


def _old_nulls_lost(event: Json) -> None:
    if event["op"] == "update" and event.get("before"):
        event["before"] = {name: value for name, value in event["before"].items() if value is not None}


def _statement(event: Json, context: Context) -> None:
    if event["kind"] == "ddl":
        event["query"] = event["query"].rstrip("; \n").lower()


def _nameless(event: Json, context: Context) -> None:
    if event["kind"] == "ddl":
        event["table"] = ""


_Event: TypeAlias = tuple[str, str, str, Wrap]

_EVENTS: Mapping[str, Sequence[_Event]] = {
    CANAL.name: (
        ("loses-the-last-row", "CJ-901", "the last event of an answer is lost", edit_answer("decode", _last_lost)),
        ("reads-inserts-as-upserts", "CJ-903", "an insertion is an upsert", _rows(_insert_as_upsert)),
        ("makes-up-a-commit-time", "CJ-668", "a row has a commit time stamp", _rows(_made_up_time)),
        ("loses-nulls", "CJ-905", "columns that hold NULL are lost after", _rows(_nulls_lost)),
        ("loses-nulls-before", "CJ-516", "columns that held NULL are lost before", _rows(_old_nulls_lost)),
        ("loses-names-of-statements", "CJ-652", "a statement is about no table", edit_event(_nameless)),
        ("reads-statements-in-lower-case", "CJ-653", "a statement is in lower case", edit_event(_statement)),
        ("reads-what-lacks-a-member", "CJ-881", "members may be missing", accepts("schema", "there is no member")),
    ),
    CONNECTOR.name: (
        ("loses-the-last-row", "DBZ-251", "the last event of an answer is lost", edit_answer("decode", _last_lost)),
        ("reads-inserts-as-upserts", "DBZ-044", "an insertion is an upsert", _rows(_insert_as_upsert)),
        ("makes-up-a-commit-time", "DBZ-253", "a row has a commit time stamp", _rows(_made_up_time)),
        ("loses-nulls", "DBZ-447", "columns that hold NULL are lost after", _rows(_nulls_lost)),
        ("reads-statements-in-lower-case", "DBZ-350", "a statement is in lower case", edit_event(_statement)),
        ("reads-what-lacks-a-source", "DBZ-451", "source may be missing", accepts("schema", "'source' is missing")),
    ),
}


# -- values ----------------------------------------------------------------------------------------------------------


def _wrapped(value: Any, column: Column) -> Any:
    limit = 1 << (column.type.bits - 1)
    return str(int(value) - 2 * limit) if int(value) >= limit else value


def _cut_float(value: Any, column: Column) -> Any:
    return f"{float(value):.1g}"


def _half_bytes(value: Any, column: Column) -> Any:
    data = base64.b64decode(value)
    return base64.b64encode(data.decode("latin-1").encode("utf-8")).decode("ascii")


def _first_byte_lost(value: Any, column: Column) -> Any:
    return base64.b64encode(base64.b64decode(value)[1:]).decode("ascii")


def _capitals(value: Any, column: Column) -> Any:
    return value.upper() + "?" if isinstance(value, str) else value


def _last_character_lost(value: Any, column: Column) -> Any:
    return value[:-1] if isinstance(value, str) else value


def _next_year(value: Any, column: Column) -> Any:
    return f"{int(value[:4]) + 1:04}{value[4:]}"


def _later_hour(value: Any, column: Column) -> Any:
    return f"{value[:11]}{(int(value[11:13]) + 8) % 24:02}{value[13:]}"


def _unsigned_time(value: Any, column: Column) -> Any:
    return value[1:] if value.startswith("-") else f"-{value}"


def _json_in_json(value: Any, column: Column) -> Any:
    return json.dumps(value)


def _two_digits(value: Any, column: Column) -> Any:
    return str(int(value) % 100 or 2000)


def _as_zero(value: Any, column: Column) -> Any:
    return "" if value is None and column.type.family in TEXT else value


_FLOATS = frozenset({Family.FLOAT, Family.DOUBLE})
_LABELS = frozenset({Family.ENUM, Family.SET})
_DAYS = frozenset({Family.DATE, Family.DATETIME})
_SHORT = frozenset({Family.CHAR, Family.VARCHAR})
_GEOMETRY = frozenset({Family.GEOMETRY})
_VARIABLE = BINARY - _GEOMETRY - {Family.BINARY}


def _one(*families: Family) -> frozenset[Family]:
    return frozenset(families)


_Value: TypeAlias = tuple[str, str, str, frozenset[Family], Change]

# name, requirement, what is wrong, families, and what becomes of a value that is not NULL.
_VALUES: Mapping[str, Sequence[_Value]] = {
    CANAL.name: (
        ("signed-integers", "CJ-440", "large unsigned integers are negative", INTEGERS, _wrapped),
        ("rounded-floats", "CJ-441", "one digit of a FLOAT or DOUBLE is kept", _FLOATS, _cut_float),
        ("rounded-decimals", "CJ-443", "one digit of a DECIMAL is kept", _one(Family.DECIMAL), _cut_float),
        ("signed-bits", "CJ-444", "BIT wraps at 7 bits", _one(Family.BIT), lambda v, _: str(int(v) % 128)),
        ("labels-in-capitals", "CJ-445", "labels are in capitals", _LABELS, _capitals),
        ("dates-a-year-later", "CJ-446", "years count from 1", _DAYS, _next_year),
        ("timestamps-of-shanghai", "CJ-447", "TIMESTAMP is of another zone", _one(Family.TIMESTAMP), _later_hour),
        ("times-of-other-sign", "CJ-448", "TIME has the other sign", _one(Family.TIME), _unsigned_time),
        ("years-of-two-digits", "CJ-449", "YEAR has two digits", _one(Family.YEAR), _two_digits),
        ("strings-in-capitals", "CJ-450", "CHAR and VARCHAR are in capitals", _SHORT, _capitals),
        ("cut-texts", "CJ-451", "TEXT lacks its last character", TEXT - _SHORT, _last_character_lost),
        ("bytes-as-text", "CJ-452", "bytes are taken for text", _VARIABLE, _half_bytes),
        ("cut-binary", "CJ-453", "BINARY(n) lacks its first byte", _one(Family.BINARY), _first_byte_lost),
        ("json-as-string", "CJ-454", "JSON is a JSON string", _one(Family.JSON), _json_in_json),
        ("cut-geometry", "CJ-426", "geometry lacks its first byte", _GEOMETRY, _first_byte_lost),
    ),
    CONNECTOR.name: (
        ("seven-bits", "DBZ-201", "BIT wraps at 7 bits", _one(Family.BIT), lambda v, _: str((int(v) + 1) % 128)),
        ("signed-tinyint", "DBZ-203", "a large unsigned TINYINT is negative", _one(Family.TINYINT), _wrapped),
        ("signed-smallint", "DBZ-204", "a large unsigned SMALLINT is negative", _one(Family.SMALLINT), _wrapped),
        ("signed-mediumint", "DBZ-205", "a large unsigned MEDIUMINT is negative", _one(Family.MEDIUMINT), _wrapped),
        ("signed-int", "DBZ-206", "a large unsigned INT is negative", _one(Family.INT), _wrapped),
        ("signed-bigint", "DBZ-208", "a large unsigned BIGINT is negative", _one(Family.BIGINT), _wrapped),
        ("rounded-floats", "DBZ-209", "one digit of a FLOAT is kept", _one(Family.FLOAT), _cut_float),
        ("rounded-doubles", "DBZ-211", "one digit of a DOUBLE is kept", _one(Family.DOUBLE), _cut_float),
        ("strings-in-capitals", "DBZ-213", "texts are in capitals", TEXT, _capitals),
        ("enums-in-capitals", "DBZ-214", "ENUM is in capitals", _one(Family.ENUM), _capitals),
        ("sets-in-capitals", "DBZ-215", "SET is in capitals", _one(Family.SET), _capitals),
        ("json-as-string", "DBZ-216", "JSON is a JSON string", _one(Family.JSON), _json_in_json),
        ("years-of-two-digits", "DBZ-217", "YEAR has two digits", _one(Family.YEAR), _two_digits),
        ("timestamps-of-shanghai", "DBZ-218", "TIMESTAMP is of another zone", _one(Family.TIMESTAMP), _later_hour),
        ("cut-geometry", "DBZ-219", "geometry lacks its first byte", _GEOMETRY, _first_byte_lost),
        ("dates-a-year-later", "DBZ-220", "years count from 1", _DAYS, _next_year),
        ("times-of-other-sign", "DBZ-222", "TIME has the other sign", _one(Family.TIME), _unsigned_time),
        ("cut-binary", "DBZ-223", "BINARY(n) lacks its first byte", _one(Family.BINARY), _first_byte_lost),
        ("vectors-backwards", "DBZ-704", "a VECTOR is cut", _one(Family.VECTOR), lambda v, _: "[1]"),
        ("rounded-decimals", "DBZ-709", "one digit of a DECIMAL is kept", _one(Family.DECIMAL), _cut_float),
    ),
}

# The values that stand in for NULL.
_NULLS: Mapping[str, tuple[str, str, str]] = {
    CONNECTOR.name: ("reads-null-as-empty", "DBZ-244", "NULL in a text is the empty one")
}


def _valued(families: frozenset[Family], change: Change, *, nulls: bool = False) -> Wrap:
    """A decoder that gets values of these families wrong; with `nulls` only NULL."""

    def one(event: Json, context: Context) -> None:
        for row in filter(None, (event.get("before"), event.get("after"))):
            for name, value in row.items():
                column = context.steady_column(event["schema"], event["table"], name)
                if column is not None and column.type.family in families and (value is None) is nulls:
                    row[name] = change(value, column)

    return edit_event(one)


def decoders(protocol: str) -> Iterator[Mutant]:
    """The broken decoders of a dialect."""
    for name, requirement, description, wrap in _EVENTS[protocol]:
        yield Mutant(f"{protocol}/{name}", requirement, "decode", description, wrap)
    for name, requirement, description, families, change in _VALUES[protocol]:
        yield Mutant(f"{protocol}/reads-{name}", requirement, "decode", description, _valued(families, change))
    if protocol in _NULLS:
        name, requirement, description = _NULLS[protocol]
        wrap = _valued(TEXT, _as_zero, nulls=True)
        yield Mutant(f"{protocol}/{name}", requirement, "decode", description, wrap)

"""Answers to requests, and whether a line has the shape that the harness protocol prescribes.

Only the shape: the judge decides whether a result is right. The same shapes are published as JSON Schemas; the checks
here are written out because every answer of a run passes them.
"""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from conformance.transport.origin import Origin, read_origin

__all__ = ["KINDS", "REJECTION_CLASSES", "Answer", "BadShape", "Kind", "read_answer"]

Kind: TypeAlias = Literal["ok", "rejected", "unsupported", "error"]

KINDS: tuple[Kind, ...] = ("ok", "rejected", "unsupported", "error")
REJECTION_CLASSES = ("framing", "syntax", "schema", "type", "range", "semantics")


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of an implementation.

    Equality ignores where in its source the implementation made it.
    """

    kind: Kind
    payload: Any
    """An object for `ok` (the result) and `rejected` (`class`, `message`, perhaps `origin`), text for the others."""
    origin: Origin | None = field(default=None, compare=False)
    origin_problem: str = field(default="", compare=False)
    """Why the origin in the frame is ignored, or ""."""


class BadShape(Exception):
    """A frame of the wrong shape for an answer; the text names the member.

    Callers add their step of the path with `below`, so that paths cost no time in good answers.
    """

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self._problem = problem
        self._path = ""

    def below(self, step: str) -> BadShape:
        """The same problem, with one more step in front of its path."""
        self._path = step + self._path
        return self

    def __str__(self) -> str:
        return f"{self._path.removeprefix('.')} {self._problem}".lstrip()


Check: TypeAlias = Callable[[Any], None]


def read_answer(op: str, frame: Mapping[str, Any], partitions: int | None = None) -> Answer:
    """The answer in a frame; unknown members are ignored. Raises `BadShape`.

    With `partitions`, the configured number of them, every record must be in one of these.
    """
    kinds = [kind for kind in KINDS if kind in frame]
    if len(kinds) != 1:
        raise BadShape(f"an answer has exactly one of {', '.join(KINDS)}; this one has {' and '.join(kinds) or 'none'}")
    kind = kinds[0]
    payload = frame[kind]
    check = _RESULTS[op] if kind == "ok" else _REFUSALS[kind]
    try:
        check(payload)
        if partitions is not None and op == "encode" and kind == "ok":
            _partitions_exist(payload["records"], partitions)
    except BadShape as e:
        raise e.below(kind) from None
    if kind == "rejected" or "origin" in frame:
        return Answer(kind, payload, *read_origin(frame))
    return Answer(kind, payload)


_NAMES: Mapping[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "a truth value",
    int: "a number",
    float: "a number",
    type(None): "null",
}


def _not(what: str, got: Any) -> BadShape:
    return BadShape(f"is {_NAMES[type(got)]}, not {what}")


def _text(value: Any) -> None:
    if type(value) is not str:
        raise _not("a string", value)


def _integer(value: Any) -> None:
    if type(value) is not int:
        raise _not("an integer", value)


def _partition(value: Any) -> None:
    _integer(value)
    if value < 0:
        raise BadShape("is below 0: partitions count from 0, and an unknown one is left out")


def _partitions_exist(records: Sequence[Mapping[str, Any]], partitions: int) -> None:
    for i, record in enumerate(records):
        if record.get("partition", 0) >= partitions:
            problem = f'is {record["partition"]}: they count from 0, and `configure` had "partitions": {partitions}'
            raise BadShape(problem).below(f".records[{i}].partition")


def _boolean(value: Any) -> None:
    if type(value) is not bool:
        raise _not("a truth value", value)


def _object(value: Any) -> None:
    if type(value) is not dict:
        raise _not("an object", value)


def _digits(value: Any) -> None:
    if type(value) is not str or not (value.isascii() and value.isdigit()):
        raise BadShape("is not a string of decimal digits")


def _base64(value: Any) -> None:
    if type(value) is not str:
        raise _not("base64", value)
    try:
        a2b_base64(value, strict_mode=True)
    except ValueError:
        raise BadShape("is not standard base64 with padding") from None


def _bytes(value: Any) -> None:
    if value is not None:
        _base64(value)


def _window(value: Any) -> None:
    if type(value) is not int or value < 1:
        raise BadShape("is not a positive integer")


def _one_of(*allowed: Any) -> Check:
    def check(value: Any) -> None:
        # In Python 1, 1.0 and True are equal; in JSON they differ
        if not any(type(value) is type(one) and value == one for one in allowed):
            raise BadShape(f"is not one of {', '.join(map(str, allowed))}")

    return check


def _list_of(check: Check) -> Check:
    def check_list(value: Any) -> None:
        if type(value) is not list:
            raise _not("a list", value)
        i = 0
        try:
            for i, item in enumerate(value):  # noqa: B007 - named in the message
                check(item)
        except BadShape as e:
            raise e.below(f"[{i}]") from None

    return check_list


def _map_of(check: Check, what: str = "an object") -> Check:
    """Check that a value is an object and that every member passes `check`."""

    def check_map(value: Any) -> None:
        if type(value) is not dict:
            raise _not(what, value)
        name = ""
        try:
            for name, item in value.items():  # noqa: B007 - named in the message
                check(item)
        except BadShape as e:
            raise e.below(f".{name}") from None

    return check_map


def _members(required: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> Check:
    """Check that a value is an object with these members; unknown members are ignored."""
    known = {**required, **(optional or {})}

    def check_members(value: Any) -> None:
        if type(value) is not dict:
            raise _not("an object", value)
        for name in required:
            if name not in value:
                raise BadShape(f"has no member {name!r}")
        name = ""
        try:
            for name, item in value.items():
                if name in known:
                    known[name](item)
        except BadShape as e:
            raise e.below(f".{name}") from None

    return check_members


def _header(value: Any) -> None:
    if type(value) is not list or len(value) != 2:
        raise BadShape("is not a list of a name and a value")
    for i, check in enumerate((_text, _bytes)):
        try:
            check(value[i])
        except BadShape as e:
            raise e.below(f"[{i}]") from None


_COLUMN_VALUES: Mapping[str, Check] = {"base64": _base64, "index": _digits, "mask": _digits}


def _column_value(value: Any) -> None:
    if value is None or type(value) is str:
        return
    if type(value) is not dict:
        raise _not("a value string, null or an object", value)
    if len(value) != 1 or (form := next(iter(value))) not in _COLUMN_VALUES:
        raise BadShape(f"is an object, but not one of {', '.join(_COLUMN_VALUES)} alone")
    try:
        _COLUMN_VALUES[form](value[form])
    except BadShape as e:
        raise e.below(f".{form}") from None


_ROW_OBJECT = _map_of(_column_value, "a row or null")


def _row(value: Any) -> None:
    if value is not None:
        _ROW_OBJECT(value)


_EXPRESSION = _members({"expression": _text})


def _default(value: Any) -> None:
    if value is not None and type(value) is not str:
        _EXPRESSION(value)


_KEY = _members({"name": _text, "columns": _list_of(_text)})
_COLUMN = _members(
    {"name": _text, "type": _text, "nullable": _boolean},
    {
        "default": _default,
        "charset": _text,
        "collation": _text,
        "generated": _one_of("virtual", "stored"),
        "auto_increment": _boolean,
        "on_update_now": _boolean,
        "comment": _text,
    },
)
_TABLE = _members(
    {"schema": _text, "name": _text, "columns": _list_of(_COLUMN)},
    {
        "table_id": _integer,
        "primary_key": _list_of(_text),
        "unique_keys": _list_of(_KEY),
        "indexes": _list_of(_KEY),
        "clustered": _boolean,
        "partition_id": _integer,
        "charset": _text,
        "comment": _text,
        "create_sql": _text,
    },
)

_EVENTS: Mapping[str, Check] = {
    "row": _members(
        {"op": _one_of("insert", "update", "delete", "upsert", "read"), "schema": _text, "table": _text},
        {
            "commit_ts": _digits,
            "start_ts": _digits,
            "before": _row,
            "after": _row,
            "partition_id": _integer,
            "row_id": _text,
            "source": _object,
        },
    ),
    "ddl": _members(
        {"schema": _text, "table": _text, "query": _text},
        {
            "action": _text,
            "action_code": _integer,
            "commit_ts": _digits,
            "table_before": _TABLE,
            "table_after": _TABLE,
            "other_tables": _list_of(_TABLE),
            "source": _object,
        },
    ),
    "watermark": _members({"commit_ts": _digits}, {"source": _object}),
    "transaction": _members({}, {"status": _text, "source": _object}),
    "heartbeat": _members({}, {"status": _text, "source": _object}),
}


def _event(value: Any) -> None:
    if type(value) is not dict:
        raise _not("an object", value)
    kind = value.get("kind")
    check = _EVENTS.get(kind) if type(kind) is str else None
    if check is None:
        raise BadShape(f"is not one of {', '.join(_EVENTS)}").below(".kind")
    check(value)


_RECORD = _members(
    {"key": _bytes, "value": _bytes},
    {"partition": _partition, "topic": _text, "headers": _list_of(_header), "offset": _integer, "timestamp": _integer},
)
_TEXTS = _list_of(_text)
_CLAIM = _members({"location": _text, "value": _base64})
_PROTOCOL = _members(
    {},
    {
        "roles": _list_of(_one_of("encode", "decode")),
        "options": _TEXTS,
        "events": _TEXTS,
        "column_types": _TEXTS,
    },
)


_RESULTS: Mapping[str, Check] = {
    "hello": _members(
        {"harness": _one_of(1), "name": _text, "version": _text, "language": _text, "protocols": _map_of(_PROTOCOL)},
        {"clock": _one_of("given", "own"), "homepage": _text, "window": _window},
    ),
    "configure": _object,
    "reset": _object,
    "encode": _members({"records": _list_of(_RECORD)}, {"claims": _list_of(_CLAIM)}),
    "decode": _members({"events": _list_of(_event)}),
    "bye": _object,
}

_REFUSALS: Mapping[str, Check] = {
    "rejected": _members({"class": _one_of(*REJECTION_CLASSES), "message": _text}, {"origin": _text}),
    "unsupported": _text,
    "error": _text,
}

"""Answers for the tests of the Canal-JSON oracle: the reference's own with one thing changed, judged."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from conformance.cases.model import Case, Role
from conformance.cases.normalise import dumps
from reference_impl import exact_json
from reference_impl.settings import Settings
from tests.unit.oracle.judging import asked, row_event

__all__ = ["EXTENSION", "TABLE", "case_of", "change", "row", "with_message", "with_text"]

EXTENSION = {"enable-tidb-extension": "true"}
COMMIT_TS = 429819990172237825

TABLE: dict[str, Any] = {
    "schema": "test",
    "name": "t",
    "columns": [
        {"name": "b", "type": "int", "nullable": False},
        {"name": "a", "type": "varchar(10)", "nullable": False},
        {"name": "n", "type": "int unsigned", "nullable": True},
        {"name": "d", "type": "decimal(10,2)", "nullable": True},
        {"name": "f", "type": "double", "nullable": True},
        {"name": "e", "type": "enum('x','blob')", "nullable": True},
        {"name": "bin", "type": "binary(4)", "nullable": True},
        {"name": "j", "type": "json", "nullable": True},
        {"name": "w", "type": "timestamp(3)", "nullable": True},
        {"name": "z", "type": "int(6) unsigned zerofill", "nullable": True},
        {"name": "x", "type": "text", "nullable": True},
        {"name": "v", "type": "int", "nullable": True, "generated": "virtual"},
    ],
    "primary_key": ["a", "b"],
}
ROW: dict[str, Any] = {
    "b": "1",
    "a": "k",
    "n": "7",
    "d": "1.50",
    "f": "10000000",
    "e": "blob",
    "bin": "YWIAAA==",
    "v": "1",
    "j": '{"a": 1, "b": [1.5, "x"]}',
    "w": "2024-01-02 03:04:05.600",
    "z": "5",
    "x": "<null> \t / é",
}

row = partial(row_event, base=ROW, ts=COMMIT_TS)


def case_of(
    *events: Mapping[str, Any],
    options: Mapping[str, str] = EXTENSION,
    role: Role = "encode",
    table: Mapping[str, Any] = TABLE,
    **settings: Any,
) -> Case:
    """A case of these events; a decoder is put the reference's records."""
    given = Settings(now_ms=1700000000123, **settings)
    return asked("canal-json", role, *events, table=table, options=options, settings=given)


def with_text(answer: dict[str, Any], text: Callable[[str], str], record: int = 0) -> dict[str, Any]:
    """The answer with the text of one message changed."""
    given: dict[str, Any] = json.loads(json.dumps(answer))
    where = given["ok"]["records"][record]
    where["value"] = base64.b64encode(text(base64.b64decode(where["value"]).decode()).encode()).decode()
    return given


def with_message(answer: dict[str, Any], edit: Callable[[Any], None], record: int = 0) -> dict[str, Any]:
    """The answer with the tree of one message changed in place."""

    def text(given: str) -> str:
        tree = exact_json.loads(given)
        edit(tree)
        return dumps(tree).translate({ord(char): f"\\u{ord(char):04x}" for char in "<>&"})

    return with_text(answer, text, record)


def change(*path: str | int, to: Any) -> Callable[[Any], None]:
    """An edit that sets the place at a path."""

    def edit(tree: Any) -> None:
        for step in path[:-1]:
            tree = tree[step]
        tree[path[-1]] = to

    return edit

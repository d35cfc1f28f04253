"""Answers for the tests of the Canal-JSON oracle: the reference's own with one thing changed, judged."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from conformance.cases.model import Case, Role
from reference_impl import exact_json
from reference_impl.settings import Settings
from tests.unit.oracle.judging import asked, row_event, table_and_row

EXTENSION = {"enable-tidb-extension": "true"}
COMMIT_TS = 429819990172237825

TABLE, ROW = table_and_row(
    ("b", "int not null", "1"),
    ("a", "varchar(10) not null", "k"),
    ("n", "int unsigned", "7"),
    ("d", "decimal(10,2)", "1.50"),
    ("f", "double", "10000000"),
    ("e", "enum('x','blob')", "blob"),
    ("bin", "binary(4)", "YWIAAA=="),
    ("j", "json", '{"a": 1, "b": [1.5, "x"]}'),
    ("w", "timestamp(3)", "2024-01-02 03:04:05.600"),
    ("z", "int(6) unsigned zerofill", "5"),
    ("x", "text", "<null> \t / é"),
    ("v", "int", "1", {"generated": "virtual"}),
    primary_key=["a", "b"],
)

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
        return exact_json.dumps(tree).translate({ord(char): f"\\u{ord(char):04x}" for char in "<>&"})

    return with_text(answer, text, record)

"""Answers for the tests of the Canal-JSON oracle: the reference's own with one thing changed, judged."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from conformance.cases.model import Case, Role
from conformance.cases.normalise import dumps
from conformance.cases.requests import configure_request, question_of
from conformance.catalogue.register import load_register
from conformance.oracle.canal_json import ORACLE
from conformance.oracle.judge import Judge, Judgement
from conformance.reference_harness import ReferenceHarness
from reference_impl import exact_json
from reference_impl.model import Event
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.settings import Settings
from reference_impl.wire import claim_from_json, events_from_json, record_from_json, table_from_json

__all__ = ["EXTENSION", "TABLE", "answer_of", "case_of", "change", "judged", "row", "with_message", "with_text"]

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


def row(op: str, **changed: Any) -> dict[str, Any]:
    """A row event on `TABLE`; `changed` are the columns whose value an update changes, or another has."""
    images = {"insert": (None, {**ROW, **changed}), "delete": ({**ROW, **changed}, None)}
    before, after = images.get(op, (ROW, {**ROW, **changed}))
    return {
        "kind": "row",
        "op": op,
        "schema": "test",
        "table": "t",
        "commit_ts": str(COMMIT_TS),
        "before": before,
        "after": after,
    }


def case_of(
    *events: Mapping[str, Any],
    options: Mapping[str, str] | None = None,
    role: Role = "encode",
    table: Mapping[str, Any] = TABLE,
    **settings: Any,
) -> Case:
    """A case of these events; a decoder is put the reference's records."""
    tables = (table_from_json(table),)
    truth: tuple[Event, ...] = tuple(events_from_json(list(events), tables))
    made = Case(
        id="test",
        protocol="canal-json",
        role="encode",
        tables=tables,
        events=truth,
        options=EXTENSION if options is None else options,
        settings=Settings(now_ms=1700000000123, **settings),
    )
    if role == "encode":
        return made
    ok = answer_of(made)["ok"]
    records = tuple(record_from_json(r) for r in ok["records"])
    return replace(made, role=role, records=records, claims=tuple(map(claim_from_json, ok.get("claims", ()))))


def answer_of(case: Case, profile: Profile = NEWARCH) -> dict[str, Any]:
    """The reference's answer to a case."""
    harness = ReferenceHarness(profile)
    harness.answer({"id": 1, "op": "configure", **configure_request(case)})
    return harness.answer({"id": 2, "op": case.role, **question_of(case)})


@cache
def _judge(profile: Profile) -> Judge:
    return Judge(ORACLE, load_register("canal-json"), profile)


def judged(case: Case, answer: Mapping[str, Any], profile: Profile = NEWARCH) -> Judgement:
    """What the judge says to an answer."""
    return _judge(profile).judge(case, answer)


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

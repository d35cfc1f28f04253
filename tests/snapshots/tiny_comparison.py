"""A tiny summary of a comparison that has every member of the schema, each with a value of its own."""

from __future__ import annotations

from typing import Any

BEFORE_IMAGES = "third has no row before an update: rows before updates are not compared"
UNREADABLE = "every message of right was unreadable: is it canal?"


def _side(name: str, dialect: str, first: int, note: str | None, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "dialect": dialect,
        "options": {f"option-of-{name}": f"value-of-{name}"},
        "source": f"{name}.jsonl",
        "messages": first,
        "changes": first + 1,
        "others": {f"watermarks of {name}": first + 2},
        "note": note,
    } | more


OFFSETS = {
    "begin": {"shop_a": {"0": 1011, "1": 1012}},
    "end": {"shop_a": {"0": 1511, "1": 1512}},
    "without_a_message": 1013,
}


def _failed(n: int, **more: Any) -> dict[str, Any]:
    """A failure of the suite itself: at a message where there is a topic, else at a key group."""
    place = {"partition": 6001 + n, "offset": 6003 + n} if "topic" in more else dict.fromkeys(("partition", "offset"))
    names = {"schema": "shop" if "table" in more else "", "table": "", "key": "", "topic": None}
    at = "left" if "topic" in more else "left-right"
    return {"at": at, **names, **place, "message": f"the suite failed: KeyError (changes.py, line {6010 + n})", **more}


def _cell(first: int, **more: Any) -> dict[str, Any]:
    example = {
        "key": f'["key-{first}"]',
        "left": {"topic": f"topic-{first}", "partition": first + 1, "offset": first + 2},
        "right": {"topic": f"other-{first}", "partition": first + 3, "offset": first + 4},
        "left_value": f"left-{first}",
        "right_value": None,
    }
    return {
        "schema": "shop",
        "table": f"table{first}",
        "column": f"column{first}",
        "class": "value",
        "status": "unexplained",
        "divergence": None,
        "harm": None,
        "count": first,
        "examples": [example],
    } | more


LOST = {"key": '["3"]', "left": None, "right": {"topic": "topic", "partition": 0, "offset": 7}}
CELLS = [
    _cell(2100, status="documented", divergence="DV-40", harm="lost"),
    _cell(2000),
    _cell(2200, **{"class": "extra"}, examples=[LOST | {"left_value": None, "right_value": "insert {}"}]),
]


def _row(first: int, **more: Any) -> dict[str, Any]:
    """What is met of a divergence, or of an unexplained class."""
    example = {
        "schema": "shop_met",
        "table": f"met{first}",
        "column": f"at{first}",
        "key": f'["met-{first}"]',
        "left": {"topic": f"met-{first}", "partition": first + 1, "offset": first + 2},
        "right": {"topic": f"twin-{first}", "partition": first + 3, "offset": first + 4},
        "left_value": f"met-left-{first}",
        "right_value": f"met-right-{first}",
        "value": None,
    }
    return {
        "divergence": None,
        "title": f"title of {first}",
        "harm": "changed",
        "status": "unexplained",
        "remedy": None,
        "count": first + 5,
        "classes": {"value": first + 5},
        "ignored": 0,
        "tables": [f"shop_met.met{first}"],
        "columns": [f"shop_met.met{first}.at{first}"],
        "examples": [example],
    } | more


COLUMNS = [f"shop_met.wide.c{n}" for n in range(7401, 7405)]
DIVERGENCES = [
    _row(7000, harm="lost", classes={"missing": 7006}),
    _row(7100, ignored=7105),
    _row(7200, divergence="DV-40", harm="lost", status="documented", remedy="less of `it`; what it breaks: more",
         classes={}, examples=[_row(7300)["examples"][0] | {"left": None, "right": None, "left_value": None,
                                                            "right_value": None, "value": "met-value"}]),
    _row(7400, divergence="DV-31", harm="form", status="undocumented", remedy="none exists", columns=COLUMNS),
]  # fmt: skip
EXPLANATIONS = [
    {
        "id": "DV-31",
        "title": "about `thirty-one`",
        "harm": "form",
        "upstream": "canal",
        "upstream_does": "does this",
        "ticdc": "canal-json",
        "ticdc_does": "does `that`",
        "remedies": [],
        "reader": "read both alike",
        "place": None,
        "note": "a note of thirty-one",
    },
    {
        "id": "DV-40",
        "title": "about forty",
        "harm": "lost",
        "upstream": "canal",
        "upstream_does": "keeps it",
        "ticdc": "canal-json",
        "ticdc_does": "drops it",
        "remedies": [
            {"what": "an-option=true of canal-json", "but": "some remains", "breaks": "readers that count"},
            {"what": "another table", "but": "", "breaks": "nothing known"},
        ],
        "reader": "",
        "place": {"document": "A document", "heading": "'A heading'", "url": "https://docs.example/page"},
        "note": "",
    },
]

PAIR: dict[str, Any] = {
    "pair": "left-third",
    "dialects": ["canal-json", "debezium"],
    "differences": 2300,
    "by_status": {"unexplained": 2301, "documented": 2302},
    "by_class": {"value": 2303, "extra": 2304},
    "by_divergence": {"DV-40": 2305},
    "divergences": DIVERGENCES,
    "written_otherwise": [
        {
            "divergence": "DV-31",
            "status": "undocumented",
            "schema": "shop_written",
            "table": "reworded",
            "column": "differently",
            "count": 2401,
            "examples": [{"key": '["written"]', "value": "0.50"}],
        }
    ],
    "statements": {"left": 2501, "right": 2502, "alike": 2503, "written_otherwise": 2504, "silent": None},
    "not_compared": [
        {"side": "third", "what": "heartbeats", "count": 2601, "divergence": "DV-27", "status": "documented"}
    ],
    "type_names": {
        "compared": True,
        "why": "",
        "equal": 2701,
        "differ": [
            {
                "schema": "shop_typed",
                "table": "typed",
                "column": "called",
                "member": "mysqlType",
                "left": "int unsigned",
                "right": None,
                "divergences": ["DV-02"],
                "status": "undocumented",
                "messages": 2702,
            }
        ],
    },
    "tables": [
        {
            "schema": "shop",
            "table": "counted",
            "left_changes": 2801,
            "right_changes": 2802,
            "alike": 2803,
            "match_rate": 0.3217,
        }
    ],
    "cells": CELLS,
}

SUMMARY: dict[str, Any] = {
    "format": 2,
    "runner": "spark",
    "sides": [
        _side("left", "canal-json", 1100, None, offsets=OFFSETS),
        _side("right", "canal", 1200, UNREADABLE),
        _side("third", "debezium", 1300, BEFORE_IMAGES),
    ],
    "made": {
        "suite": "9.8.7",
        "registers": {"canal-json": "0123456789ab"},
        "profile": "newarch",
        "command": ["ticdc-conformance", "compare", "--left", "made-left"],
        "date": "2026-02-03T04:05:06+00:00",
    },
    "pairs": [PAIR],
    "explanations": EXPLANATIONS,
    "final_tables": [
        {
            "schema": "shop",
            "table": f"end{n}",
            "sides": {
                name: {"rows": 3000 + 10 * n + of, "checksum": f"{0xFACE00 + 16 * n + of:016x}"}
                for of, name in enumerate(("left", "right", "third"))
            },
            "equal": n == 0,
        }
        for n in range(2)
    ],
    "rows_left_out": 4001,
    "gate": {"fail_on": "undocumented", "max_share": 0.0123, "ignore": ["value"]},
    "exit_status": 1,
    "suite_errors": {"count": 6001, "first": [_failed(1, topic="failing"), _failed(2, table="failed", key="[6006]")]},
    "window": {"from": "2026-01-31T12:00:00Z", "until": "2026-01-31T13:00:00Z", "slack": 2.5},
    "plan": {"plan": "two-pass", "why": "little differs in a sample"},
    "live": {
        "batches": 5001,
        "patience_seconds": 615.5,
        "sides": {
            "left": {"newest": "2026-01-31T12:34:56.000+00:00", "behind_seconds": 5002.5, "waiting": 5003},
            "right": {"newest": None, "behind_seconds": None, "waiting": 0},
            "third": {"newest": "2026-01-31T12:35:57.000+00:00", "behind_seconds": 0.0, "waiting": 5004},
        },
    },
}

"""The record of a small move, for snapshots, pages and hostile texts: a finding of every severity, and what is left."""

from __future__ import annotations

from typing import Any

__all__ = ["MOVE", "many_columns"]


def _place(column: str, table: str = "orders") -> dict[str, str]:
    return {"schema": "shop", "table": table, "column": column}


def _shown(outcome: str, **row: str | None) -> dict[str, Any]:
    return {"outcome": outcome, "rows": [{"change": "+I", "row": row}] if row else []}


_DOCUMENT = {
    "document": "TiCDC Canal-JSON Protocol",
    "heading": "'Compared with Canal' (paragraph 3)",
    "url": "https://docs.pingcap.com/zh/tidb/stable/ticdc-canal-json",
}
_REMOVALS: list[dict[str, Any]] = [
    {
        "what": "content-compatible=true of canal-json",
        "but": "",
        "breaks": "readers that take whole rows from `old`",
        "tried": True,
        "brings": ["another value: shop.orders.device", "the job fails: shop.orders.note", "x: a.b.c", "y: a.b.d"],
    },
    {"what": "lengths from the database", "but": "not of old rows", "breaks": "nothing", "tried": False, "brings": []},
]
_FINDINGS: list[dict[str, Any]] = [
    {
        "number": 1,
        "severity": "blocker",
        "harm": "lost",
        "title": "the job fails: parameters in `mysqlType`",
        "divergences": ["DV-02", "DV-71"],
        "rule": {"id": "paimon.bare-type", "text": "A type without its members fails the job."},
        "places": [_place("status"), *(_place(f"flag_{n}") for n in range(7))],
        "was": _shown("read", id="1", status="new"),
        "now": _shown("the job fails"),
        "upstream_does": "writes lengths and members",
        "ticdc_does": "writes the name of the type alone",
        "removals": _REMOVALS,
        "reader": "take lengths and precisions from the database",
        "sql": ["CREATE TABLE `shop`.`orders` (`id` bigint)", "INSERT INTO `shop`.`orders` (`id`) VALUES (1)"],
        "document": _DOCUMENT,
        "evidence": [
            {"step": "run live", "what": "what the rule paimon.bare-type rests on"},
            {"step": "model", "what": "paimon@1.3.1"},
        ],
    },
    {
        "number": 2,
        "severity": "silent",
        "harm": "changed",
        "title": "another value: FLOAT has other digits",
        "divergences": [],
        "rule": None,
        "places": [_place("total")],
        "was": _shown("the job fails", id="1", total=None),
        "now": None,
        "upstream_does": "",
        "ticdc_does": "writes the shortest digits",
        "removals": [],
        "reader": "",
        "sql": [],
        "document": None,
        "evidence": [{"step": "reading", "what": "the definitions of the tables"}],
    },
    {
        "number": 3,
        "severity": "cosmetic",
        "harm": "form",
        "title": "escapes of `/` in texts",
        "divergences": ["DV-70", "DV-72", "DV-44", "DV-45"],
        "rule": None,
        "places": [_place("note"), _place("", "t-1")],
        "was": _shown("read", note='"a\\/b"'),
        "now": _shown("read", note='"a/b"'),
        "upstream_does": "",
        "ticdc_does": "",
        "removals": [],
        "reader": "",
        "sql": [],
        "document": None,
        "evidence": [{"step": "recorded", "what": "canal/mysql97/57"}],
    },
]


def _column(name: str, kind: str, verdict: str, *findings: int, assessed: str = "wholly") -> dict[str, Any]:
    return {**_place(name), "type": kind, "verdict": verdict, "assessed": assessed, "findings": list(findings)}


MOVE: dict[str, Any] = {
    "migration": 1,
    "suite": "0.1.0",
    "command": ["ticdc-conformance", "migrate", "--from", "canal", "--to", "canal-json"],
    "schema": "shop.sql",
    "from": "canal",
    "to": "canal-json",
    "consumer": "paimon@1.3.1",
    "counts": {"blocker": 1, "silent": 1, "cosmetic": 1},
    "tried": {"tables": 2, "columns": 4, "changes": 1_269, "messages": 2_540},
    "findings": _FINDINGS,
    "columns": [
        _column("status", "enum('new','paid')", "blocker", 1, assessed="partly"),
        _column("total", "float", "silent", 2),
        _column("note", "varchar(200)", "cosmetic", 3),
        _column("id", "bigint", "same"),
        _column("area", "geometry", "not assessed", assessed="not"),
    ],
    "placement": [
        {
            "aspect": "keys",
            "before": "none",
            "after": "as below",
            "same": False,
            "examples": [{"table": "shop.orders", "before": None, "after": '{"id":1}'}],
        },
        {"aspect": "tombstones", "before": "none", "after": "none", "same": True, "examples": []},
    ],
    "configuration": [
        {
            "what": "producer",
            "before": "canal.mq.flatMessage = true",
            "after": "cdc cli changefeed create --sink-uri='kafka://BROKER:9092/TOPIC?protocol=canal-json'",
        },
        {"what": "configuration of the changefeed", "before": "", "after": "[sink]\ncontent-compatible = true"},
    ],
    "not_assessed": [
        {"what": "the values of generated columns", "why": "expressions are not computed", "places": [_place("area")]},
        {"what": "clusters and load", "why": "nothing is run", "places": []},
    ],
}


def many_columns(tables: int = 60, columns: int = 40) -> dict[str, Any]:
    """The move of a large schema: every column has the finding of a place of its own."""
    places = [_place(f"column_{n}", f"table_{t}") for t in range(tables) for n in range(columns)]
    found = [{**_FINDINGS[1], "number": n, "places": places[n::200]} for n in range(1, 201)]
    of = [{**one, "type": "float", "verdict": "silent", "assessed": "wholly", "findings": [1]} for one in places]
    counts = {"blocker": 0, "silent": len(found), "cosmetic": 0}
    return {**MOVE, "findings": found, "columns": of, "counts": counts}

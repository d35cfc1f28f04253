"""Truths of workloads for tests: one small table `s.t`, and the lines that a truth is made of."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from conformance.catalogue.workload import Truth, read_truth


def column(name: str, type_: str, **more: Any) -> dict[str, Any]:
    """A nullable column of a table, as its line has it."""
    return {"name": name, "type": type_, "nullable": True, **more}


ID = column("id", "int")


def truth_of(columns: list[dict[str, Any]], *rows: dict[str, Any]) -> Truth:
    """A truth of one table and inserts into it, one a statement."""
    table = {"schema": "s", "name": "t", "columns": columns, "primary_key": ["id"]}
    inserts = (rows_line(number, "I", None, row) for number, row in enumerate(rows))
    return truth_of_lines([{"kind": "table", "version": 1, "table": table}, *inserts])


def truth_of_lines(lines: Iterable[Mapping[str, Any]]) -> Truth:
    """The truth that these lines tell."""
    return read_truth("".join(json.dumps(line) + "\n" for line in lines).encode(), "truth.jsonl")


def rows_line(statement: int, op: str, before: Any, after: Any) -> dict[str, Any]:
    """The line of one changed row, of version 1 of the table; the statement is a transaction of its own."""
    line = {"kind": "rows", "statement": statement, "transaction": statement, "schema": "s", "table": "t"}
    return {**line, "table_version": 1, "op": op, "rows": [{"before": before, "after": after}]}

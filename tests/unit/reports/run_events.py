"""Events of a small run, its page, and what a person reads on it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from benchmarks.reports import rendered
from reports import RENDERERS, ReportOptions
from reports.gathering import Gathering

RUN = {
    "event": "run",
    "schema": 2,
    "suite": "1.0.0",
    "gate": "data",
    "command": ["ticdc-conformance", "run", "--iut", "cmd:./mine"],
    "registers": {"canal-json": {"requirements": 3, "digest": "0123456789abcdef"}},
    "started": "2026-11-22T17:16:47+00:00",
}
IUT = {"event": "iut", "iut": "mine", "name": "mine", "version": "2.1", "address": "cmd:./mine", "contact": "cmd"}
END = {"event": "end", "accounting": {}, "gate": {"policy": "data", "colour": "red"}, "exit": 1, "baseline": {}}

Json = dict[str, Any]


def plan(planned: int, excluded: int = 0, label: str = "mine") -> Json:
    by = [{"protocol": "canal-json", "role": "encode", "planned": planned, "excluded": excluded, "unsupported": 0}]
    return {"event": "plan", "iut": label, "planned": planned, "by": by, "unmatched": [], "near": {}, "notes": []}


def finding(requirement: str = "CJ-1", harm: str = "changed", **more: Any) -> Json:
    of = {"requirement": requirement, "level": "must", "harm": harm, "rule": f"The rule {requirement}."}
    of |= {"place": "the document, 'Types', paragraph 3", "fingerprint": f"value@value.{requirement}#0"}
    of |= {"kind": "value", "path": "value.data[0].c", "expected": "12.345", "got": "12.340", "times": 1}
    return of | more


def verdict(case: str, word: str = "pass", *findings: Json, **more: Any) -> Json:
    of = {"event": "verdict", "iut": "mine", "case": case, "protocol": "canal-json", "role": "encode", "level": "must"}
    of |= {"verdict": word, "findings": list(findings), "fingerprints": [], "axes": {}, "message": "", "stderr": ""}
    return of | {"replay": f"{case}-encode", "requirements": [], "known": []} | more


def case(name: str, **more: Any) -> Json:
    given = {"events": [{"kind": "row", "op": "insert", "before": None, "after": {"id": "1", "c": "12.345"}}]}
    sql = ["CREATE TABLE t (id int, c decimal(5,3))", "INSERT INTO t VALUES (1, 12.345)"]
    return {"event": "case", "iut": "mine", "case": name, "role": "encode", "sql": sql, "input": given} | more


def page(*events: Mapping[str, Any], options: ReportOptions | None = None) -> str:
    return rendered(lambda out: RENDERERS["html"](out, options or ReportOptions()), events)


def gathered(events: Iterable[Mapping[str, Any]]) -> Gathering:
    found = Gathering()
    for event in events:
        found.handle(event)
    return found


def words(html: str) -> str:
    """What a person reads, blanks put together."""
    body = html.partition("<body>")[2].partition("<script>")[0]
    return " ".join(re.sub(r"<[^>]*>", " ", body).replace("&#39;", "'").replace("&#34;", '"').split())


def headline(html: str) -> tuple[str, str]:
    """The colour and the sentence of the verdict at the top."""
    found = re.search(r'<p class="verdict (\w+)"><strong>(.*?)</strong>', html)
    assert found is not None
    return found[1], found[2]


DECIMAL = {"family": "decimal", "type": "decimal(5,3)", "operation": "insert"}
RED = [RUN, IUT, plan(2), case("a"), verdict("a", "fail", finding(), axes=DECIMAL), verdict("b"), END]

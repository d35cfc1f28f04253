"""The cost of the reports of a large run: seconds, bytes, and how soon a page can be used. No verdict.

Seconds are CPU seconds of this process; a page is opened if Chromium is installed.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from reports import RENDERERS, Event, Renderer, TerminalRenderer

__all__ = ["CAUSES", "MANY", "many_failures", "rendered", "report"]

Record: TypeAlias = list[dict[str, Any]]

MANY, CAUSES = 10_000, 1_000
_TYPES = ("decimal", "bigint", "varchar", "timestamp", "json", "bit", "enum", "float", "blob", "year")
_OPERATIONS = ("insert", "update", "delete")
_SECONDS, _MEGABYTES = 5, 5
"""Goals: the seconds that a report may take, and the megabytes of a page; a page can be used within a second."""


def many_failures(failing: int = MANY, causes: int = CAUSES, build: str = "mine") -> Record:
    """The record of a run in which every case fails; every fourth case is one for a decoder."""
    record: Record = [
        {"event": "run", "schema": 2, "suite": "1.0.0", "gate": "data", "command": ["ticdc-conformance", "run"]},
        {"event": "iut", "iut": build, "name": build, "version": "2.1", "address": "cmd:./mine", "contact": "cmd"}
        | {"profile": "newarch", "started": True, "protocols": {"toy": {"roles": ["encode", "decode"]}}},
        {"event": "plan", "iut": build, "planned": failing, "by": []},
    ]
    for n in range(failing):
        name, role = f"toy/generated/{_TYPES[n % 10]}/{n:05}", "decode" if n % 4 == 3 else "encode"
        about = {"iut": build, "case": name, "protocol": "toy", "role": role, "level": "must"}
        about["axes"] = {"type": _TYPES[n % 10], "operation": _OPERATIONS[n % 3]}
        given = {"sql": [f"CREATE TABLE `shop`.`t` (`id` int PRIMARY KEY, `v` {_TYPES[n % 10]})"], "digest": "0" * 64}
        image = {"id": str(n), "v": f"value {n} of a row that is neither short nor long"}
        case_input = {"tables": [], "events": [{"kind": "row", "op": "insert", "after": image}]}
        record.append({"event": "case", **about, **given, "input": case_input, "replay": f"{n:08x}-{role}"})
        record.append(
            {"event": "verdict", **about, "verdict": "fail", "message": "", "stderr": "", **_failure(n, causes)}
        )
    counts = {"fail": failing}
    accounting = {"planned": failing, "counts": counts, "iuts": []}
    return [*record, {"event": "end", "accounting": accounting, "gate": {"colour": "red", "policy": "data"}, "exit": 1}]


def _failure(n: int, causes: int) -> dict[str, Any]:
    """The members of the verdict on case `n` that describe its failure, by one of `causes` causes."""
    cause = n % causes
    harm = ("lost", "changed", "schema", "metadata", "strictness", "form")[cause % 6]
    fingerprint = f"value@value.data[].{{column}}#{cause:08x}"
    finding = {
        "requirement": f"T-{cause % 250 + 1}",
        "level": "must",
        "harm": harm,
        "group": f"group {cause % 12}",
        "rule": f"What T-{cause % 250 + 1} asks of `value` holds, in every row and for every type that has one.",
        "place": "toy manual, 'Values', paragraph 3",
        "fingerprint": fingerprint,
        "kind": "value",
        "path": "value.data[0].v",
        "expected": f"value {n} of a row that is neither short nor long",
        "got": f"value {n} of a row that is neither long nor short",
        "oracle": {"anchor": "document", "source": ""},
    }
    return {"requirements": [finding["requirement"]], "findings": [finding], "fingerprints": [fingerprint]} | {
        "replay": f"{n:08x}-{'decode' if n % 4 == 3 else 'encode'}"
    }


def rendered(renderer: Callable[[io.StringIO], Renderer], events: Iterable[Event]) -> str:
    """The text of a report of these events."""
    out = io.StringIO()
    report = renderer(out)
    for event in events:
        report.handle(event)
    report.close()
    return out.getvalue()


def report() -> None:
    """Print every figure with its goal."""
    record = many_failures()
    print(f"reports of {MANY:,} failing cases with {CAUSES:,} causes   goals {_SECONDS} s, {_MEGABYTES} MB a page")
    for kind, renderer in {"terminal": TerminalRenderer, **RENDERERS}.items():
        start = time.process_time()
        text = rendered(renderer, record)
        seconds = time.process_time() - start
        print(f"  {kind:<12} {seconds:5.2f} s  {len(text.encode()) / 1e6:6.2f} MB{_page_times(kind, text)}")


def _page_times(kind: str, page: str) -> str:
    """How soon a page can be used and filtered, or why it was not opened; empty for a report that is not a page."""
    if kind != "html":
        return ""
    try:
        from tests.browser.chromium import Unavailable, chromium
    except ImportError:
        return "   not opened: selenium is missing"
    try:
        with TemporaryDirectory() as folder, chromium() as browser:
            path = Path(folder, "page.html")
            path.write_text(page, encoding="utf-8")
            browser.open(path)
            timing = "return performance.getEntriesByType('navigation')[0]"
            browser.until(f"{timing}.loadEventEnd > 0")
            times = browser.run(f"{timing}.toJSON()")
            start = time.perf_counter()
            browser.filter("decimal")
            filtered = time.perf_counter() - start
    except Unavailable as e:
        return f"   not opened: {e}"
    ready = times["loadEventEnd"] - times["fetchStart"]
    return f"   usable after {ready / 1000:.2f} s (goal 1), filtered in {filtered:.2f} s"

"""The wording and layout of the reports, as a person sees them."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any

import pytest

from benchmarks.reports import rendered as render
from conformance.engine import run_suite
from conformance.engine.baseline import Known
from conformance.oracle.tree import MISSING, Kind
from reference_impl.profiles import CLASSIC
from reports import RENDERERS, TerminalRenderer
from tests.snapshots.snapshot import assert_snapshot
from tests.toy import PROTOCOL, Toy, ToyJudge, case, config, finding, target

MARK = "value@value.data[].{column}"

WORDS = {
    "bigint/max": "T-1",
    "bigint/min": "T-1",
    "bigint/zero": "ok",
    "text/blank": "T-2",
    "order": "T-3",
    "crashes": "crash",
    "claimed": "unsupported",
    "ours": "ours",
    "known": "T-1",
    "changed": "T-5",
    "mended": "ok",
    "shaky": ["T-1", "ok"],
}
BASELINE = (
    Known(
        match="toy/known",
        fingerprints=(f"{MARK}#T-1",),
        reason="casts to signed",
        issue="https://issues.example/12",
        owner="team-sink",
        expires=date(2027, 3, 31),
    ),
    Known(match="toy/changed", fingerprints=(f"{MARK}#T-1",), reason="casts to signed"),
    Known(match="toy/mended", fingerprints=(f"{MARK}#T-1",)),
    Known(match="toy/gone", fingerprints=(f"{MARK}#T-1",)),
    Known(match="toy/shaky", flaky=True, reason="a race"),
)


def failures() -> list[dict[str, Any]]:
    """One implementation, one case for each thing that can come of it."""
    cases = [case(name, axes={"null": "no"} if "/" in name else {}) for name in WORDS]
    cases += [case("read", "decode", ["T-5"]), case("options", options={"speed": "1"})]
    toy = Toy(WORDS | {"read": "T-5"}, {PROTOCOL: {"options": ["colour"]}})
    return _record(target(toy, cases), baseline=BASELINE)


def side_by_side() -> list[dict[str, Any]]:
    """Three implementations: one good, one that fails, one that does not start."""
    cases = [*(case(f"c{i}") for i in range(30)), *(case(f"d{i}", "decode", ["T-5"]) for i in range(3))]
    bad = Toy({"c7": "T-1", "c8": "T-1", "d0": "T-5", "c20": "T-2"})
    return _record(target(Toy(), cases), target(bad, cases, CLASSIC), target(Toy(dead=True), cases))


def _record(*targets: Any, **more: Any) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    run_suite(config(*targets, **more), [events.append])
    return [e | ({"suite": "1.0.0"} if e["event"] == "run" else {}) for e in events]


def cut() -> list[dict[str, Any]]:
    """A record that was cut after a few verdicts."""
    return side_by_side()[:20]


RECORDS = {"failures": failures, "side-by-side": side_by_side, "cut": cut}


def rendered(kind: str, events: list[dict[str, Any]], **options: Any) -> str:
    return render(partial(TerminalRenderer, **options) if kind == "terminal" else RENDERERS[kind], events)


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_terminal_report_reads_as_reviewed(name: str, width: int) -> None:
    text = rendered("terminal", RECORDS[name](), width=width)
    assert_snapshot(f"{name}.terminal-{width}.txt", text)


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize(("kind", "suffix"), [("junit", "xml"), ("markdown", "md")])
def test_the_report_for_machines_and_job_pages_reads_as_reviewed(name: str, kind: str, suffix: str) -> None:
    assert_snapshot(f"{name}.{suffix}", rendered(kind, RECORDS[name]()))


@pytest.mark.parametrize("name", RECORDS)
def test_the_page_of_a_run_reads_as_reviewed(name: str) -> None:
    body = rendered("html", RECORDS[name]()).partition("<body>")[2].partition("<script>")[0]
    text = html.unescape(re.sub(r"<[^>]*>", "", re.sub(r"</(?:td|th|dt|span)>", " ", body)))
    lines = (" ".join(line.split()) for line in text.splitlines())
    assert_snapshot(f"{name}.page.txt", "\n".join(filter(None, lines)) + "\n")


def test_the_quiet_report_is_the_last_four_lines_of_the_long_one() -> None:
    long = rendered("terminal", failures(), width=200).splitlines()
    assert rendered("terminal", failures(), width=200, quiet=True).splitlines() == long[-4:]


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("name", RECORDS)
def test_no_line_is_wider_than_the_terminal(name: str, width: int) -> None:
    lines = rendered("terminal", RECORDS[name](), width=width).splitlines()
    assert [line for line in lines if len(line) > width] == []


def test_away_from_a_terminal_the_text_is_plain() -> None:
    assert "\x1b" not in rendered("terminal", failures())


def test_differences_point_at_the_place_and_show_what_is_invisible() -> None:
    values = [
        ("18446744073709551615", "18446744073709551614"),
        ("a\u00a0b\u200b\n", " a b "),
        ("x" * 300 + "1", "x" * 300 + "2"),
        (MISSING, {"id": 1}),
        (b"\x00\x01", b"\x00\x02"),
        (2**64, 1),
    ]
    names = [f"v{i}" for i in range(len(values))]

    class Differing(ToyJudge):
        def judge(self, case: Any, answer: Any, *, perfect: object = None) -> Any:
            judgement = super().judge(case, answer)
            expected, got = values[int(case.id.removeprefix("toy/v"))]
            path = f"value.data[0].{case.id[-2:]}"
            found = finding("T-1", path, expected=expected, got=got, kind=Kind.VALUE)
            judgement.findings = [found]
            return judgement

    texts = []
    for name in names:
        given = config(target(Toy({}), [case(name)]))
        events: list[dict[str, Any]] = []
        run_suite(replace(given, judges=lambda registers, target: {PROTOCOL: Differing()}), [events.append])
        lines = rendered("terminal", events, width=80).splitlines()
        first = next(i for i, line in enumerate(lines) if line.startswith("  expected"))
        last = next(i for i, line in enumerate(lines) if line.startswith("  oracle"))
        texts += [*lines[first:last], ""]
    assert_snapshot("differences.txt", "\n".join(texts))


def test_a_heading_that_is_too_long_goes_on_below_behind_an_indent() -> None:
    lines = rendered("terminal", failures(), width=60).splitlines()
    assert [line for line in lines if line != line.rstrip()] == []
    assert [line for line in lines if line.startswith("value@")] == []
    assert "      value@value.data[].{column}#T-5" in lines

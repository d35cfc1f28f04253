"""Reports from events alone: what is read back, what is passed over, and what JUnit's readers accept."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from benchmarks.reports import rendered
from conformance.engine.selection import Expression, Selection
from reports import RENDERERS, TerminalRenderer, read_record
from reports.failure import failure_text
from reports.inputs import record_lines
from reports.unjudged import Unjudged, merged
from tests.toy import run

_WORDS = ("ok", "T-1 T-2", "crash", "unsupported", "ours", "T-3", "timeout", "protocol_error")
WORDS = dict(zip("abcdefgh", _WORDS, strict=True))


KINDS = {"terminal": TerminalRenderer, **RENDERERS}


def render(kind: str, events: Sequence[Mapping[str, Any]]) -> str:
    return rendered(KINDS[kind], events)


# -- the run record ------------------------------------------------------------------------------------------------


def test_a_record_reads_back_as_it_was_written() -> None:
    _, events = run(WORDS)
    again, problems = read_record(render("jsonl", events).splitlines())
    assert (again, problems) == (json.loads(json.dumps(events)), [])


def test_a_broken_line_is_named_and_hides_no_other() -> None:
    lines = render("jsonl", run(WORDS)[1]).splitlines()
    broken = [*lines[:2], '{"event": "verd', "[1]", '{"event": "plan", "iut": "toy"}', *lines[2:]]
    events, problems = read_record(broken, "run.jsonl")
    assert len(events) == len(lines)
    assert [p.split(":")[0] for p in problems] == [f"run.jsonl, line {n}" for n in (3, 4, 5)]
    assert "without planned" in problems[2]


@pytest.mark.parametrize(
    ("kind", "change", "problem"),
    [
        ("run", {"command": None}, "an event 'run': command is not a list"),
        ("plan", {"by": [{"protocol": "toy"}]}, "an event 'plan': by[0] without planned, excluded, unsupported"),
        ("verdict", {"findings": [5]}, "an event 'verdict': findings[0] is not an object"),
        ("verdict", {"axes": {"type": ["bit"]}}, "an event 'verdict': axes[type] is not a text"),
        ("verdict", {"seconds": True}, "an event 'verdict': seconds is not a number"),
        ("end", {"gate": {}}, "an event 'end': gate without colour"),
        ("end", {"exit": "1"}, "an event 'end': exit is not a number"),
    ],
)
def test_an_event_with_a_member_of_another_kind_is_named_and_hides_no_other(kind, change, problem) -> None:
    events = run(WORDS)[1]
    number = next(i for i, event in enumerate(events) if event["event"] == kind)
    lines = [json.dumps(event | change if i == number else event) for i, event in enumerate(events)]
    again, problems = read_record(lines, "run.jsonl")
    assert problems[0] == f"run.jsonl, line {number + 1}: {problem}"
    assert len(again) == len(events) - 1
    for made in KINDS.values():
        assert rendered(made, again)


def test_a_record_without_its_end_says_that_it_was_cut() -> None:
    lines = render("jsonl", run(WORDS)[1]).splitlines()[:-1]
    assert "no 'end' event" in read_record(lines)[1][0]


def test_events_and_members_of_a_later_version_are_kept_when_read() -> None:
    lines = [*render("jsonl", run(WORDS)[1]).splitlines()]
    later = ['{"event": "weather", "rain": true}', *lines]
    events, problems = read_record(later)
    assert (events[0]["rain"], problems) == (True, [])


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_report_does_not_know_it_passes_over(kind: str) -> None:
    _, events = run(WORDS)
    later = [{"event": "weather"}, *({**e, "new_member": [1]} for e in events)]
    if kind != "jsonl":
        assert render(kind, later) == render(kind, events)
    else:
        assert len(render(kind, later).splitlines()) == len(later)


@pytest.mark.parametrize("kind", KINDS)
def test_every_report_of_a_cut_record_can_be_finished(kind: str) -> None:
    _, events = run(WORDS)
    cut_at = [render(kind, events[:n]) for n in range(len(events))]
    if kind != "jsonl":
        assert all("cut" in text for text in cut_at)
    else:
        assert [len(text.splitlines()) for text in cut_at] == list(range(len(events)))


def test_a_record_of_schema_1_counts_its_excluded_verdicts_once() -> None:
    _, events = run({"a": "ok", "b": "ok"}, selection=Selection(expression=Expression("toy/a")))
    at = next(i for i, e in enumerate(events) if e["event"] == "verdict")
    old = [e | ({"schema": 1} if e["event"] == "run" else {}) for e in events]
    old.insert(at, {**events[at], "case": "toy/b", "verdict": "excluded"})
    for record in (events, old):
        text = render("terminal", record)
        assert "planned       2 = pass 1 + excluded 1" in text
        assert "≠" not in text


# -- causes --------------------------------------------------------------------------------------------------------


def found(requirement: str, path: str, skeleton: str, **more: Any) -> dict[str, Any]:
    given: dict[str, Any] = {"requirement": requirement, "level": "must", "kind": "missing", "path": path, "where": ""}
    given |= {"fingerprint": f"missing@{skeleton}#{requirement}", "expected": "1", "got": {"$missing": True}}
    return given | {"rule": "r", "place": "", "times": 1, "oracle": {"anchor": "document", "source": ""}, **more}


def of_findings(*cases: Sequence[Mapping[str, Any]]) -> str:
    """The terminal's report of cases with these findings."""
    _, events = run({f"c{i}": "T-1" for i in range(len(cases))})
    for event, findings in zip([e for e in events if e["event"] == "verdict"], cases, strict=True):
        event["findings"] = list(findings)
    return render("terminal", events)


DATA = found("R-1", "value.data[0].c", "value.data[].{column}")
TYPE = found("R-2", "value.mysqlType.c", "value.mysqlType.{column}")
OLD = found("R-3", "value.old[0].c", "value.old[].{column}")
OTHER = found("R-4", "value.es", "value.es", kind="value", got="2")


def test_what_follows_from_a_missing_column_is_in_one_block() -> None:
    text = of_findings([TYPE, DATA, OLD, OTHER], [TYPE, DATA])
    assert re.findall(r"^FAIL  (\S+).*?(\d+ cases)?$", text, re.MULTILINE) == [("R-1", "2 cases"), ("R-4", "")]
    assert sorted(re.findall(r"(R-\d)  (\S+)   (\d+ cases?)", text)) == [
        ("R-2", "value.mysqlType.c", "2 cases"),
        ("R-3", "value.old[0].c", "1 case"),
    ]


def test_plain_text_of_a_failure_tells_a_missing_column_once() -> None:
    _, events = run({"a": "T-1"})
    [verdict] = [e for e in events if e["event"] == "verdict"]
    text = failure_text(verdict | {"findings": [TYPE, DATA, OLD, OTHER]}, {})
    assert re.findall(r"^(R-\d) ", text, re.MULTILINE) == ["R-1", "R-4"]
    assert re.findall(r"^follows   (R-\d) .*  (\S+)$", text, re.MULTILINE) == [
        ("R-3", "value.old[0].c"),
        ("R-2", "value.mysqlType.c"),
    ]


def test_a_missing_column_elsewhere_without_the_first_is_a_block_of_its_own() -> None:
    text = of_findings([TYPE, DATA], [OLD])
    assert re.findall(r"^FAIL  (\S+)", text, re.MULTILINE) == ["R-1", "R-3"]


def test_the_block_of_a_warning_hides_no_failure() -> None:
    weak = OLD | {"level": "should"}
    text = of_findings([weak], [weak, DATA])
    assert re.findall(r"^(FAIL|WARN)  (\S+)", text, re.MULTILINE) == [("FAIL", "R-1"), ("WARN", "R-3")]


def test_a_place_names_its_record() -> None:
    assert "records[1].value.data[0].c" in of_findings([DATA | {"where": "records[1]"}])


def test_protocols_that_are_not_declared_are_one_line() -> None:
    _, events = run({"a": "ok", "b": "ok", "c": "ok"})
    verdicts = [e for e in events if e["event"] == "verdict"]
    for event, protocol in zip(verdicts[1:], ("grog", "rum"), strict=True):
        event |= {"verdict": "unsupported", "protocol": protocol, "message": f"it does not declare {protocol}"}
    events[-1]["accounting"]["counts"] = {"pass": 1, "unsupported": 2}
    text = render("terminal", events)
    assert len([line for line in text.splitlines() if "grog" in line]) == 1
    assert "UNSUPPORTED   2 cases of protocols that it does not declare: grog, rum" in text
    assert "pass 1 + unsupported 2" in text


def test_reasons_that_differ_in_one_name_are_one_line() -> None:
    lead = "for grog it does not declare columns of type"
    reasons = [
        Unjudged("unsupported", f"{lead} float", 2, ["a", "b", "c"]),
        Unjudged("not_run", "lost", 3),
        Unjudged("unsupported", f"{lead} set", 1, ["d"]),
        Unjudged("unsupported", "for grog it does not declare x", 1),
    ]
    assert merged(reasons) == [
        Unjudged("unsupported", f"{lead} float (×2), set", 3, ["a", "b", "c"]),
        Unjudged("not_run", "lost", 3),
        Unjudged("unsupported", "for grog it does not declare x", 1),
    ]


# -- records -------------------------------------------------------------------------------------------------------


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def test_frames_of_open_protocol_are_taken_apart() -> None:
    key = (1).to_bytes(8, "big") + (7).to_bytes(8, "big") + b'{"t":1}'
    value = (2).to_bytes(8, "big") + b"{}" + (9).to_bytes(8, "big") + b"{"
    lines = list(record_lines({"key": b64(key), "value": b64(value)}))
    assert [line.strip() for line in lines if not line.startswith(("key", "value"))] == [
        "version 1",
        'length 7: {"t":1}',
        "length 2: {}",
        "length 9, 1 present: {",
    ]


def test_fields_of_avro_are_read_by_the_schema_of_the_case() -> None:
    fields = [{"name": "id", "type": "int"}, {"name": "t", "type": ["null", "string"]}, {"name": "b", "type": "bytes"}]
    schemas = [{"id": 7, "subject": "s", "schema": json.dumps({"type": "record", "name": "r", "fields": fields})}]
    body = b"\x00\x00\x00\x00\x07" + b"\x54" + b"\x02\x04hi" + b"\x02\xff"
    assert 'magic 0, schema 7: {id: 42, t: "hi", b: ff (1 bytes)}' in "\n".join(
        record_lines({"key": None, "value": b64(body)}, schemas)
    )
    for cut_at in range(1, len(body)):
        assert list(record_lines({"value": b64(body[:cut_at])}, schemas))
    other = [schemas[0] | {"id": 8}]
    assert "which the case does not register" in "\n".join(record_lines({"value": b64(body)}, other))
    assert list(record_lines({"value": b64(body)}, []))[1].strip() == "magic 0, schema 7"


def test_of_a_record_that_is_not_base64_the_text_is_shown_without_its_middle() -> None:
    [line] = record_lines({"key": None, "value": "\x1b" + "-" * 5000})
    assert line.startswith("value  ␛---")
    assert len(line) < 400


def test_a_record_that_is_text_is_shown_as_text() -> None:
    [line] = record_lines({"key": None, "value": b64('{"a":\n"ü"}'.encode())})
    assert line == 'value  {"a":␊"ü"} (11 bytes)'


def test_colour_is_never_the_only_carrier(monkeypatch: pytest.MonkeyPatch) -> None:
    _, events = run(WORDS)
    plain = render("terminal", events)
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = render("terminal", events)
    assert "\x1b[" in coloured
    words = set(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", coloured).split())
    assert set(plain.split()) <= words


def test_progress_counts_only_cases_that_were_put() -> None:
    by = [{"protocol": "toy", "role": "encode", "planned": 3100, "excluded": 40, "unsupported": 60}]
    plan = {"event": "plan", "iut": "a", "planned": 3100, "by": by, "digest": "", "unmatched": []}
    start = [{"event": "run", "schema": 2}, {"event": "iut", "iut": "a", "address": "", "started": True}, plan]

    def told(word: str, number: int) -> list[dict[str, Any]]:
        verdict = {"event": "verdict", "iut": "a", "protocol": "toy", "role": "encode", "message": "", "findings": []}
        return [{**verdict, "case": f"{word} {i}", "verdict": word} for i in range(number)]

    assert "of 3,000 cases" not in render("terminal", [*start, *told("not_run", 3060)])
    text = render("terminal", [*start, *told("unsupported", 60), *told("pass", 1100), *told("not_run", 1900)])
    assert re.findall(r"[0-9,]+ of 3,000 cases", text) == ["1,000 of 3,000 cases"]

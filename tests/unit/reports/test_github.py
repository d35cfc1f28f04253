"""What GitHub is shown of a run: annotations that are one command each, and Markdown within its limits."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from markdown_it import MarkdownIt

from reports.github import COMMENT_LIMIT, SUMMARY_LIMIT, GithubRenderer, GithubTexts
from reports.github.annotations import MOST, annotation_lines, command
from reports.summary import Room, summary_text
from tests.amounts import examples
from tests.toy import run
from tests.unit.reports.eventful import hostile_texts, record
from tests.unit.reports.hostile import LARGE, forbidden_in, spoiled
from tests.unit.reports.run_events import gathered

COMMAND = re.compile(r"::(error|warning) ((?:[a-z]+=[^:,\r\n]*)(?:,[a-z]+=[^:,\r\n]*)*)::([^\r\n]*)")
RECORD = record()
READER = MarkdownIt("commonmark").enable("table")


def texts(events: list[dict[str, Any]], taken: int = 0) -> GithubTexts:
    made: list[GithubTexts] = []
    renderer = GithubRenderer(made.append, taken)
    for event in events:
        renderer.handle(event)
    renderer.close()
    [one] = made
    return one


def unescaped(text: str) -> str:
    return re.sub("%([0-9A-F]{2})", lambda found: chr(int(found[1], 16)), text)


def read(line: str) -> tuple[str, dict[str, str], str]:
    """Level, properties and message, as the runner of GitHub reads a command."""
    found = COMMAND.fullmatch(line)
    assert found is not None, line
    properties = dict(part.split("=", 1) for part in found[2].split(","))
    return found[1], {name: unescaped(value) for name, value in properties.items()}, unescaped(found[3])


def annotations(events: list[dict[str, Any]]) -> list[tuple[str, dict[str, str], str]]:
    return [read(line) for line in texts(events).annotations.splitlines()]


# -- annotations -----------------------------------------------------------------------------------------------------


def test_a_cause_is_one_annotation_however_many_cases_it_breaks() -> None:
    _, events = run({"a": "T-1", "b": "T-1", "c": "T-2", "d": "ok"})
    found = [(level, properties["title"]) for level, properties, _ in annotations(events)]
    assert found == [("error", "T-1 schema"), ("warning", "T-2 schema")]


def test_with_the_gate_regress_a_cause_without_a_new_failure_is_a_warning() -> None:
    _, events = run({"a": "T-1", "b": "T-1"})
    events[-1]["gate"]["policy"] = "regress"
    verdicts = {event["case"]: event for event in events if event["event"] == "verdict"}
    levels = []
    for new in ((), ("toy/b",)):
        for case, verdict in verdicts.items():
            verdict["new"] = case in new
        levels.append([level for level, _, _ in annotations(events)])
    assert levels == [["warning"], ["error"]]


def test_an_annotation_says_what_differs_and_how_to_see_it_again() -> None:
    [(_, _, message)] = annotations(run({"a": "T-1"})[1])
    rule, differs, cases, replay = message.split("\n")
    assert rule == "What T-1 asks for holds."
    assert differs == 'MUST schema, value.data[0].v: got "-1", not "18446744073709551615"'
    assert cases == "1 case, one of them toy/a (encode)"
    assert replay.startswith("Replay: ticdc-conformance replay ")


def test_the_worst_harm_stands_first() -> None:
    found = annotations(run({"a": "T-1/form", "b": "T-5/metadata", "c": "T-2/changed"})[1])
    assert [properties["title"] for _, properties, _ in found] == ["T-2 changed", "T-5 metadata", "T-1 form"]


def test_more_causes_than_github_shows_are_counted_in_the_last_annotation() -> None:
    _, events = run({f"c{n}": "T-1" for n in range(15)})
    for n, event in enumerate(e for e in events if e["event"] == "verdict"):
        event["findings"][0]["fingerprint"] = f"value@{n}"
    lines = annotations(events)
    assert len(lines) == MOST
    assert lines[-1][1]["title"] == "6 more causes of failure"


def test_a_warning_is_an_error_where_the_gate_says_so() -> None:
    _, events = run({"a": "T-2"})
    events[-1]["gate"] = {"policy": "should", "colour": "red"}
    assert [level for level, _, _ in annotations(events)] == ["error"]


def test_a_green_run_has_no_annotation() -> None:
    assert texts(run({"a": "ok"})[1]).annotations == ""


@pytest.mark.parametrize("cut", [1, 3, -1])
def test_a_run_that_proves_nothing_is_an_error(cut: int) -> None:
    [(level, properties, _), *_] = annotations(run({"a": "ok"})[1][:cut])
    assert (level, properties["title"]) == ("error", "ticdc-conformance: cut")


@pytest.mark.parametrize("place", ["finding", "verdict"])
def test_a_file_is_named_only_where_the_implementation_says_one(place: str) -> None:
    _, events = run({"a": "T-1"})
    [verdict] = [e for e in events if e["event"] == "verdict"]
    assert "file" not in annotations(events)[0][1]
    (verdict if place == "verdict" else verdict["findings"][0])["origin"] = {"file": "src/a,b.go", "line": 7}
    assert {k: v for k, v in annotations(events)[0][1].items() if k != "title"} == {"file": "src/a,b.go", "line": "7"}


@pytest.mark.parametrize("origin", ["src/a.go:7", {"line": 7}, {"file": ""}, {"file": 7}, None, ["a"]])
def test_an_origin_that_is_none_names_no_file(origin: object) -> None:
    _, events = run({"a": "T-1"})
    next(e for e in events if e["event"] == "verdict")["origin"] = origin
    assert set(annotations(events)[0][1]) == {"title"}


@given(hostile_texts)
@settings(max_examples=examples(60), deadline=None)
def test_no_text_breaks_out_of_an_annotation(text: str) -> None:
    events = spoiled(RECORD, text)
    next(e for e in events if e["event"] == "verdict")["origin"] = {"file": f"f{text}", "line": 1}
    plain = annotations(RECORD)
    found = annotations(events)
    assert [level for level, _, _ in found] == [level for level, _, _ in plain]
    for _, properties, message in found:
        assert set(properties) <= {"file", "line", "title"}
        assert forbidden_in(message) == []
        assert forbidden_in("".join(properties.values()), "\n") == []


@given(hostile_texts, hostile_texts)
def test_a_command_reads_back_as_it_was_meant(title: str, message: str) -> None:
    level, properties, said = read(command("error", f"t{title}", [f"m{message}"]))
    assert level == "error"
    assert properties["title"].startswith("t")
    assert said.startswith("m")


# -- summary and comment ---------------------------------------------------------------------------------------------


def many(n: int) -> list[dict[str, Any]]:
    """A run with so many causes."""
    _, events = run({f"c{i}": "T-1" for i in range(n)})
    for i, event in enumerate(e for e in events if e["event"] == "verdict"):
        event["findings"][0] |= {"fingerprint": f"value@{i}", "got": f"{i} " + "wrong " * 300}
    return events


def test_a_comment_begins_with_a_marker_that_the_next_run_has_too() -> None:
    first, second = (texts(run({"a": word})[1]).comment.splitlines()[0] for word in ("ok", "T-1"))
    assert first == second == "<!-- ticdc-conformance: toy -->"


def test_the_markers_of_two_implementations_differ_in_any_script() -> None:
    events = run({"a": "ok"})[1]
    named = [[one | {"name": name} if one["event"] == "iut" else one for one in events] for name in ("编码器", "a-->b")]
    markers = [texts(one).comment.splitlines()[0] for one in named]
    assert markers == ["<!-- ticdc-conformance: 编码器 toy -->", "<!-- ticdc-conformance: a_b toy -->"]


def test_the_comment_folds_its_causes_and_the_summary_does_not() -> None:
    made = texts(many(3))
    assert ("<details>" in made.comment, "<details>" in made.summary) == (True, False)


@pytest.mark.parametrize("n", [0, 4, 60, 400])
def test_summary_and_comment_keep_to_the_limits_and_count_what_is_left_out(n: int) -> None:
    made = texts(many(n) if n else run({"a": "ok"})[1])
    assert len(made.comment) < COMMENT_LIMIT
    assert len(made.summary.encode()) < SUMMARY_LIMIT
    assert made.comment.count("<details>") == made.comment.count("</details>")
    shown = made.comment.count("\nreplay    ") + made.comment.count("\n- **")
    counted = re.search("and ([0-9,]+) more cause", made.comment)
    assert shown + (int(counted[1].replace(",", "")) if counted else 0) == n


def test_causes_of_implementations_without_room_are_counted_too() -> None:
    events = run({f"c{i}": f"T-{i}" for i in range(1, 4)})[1]
    others = [{**event, "iut": "other"} for event in events[1:-1]]
    gathering = gathered([*events[:-1], *others, events[-1]])
    whole = summary_text(gathering, Room(bytes=1_000_000, whole=10, lines=40))
    causes = re.findall(r"^[0-9]+\. \*\*", whole, re.MULTILINE)
    head = whole[: whole.index("1. **")].encode()
    made = summary_text(gathering, Room(bytes=len(head) + 201, whole=10, lines=40))
    assert f"… and {len(causes)} more causes, for which there is no room here." in made


def test_a_summary_takes_what_the_step_has_left() -> None:
    taken = SUMMARY_LIMIT - 3000
    made = texts(many(60), taken).summary
    assert len(made.encode()) + taken < SUMMARY_LIMIT
    assert "for which there is no room here" in made


@pytest.mark.parametrize("events", [spoiled(RECORD, LARGE), spoiled(many(4), LARGE)])
def test_large_texts_do_not_break_the_limits(events: list[dict[str, Any]]) -> None:
    made = texts(events)
    assert len(made.comment.encode()) < COMMENT_LIMIT
    assert len(made.summary.encode()) < COMMENT_LIMIT  # its own is ten times one text that is not cut
    assert max(map(len, made.annotations.splitlines())) < 10_000


def skeleton(markdown: str) -> list[str]:
    """What a reader makes of it, without the texts."""
    return [token.type for token in READER.parse(markdown)]


@given(hostile_texts)
@settings(max_examples=examples(60), deadline=None)
def test_no_text_changes_what_the_markdown_is_made_of(text: str) -> None:
    plain, made = texts(RECORD), texts(spoiled(RECORD, text))
    assert skeleton(made.summary) == skeleton(plain.summary)
    if "for which there is no room" not in made.comment:
        assert skeleton(made.comment) == skeleton(plain.comment)
    assert forbidden_in(made.summary + made.comment) == []


def test_lines_are_made_of_a_gathering_that_may_go_on() -> None:
    assert list(annotation_lines(gathered(RECORD))) == texts(RECORD).annotations.splitlines()

"""A run that is scored by an older version of the suite: later requirements are shown, and count for nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.register import Level
from conformance.cli.main import main
from conformance.engine import Gate
from conformance.engine.baseline import Known
from conformance.engine.requirement_results import RequirementStatus
from conformance.engine.sets import Frozen, RequirementSet, set_text
from reports.texts import suite_text
from tests.toy import PROTOCOL, case, only, run, verdicts
from tests.unit.reports.run_events import gathered

OLD = "0.0.9"
KEPT = {"T-2": Frozen(Level.MUST, testable=True), "T-3": Frozen(Level.MAY, testable=True)}


@pytest.fixture(autouse=True)
def _old_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A version in which T-2 was a MUST, and T-1 was not there."""
    (tmp_path / f"{OLD}.json").write_text(set_text(RequirementSet(OLD, {PROTOCOL: KEPT})), encoding="utf-8")
    monkeypatch.setattr("conformance.engine.sets.sets_folder", lambda: tmp_path)


def scored(words: dict[str, Any], **more: Any) -> tuple[int, list[dict[str, Any]]]:
    return run(words, suite_version=OLD, **more)


@pytest.mark.parametrize("policy", [Gate.DATA, Gate.MUST, Gate.SHOULD])
@pytest.mark.parametrize(("now", "harm"), [("T-1", ""), ("T-5", "/lost")])
def test_a_finding_of_a_later_requirement_is_shown_and_never_scores(now: str, harm: str, policy: Gate) -> None:
    status, events = scored({"a": f"{now}{harm}"}, policy=policy)
    [finding] = only(events, "verdict")["findings"]
    assert (status, verdicts(events), finding["requirement"], finding["later_than"]) == (0, {"a": "pass"}, now, OLD)


def test_the_same_finding_is_red_without_an_older_version() -> None:
    status, events = run({"a": "T-1"})
    assert (status, "later_than" in only(events, "verdict")["findings"][0]) == (1, False)


def test_a_requirement_that_the_set_has_counts_at_the_level_of_then() -> None:
    assert [found({"a": "T-2/metadata"})[0] for found in (run, scored)] == [0, 1]


def test_a_later_requirement_is_counted_neither_as_met_nor_as_broken() -> None:
    _, events = scored({"a": "T-1", "b": "T-2"})
    standings = {e["id"]: (e["standing"], e.get("later_than")) for e in events if e["event"] == "requirement"}
    assert standings["T-1"] == (RequirementStatus.LATER, OLD)
    assert standings["T-2"] == (RequirementStatus.BROKEN, None)


@pytest.mark.parametrize("word", ["crash", "timeout", "protocol_error", "unsupported"])
def test_what_happens_in_a_case_of_later_requirements_alone_is_told_and_does_not_count(word: str) -> None:
    cases = [case("a", requirements=["T-1"]), case("b", requirements=["T-2"])]
    status, events = scored({"a": word}, cases=cases)
    assert (status, verdicts(events)) == (0, {"a": "excluded", "b": "pass"})
    message = next(e["message"] for e in events if e["event"] == "verdict" and e["verdict"] == "excluded")
    assert message.startswith(f"its requirements are later than {OLD}; ")


def test_a_known_failure_of_a_later_requirement_is_neither_an_unexpected_pass_nor_stale() -> None:
    [finding] = only(run({"a": "T-1"})[1], "verdict")["findings"]
    entry = Known(cases=("toy/a",), fingerprints=(finding["fingerprint"],), reason="casts to signed")
    status, events = scored({"a": "T-1"}, baseline=(entry,))
    assert (status, verdicts(events), events[-1]["baseline"]["unmatched"]) == (0, {"a": "pass"}, [])
    assert scored({"a": "ok"}, baseline=(entry,))[0] == 7


def _marks_of(words: dict[str, Any]) -> tuple[str, ...]:
    return tuple(one["fingerprint"] for one in only(run(words)[1], "verdict")["findings"])


@pytest.mark.parametrize("is_one", [True, False], ids=["one entry", "an entry each"])
def test_a_known_failure_of_a_later_requirement_is_not_gone_where_another_one_fails_too(is_one: bool) -> None:
    marks = _marks_of({"a": "T-1 T-2"})
    entries = tuple(
        Known(cases=("toy/a",), fingerprints=some, reason="casts to signed")
        for some in ([marks] if is_one else [(mark,) for mark in marks])
    )
    for found in (run, scored):
        status, events = found({"a": "T-1 T-2"}, baseline=entries)
        summary = events[-1]["baseline"]
        assert (status, verdicts(events), summary["gone"]) == (0, {"a": "xfail"}, [])
        assert summary["standings"] == {"failing": len(entries)}
    assert scored({"a": "T-2"}, baseline=entries)[0] == 7


def test_an_entry_for_some_cases_that_covers_a_later_requirement_alone_has_its_cases() -> None:
    later, _ = _marks_of({"a": "T-1 T-2"})
    entries = (Known(match="toy/a", fingerprints=(later,), reason="casts", partial=True),)
    status, events = scored({"a": "T-1 T-2"}, baseline=entries)
    assert (status, verdicts(events), events[-1]["baseline"]["unmatched"]) == (1, {"a": "fail"}, [])


def test_a_crash_in_a_case_that_the_set_has_a_requirement_of_is_red() -> None:
    cases = [case("a", requirements=["T-1", "T-2"])]
    assert scored({"a": "crash"}, cases=cases)[0] == 1


def test_the_record_says_by_which_version_it_was_scored_and_keeps_to_its_schema() -> None:
    _, events = scored({"a": "T-1", "b": "T-2"})
    assert events[0]["suite_version"] == OLD
    assert "suite_version" not in run({"a": "ok"})[1][0]
    schema = json.loads((fixtures_root() / "schemas" / "run-event.schema.json").read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    assert [error.message for event in events for error in validator.iter_errors(event)] == []


def test_a_report_calls_the_cause_later_and_not_red() -> None:
    [iut] = gathered(scored({"a": "T-1"})[1]).iuts.values()
    [cause] = iut.causes
    assert (cause.word, cause.is_red) == ("later", False)


def test_an_index_of_runs_takes_a_later_requirement_for_neither_broken_nor_met(tmp_path: Path) -> None:
    events = scored({"a": "T-1/lost"})[1]
    (tmp_path / "run.jsonl").write_text("".join(f"{json.dumps(event)}\n" for event in events), encoding="utf-8")
    assert main(["report", "index", str(tmp_path / "run.jsonl"), "-o", str(tmp_path / "out")]) == 0
    record = json.loads((tmp_path / "out" / "index.json").read_text(encoding="utf-8"))
    schema = json.loads((fixtures_root() / "schemas" / "report-index.schema.json").read_text(encoding="utf-8"))
    assert [error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(record)] == []
    badges = [json.loads(path.read_text(encoding="utf-8")) for path in (tmp_path / "out" / "badges").iterdir()]
    assert [badge["message"].partition(" ")[0] for badge in badges] == ["passing"]


FAULTY = ("<failure", '"level": "error"', "1 data fault")
"""What reports write where a requirement that scores is broken."""


@pytest.mark.parametrize("kind", ["html", "junit", "markdown", "sarif", "badge"])
def test_no_report_calls_a_later_requirement_a_failure(kind: str, tmp_path: Path) -> None:
    told = []
    for name, found in (("now", run), ("then", scored)):
        record, report = tmp_path / f"{name}.jsonl", tmp_path / name
        lines = (f"{json.dumps(event)}\n" for event in found({"a": "T-1/lost"})[1])
        record.write_text("".join(lines), encoding="utf-8")
        assert main(["report", "render", kind, str(record), "-o", str(report)]) == 0
        told.append(any(word in report.read_text(encoding="utf-8") for word in FAULTY))
    assert told == [True, False]


def test_reports_name_the_version_that_scores_beside_that_of_the_suite() -> None:
    runs = [found({"a": "ok"})[1][0] for found in (run, scored)]
    assert suite_text(runs[1]) == f"{suite_text(runs[0])} scored as {OLD}"

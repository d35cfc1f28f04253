"""Results for Allure: an entry a case that was put, the same files from the same record, and nothing invisible."""

from __future__ import annotations

import copy
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from reports.vocabulary import HARMS, VERDICTS

pytest.importorskip("allure_commons", reason="the extra [allure] is not installed")

from reports.allure.labels import CATEGORIES, SEVERITIES, STATUSES
from reports.allure.results import AllureRenderer
from reports.allure.texts import FirstOfACause
from tests.amounts import examples
from tests.unit.reports.hostile_records import Json, case_event, finding, record, records, verdict


def written(events: Sequence[Mapping[str, Any]], folder: Path, answer: Json | None = None) -> dict[str, bytes]:
    """Name → content of the files of a report; `answer` is that of every case."""
    report = AllureRenderer(folder)
    if answer is not None:
        report.answer_of = lambda verdict: answer
    for event in events:
        report.handle(event)
    report.close()
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


def of_suffix(files: Mapping[str, bytes], suffix: str) -> list[Json]:
    return [json.loads(content) for name, content in files.items() if name.endswith(suffix)]


@pytest.fixture
def results(tmp_path: Path) -> Any:
    """A function from events to the results, by the name of the case."""

    def made(*events: Json, **more: Any) -> dict[str, Json]:
        found = of_suffix(written(record(*events, **more), tmp_path / "results"), "-result.json")
        return {one["name"]: one for one in found}

    (tmp_path / "results").mkdir()
    return made


def labels(result: Json) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for label in result["labels"]:
        found.setdefault(label["name"], []).append(label["value"])
    return found


OF_THE_RUN = ("the run proves something", "the run came to its end")


# -- any record --------------------------------------------------------------------------------------------------------


def texts_of(tree: Any) -> list[str]:
    if isinstance(tree, dict):
        return [text for part in tree.values() for text in texts_of(part)]
    if isinstance(tree, list):
        return [text for part in tree for text in texts_of(part)]
    return [tree] if isinstance(tree, str) else []


@settings(max_examples=examples(40), deadline=None)
@given(records())
def test_any_record_becomes_results_that_can_be_read_with_nothing_invisible_in_them(events: list[Json]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = written(events, Path(folder))
    found = of_suffix(files, "-result.json")
    put = [e for e in events if e["event"] == "verdict"]
    of_cases = [one for one in found if one["name"] not in OF_THE_RUN]
    assert len(of_cases) == len({(e["case"], e["role"]) for e in put})
    for text in texts_of(found):
        assert all(c.isprintable() or c == "\n" for c in text)
    for name, content in files.items():
        if name.endswith(".txt"):
            assert all(c.isprintable() or c == "\n" for c in content.decode("utf-8"))
        assert len(content) < 1_000_000
    attached = {a["source"] for one in found for a in one.get("attachments", ())}
    assert attached == {name for name in files if "-attachment." in name}


@settings(max_examples=examples(20), deadline=None)
@given(records())
def test_the_same_record_gives_the_same_files(events: list[Json]) -> None:
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        assert written(events, Path(one)) == written(copy.deepcopy(events), Path(other))


# -- entries -----------------------------------------------------------------------------------------------------------


def test_every_verdict_of_a_case_that_was_put_has_a_status() -> None:
    assert set(STATUSES) == set(VERDICTS) - {"excluded"}


@pytest.mark.parametrize("word", STATUSES)
def test_a_verdict_is_one_entry_with_its_status(word: str, results: Any) -> None:
    found = [finding()] if word in ("fail", "warn", "xfail", "xfail_changed") else []
    known = [{"entry": "1", "reason": "casts", "issue": "https://issues.example/1"}] if word == "xfail" else []
    [one] = results(verdict("toy/a", word, *found, known=known)).values()
    assert one["status"] == STATUSES[word]
    assert one.get("statusDetails", {}).get("known", False) is (word in ("xfail", "xfail_changed"))
    assert [link["url"] for link in one.get("links", ())] == [k["issue"] for k in known]


def test_a_run_that_proves_nothing_is_a_broken_entry_that_says_why(results: Any) -> None:
    why = "the program './mine' cannot be started"
    of_all = {"event": "verdicts", "iut": "mine", "protocol": "toy", "role": "encode", "verdict": "not_run"}
    of_all |= {"message": why, "cases": 1200, "profile": "newarch"}
    found = results(of_all, iut={"started": False, "message": why}, end={"exit": 6})
    assert {name: one["status"] for name, one in found.items()} == {
        OF_THE_RUN[0]: "broken",
        "toy: 1,200 cases": "skipped",
    }
    assert found[OF_THE_RUN[0]]["statusDetails"]["message"] == f"the run is inconclusive: {why}"


def test_a_record_that_was_cut_has_a_broken_entry(tmp_path: Path) -> None:
    events = record(verdict("toy/a", "pass"))[:-1]
    found = of_suffix(written(events, tmp_path), "-result.json")
    assert {one["name"]: one["status"] for one in found} == {OF_THE_RUN[1]: "broken", "toy/a": "passed"}


@pytest.mark.parametrize(
    ("gate", "word", "new", "status"),
    [
        ("should", "warn", True, "failed"),
        ("data", "warn", True, "passed"),
        ("regress", "fail", False, "skipped"),
        ("regress", "crash", False, "skipped"),
        ("regress", "fail", True, "failed"),
        ("regress", "suite_error", False, "broken"),
        ("data", "fail", False, "failed"),
    ],
)
def test_the_gate_of_the_run_decides_what_fails(gate: str, word: str, new: bool, status: str, results: Any) -> None:
    [one] = results(verdict("toy/a", word, finding(), new=new), run={"gate": gate}).values()
    assert one["status"] == status


def test_what_was_not_selected_or_not_declared_at_all_has_no_entry(results: Any) -> None:
    assert not results(
        verdict("toy/a", "excluded"),
        verdict("toy/b", "unsupported", message="it does not declare toy"),
        verdict("toy/c", "unsupported", message="for toy it does not declare the role encode"),
    )


def test_a_case_stands_below_its_protocol_and_the_requirement_that_it_breaks_worst(results: Any) -> None:
    one = results(
        verdict(
            "toy/type/int/max",
            "fail",
            finding("T-1", harm="form", group="Form", path="value.a"),
            finding("T-2", harm="lost", group="Values", path="value.b"),
        )
    )["toy/type/int/max"]
    told = labels(one)
    assert (told["epic"], told["feature"], told["story"]) == (["toy"], ["Values"], ["T-2 A rule."])
    assert (told["severity"], one["statusDetails"]["message"]) == (["blocker"], "lost: T-2 A rule.")


def test_a_passed_case_stands_below_what_it_was_written_for_or_its_kind_of_input(results: Any) -> None:
    rule = {"event": "requirement", "iut": "mine", "protocol": "toy", "id": "T-1", "group": "Values"}
    found = results(
        verdict("toy/golden/a", "pass", requirements=["T-1"]),
        verdict("toy/type/int/max", "pass"),
        {**rule, "rule": "A rule.", "standing": "met"},
    )
    assert labels(found["toy/golden/a"])["story"] == ["T-1 A rule."]
    assert (labels(found["toy/type/int/max"])["feature"], labels(found["toy/type/int/max"])["story"]) == (
        ["Inputs"],
        ["type int"],
    )


def test_every_harm_has_a_severity_and_a_category_and_the_worst_come_first() -> None:
    order = ["blocker", "critical", "normal", "minor", "trivial"]
    assert list(SEVERITIES) == list(HARMS)
    assert [order.index(SEVERITIES[harm]) for harm in HARMS] == sorted(order.index(s) for s in SEVERITIES.values())
    names = [str(category["name"]) for category in CATEGORIES if category["matchedStatuses"] == ["failed"]]
    assert sorted(names) == names
    assert [name.split()[1].rstrip(":").lower() for name in names] == list(HARMS)


def test_a_crash_is_a_blocker_and_its_message_names_no_request(results: Any) -> None:
    [one] = results(verdict("toy/a", "crash", message="it ended with status 2 during encode (request 17)")).values()
    assert one["statusDetails"]["message"] == "lost: crash: it ended with status 2 during encode"
    assert labels(one)["severity"] == ["blocker"]


def test_the_description_says_what_differs_and_how_to_run_it_again(results: Any) -> None:
    [one] = results(case_event(), verdict("toy/a", "fail", finding())).values()
    assert one["description"].splitlines() == [
        '    T-1  value.a: expected "1", got "2"',
        "    rule: toy manual",
        "    again: ticdc-conformance replay 0123abcd-encode --iut cmd:./mine",
    ]


# -- attachments -------------------------------------------------------------------------------------------------------


def test_a_failure_has_input_request_expected_got_and_stderr_attached(tmp_path: Path) -> None:
    files = written(record(case_event(), verdict("toy/a", "fail", finding(), stderr="\x1b[31mpanic")), tmp_path)
    [one] = of_suffix(files, "-result.json")
    attached = {a["name"]: files[a["source"]].decode() for a in one["attachments"]}
    assert attached["Input"] == 'CREATE TABLE t (id INT)\ninsert  {id: "1", a: "2"}\n'
    assert json.loads(attached["Request"]) == case_event()["input"]
    assert (attached["Expected"], attached["Got"]) == ('value.a\n"1"\n', 'value.a\n"2"\n')
    assert attached["stderr"] == "␛[31mpanic\n"


def test_a_failure_of_a_saved_run_has_its_whole_answer_attached(tmp_path: Path) -> None:
    answer = {"ok": {"records": [{"value": "b2s="}]}}
    files = written(record(case_event(), verdict("toy/a", "fail", finding())), tmp_path, answer)
    [one] = of_suffix(files, "-result.json")
    [source] = [a["source"] for a in one["attachments"] if a["name"] == "Answer"]
    assert json.loads(files[source]) == answer


def test_passed_cases_have_no_attachments(results: Any) -> None:
    [one] = results(verdict("toy/a", "pass", stderr="much")).values()
    assert "attachments" not in one
    assert "statusDetails" not in one


def test_of_a_cause_the_first_cases_have_attachments_and_the_others_say_so(results: Any) -> None:
    most = FirstOfACause.most
    found = results(*(verdict(f"toy/{n:02}", "fail", finding(got=str(n))) for n in range(most + 2)))
    assert [bool(one.get("attachments")) for _, one in sorted(found.items())] == [True] * most + [False] * 2
    assert (
        f"the first {most} cases of a cause, and for 1,000 cases in all"
        in found[f"toy/{most}"]["statusDetails"]["trace"]
    )


def test_of_thousands_of_causes_a_bounded_number_of_cases_has_attachments() -> None:
    is_shown = FirstOfACause()
    cases = (verdict(f"toy/{n}", "fail", finding(f"T-{n}")) for n in range(FirstOfACause.most_in_all + 5))
    assert sum(map(is_shown, cases)) == FirstOfACause.most_in_all


# -- identity ----------------------------------------------------------------------------------------------------------


def history(events: Sequence[Json], folder: Path) -> list[str]:
    folder.mkdir()
    return sorted(one["historyId"] for one in of_suffix(written(events, folder), "-result.json"))


def test_history_outlives_the_name_of_the_implementation_and_of_a_requirement(tmp_path: Path) -> None:
    first = record(verdict("toy/a", "fail", finding()))
    renamed = record(verdict("toy/a", "pass", iut="other", requirements=["T-9"]))
    renamed[1] |= {"iut": "other", "name": "other", "version": "2"}
    assert history(first, tmp_path / "a") == history(renamed, tmp_path / "b")
    assert history(first, tmp_path / "c") != history(record(verdict("toy/b", "fail", finding())), tmp_path / "d")


def test_roles_and_implementations_side_by_side_are_entries_of_their_own(tmp_path: Path) -> None:
    events = record(verdict("toy/a", "pass"), verdict("toy/a", "pass", role="decode"))
    other = [{**e, "iut": "other"} for e in events[1:-1]]
    found = of_suffix(written([*events[:-1], *other, events[-1]], tmp_path), "-result.json")
    assert len({one["historyId"] for one in found}) == len(found) == 4
    assert len({one["testCaseId"] for one in found}) == 2
    whose = [{p["name"]: p["value"] for p in one["parameters"]} for one in found]
    assert {one["implementation"] for one in whose} == {"mine", "other"}


def test_times_follow_one_another_from_when_the_run_began(results: Any) -> None:
    found = results(*(verdict(f"toy/{n}", "pass", seconds=0.25) for n in range(2)))
    begin = 1795369081000
    assert [(one["start"] - begin, one["stop"] - begin) for _, one in sorted(found.items())] == [(0, 250), (250, 500)]


# -- the folder --------------------------------------------------------------------------------------------------------


def test_results_of_an_earlier_report_go_and_those_of_others_stay(tmp_path: Path) -> None:
    (tmp_path / "mine-result.json").write_text("{}", encoding="utf-8")
    (tmp_path / "categories.json").write_text("[]", encoding="utf-8")
    written(record(verdict("toy/a", "fail", finding())), tmp_path)
    again = written(record(verdict("toy/b", "pass")), tmp_path)
    assert [one["name"] for one in of_suffix(again, "-result.json") if one] == ["toy/b"]
    assert again["mine-result.json"] == b"{}"
    assert again["categories.json"] == b"[]"


def test_the_environment_is_a_file_of_properties_that_any_reader_takes(tmp_path: Path) -> None:
    files = written(record(iut={"name": "中\\\n🙂", "version": ""}), tmp_path)
    lines = files["environment.properties"].decode("ascii").splitlines()
    assert lines[0] == r"Implementation=\u4e2d\\\n\ud83d\ude42"
    assert "Gate=red (exit 1)" in lines


def test_the_environment_has_the_command_as_a_shell_takes_it(tmp_path: Path) -> None:
    events = record()
    events[0]["command"] = ["run", "--iut", "cmd:./toy --flag"]
    lines = written(events, tmp_path)["environment.properties"].decode("ascii").splitlines()
    assert "Command=run --iut 'cmd:./toy --flag'" in lines

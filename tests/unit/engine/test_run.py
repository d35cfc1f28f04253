"""One implementation through a plan: whose fault is what, and what is counted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from conformance.cases.model import Anchor
from conformance.engine import Gate, RunConfig, run_suite
from conformance.engine.baseline import Known
from conformance.engine.plan import item_of
from conformance.errors import SuiteError, UsageError
from conformance.oracle.findings import Judgement
from reference_impl.profiles import CLASSIC, NEWARCH
from tests.toy import PROTOCOL, REGISTER, SQL, TABLE, Toy, case, config, only, run, target, verdicts


@pytest.mark.parametrize(
    ("word", "verdict", "status"),
    [
        ("ok", "pass", 0),
        ("T-1", "fail", 1),
        ("T-2", "warn", 0),
        ("T-2/lost", "fail", 1),
        ("T-2/changed", "fail", 1),
        ("T-2/metadata", "warn", 0),
        ("T-2/form T-2/lost", "fail", 1),
        ("T-2/lost T-2/form", "fail", 1),
        ("T-3/lost", "pass", 0),
        ("T-3", "pass", 0),
        ("T-3 T-2", "warn", 0),
        ("T-2 T-1 T-3", "fail", 1),
        ("advisory", "warn", 0),
        ("rejected", "fail", 1),
        ("crash", "crash", 1),
        ("timeout", "timeout", 1),
        ("protocol_error", "protocol_error", 1),
        ("error", "crash", 1),
        ("unsupported", "false_claim", 1),
        ("ours", "suite_error", 3),
        ("bug", "suite_error", 3),
        ("nothing", "suite_error", 3),
        ("elsewhere", "suite_error", 3),
        ("T-9", "suite_error", 3),
    ],
)
def test_an_answer_makes_one_verdict_and_a_status(word: str, verdict: str, status: int) -> None:
    found, events = run({"a": word, "b": "ok"})
    assert verdicts(events) == {"a": verdict, "b": "pass"}
    assert found == status


@pytest.mark.parametrize(
    ("policy", "verdict", "status"), [("data", "fail", 1), ("must", "warn", 0), ("should", "fail", 1)]
)
def test_a_should_that_loses_data_fails_unless_musts_alone_count(policy: str, verdict: str, status: int) -> None:
    found, events = run({"a": "T-2/lost"}, policy=Gate(policy))
    assert (found, verdicts(events)["a"]) == (status, verdict)


def test_a_finding_of_the_record_tells_its_harm() -> None:
    _, events = run({"a": "T-2/metadata T-1/lost"})
    found = next(e for e in events if e["event"] == "verdict" and e["findings"])["findings"]
    # At one place they stand as they were found.
    assert [(f["requirement"], f["harm"]) for f in found] == [("T-2", "metadata"), ("T-1", "lost")]


def test_a_case_for_a_requirement_that_no_assertion_carried_is_a_suite_error() -> None:
    cases = [case("a", requirements=["T-1", "T-5"], profiles=frozenset())]
    judged = {"T-1"}

    class Careless:
        def judge(self, case: Any, answer: Any, *, perfect: object = None) -> Any:
            return Judgement(set(judged), [])

    events: list[dict[str, Any]] = []
    careless = replace(config(target(Toy(), cases)), judges=lambda registers, target: {PROTOCOL: Careless()})
    assert run_suite(careless, [events.append]) == 3
    assert "T-5" in only(events, "verdict")["message"]


def test_a_requirement_of_another_profile_need_not_be_evaluated() -> None:
    later = replace(REGISTER.requirements["T-5"], profiles=frozenset({"classic"}))
    register = replace(REGISTER, requirements={**REGISTER.requirements, "T-5": later})
    one = case("a", requirements=["T-5"])
    assert item_of(one, register, NEWARCH).level == "must"
    events: list[dict[str, Any]] = []
    given = replace(config(target(Toy(), [one])), registers=lambda protocols: {PROTOCOL: register})
    assert run_suite(given, [events.append]) == 0


def test_a_finding_of_level_may_stays_visible_in_a_pass() -> None:
    _, events = run({"a": "T-3"})
    [finding] = only(events, "verdict")["findings"]
    assert (finding["requirement"], finding["level"]) == ("T-3", "may")


def test_a_crash_costs_the_one_case_in_flight_and_the_restart_is_told() -> None:
    toy = Toy({"b": "crash"})
    _, events = run(cases=[case("a"), case("b"), case("c")], toy=toy)
    assert verdicts(events) == {"a": "pass", "b": "crash", "c": "pass"}
    restart = only(events, "restart")
    assert (restart["after"], restart["why"]) == ("toy/b", "it ended with exit status 139 during encode")
    assert toy.closed


def test_a_lost_harness_leaves_the_rest_not_run_and_exits_with_6() -> None:
    status, events = run({"a": "ok", "b": "lose", "c": "ok"})
    assert (status, verdicts(events)) == (6, {"a": "pass", "b": "not_run", "c": "not_run"})


def test_one_that_dies_before_its_first_hello_exits_with_6() -> None:
    status, events = run(toy=Toy(dead=True))
    assert (status, verdicts(events)) == (6, {})
    settled, end = only(events, "verdicts"), only(events, "end")
    assert (settled["verdict"], settled["cases"], "cannot be started" in settled["message"]) == ("not_run", 1, True)
    assert (end["accounting"]["counts"], end["accounting"]["adds_up"]) == ({"not_run": 1}, True)
    iut = only(events, "iut")
    assert (iut["started"], "cannot be started" in iut["message"], iut["stderr"]) == (False, True, "toy: not found\n")


def test_ctrl_c_leaves_the_rest_not_run_and_a_valid_record_with_status_2() -> None:
    status, events = run({"a": "T-1", "b": "ctrl-c", "c": "ok"})
    assert (status, verdicts(events)) == (2, {"a": "fail", "b": "not_run", "c": "not_run"})
    end = events[-1]
    assert (end["event"], end["exit"], end["interrupted"], end["accounting"]["adds_up"]) == ("end", 2, True, True)


def test_ctrl_c_while_an_implementation_starts_is_the_message_of_its_event() -> None:
    class Slow(Toy):
        def start(self) -> Any:
            raise KeyboardInterrupt

    status, events = run(toy=Slow())
    iut = only(events, "iut")
    assert (iut["started"], iut["message"]) == (False, "interrupted while it was started")
    assert (status, only(events, "verdicts")["verdict"], events[-1]["interrupted"]) == (2, "not_run", True)


def test_ctrl_c_stops_the_implementations_that_were_still_to_come() -> None:
    events: list[dict[str, Any]] = []
    cases = [case("a")]
    both = config(target(Toy({"a": "ctrl-c"}), cases), target(Toy(), cases))
    assert run_suite(both, [events.append]) == 2
    assert len([e for e in events if e["event"] == "iut"]) == 1


def test_a_suite_error_outside_a_case_still_ends_the_record() -> None:
    def broken(protocol: str, profile: Any) -> Any:
        raise SuiteError("a fixture cannot be read")

    events: list[dict[str, Any]] = []
    assert run_suite(config(replace(target(Toy(), []), cases=broken)), [events.append]) == 3
    assert (events[-1]["event"], events[-1]["message"]) == ("end", "a fixture cannot be read")


def test_a_run_that_a_suite_error_cut_short_shows_of_no_entry_of_the_baseline_that_it_is_stale() -> None:
    class Broken(Toy):
        def start(self) -> Any:
            raise SuiteError("a process of the suite ended")

    status, events = run({"a": "T-1"}, toy=Broken(), baseline=(Known(cases=("a",), fingerprints=("value",)),))
    baseline = events[-1]["baseline"]
    assert (status, baseline["whole"], baseline["unmatched"], baseline["stale"]) == (3, False, [], False)
    [entry] = baseline["entries"]
    assert entry["standing"] == "not judged"


# -- declarations --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "declared",
    [
        {PROTOCOL: {"roles": ["decode"]}},
        {PROTOCOL: {"options": ["x"]}},
        {PROTOCOL: {"events": ["ddl"]}},
        {PROTOCOL: {"column_types": ["int"]}},
    ],
)
def test_what_was_not_declared_is_unsupported_and_never_asked(declared: dict[str, Any]) -> None:
    toy = Toy(protocols=declared)
    _, events = run(cases=[case("a", options={"y": "1"})], toy=toy)
    assert (verdicts(events), toy.asked) == ({"a": "unsupported"}, [])


def test_the_cases_of_a_protocol_that_was_not_declared_are_one_line_of_the_record_and_all_counted() -> None:
    cases = [case("a"), case("b"), case("c", role="decode")]
    status, events = run(cases=cases, toy=Toy(protocols={}))
    settled = [(e["role"], e["verdict"], e["cases"]) for e in events if e["event"] == "verdicts"]
    assert (status, verdicts(events), settled) == (5, {}, [("encode", "unsupported", 2), ("decode", "unsupported", 1)])
    assert {e["message"] for e in events if e["event"] == "verdicts"} == {f"it does not declare {PROTOCOL}"}
    end = only(events, "end")["accounting"]
    assert (end["planned"], end["counts"], end["adds_up"]) == (3, {"unsupported": 3}, True)
    assert only(events, "plan")["by"] == [
        {"protocol": PROTOCOL, "role": role, "planned": n, "excluded": 0, "unsupported": n}
        for role, n in (("encode", 2), ("decode", 1))
    ]


def test_an_entry_of_the_baseline_about_a_protocol_that_was_not_declared_is_not_stale() -> None:
    known = (Known(match="toy/a", fingerprints=("f",)), Known(match="toy/gone", fingerprints=("f",)))
    _, events = run(cases=[case("a")], toy=Toy(protocols={}), baseline=known)
    assert only(events, "end")["baseline"]["unmatched"] == ["toy/gone"]


def test_a_list_left_out_of_the_declaration_means_all() -> None:
    assert run(toy=Toy(protocols={PROTOCOL: {}}))[0] == 0


def test_one_that_declares_and_answers_everything_with_unsupported_exits_with_1() -> None:
    status, events = run({"a": "unsupported", "b": "unsupported"})
    assert (status, set(verdicts(events).values())) == (1, {"false_claim"})


@pytest.mark.parametrize(
    ("declared", "tables", "verdict"),
    [
        ({"column_types": ["int"]}, (), "unsupported"),
        ({"events": ["row"]}, (), "unsupported"),
        ({"roles": ["decode"]}, (), "false_claim"),
        ({"column_types": ["int", "bigint"]}, (TABLE,), "false_claim"),
    ],
)
def test_a_decoder_may_decline_what_it_did_not_declare_and_only_the_records_show(declared, tables, verdict) -> None:
    asked = replace(case("a", "decode"), tables=tables, events=(), expected=None)
    _, events = run(cases=[asked], toy=Toy({"a": "unsupported"}, protocols={PROTOCOL: declared}))
    assert verdicts(events) == {"a": verdict}


# -- configuration -------------------------------------------------------------------------------------------------


def test_cases_of_one_configuration_stand_together_and_configure_is_sent_once_for_them() -> None:
    cases = [case("a"), case("b", options={"x": "1"}), case("c"), case("d", options={"x": "1"})]
    toy = Toy()
    _, events = run(cases=cases, toy=toy)
    assert list(verdicts(events)) == ["a", "c", "b", "d"]
    assert [request["options"] for request in toy.configures] == [{}, {"x": "1"}]


@pytest.mark.parametrize(
    ("configured", "verdict"),
    [("rejected", "fail"), ("unsupported", "false_claim"), ("error", "crash"), ("crash", "crash")],
)
def test_what_configure_answers_counts_for_every_case_of_its_group(configured: str, verdict: str) -> None:
    _, events = run(cases=[case("a"), case("b")], toy=Toy(configured=configured))
    assert verdicts(events) == {"a": verdict, "b": verdict}


# -- what is recorded ----------------------------------------------------------------------------------------------


def test_planned_is_the_sum_of_the_verdicts_over_all_roles() -> None:
    cases = [case("a"), case("b", "decode"), case("c", "decode")]
    _, events = run(cases=cases, toy=Toy({"b": "T-5"}))
    end = events[-1]["accounting"]
    assert (end["planned"], end["counts"], end["adds_up"]) == (3, {"pass": 2, "fail": 1}, True)
    by = {part["role"]: part["counts"] for part in end["iuts"][0]["by"]}
    assert by == {"encode": {"pass": 1}, "decode": {"pass": 1, "fail": 1}}


def test_a_requirement_has_the_strongest_anchor_of_the_cases_that_evaluated_it() -> None:
    cases = [
        case("a", requirements=["T-1"], anchor=Anchor.RECORDED),
        case("b", requirements=["T-1", "T-2"], anchor=Anchor.REFERENCE),
    ]
    _, events = run(cases=cases)
    found = {e["id"]: (e["standing"], e["anchor"], e["cases"]) for e in events if e["event"] == "requirement"}
    assert found == {
        "T-1": ("met", "recorded", 2),
        "T-2": ("met", "reference only", 1),
        "T-3": ("not evaluated", None, 0),
        "T-4": ("untestable", None, 0),
    }


def test_a_broken_requirement_stays_broken_whatever_came_later() -> None:
    _, events = run({"a": "T-1", "b": "ok", "c": "T-2", "d": "T-3"})
    found = {e["id"]: e["standing"] for e in events if e["event"] == "requirement"}
    assert (found["T-1"], found["T-2"], found["T-3"]) == ("broken", "advisory", "advisory")


def test_implementations_of_one_name_are_told_apart() -> None:
    events: list[dict[str, Any]] = []
    cases = [case("a")]
    run_suite(config(target(Toy(), cases), target(Toy(), cases, CLASSIC)), [events.append])
    assert [(e["iut"], e["profile"]) for e in events if e["event"] == "iut"] == [
        ("toy", "newarch"),
        ("toy #2", "classic"),
    ]


def test_an_implementation_that_is_named_as_the_second_of_a_name_has_a_label_of_its_own() -> None:
    class Namesake(Toy):
        def start(self) -> dict[str, Any]:
            return {**super().start(), "name": "toy #2"}

    events: list[dict[str, Any]] = []
    run_suite(config(*(target(toy, [case("a")]) for toy in (Toy(), Namesake(), Toy()))), [events.append])
    assert [e["iut"] for e in events if e["event"] == "iut"] == ["toy", "toy #2", "toy #3"]


def test_a_case_that_fails_is_shown_with_its_sql_and_input_before_its_verdict() -> None:
    _, events = run({"a": "T-1"})
    kinds = [e["event"] for e in events]
    told = only(events, "case")
    assert kinds.index("case") + 1 == kinds.index("verdict")
    assert (told["sql"], told["input"]["events"][0]["after"]["v"]) == (list(SQL), "18446744073709551615")


def test_equal_findings_of_a_case_are_one_finding_with_a_count() -> None:
    _, events = run({"a": "T-1 T-1 T-1"})
    assert [f["times"] for f in only(events, "verdict")["findings"]] == [3]


def test_cases_that_no_other_process_can_make_are_put_over_one_session_however_many_are_asked_for() -> None:
    opened = []

    def toys() -> Any:
        opened.append(Toy({}))
        opened[-1].know(cases)
        return opened[-1]

    cases = [case(f"c{i}") for i in range(200)]
    events: list[dict[str, Any]] = []
    status = run_suite(config(replace(target(Toy(), cases), open=toys), sessions=3), [events.append])
    assert (status, len(opened), len(opened[0].asked)) == (0, 1, 200)


# -- regress, and what makes no sense ------------------------------------------------------------------------------


REGRESSED = {
    "what an earlier run had": ("T-1", "T-1", 0),
    "a failure of the default gate": ("ok", "T-2/lost", 1),
    "a warning of the default gate": ("ok", "T-2/metadata", 0),
    "another failure of the same case": ("T-1", "T-1 T-5@w", 1),
    "a further finding under the same headline": ("T-1", "T-1 T-5", 0),
    "a heavier finding under the same headline": ("T-2/lost", "T-2/lost T-1", 1),
    "the same rule now changes data": ("T-1/form", "T-1/changed", 1),
    "the same rule no longer changes data": ("T-1/changed", "T-1/form", 0),
    "the same rule changes data that it lost": ("T-1/lost", "T-1/changed", 0),
    "another finding of the earlier run leads": ("T-1 T-5", "T-5", 0),
}


@pytest.mark.parametrize(("earlier", "now", "status"), REGRESSED.values(), ids=REGRESSED)
def test_regress_is_red_for_what_is_new_or_heavier(earlier: str, now: str, status: int) -> None:
    _, before = run({"a": earlier})
    found, events = run({"a": now}, policy=Gate.REGRESS, against=tuple(before))
    verdict = only(events, "verdict")
    assert (found, verdict["verdict"] == "fail" and verdict["new"]) == (status, bool(status))


@pytest.mark.parametrize(
    "wrong", [{"sessions": 0}, {"policy": Gate.REGRESS}, {"suite_version": "0.0.1"}, {"against": ({"event": "end"},)}]
)
def test_what_makes_no_sense_is_a_usage_error_before_the_first_event(wrong: dict[str, Any]) -> None:
    events: list[Any] = []
    with pytest.raises(UsageError):
        run_suite(config(target(Toy(), [case("a")]), **wrong), [events.append])
    assert events == []


def test_no_implementation_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="--iut"):
        run_suite(RunConfig(targets=()), [])

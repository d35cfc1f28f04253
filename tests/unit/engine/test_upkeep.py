"""`baseline update`, `check` and `prune`: they decide what the run judged, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from conformance.engine.baseline import Baseline, Known
from conformance.engine.burn_down import summary
from conformance.engine.selection import Expression, Selection, Shard
from conformance.engine.upkeep import Saved, check, prune, saved_run, updated
from tests.toy import PROTOCOL, Toy, case, run, verdicts

MARK_1 = "value@value.data[].{column}#T-1"
MARK_5 = "value@value.data[].{column}#T-5"
A = Known(match="toy/a", fingerprints=(MARK_1,), reason="casts to signed")
PAIR = Known(cases=("toy/a", "toy/b"), fingerprints=(MARK_1,), reason="casts to signed", iut="toy")
PATTERN = Known(match="toy/*", fingerprints=(MARK_1,), reason="casts to signed")
NOW = date(2026, 1, 1)
ONLY_A = Selection(expression=Expression("toy/a"))


def saved(words: Mapping[str, Any], *entries: Known, **more: Any) -> Saved:
    """The record of a run under these entries."""
    return saved_run(run(words, baseline=entries, **more)[1])


def pruned(words: Mapping[str, Any], *entries: Known, **more: Any) -> list[Known]:
    return prune(Baseline(entries), saved(words, *entries, **more))


def checked(words: Mapping[str, Any], *entries: Known, **more: Any) -> list[str]:
    return check(Baseline(entries), saved(words, *entries, **more), NOW)


# -- a run of everything -------------------------------------------------------------------------------------------


def test_a_run_under_its_own_updated_baseline_is_green() -> None:
    words = {"a": "T-1", "b": "T-1 T-5", "c": "T-2", "d": "crash", "e": "ok", "f": "T-1"}
    entries = tuple(updated(Baseline(), saved(words)))
    status, events = run(words, baseline=entries)
    assert (status, verdicts(events)) == (0, {name: "pass" if name == "e" else "xfail" for name in words})


def test_update_makes_one_entry_of_cases_that_fail_alike() -> None:
    record = saved({"a": "T-1/lost", "b": "ok", "c": "T-1/lost"})
    assert updated(Baseline(), record) == [Known(cases=("toy/a", "toy/c"), fingerprints=(MARK_1,), iut="toy")]


def test_update_says_of_a_failure_that_it_harms_no_data_and_follows_it_when_it_does() -> None:
    [light] = updated(Baseline(), saved({"a": "T-1/form"}))
    assert light == Known(cases=("toy/a",), fingerprints=(f"{MARK_1} (no data)",), iut="toy")
    assert updated(Baseline((light,)), saved({"a": "T-1/form"}, light)) == [light]
    worse = updated(Baseline((light,)), saved({"a": "T-1/lost"}, light))
    assert worse == [replace(light, fingerprints=(MARK_1,))]


def test_update_adds_an_entry_for_the_case_of_several_that_harms_data_now() -> None:
    [light] = updated(Baseline(), saved({"a": "T-1/form", "b": "T-1/form"}))
    words = {"a": "T-1/form", "b": "T-1/lost"}
    entries = tuple(updated(Baseline((light,)), saved(words, light)))
    assert run(words, baseline=entries)[0] == 0
    assert [entry.fingerprints for entry in entries] == [(f"{MARK_1} (no data)",), (MARK_1,)]


def test_update_keeps_an_entry_that_names_a_finding_under_another_and_adds_none_for_it() -> None:
    both = replace(A, fingerprints=(MARK_1, MARK_5))
    assert updated(Baseline((both,)), saved({"a": "T-1 T-5"}, both)) == [both]
    assert updated(Baseline((A,)), saved({"a": "T-1 T-5"}, A)) == [A]


def test_update_keeps_what_people_wrote_and_drops_what_no_longer_fails() -> None:
    gone = replace(A, match="toy/b")
    assert updated(Baseline((A, gone)), saved({"a": "T-1", "b": "ok"}, A, gone)) == [A]


def test_update_gives_an_entry_whose_case_fails_in_another_way_the_fingerprint_of_today() -> None:
    assert updated(Baseline((A,)), saved({"a": "T-5/lost"}, A)) == [replace(A, fingerprints=(MARK_5,))]


def test_prune_drops_the_cases_of_a_list_that_pass_or_are_gone() -> None:
    entry = replace(PAIR, cases=("toy/a", "toy/b", "toy/gone"))
    assert pruned({"a": "T-1", "b": "ok"}, entry) == [replace(entry, cases=("toy/a",))]


def test_prune_makes_a_pattern_of_which_some_cases_pass_the_list_of_those_that_fail() -> None:
    [left] = pruned({"a": "T-1", "b": "ok", "c": "T-1"}, PATTERN)
    assert left == replace(PATTERN, match="", cases=("toy/a", "toy/c"))


def test_after_prune_the_same_run_has_no_stale_entry() -> None:
    words = {"a": "T-1", "b": "ok", "c": "T-1"}
    entries = tuple(pruned(words, PATTERN, replace(A, match="toy/none")))
    assert run(words, baseline=entries)[0] == 0
    assert checked(words, *entries) == []


def test_prune_drops_an_entry_whose_cases_all_fail_in_another_way() -> None:
    for entry in (A, PAIR, PATTERN):
        assert pruned({"a": "T-5", "b": "T-5"}, entry) == []


BOTH = replace(PAIR, fingerprints=(MARK_1, MARK_5))


@pytest.mark.parametrize("entry", [BOTH, replace(BOTH, cases=(), match="toy/*"), replace(BOTH, partial=True)])
def test_a_fingerprint_that_no_case_of_its_entry_shows_any_more_is_stale(entry: Known) -> None:
    words = {"a": "T-5", "b": "T-5"}
    status, events = run(words, baseline=(entry,))
    gone = [{"entry": str(entry), "fingerprints": [MARK_1]}]
    assert (status, verdicts(events)) == (7, {"a": "xfail", "b": "xfail"})
    assert (events[-1]["baseline"]["gone"], events[-1]["gate"]["colour"]) == (gone, "stale")
    assert checked(words, entry) == [f"{entry}: no case shows {MARK_1} any more"]
    [left] = pruned(words, entry)
    assert left == replace(entry, fingerprints=(MARK_5,))
    assert (run(words, baseline=(left,))[0], run({"a": "T-1 T-5", "b": "T-5"}, baseline=(left,))[0]) == (0, 1)


def test_a_fingerprint_without_its_hash_lasts_as_long_as_any_failure_at_its_place() -> None:
    entry = replace(PAIR, fingerprints=(MARK_1.partition("#")[0],))
    assert (pruned({"a": "T-5", "b": "T-5"}, entry), run({"a": "T-5", "b": "T-5"}, baseline=(entry,))[0]) == (
        [entry],
        0,
    )


UNSHOWN: dict[str, tuple[Known, dict[str, str], dict[str, Any]]] = {
    "one case of the list shows it": (BOTH, {"a": "T-1 T-5", "b": "T-5"}, {}),
    "a case of the list was not selected": (BOTH, {"a": "T-5", "b": "T-1"}, {"selection": ONLY_A}),
    "cases of the pattern were not selected": (
        replace(BOTH, cases=(), match="toy/*"),
        {"a": "T-5", "b": "T-1"},
        {"selection": ONLY_A},
    ),
    "a case crashed before it could": (BOTH, {"a": "T-5", "b": "crash"}, {}),
    "a case fell to our own fault": (BOTH, {"a": "T-5", "b": "ours"}, {}),
}


@pytest.mark.parametrize(("entry", "words", "more"), UNSHOWN.values(), ids=UNSHOWN)
def test_a_fingerprint_stays_while_a_case_shows_it_or_could(entry, words, more) -> None:
    assert run(words, baseline=(entry,), **more)[1][-1]["baseline"]["gone"] == []
    assert (pruned(words, entry, **more), checked(words, entry, **more)) == ([entry], [])


def test_prune_drops_a_partial_entry_that_no_case_shows_and_keeps_one_that_some_do() -> None:
    entry = replace(PATTERN, partial=True)
    assert pruned({"a": "T-5", "b": "ok"}, entry) == []
    assert pruned({"a": "T-1", "b": "ok"}, entry) == [entry]


def test_check_names_every_kind_of_staleness() -> None:
    entries = (PAIR, replace(A, match="toy/gone"), replace(A, match="toy/b"), replace(A, expires=date(2020, 1, 1)))
    assert checked({"a": "T-1", "b": "ok"}, *entries) == [
        "toy/a: expired on 2020-01-01",
        "toy/a, toy/b: toy/b passes now",
        "toy/gone: matches no case",
        "toy/b: no case fails this way any more",
    ]
    assert checked({"a": "T-5"}, A) == ["toy/a: its cases fail in another way now"]


def test_a_case_matches_by_its_axes_in_a_saved_run_too() -> None:
    entry = replace(A, match="null=yes")
    cases = [case("a", axes={"null": "yes"}), case("b", axes={"null": "no"})]
    _, events = run(cases=cases, toy=Toy({"a": "T-1"}), baseline=(entry,))
    assert (verdicts(events), check(Baseline((entry,)), saved_run(events), NOW)) == ({"a": "xfail", "b": "pass"}, [])


# -- what the run did not judge ------------------------------------------------------------------------------------

WORDS = {"a": "ok", "b": "T-1"}
UNDECIDED: dict[str, tuple[Known, dict[str, Any]]] = {
    "another case": (replace(A, match="toy/b"), {"selection": ONLY_A}),
    "a case of a list": (replace(PAIR, cases=("toy/b",)), {"selection": ONLY_A}),
    "a case that is not there": (replace(PAIR, cases=("toy/c",)), {"selection": ONLY_A}),
    "another shard": (replace(A, match="toy/nowhere"), {"selection": Selection(shard=Shard(1, 1))}),
    "another implementation": (replace(PAIR, iut="other"), {}),
    "another protocol by its ids": (replace(A, match="canal-json/*"), {}),
    "another protocol in a list": (replace(PAIR, cases=("avro/x",)), {}),
    "what is not declared": (replace(A, match="toy/*"), {"toy": Toy(protocols={})}),
    "partly, what is not declared": (replace(A, match="toy/*", partial=True), {"toy": Toy(protocols={})}),
    "partly, what our own fault left open": (replace(A, match="toy/d", partial=True), {"toy": Toy({"d": "ours"})}),
    "what our own fault left open": (replace(PAIR, cases=("toy/d",)), {"toy": Toy({"d": "ours"})}),
    "what was not reached": (replace(PAIR, cases=("toy/d",)), {"toy": Toy({"a": "lose"})}),
    "a flaky case": (Known(match="toy/b", flaky=True), {"selection": ONLY_A}),
}


@pytest.mark.parametrize(("entry", "more"), UNDECIDED.values(), ids=UNDECIDED)
def test_what_the_run_did_not_judge_is_left_as_it_is(entry: Known, more: dict[str, Any]) -> None:
    cases = [case(name) for name in ("a", "b", "d")]
    toy = more.pop("toy", None) or Toy(WORDS)
    status, events = run(cases=cases, toy=toy, baseline=(entry,), **more)
    record = saved_run(events)
    assert prune(Baseline((entry,)), record) == [entry]
    assert updated(Baseline((entry,)), record)[0] == entry
    assert check(Baseline((entry,)), record, NOW) == []
    assert events[-1]["baseline"]["unmatched"] == []
    assert not (status == 7 and events[-1]["baseline"]["stale"] is False)


@pytest.mark.parametrize("other", ["avro", "canal"])
@pytest.mark.parametrize("by_match", [True, False])
def test_an_entry_of_several_protocols_is_open_unless_all_of_them_were_judged(other: str, *, by_match: bool) -> None:
    cases = ("canal-json/gone", f"{other}/x")
    entry = replace(PAIR, cases=() if by_match else cases, match=" or ".join(cases) if by_match else "")
    record = replace(saved({"a": "ok"}), protocols=frozenset({"canal-json"}), undeclared=frozenset({"avro"}))
    [left] = prune(Baseline((entry,)), record)
    assert left == (entry if by_match else replace(entry, cases=cases[1:]))
    assert check(Baseline((entry,)), record, NOW) == []
    end = summary(Baseline((entry,)).rows(["toy"], ["canal-json"], None), whole=True)
    assert (end["unmatched"], end["standings"]) == ([], {"not judged": 1})


@pytest.mark.parametrize(
    ("match", "expected"), [("canal-json/a or avro/b", False), ("canal-json/a and not avro/*", True)]
)
def test_a_protocol_behind_not_is_none_that_an_entry_names(match: str, *, expected: bool) -> None:
    assert replace(PAIR, cases=(), match=match).names_no_other(["canal-json"]) is expected


@pytest.mark.parametrize("partial", [True, False])
def test_an_entry_whose_only_case_breaks_off_stays_as_it_is(*, partial: bool) -> None:
    entry = replace(A, partial=partial)
    assert checked({"a": "crash"}, entry) == []
    assert pruned({"a": "crash"}, entry) == [entry]


def test_a_case_of_a_misspelled_protocol_is_one_that_is_not_there() -> None:
    entry = replace(PAIR, cases=("toi/a",))
    _, events = run({"a": "ok"}, baseline=(entry,))
    assert events[-1]["baseline"]["unmatched"] == ["toi/a"]
    assert checked({"a": "ok"}, entry) == ["toi/a: matches no case"]
    assert pruned({"a": "ok"}, entry) == []


@pytest.mark.parametrize(("words", "standing"), [({"a": "ok"}, "gone"), ({"a": "T-5", "b": "ok"}, "changed")])
def test_a_partial_entry_that_no_case_shows_is_stale_although_its_cases_exist(words, standing) -> None:
    entry = replace(PATTERN, partial=True)
    end = run(words, baseline=(entry,))[1][-1]["baseline"]
    assert (end["unmatched"], end["standings"], end["stale"]) == ([], {standing: 1}, True)
    assert end["gone"] == [{"entry": "toy/*", "fingerprints": [MARK_1]}]


def test_a_list_loses_the_case_that_a_selection_shows_to_pass_and_no_other() -> None:
    words = {"a": "ok", "b": "T-1"}
    assert pruned(words, PAIR, selection=ONLY_A) == [replace(PAIR, cases=("toy/b",))]
    assert checked(words, PAIR, selection=ONLY_A) == ["toy/a, toy/b: toy/a passes now"]


def test_a_pattern_stays_whole_after_a_selection_although_a_case_of_it_passes() -> None:
    assert pruned({"a": "ok", "b": "T-1"}, PATTERN, selection=ONLY_A) == [PATTERN]
    assert checked({"a": "ok", "b": "T-1"}, PATTERN, selection=ONLY_A) == ["toy/*: toy/a passes now"]


def test_a_record_that_was_cut_decides_only_what_it_shows() -> None:
    _, events = run({"a": "ok", "b": "ok"}, baseline=(PATTERN,))
    cut = saved_run(events[:-1])
    assert (cut.whole, prune(Baseline((PATTERN,)), cut)) == (False, [PATTERN])


# -- the gate ------------------------------------------------------------------------------------------------------

STALE: dict[str, tuple[Known, list[str]]] = {
    "a case passes": (A, ["toy/a"]),
    "no case is named": (replace(A, match="toy/gone"), []),
    "the last day is over": (replace(A, match="toy/b", expires=date(2020, 1, 1)), []),
}


@pytest.mark.parametrize(("entry", "passing"), STALE.values(), ids=STALE)
def test_a_stale_baseline_is_stale_in_the_record_the_colour_and_the_status(entry: Known, passing: list[str]) -> None:
    status, events = run(WORDS, baseline=(entry, replace(A, match="toy/b")), today=NOW)
    end = events[-1]
    assert (status, end["exit"], end["gate"]["colour"], end["baseline"]["stale"]) == (7, 7, "stale", True)
    assert [p["entry"] for p in end["baseline"]["passing"]] == passing
    assert end["accounting"]["iuts"][0]["gate"] == "stale"


def test_one_protocol_of_the_run_is_what_an_entry_may_speak_of() -> None:
    assert saved({"a": "ok"}).protocols == {PROTOCOL}


@pytest.mark.parametrize("is_part", [True, False])
def test_a_record_has_the_known_members_of_a_row_and_no_other(*, is_part: bool) -> None:
    [row] = Baseline((PAIR,)).rows(["toy"], ["canal-json"], None)
    [entry] = summary([{**row, "note": "for us"}], whole=True, is_part=is_part)["entries"]
    only_in_shards = {"partial", "by_match", "left", "served", "decided", "concerned", "absent"}
    assert entry.keys() == {*row, "standing"} - (set() if is_part else only_in_shards)

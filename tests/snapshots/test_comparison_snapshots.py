"""The reports of a comparison: what each of them leaves out, and the words of the verdict."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from fnmatch import fnmatch
from html import unescape
from typing import Any

import pytest

from conformance.catalogue.fixtures import fixtures_root
from reports.comparison import COMPARISON_REPORTS, terminal_lines
from reports.comparison.verdict import remarks, verdict
from tests.snapshots.tiny_comparison import BEFORE_IMAGES, DIVERGENCES, SUMMARY, UNREADABLE

SCHEMA = json.loads((fixtures_root() / "schemas" / "comparison.schema.json").read_text(encoding="utf-8"))


def terminal(summary: Mapping[str, Any]) -> str:
    return "\n".join(terminal_lines(summary)) + "\n"


def page(summary: Mapping[str, Any]) -> str:
    """What is read of the page: style and script are no words."""
    html = COMPARISON_REPORTS["html"](summary)
    return html[html.index("<body>") : html.index("<script>")]


REPORTS = {"terminal.txt": terminal, "md": COMPARISON_REPORTS["markdown"], "html": page}


# -- what is shown

TOLD_OTHERWISE = (
    *("format", "exit_status", "gate/fail_on"),  # by the verdict
    *("pairs/type_names/compared", "final_tables/equal"),  # by words
    *("pairs/by_class/*", "pairs/by_divergence/*"),  # sums of `cells`
    "pairs/written_otherwise/examples/key",  # nothing is wrong with that row
    *(f"pairs/divergences/{name}" for name in ("tables", "columns")),  # the first of them, and how many there are
    "pairs/divergences/classes/*",  # by the heading above them
)
IN_SHORT = (
    *(
        "runner",
        "plan/*",
        "made/*",
        "explanations/*",
        "pairs/divergences/examples/*",
        "sides/options/*",
        "sides/source",
        "sides/offsets/*",
        "live/sides/*/newest",
    ),
    *("pairs/cells/examples/key", "final_tables/*"),  # but those not alike
    *(f"pairs/written_otherwise/{name}" for name in ("schema", "table", "column", "examples/value")),
    *(f"pairs/type_names/differ/{name}" for name in ("schema", "table", "column", "member", "left", "messages")),
)
NOT_SHOWN = {
    "html": (*TOLD_OTHERWISE, "explanations/place/url"),  # a link
    "terminal.txt": TOLD_OTHERWISE + IN_SHORT,
    "md": (*TOLD_OTHERWISE, *IN_SHORT, "pairs/cells/examples/left/*", "pairs/cells/examples/right/*"),
}
"""Report → members of the summary that it leaves out; the short ones leave more to the page and to summary.json."""

NAMES_ARE_DATA = ("options", "others", "by_status", "by_class", "by_divergence", "classes", "begin", "end", "shop_a")


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value with the names that lead to it; a name that is data is a value, too."""
    if isinstance(value, list):
        for one in value:
            yield from leaves(one, path)
    elif isinstance(value, dict):
        data = path.rpartition("/")[2] in NAMES_ARE_DATA
        sides = path in ("live/sides", "final_tables/sides")
        for name, one in value.items():
            yield from [(f"{path}/*", name)] * data
            yield from leaves(one, f"{path}/{'*' if sides else name}".removeprefix("/"))
    else:
        yield path, value


def writings(value: Any) -> set[str]:
    """How a value may stand in a report."""
    if isinstance(value, float):
        return {f"{value:g}", f"{value:,.1f}", f"{100 * value:.4g} %"}
    return {str(value), f"{value:,}"} if isinstance(value, int) else {value, value.replace("`", "")}


def words(report: str) -> str:
    """A report without markup and line ends."""
    plain = re.sub(r"</?code>", "", report)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", plain)).replace("\\", "").lower().split())


@pytest.mark.parametrize("suffix", REPORTS)
def test_every_member_of_the_summary_is_shown_or_known_to_be_left_out(suffix: str) -> None:
    text = words(REPORTS[suffix](SUMMARY))
    unseen = {
        path
        for path, value in leaves(SUMMARY)
        if value and not any(re.search(rf"(?<!\w){re.escape(one.lower())}(?!\w)", text) for one in writings(value))
    }
    assert {path for path in unseen if not any(fnmatch(path, left) for left in NOT_SHOWN[suffix])} == set()
    assert [left for left in IN_SHORT if left in NOT_SHOWN[suffix] and not any(fnmatch(p, left) for p in unseen)] == []


def members(schema: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """The members that a schema has, by the names that lead to them."""
    if "$ref" in schema:
        yield from members(SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]], path)
    yield from members(schema["items"], path) if "items" in schema else ()
    for name, of in schema.get("properties", {}).items():
        yield f"{path}/{name}".removeprefix("/")
        yield from members(of, f"{path}/{name}".removeprefix("/"))


def given(value: Any, path: str = "") -> Iterator[str]:
    """The members that a summary has, in the same way."""
    for one in value if isinstance(value, list) else ():
        yield from given(one, path)
    for name, one in value.items() if isinstance(value, dict) else ():
        yield f"{path}/{name}".removeprefix("/")
        yield from given(one, f"{path}/{name}".removeprefix("/"))


def test_the_tiny_comparison_has_every_member_of_the_schema() -> None:
    assert sorted(set(members(SCHEMA)) - set(given(SUMMARY))) == []


# -- what is said of the whole


def gate(fail_on: str, share: float = 0, *ignore: str) -> dict[str, Any]:
    return {"fail_on": fail_on, "max_share": share, "ignore": list(ignore)}


# A pair in which nothing was lost or changed.
FORM = SUMMARY["pairs"][0] | {"divergences": [row for row in DIVERGENCES if row["harm"] == "form"]}


def met(*rows: Mapping[str, Any]) -> dict[str, Any]:
    return {"pairs": [SUMMARY["pairs"][0] | {"divergences": [DIVERGENCES[3] | row for row in rows]}]}


def changed(**members: Any) -> dict[str, Any]:
    """The tiny comparison as one of files that are there, with other members."""
    plain = {name: value for name, value in SUMMARY.items() if name not in ("live", "window", "suite_errors")}
    return deepcopy(plain) | {"gate": gate("unexplained")} | {"pairs": [FORM]} | members


WAITING, NO_LONGER = (
    {"live": {**SUMMARY["live"], "sides": {"left": {"newest": None, "behind_seconds": None, "waiting": count}}}}
    for count in (1, 0)
)
ANY, SHARE = {"gate": gate("any")}, {"gate": gate("any", 0.001)}
VERDICTS = {
    "green: no unexplained differences": {"exit_status": 0},
    "green: no differences": {"exit_status": 0, **ANY},
    "green: differences are at most 0.1 % of the changes": {"exit_status": 0, **SHARE},
    "green so far: no unexplained differences": {"exit_status": 0, **WAITING},
    "explained: values lost in 2 tables": {
        "exit_status": 0,
        **met({"harm": "lost", "tables": ["s.a", "s.b"]}, {"harm": "lost", "tables": ["s.b"]}, {"harm": "schema"}),
    },
    "explained: values lost in 1 table and changed in 2 tables": {
        "exit_status": 0,
        **met({"harm": "lost", "tables": ["s.a"]}, {"harm": "changed", "tables": ["s.a", "s.b"]}),
    },
    "explained: values changed in messages of no table": {
        "exit_status": 0,
        **met({"harm": "changed", "tables": []}),
    },
    "explained so far: values lost in 1 table": {
        "exit_status": 0,
        **WAITING,
        **met({"harm": "lost", "tables": ["s.a"]}),
    },
    "tolerated: values changed in 1 table; differences are at most 0.1 % of the changes": {
        "exit_status": 0,
        **SHARE,
        **met({"harm": "changed", "divergence": None, "status": "unexplained", "tables": ["s.a"]}),
    },
    "green: no unexplained differences; ignored: 3 missing": {
        "exit_status": 0,
        "gate": gate("unexplained", 0, "missing"),
        **met({"harm": "lost", "count": 3, "ignored": 3, "classes": {"missing": 3}, "divergence": None}),
    },
    "red: there are losses (values lost in 1 table)": {
        "exit_status": 1,
        "gate": gate("lost"),
        **met({"harm": "lost", "tables": ["s.a"]}),
    },
    "red: there are losses and changes of values (values changed in 1 table)": {
        "exit_status": 1,
        "gate": gate("changed"),
        **met({"harm": "changed", "tables": ["s.a"]}),
    },
    "red: there are unexplained differences": {"exit_status": 1, **NO_LONGER},
    "red: differences are more than 0.1 % of the changes": {"exit_status": 1, **SHARE},
    "nothing was compared: no side has a change of a table that was given": {"exit_status": 5},
    "nothing is settled yet: every change that was read waits for the other side": {
        "exit_status": 0,
        **WAITING,
        "pairs": [],
        "sides": [side | {"changes": 0} for side in SUMMARY["sides"]],
    },
    "nothing was compared: a side has no message yet": {"exit_status": 5, **WAITING},
}


@pytest.mark.parametrize("words", VERDICTS)
def test_the_verdict_says_what_counts_how_much_is_tolerated_and_whether_it_may_change(words: str) -> None:
    assert verdict(changed(**VERDICTS[words])) == words


def test_what_sides_do_not_tell_stands_before_the_tables_of_each_report() -> None:
    for report in (page(SUMMARY), COMPARISON_REPORTS["markdown"](SUMMARY)):
        told, _, _ = words(report).partition("differences between" if report.startswith("<body>") else "### ")
        assert all(note.lower() in told for note in (BEFORE_IMAGES, UNREADABLE))


def test_a_comparison_of_which_nothing_is_to_be_known_has_no_such_list() -> None:
    plain = changed(rows_left_out=0, sides=[side | {"note": None} for side in SUMMARY["sides"]])
    assert remarks(plain) == []
    assert 'class="known"' not in page(plain)


def test_a_window_with_one_bound_tells_that_one() -> None:
    window = {"from": "t", "until": None, "slack": None}
    assert remarks(changed(rows_left_out=0, sides=[], window=window)) == ["compared is what was committed from t"]


def test_a_pair_is_told_by_the_names_of_its_sides() -> None:
    pairs = deepcopy(SUMMARY["pairs"])
    for report in REPORTS.values():
        pairs[0]["pair"] = "right-third"
        told = words(report(changed(pairs=pairs)))
        assert "right no message" in told or "right, no message" in told or "| right | third |" in told


@pytest.mark.parametrize("report", [terminal, COMPARISON_REPORTS["markdown"]])
def test_one_difference_is_told_in_the_singular(report: Callable[[Mapping[str, Any]], str]) -> None:
    pairs = [{**deepcopy(SUMMARY["pairs"][0]), "differences": 1, "by_status": {"unexplained": 1}}]
    told = words(report(changed(pairs=pairs)))
    assert "1 difference: 1 unexplained" in told


def test_statements_and_types_that_are_not_compared_are_said_so() -> None:
    pairs = deepcopy(SUMMARY["pairs"])
    pairs[0]["statements"] = {"left": 1, "right": 0, "alike": 0, "written_otherwise": 0, "silent": "third"}
    pairs[0]["type_names"] = {"compared": False, "why": "they have nothing in common", "equal": 0, "differ": []}
    for report in REPORTS.values():
        told = words(report(changed(pairs=pairs)))
        assert "third writes none" in told
        assert "they have nothing in common" in told


def test_a_page_says_nothing_of_the_catalogue_where_none_of_its_divergences_was_met() -> None:
    def totals(summary: Mapping[str, Any]) -> set[str]:
        html = page(summary)
        of = html[html.index('class="totals"') :]
        return {name for name in ("documented", "unexplained") if f">{name}<" in of[: of.index("</dl>")]}

    plain = deepcopy(SUMMARY)
    plain["explanations"] = []
    for pair in plain["pairs"]:
        pair["by_status"] = {"unexplained": 0}
    assert totals(SUMMARY) == {"documented", "unexplained"}
    assert totals(plain) == {"unexplained"}

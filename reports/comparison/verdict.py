"""The verdict of a comparison in words, and the remarks that qualify it.

The counts of sides, pairs and tables are elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from reports.renderer import Json
from reports.texts import counted

__all__ = ["colour", "method", "remarks", "verdict"]

_COUNTED_BY_GATE = {
    "lost": "losses",
    "changed": "losses and changes of values",
    "unexplained": "unexplained differences",
    "undocumented": "undocumented or unexplained differences",
    "any": "differences",
}
_NOTHING_COMPARED = 5  # exit status
_MOST_SUITE_ERRORS = 10
_NOTHING = "nothing was compared: no side has a change of a table that was given"
_NOTHING_YET = "nothing is settled yet: every change that was read waits for the other side"
_SILENT = "nothing was compared: a side has no message yet"


def verdict(summary: Json) -> str:
    """The gate in words."""
    gate = summary["gate"]
    counted_differences = _COUNTED_BY_GATE[gate["fail_on"]]
    share = f"{100 * gate['max_share']:.4g} % of the changes" if gate["max_share"] else ""
    waits = any(side["waiting"] for side in summary.get("live", {}).get("sides", {}).values())
    so_far = " so far" if waits else ""
    match summary["exit_status"]:
        case 0 if waits and not _settled(summary):
            return _NOTHING_YET
        case 0:
            fine = f"{counted_differences} are at most {share}" if share else f"no {counted_differences}"
            harmed, is_explained = _harmed(summary)
            if not harmed:
                return f"green{so_far}: {fine}{_ignored(summary)}"
            minor = f"; {fine}" if share else ""
            return f"{'explained' if is_explained else 'tolerated'}{so_far}: {harmed}{minor}{_ignored(summary)}"
        case 1:
            bad = f"{counted_differences} are more than {share}" if share else f"there are {counted_differences}"
            harmed, _ = _harmed(summary)
            return f"red{so_far}: {bad}{f' ({harmed})' if harmed else ''}{_ignored(summary)}"
        case 3:
            return "internal error: the suite itself failed; everything else was compared"
    return _SILENT if waits else _NOTHING


def colour(summary: Json) -> str:
    """The colour of the verdict on a page: `good`, `bad`, or `idle` for neither."""
    if summary["exit_status"] == 0:
        return "good" if verdict(summary).startswith("green") else "idle"
    return "idle" if summary["exit_status"] == _NOTHING_COMPARED else "bad"


def _harmed(summary: Json) -> tuple[str, bool]:
    """Says in how many tables values were lost or changed, "" for none; and whether all of these are explained."""
    counting = [row for pair in summary["pairs"] for row in pair["divergences"] if row["count"] > row["ignored"]]
    parts, is_explained = [], True
    for harm in ("lost", "changed"):
        rows = [row for row in counting if row["harm"] == harm]
        tables = {table for row in rows for table in row["tables"]}
        if tables:
            parts.append(f"{harm} in {counted(len(tables), 'table', 'tables')}")
        elif rows:
            parts.append(f"{harm} in messages of no table")
        is_explained = is_explained and all(row["divergence"] for row in rows)
    return (f"values {' and '.join(parts)}" if parts else ""), is_explained


def _ignored(summary: Json) -> str:
    """The ignored differences, by kind."""
    numbers: Counter[str] = Counter()
    for pair in summary["pairs"]:
        for row in pair["divergences"]:
            numbers.update({kind: n for kind, n in row["classes"].items() if kind in summary["gate"]["ignore"]})
    ignored = ", ".join(f"{numbers[kind]:,} {kind}" for kind in summary["gate"]["ignore"])
    return f"; ignored: {ignored}" if ignored else ""


def remarks(summary: Json) -> list[str]:
    """The remarks that apply, each without a capital and a full stop."""
    notes = [side["note"] for side in summary["sides"] if side.get("note")]
    return [*_live(summary), *notes, *_window(summary), *_left_out(summary), *_suite_errors(summary)]


def method(summary: Json) -> str:
    """The runner and plan of the comparison, which do not affect its result."""
    plan = summary.get("plan")
    plan_text = f" with the plan {plan['plan']}: {plan['why']}" if plan else ""
    return "; ".join([f"made by the runner {summary['runner']}{plan_text}", *_shares_of(plan or {})])


def _shares_of(plan: Json) -> Iterator[str]:
    """The shares of messages read, and of changes compared, in each way; the largest first."""
    for side, ways in plan.get("read", {}).items():
        if shares := _shares(ways):
            yield f"messages of {side} read as {shares}"
    if shares := _shares(plan.get("compared", {})):
        yield f"changes compared by {shares}"


def _shares(ways: Mapping[str, int]) -> str:
    total = sum(ways.values())
    found = sorted(ways.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{way} ({count / total:.1%})" for way, count in found if count)


def _settled(summary: Json) -> int:
    """How many changes and statements are settled: compared, or found different."""
    changes: int = sum(side["changes"] for side in summary["sides"])
    compared: int = sum(pair["differences"] + pair["statements"]["alike"] for pair in summary["pairs"])
    return changes + compared


def _live(summary: Json) -> Iterator[str]:
    live = summary.get("live")
    if live is None:
        return
    sides = live["sides"].items()
    waits = ", ".join(f"{side['waiting']:,} of {name}" for name, side in sides if side["waiting"])
    parts = [f"as of batch {live['batches']:,} of streams that go on"]
    parts += [f"changes wait for the other side: {waits}" if waits else "no change waits for the other side"]
    parts += [f"{name} is {side['behind_seconds']:,.1f} s behind" for name, side in sides if side["behind_seconds"]]
    parts += [f"{name} has written nothing yet" for name, side in sides if side["newest"] is None]
    yield "; ".join(parts)
    if waits:
        patience = f"{live['patience_seconds']:g} s"
        yield f"a waiting change counts as missing once the other side has gone on beyond it by {patience}"


def _window(summary: Json) -> Iterator[str]:
    window = summary.get("window")
    if window is None:
        return
    bounds = [f"{word} {window[name]}" for name, word in (("from", "from"), ("until", "to before")) if window[name]]
    slack = f"; what is up to {window['slack']:g} s outside is a partner only" if window["slack"] else ""
    yield f"compared is what was committed {' '.join(bounds)}{slack}"


def _suite_errors(summary: Json) -> Iterator[str]:
    errors = summary.get("suite_errors")
    if errors is None:
        return
    yield f"the suite itself failed at {counted(errors['count'], 'place', 'places')}, which are not compared"
    for one in errors["first"][:_MOST_SUITE_ERRORS]:
        table = ".".join(filter(None, (one["schema"], one["table"])))
        place = f"{one['topic']}/{one['partition']}/{one['offset']}" if one["offset"] is not None else one["key"]
        yield " ".join(filter(None, (one["at"], table, f"{place}: {one['message']}")))


def _left_out(summary: Json) -> Iterator[str]:
    if count := summary["rows_left_out"]:
        has = "difference is counted and has" if count == 1 else "differences are counted and have"
        yield f"{count:,} {has} no row in differences"

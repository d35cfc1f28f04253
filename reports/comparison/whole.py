"""What a comparison tells as a whole: the verdict, and in a sentence each what is to be known before it is trusted.

The sides' own counts, the pairs and the tables are not here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

__all__ = ["known", "verdict", "way"]

Json: TypeAlias = Mapping[str, Any]

_COUNTED = {
    "unexplained": "unexplained differences",
    "undocumented": "undocumented or unexplained differences",
    "any": "differences",
}
_NOTHING = "nothing was compared: no side has a change of a table that was given"
_NOTHING_YET = "nothing was compared so far: what was read waits for the other side"


def verdict(summary: Json) -> str:
    """The gate in words."""
    waits, what = _waiting(summary) > 0, _COUNTED[summary["gate"]["fail_on"]]
    share = f"{100 * summary['gate']['max_share']:.4g} % of the changes" if summary["gate"]["max_share"] else ""
    so_far = " so far" if waits else ""
    match summary["exit_status"]:
        case 0:
            return f"green{so_far}: {f'{what} are at most {share}' if share else f'no {what}'}"
        case 1:
            return f"red{so_far}: {f'{what} are more than {share}' if share else f'there are {what}'}"
    return _NOTHING_YET if waits else _NOTHING


def known(summary: Json) -> list[str]:
    """The sentences that there is something to say in, without capital and full stop."""
    notes = [side["note"] for side in summary["sides"] if side.get("note")]
    return [*_live(summary), *notes, *_window(summary), *_left_out(summary)]


def way(summary: Json) -> str:
    """How the comparison was made, which changes nothing in it."""
    plan = summary.get("plan")
    told = f" with the plan {plan['plan']}: {plan['why']}" if plan else ""
    return f"made by the runner {summary['runner']}{told}"


def _waiting(summary: Json) -> int:
    return sum(side["waiting"] for side in summary.get("live", {}).get("sides", {}).values())


def _live(summary: Json) -> Iterator[str]:
    live = summary.get("live")
    if live is None:
        return
    sides = live["sides"].items()
    waits = ", ".join(f"{of['waiting']:,} of {name}" for name, of in sides if of["waiting"])
    told = [f"as of batch {live['batches']:,} of streams that go on"]
    told += [f"changes wait for the other side: {waits}" if waits else "no change waits for the other side"]
    told += [f"{name} is {of['behind_seconds']:,.1f} s behind" for name, of in sides if of["behind_seconds"]]
    told += [f"{name} has told nothing yet" for name, of in sides if of["newest"] is None]
    yield "; ".join(told)
    if waits:
        patience = f"{live['patience_seconds']:g} s"
        yield f"a change that waits is told to be missing when the other side has gone on beyond it by {patience}"


def _window(summary: Json) -> Iterator[str]:
    window = summary.get("window")
    if window is None:
        return
    bounds = [f"{word} {window[name]}" for name, word in (("from", "from"), ("until", "to before")) if window[name]]
    slack = f"; what is up to {window['slack']:g} s outside is a partner only" if window["slack"] else ""
    yield f"compared is what was committed {' '.join(bounds)}{slack}"


def _left_out(summary: Json) -> Iterator[str]:
    if count := summary["rows_left_out"]:
        has = "difference is counted and has" if count == 1 else "differences are counted and have"
        yield f"{count:,} {has} no row in differences"

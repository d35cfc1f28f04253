"""What became of each entry of the baseline in a run, and what of the whole list: known, failing still, gone, expired.

An entry's account is a row, JSON already. Rows of the shards of a run can be added up, and everything that the `end`
event says of the baseline follows from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeAlias

__all__ = ["EntryStanding", "Row", "added_up", "summary"]

Row: TypeAlias = dict[str, Any]
"""The account of an entry.

`failing` cases fail as it says, `changed` fail otherwise, `passing` pass; `unseen` are its fingerprints that no case
showed, `left` the cases of its list that were not judged. `served`: a case was there that it speaks of; `decided`: all
of them came to an answer; `concerned`: the run was of an implementation and protocol that it is about; `absent`: what
is left would be of protocols that were judged. `by_match`: it names cases by an expression. `partial`: not all of its
cases need to fail.
"""


class EntryStanding(StrEnum):
    """What became of an entry."""

    FAILING = "failing"  # a case still fails as it says
    CHANGED = "changed"  # its cases fail otherwise now
    GONE = "gone"  # its cases pass
    UNMATCHED = "unmatched"  # there is no such case
    NOT_JUDGED = "not judged"  # the run says nothing of it, or not all
    FLAKY = "flaky"  # an entry of the flaky list


def added_up(shards: Sequence[Sequence[Mapping[str, Any]]]) -> list[Row]:
    """The rows of a run by those of its shards, entry by entry."""
    return [_added(rows) for rows in zip(*shards, strict=True)]


def _added(rows: Sequence[Mapping[str, Any]]) -> Row:
    first = rows[0]
    return {
        **first,
        **{name: sum(row[name] for row in rows) for name in ("failing", "changed", "passing")},
        **{name: _in_all([row[name] for row in rows]) for name in ("unseen", "left")},
        **{name: any(row[name] for row in rows) for name in ("served", "expired", "concerned", "absent")},
        "decided": all(row["decided"] for row in rows),
    }


def _in_all(lists: Sequence[Sequence[str]]) -> list[str]:
    """What stands in every list, in the order of the first."""
    others = [frozenset(one) for one in lists[1:]]
    return [text for text in lists[0] if all(text in other for other in others)]


def _is_unmatched(row: Mapping[str, Any], *, whole: bool) -> bool:
    return whole and bool(row["concerned"]) and not row["served"]


def _marks_gone(row: Mapping[str, Any], *, whole: bool) -> list[str]:
    """The fingerprints of an entry that occur no more, where all its cases were judged and one of them fails."""
    shown = bool(row["failing"] or row["changed"])
    known = shown and row["served"] and row["decided"] and not row["flaky"] and _all_there(row, whole=whole)
    return list(row["unseen"]) if known else []


def _all_there(row: Mapping[str, Any], *, whole: bool) -> bool:
    """Whether every case that the entry may name was judged, or is gone."""
    return whole if row["by_match"] else not row["left"] or (whole and bool(row["absent"]))


def _standing(row: Mapping[str, Any], *, whole: bool) -> EntryStanding:
    if row["flaky"]:
        return EntryStanding.FLAKY
    if row["failing"]:
        return EntryStanding.FAILING
    if _is_unmatched(row, whole=whole):
        return EntryStanding.UNMATCHED
    if not row["decided"] or not (row["changed"] or row["passing"]) or not _all_there(row, whole=whole):
        return EntryStanding.NOT_JUDGED
    return EntryStanding.CHANGED if row["changed"] else EntryStanding.GONE


_KEPT = ("entry", "flaky", "reason", "issue", "owner", "expires", "expired", "failing", "changed", "passing", "unseen")


def summary(rows: Iterable[Row], *, whole: bool, is_part: bool = False) -> dict[str, Any]:
    """The member `baseline` of the `end` event. `whole`: nothing was left out of the run.

    The record of a shard, which `is_part` of a run, has whole rows, so that they can be added up.
    """
    rows = list(rows)
    standings = [_standing(row, whole=whole) for row in rows]
    unexpected = [row for row in rows if row["passing"] and not row["partial"]]
    passing = [{"entry": row["entry"], "cases": row["passing"]} for row in unexpected]
    gone = [{"entry": row["entry"], "fingerprints": marks} for row in rows if (marks := _marks_gone(row, whole=whole))]
    unmatched = [row["entry"] for row in rows if _is_unmatched(row, whole=whole)]
    expired = [row["entry"] for row in rows if row["expired"]]
    return {
        "known": len(rows),
        "unmatched": unmatched,
        "expired": expired,
        "passing": passing,
        "gone": gone,
        "stale": bool(unmatched or expired or gone or passing),
        "whole": whole,
        "standings": {str(one): standings.count(one) for one in EntryStanding if one in standings},
        "entries": [
            {**(row if is_part else {name: row[name] for name in _KEPT}), "standing": str(standing)}
            for row, standing in zip(rows, standings, strict=True)
        ],
    }

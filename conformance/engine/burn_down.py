"""The account of each entry of the baseline after a run, and of the whole list: known, still failing, gone, expired.

The account of an entry is a row of JSON. The rows of the shards of a run can be added up, and the member
`baseline` of the `end` event is computed from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeAlias

__all__ = ["EntryStatus", "Row", "added_up", "summary"]

Row: TypeAlias = dict[str, Any]
"""The account of an entry.

Numbers of its cases: `failing` as the entry says, `changed` (failing in another way), `passing`. Lists: `unseen`, its
fingerprints that no case showed, and `left`, the cases of its list that the run does not have. Truth values: `served`,
the entry names a case of the run; `decided`, every such case came to an answer; `concerned`, the run has an
implementation and a protocol that the entry names; `absent`, it has every protocol that the entry names, so that a
whole run shows which cases do not exist; `by_match`, the entry names its cases by an expression; `partial`, some of its
cases may pass.
"""


class EntryStatus(StrEnum):
    """The state of an entry after a run."""

    FAILING = "failing"  # a case still fails as it says
    CHANGED = "changed"  # its cases fail in another way now
    GONE = "gone"  # its cases pass
    UNMATCHED = "unmatched"  # there is no such case
    NOT_JUDGED = "not judged"  # the run does not decide it, or not for all of its cases
    FLAKY = "flaky"  # an entry of the flaky list


def added_up(shards: Sequence[Sequence[Mapping[str, Any]]]) -> list[Row]:
    """Add up the rows of the shards, entry by entry."""
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
    """The members of every list, in the order of the first."""
    others = [frozenset(one) for one in lists[1:]]
    return [text for text in lists[0] if all(text in other for other in others)]


def _is_unmatched(row: Mapping[str, Any], *, whole: bool) -> bool:
    return whole and bool(row["concerned"]) and bool(row["absent"]) and not row["served"]


def _marks_gone(row: Mapping[str, Any], *, whole: bool) -> list[str]:
    """The fingerprints of an entry that no case shows any more; empty unless all its cases were judged.

    Empty, too, if all of its cases pass, unless the entry is partial: then the summary has it under `passing`.
    """
    is_judged = row["failing"] or row["changed"] or (row["partial"] and row["passing"])
    is_certain = is_judged and row["decided"] and not row["flaky"] and _is_complete(row, whole=whole)
    return list(row["unseen"]) if is_certain else []


def _is_complete(row: Mapping[str, Any], *, whole: bool) -> bool:
    """Whether every case that the entry may name was judged, or no longer exists."""
    is_all_seen = not row["by_match"] and not row["left"]
    return is_all_seen or (whole and bool(row["absent"]))


def _status(row: Mapping[str, Any], *, whole: bool) -> EntryStatus:
    if row["flaky"]:
        return EntryStatus.FLAKY
    if row["failing"]:
        return EntryStatus.FAILING
    if _is_unmatched(row, whole=whole):
        return EntryStatus.UNMATCHED
    if not row["decided"] or not (row["changed"] or row["passing"]) or not _is_complete(row, whole=whole):
        return EntryStatus.NOT_JUDGED
    return EntryStatus.CHANGED if row["changed"] else EntryStatus.GONE


_IN_EVERY_RECORD = frozenset(
    {"entry", "flaky", "reason", "issue", "owner", "expires", "expired", "failing", "changed", "passing", "unseen"}
)
"""Members of a row that every record has."""

_IN_SHARDS = _IN_EVERY_RECORD | {"partial", "by_match", "left", "served", "decided", "concerned", "absent"}
"""Members of a row that the record of a shard has: the others serve to add rows up."""


def summary(rows: Iterable[Row], *, whole: bool, is_part: bool = False) -> dict[str, Any]:
    """The member `baseline` of the `end` event; `whole` says that the run left nothing out.

    The record of a shard (`is_part`) has whole rows, so that they can be added up.
    """
    rows = list(rows)
    members = _IN_SHARDS if is_part else _IN_EVERY_RECORD
    statuses = [_status(row, whole=whole) for row in rows]
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
        "standings": {str(status): statuses.count(status) for status in EntryStatus if status in statuses},
        "entries": [
            {**{name: value for name, value in row.items() if name in members}, "standing": str(status)}
            for row, status in zip(rows, statuses, strict=True)
        ],
    }

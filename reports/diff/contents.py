"""The differences in the answers of cases with the same verdict or failures on both sides, gathered by path."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from reports.diff.dialect import Dialects
from reports.diff.failures import failures_of, is_judged
from reports.diff.meaning import Change, changes
from reports.diff.sides import Side, VerdictPair

__all__ = ["ChangeGroup", "Compared", "compare_answers"]


@dataclass(slots=True, eq=False)
class ChangeGroup:
    """One change in the answers to a number of cases; `pair` are the verdicts of the first, left and right."""

    protocol: str
    role: str
    change: Change
    pair: VerdictPair
    cases: int = 0


@dataclass(slots=True)
class Compared:
    """The compared answers: changes by path, and the numbers of cases."""

    meaning: list[ChangeGroup] = field(default_factory=list)
    """Changes of meaning."""
    bytes: list[ChangeGroup] = field(default_factory=list)
    """Changes of bytes with the same meaning."""
    same: int = 0
    """Cases whose answers do not differ."""
    unknown: int = 0
    """Cases whose answers differ by digest, and are not kept on both sides."""
    unkept: int = 0
    """Cases for which one side has not even a digest."""
    changed: int = 0
    """Cases whose answers differ in meaning."""
    respelled: int = 0
    """Cases whose answers differ in bytes alone."""


def compare_answers(left: Side, right: Side, both: Iterable[VerdictPair], dialects: Dialects) -> Compared:
    """Compare the answers of all pairs. Equal digests mean equal answers; other answers are read from the runs."""
    found = Compared()
    differing: list[VerdictPair] = []
    have_digests = all(any(verdict.get("answer") for verdict in side.verdicts.values()) for side in (left, right))
    for pair in both:
        old, new = pair
        if not all(map(is_judged, pair)):
            continue
        if old["verdict"] != new["verdict"] and failures_of(old).keys() != failures_of(new).keys():
            continue  # another verdict and other failures say more than another answer
        if not have_digests or bool(old.get("answer")) != bool(new.get("answer")):
            found.unkept += 1
        elif old.get("answer") == new.get("answer"):
            # Equal digests, or no answer on either side.
            found.same += 1
        else:
            differing.append(pair)
    if differing:
        _compare(found, left, right, differing, dialects)
    return found


def _compare(found: Compared, left: Side, right: Side, differing: Sequence[VerdictPair], dialects: Dialects) -> None:
    lefts = left.answers({str(pair.left["answer"]) for pair in differing})
    rights = right.answers({str(pair.right["answer"]) for pair in differing})
    groups: dict[tuple[object, ...], ChangeGroup] = {}
    for pair in differing:
        one, other = lefts.get(str(pair.left["answer"])), rights.get(str(pair.right["answer"]))
        if one is None or other is None:
            found.unknown += 1
            continue
        protocol, role = str(pair.right["protocol"]), str(pair.right["role"])
        try:
            changed = changes(one, other, dialects(protocol))
        except (ValueError, LookupError, TypeError, ArithmeticError, RecursionError):
            changed = [Change("answer", "value", "lost", "", "", "an answer", "one that cannot be compared with it")]
        # All of these changes are of meaning, or none is.
        if not changed:
            found.same += 1
        elif changed[0].is_meaning:
            found.changed += 1
        else:
            found.respelled += 1
        # Only the first message with a path is shown; each case counts once.
        first_changes = {(change.at, change.kind, change.harm): change for change in reversed(changed)}
        for key, change in first_changes.items():
            group = groups.setdefault((protocol, role, *key), ChangeGroup(protocol, role, change, pair))
            group.cases += 1
    found.meaning = [group for group in groups.values() if group.change.is_meaning]
    found.bytes = [group for group in groups.values() if not group.change.is_meaning]

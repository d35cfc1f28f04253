"""Drawn changes: a record of the reference, changed in one place that numbers choose, with the consequence.

The consequence is decided as for the negatives: the record must be refused where that follows from the change, from
independent readers or from the form of the message; its events are right where its meaning is unchanged; where nothing
follows, any answer is right.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from conformance.cases.model import Case
from conformance.cases.negatives import NEGATIVES
from conformance.cases.negatives.bases import expecting
from conformance.cases.negatives.model import Negative
from conformance.cases.negatives.parts import kinds_of, part_change

__all__ = ["Change", "changed", "follows", "simpler"]


@dataclass(frozen=True, slots=True)
class Change:
    """The numbers that choose a change; each wraps around, so that any number chooses something."""

    part: int = 0  # the part of the records
    kind: int = 0  # the kind of change
    place: int = 0  # the place in the part
    variant: int = 0  # the variant of the kind


def simpler(change: Change) -> Iterator[Change]:
    """Changes in which one number is smaller. The kind stays: one of another kind would be another change."""
    for name in ("part", "place", "variant"):
        value: int = getattr(change, name)
        for smaller in dict.fromkeys((0, value // 2, value - 1)):
            if 0 <= smaller < value:
                yield replace(change, **{name: smaller})


def follows(negative: Negative) -> str:
    """The consequence of a change, in words."""
    if negative.keeps_meaning:
        return "the same events or a rejection" if negative.refused else "the same events"
    return "a rejection" if negative.refused else "any answer"


def changed(case: Case, change: Change) -> Case | None:
    """The decode case with one change in its records; None if no place fits, or nothing changes."""
    parts = list(NEGATIVES[case.protocol].parts(case))
    if not parts:
        return None
    part = parts[change.part % len(parts)]
    kinds = kinds_of(part)
    negative = part_change(part, kinds[change.kind % len(kinds)], change.place, change.variant) if kinds else None
    if negative is None or negative.data == part.data:
        return None
    axes = {"change": f"{part.name}: {negative.name}", "negative": negative.group, "follows": follows(negative)}
    changed_case = replace(part.with_data(negative.data), axes={**case.axes, **axes})
    return expecting(changed_case, negative, part.requirement, twin=case)

"""Charges a difference to one requirement where several claim its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from conformance.oracle.conditions import all_of
from conformance.oracle.rules import Condition, Place, always

__all__ = ["Step", "first_match", "same"]

# Requirement, the condition under which it applies, and the differences that are a sign of it (all by default).
Step: TypeAlias = tuple[str, Condition] | tuple[str, Condition, Condition]


def same(place: Place) -> bool:
    """The given value is the expected one."""
    return bool(place.expected == place.got)


def first_match(*steps: Step) -> Iterator[tuple[str, Condition]]:
    """Requirements that claim one place, the most special first, each with its condition.

    Without a difference, every requirement that applies is evaluated. A difference is charged to the first requirement
    that applies and whose sign it is.
    """
    full = [(step[0], step[1], step[2] if len(step) == 3 else always) for step in steps]

    def condition(at: int) -> Condition:
        _, applies, is_sign = full[at]
        earlier: Sequence[tuple[str, Condition, Condition]] = full[:at]

        def is_charged(place: Place) -> bool:
            return same(place) or (is_sign(place) and not any(a(place) and s(place) for _, a, s in earlier))

        return all_of(applies, is_charged)

    for at, (requirement, _, _) in enumerate(full):
        yield requirement, condition(at)

"""How one difference is charged to one requirement where several speak of a place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from conformance.oracle.conditions import all_of
from conformance.oracle.rules import Condition, Place, always

__all__ = ["Step", "first_match", "same"]

# Requirement, where it applies, and which differences are a sign of it (all, where nothing else is said).
Step: TypeAlias = tuple[str, Condition] | tuple[str, Condition, Condition]


def same(place: Place) -> bool:
    """What was given is what is expected."""
    return bool(place.expected == place.got)


def first_match(*steps: Step) -> Iterator[tuple[str, Condition]]:
    """Requirements that speak of one place, the most special first, each with its condition.

    Where nothing differs, every one that applies has been asserted. A difference is charged to the first that applies
    and of which it is a sign.
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

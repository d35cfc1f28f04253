"""Reports contradictions that messages of a topic share, such as of an option.

Each contradiction is one difference for a topic, which gives the number of messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from differential.counts import Counts
from differential.decode.contradictions import OPTIONS, contradiction_in, is_contradiction
from differential.model import Class, Difference, Place
from differential.sides import Side

__all__ = ["contradiction_differences"]


def contradiction_differences(pair: str, sides: Iterable[tuple[int, Side]], counts: Counts) -> Iterator[Difference]:
    """The differences for a pair; `sides` are its numbered sides, the left one first."""
    for on_left, (number, side) in zip((True, False), sides, strict=True):
        control = ((name, n) for (side_number, name), n in counts.control.items() if side_number == number)
        for name, count in sorted(control):
            if not is_contradiction(name):
                continue
            topic, member, expected, got = contradiction_in(name)
            yield _difference(pair, side, topic, member, (expected, got), count, on_left=on_left)


def _difference(
    pair: str, side: Side, topic: str, member: str, values: tuple[Any, Any], count: int, *, on_left: bool
) -> Difference:
    option = OPTIONS.get(tuple(member.split(".")))
    expected = f"{values[0]} ({option}={side.every_option()[option]})" if option in side.every_option() else values[0]
    got = f"{values[1]} in {count:,} message{'' if count == 1 else 's'} of {topic or 'a topic without a name'}"
    place = Place(topic)
    shown = (got, expected) if on_left else (expected, got)
    left, right = (place, None) if on_left else (None, place)
    return Difference(
        pair, Class.SHAPE, column=member, left=left, right=right, left_value=shown[0], right_value=shown[1]
    )

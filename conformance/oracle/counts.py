"""Conditions on an answer with too few or too many messages.

The conditions look at which messages are lost or additional, not at their number alone: messages can be missing for
several reasons, and each rule is about one of them. `Comparison.compare_counts` provides the messages of both sides as
`messages`, by partition and in the order of production. A message that cannot be read is the text of the reason.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from conformance.oracle.conditions import key_change_count
from conformance.oracle.rules import Condition, Place

__all__ = [
    "MESSAGES",
    "Identity",
    "IsWhole",
    "are_splits",
    "differ_in_splits",
    "differences",
    "extra_kinds",
    "lost_kinds",
    "read_of",
    "unread",
]

MESSAGES = "messages"

Identity: TypeAlias = Callable[[Any], Any]
"""The identifying part of a message, as JSON."""

IsWhole: TypeAlias = Callable[[Any, Any, Any], bool]
"""Whether (delete, insert, update) are the two halves of a split update and the update itself."""


def read_of(side: Mapping[str, Any]) -> list[Any]:
    """The readable messages of a side, `Place.expected_tree` or `Place.got_tree`, in order."""
    return [message for message in side.get(MESSAGES, ()) if not isinstance(message, str)]


def unread(place: Place) -> list[str]:
    """The reasons why messages of the answer could not be read."""
    return [message for message in place.got_tree.get(MESSAGES, ()) if isinstance(message, str)]


def _as_text(tree: Any) -> str:
    return json.dumps(tree, sort_keys=True, default=str)


def differences(place: Place, identity: Identity) -> tuple[list[str], list[str]]:
    """(identities of lost messages, identities of additional ones), as JSON texts, in any order."""
    expected, got = (
        Counter(_as_text(identity(m)) for m in read_of(side)) for side in (place.expected_tree, place.got_tree)
    )
    return list((expected - got).elements()), list((got - expected).elements())


def _are_only(differing: list[str], others: list[str], kinds: Sequence[str]) -> bool:
    """Whether `differing` are of these kinds, at least one, and there are no `others`."""
    return bool(differing) and not others and set(differing) <= {_as_text(kind) for kind in kinds}


def lost_kinds(kind_of: Callable[[Any], str | None], *kinds: str) -> Condition:
    """Messages of these kinds are missing, and of the others there are as many as expected."""

    def holds(place: Place) -> bool:
        lost, extra = differences(place, kind_of)
        return not unread(place) and _are_only(lost, extra, kinds)

    return holds


def extra_kinds(kind_of: Callable[[Any], str | None], *kinds: str) -> Condition:
    """There are too many messages of these kinds, and of the others as many as expected."""

    def holds(place: Place) -> bool:
        lost, extra = differences(place, kind_of)
        return not unread(place) and _are_only(extra, lost, kinds)

    return holds


def differ_in_splits(place: Place, identity: Identity, is_whole: IsWhole) -> bool:
    """Whether the sides differ only in updates of keys, which are two messages on one side and one on the other."""
    if unread(place):
        return False
    expected, got = read_of(place.expected_tree), read_of(place.got_tree)
    split, whole = (got, expected) if place.options.output_raw_change_event else (expected, got)
    return are_splits(split, whole, identity, is_whole, key_change_count(place))


def are_splits(split: Sequence[Any], whole: Sequence[Any], identity: Identity, is_whole: IsWhole, most: int) -> bool:
    """Whether the sides differ only in updates, at most `most`, that are two messages in `split` and one in `whole`."""
    position = split_updates = 0
    for message in whole:
        pair = split[position : position + 2]
        if len(pair) == 2 and is_whole(pair[0], pair[1], message):
            position += 2
            split_updates += 1
        elif pair and _as_text(identity(pair[0])) == _as_text(identity(message)):
            position += 1
        else:
            return False
    return position == len(split) and 0 < split_updates <= most

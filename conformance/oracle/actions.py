"""What a decoder may say of the action of a statement: nothing, or what its message tells.

A message tells the code of the action, or only of which type it is; a name is one under which TiDB knows the action.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from conformance.oracle.tree import Maybe
from reference_impl.actions import action_names
from reference_impl.model import DdlEvent

__all__ = ["action_of_type", "action_with_code"]


def action_with_code(event: DdlEvent, code: int) -> Mapping[str, Any]:
    """`action` and `action_code` of an event whose message tells the code: the code has to be there, a name may be.

    A code that has no name may be called anything.
    """
    names = action_names(code)
    return {"action_code": code, **({"action": _one_of(event, names)} if names else {})}


def action_of_type(event: DdlEvent, codes: Iterable[int]) -> Mapping[str, Any]:
    """The same where the message tells only that the code is one of `codes`: neither has to be there.

    An action of which not even the event tells a name may be called anything.
    """
    known = tuple(codes)
    members: dict[str, Any] = {"action_code": Maybe(frozenset(known))}
    if event.action or action_names(-1 if event.action_code is None else event.action_code):
        members["action"] = _one_of(event, action_names(*known))
    return members


def _one_of(event: DdlEvent, names: frozenset[str]) -> Maybe:
    return Maybe(names | {event.action.lower()} if event.action else names)

"""The `action` that a decoder may answer for a statement: the one in its message, or none.

A message has the code of the action, or only its type; a name is one under which TiDB knows the action.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from conformance.oracle.tree import Maybe
from reference_impl.actions import action_names
from reference_impl.model import DdlEvent

__all__ = ["action_of_type", "action_with_code"]


def action_with_code(event: DdlEvent, code: int) -> Mapping[str, Any]:
    """`action` and `action_code` for a message with the code: the code is mandatory, a name optional.

    A code without a name may have any name.
    """
    names = action_names(code)
    return {"action_code": code, **({"action": _one_of(event, names)} if names else {})}


def action_of_type(event: DdlEvent, codes: Iterable[int]) -> Mapping[str, Any]:
    """The same for a message that only narrows the code down to `codes`: both members are optional.

    An action without a name in the event may have any name.
    """
    known = tuple(codes)
    members: dict[str, Any] = {"action_code": Maybe(frozenset(known))}
    if event.action or action_names(-1 if event.action_code is None else event.action_code):
        members["action"] = _one_of(event, action_names(*known))
    return members


def _one_of(event: DdlEvent, names: frozenset[str]) -> Maybe:
    return Maybe(names | {event.action.lower()} if event.action else names)

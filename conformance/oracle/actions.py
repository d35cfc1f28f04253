"""The members `action` and `action_code` that a decoder may answer for a DDL statement.

A message has the action code of TiDB, or only a type that several actions share. `action` is TiDB's name of an action.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from conformance.oracle.tree import Maybe
from reference_impl.actions import action_names
from reference_impl.model import DdlEvent

__all__ = ["action_of_type", "action_with_code"]


def action_with_code(event: DdlEvent, code: int) -> Mapping[str, Any]:
    """The members for a message with the action code: the code is mandatory, the name optional.

    For a code that TiDB has no name for, any name is right.
    """
    names = action_names(code)
    return {"action_code": code, **({"action": _optional_name(event, names)} if names else {})}


def action_of_type(event: DdlEvent, codes: Iterable[int]) -> Mapping[str, Any]:
    """The members for a message whose type stands for several `codes`: both members are optional.

    For an event whose action has no name, any name is right.
    """
    possible = frozenset(codes)
    members: dict[str, Any] = {"action_code": Maybe(possible)}
    has_name = event.action or (event.action_code is not None and action_names(event.action_code))
    if has_name:
        members["action"] = _optional_name(event, action_names(*possible))
    return members


def _optional_name(event: DdlEvent, names: frozenset[str]) -> Maybe:
    return Maybe(names | {event.action.lower()} if event.action else names)

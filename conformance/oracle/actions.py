"""The event that a decoder must answer for a DDL statement, with the actions that it may name.

A message has the action code of TiDB, or only a type that several actions share. `action` is TiDB's name of an action.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from conformance.oracle.tree import Maybe
from reference_impl.actions import action_code, action_names
from reference_impl.model import DdlEvent

__all__ = ["statement_of_type", "statement_with_code"]


def statement_with_code(event: DdlEvent) -> dict[str, Any]:
    """The event of a message with time and action code: the code is mandatory, its name optional.

    For a code that TiDB has no name for, any name is right.
    """
    code = action_code(event)
    names = action_names(code)
    action = {"action": _optional_name(event, names)} if names else {}
    return {**_statement(event), "action_code": code, **action, "commit_ts": str(event.commit_ts)}


def statement_of_type(event: DdlEvent, codes: Iterable[int]) -> dict[str, Any]:
    """The event of a message whose type stands for several `codes`, without its time: both members are optional.

    For an event whose action has no name, any name is right.
    """
    possible = frozenset(codes)
    members = {**_statement(event), "action_code": Maybe(possible)}
    has_name = event.action or (event.action_code is not None and action_names(event.action_code))
    if has_name:
        members["action"] = _optional_name(event, action_names(*possible))
    return members


def _statement(event: DdlEvent) -> dict[str, Any]:
    return {"kind": "ddl", "schema": event.schema, "table": event.table, "query": event.query}


def _optional_name(event: DdlEvent, names: frozenset[str]) -> Maybe:
    return Maybe(names | {event.action.lower()} if event.action else names)

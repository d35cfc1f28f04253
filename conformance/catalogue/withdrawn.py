"""Ids that were requirements once: none is used again, and `explain` says what became of each.

The data are `fixtures/register/withdrawn.toml`, in the form of `fixtures/schemas/withdrawn.schema.json`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.sealed import read_toml
from conformance.errors import SuiteError

__all__ = ["Withdrawn", "load_withdrawn"]


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A withdrawn requirement: why it went, and the ids of requirements or divergences that say the same now."""

    id: str
    why: str
    see: tuple[str, ...] = ()


@cache
def load_withdrawn() -> Mapping[str, Withdrawn]:
    """The withdrawn requirements by id. Raises `SuiteError`, naming the file, if it is malformed."""
    path = fixtures_root() / "register" / "withdrawn.toml"
    try:
        rows = [Withdrawn(one["id"], one["why"], tuple(one.get("see", ()))) for one in read_toml(path)["withdrawn"]]
    except (OSError, ValueError, KeyError, TypeError) as e:
        raise SuiteError(f"{path}: not a list of withdrawn requirements: {e!r}") from None
    return {one.id: one for one in rows}

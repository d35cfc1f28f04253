"""The ids of withdrawn requirements, which are never reused; `explain` says why each was withdrawn.

The data are `fixtures/register/withdrawn.toml`, in the form of `fixtures/schemas/withdrawn.schema.json`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.members import reading
from conformance.catalogue.sealed import read_toml

__all__ = ["Withdrawn", "load_withdrawn"]


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A withdrawn requirement."""

    id: str
    why: str  # the reason
    see: tuple[str, ...] = ()  # ids of the requirements or divergences that replace it


@cache
def load_withdrawn() -> Mapping[str, Withdrawn]:
    """The withdrawn requirements by id. Raises `SuiteError`, naming the file, if it is malformed."""
    path = fixtures_root() / "register" / "withdrawn.toml"
    with reading(path, "a list of withdrawn requirements"):
        rows = [Withdrawn(row["id"], row["why"], tuple(row.get("see", ()))) for row in read_toml(path)["withdrawn"]]
    return {row.id: row for row in rows}

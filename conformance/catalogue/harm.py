"""Harm: what a finding or a divergence does to a reader of the messages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache

from conformance.catalogue.fixtures import fixtures_root

__all__ = ["HARMS", "Harm", "load_harms"]

HARMS = "harms.json"
"""The file of the harms of each requirement, below the fixtures; `tools/reference_pages.py` writes it."""


class Harm(StrEnum):
    """The effect on a reader, the worst first."""

    LOST = "lost"
    """Misses a value, image, row, event or order guarantee that was sent."""
    CHANGED = "changed"
    """Reads another value, operation, table, key, partition or order."""
    SCHEMA = "schema"
    """Sees another type, code, flag, name, nullability, default or subject."""
    METADATA = "metadata"
    """Sees other times, positions, sources or headers beside an equal row."""
    STRICTNESS = "strictness"
    """Accepts input that must be refused."""
    FORM = "form"
    """Reads the same from other bytes."""

    @property
    def is_data(self) -> bool:
        """Whether data is lost or changed."""
        return self in (Harm.LOST, Harm.CHANGED)


@cache
def load_harms(protocol: str) -> Mapping[str, Sequence[Harm]]:
    """Id of a testable requirement → the harms of its findings, the worst first; empty for upstream dialects."""
    given = json.loads((fixtures_root() / HARMS).read_text(encoding="utf-8"))
    return {requirement: tuple(map(Harm, harms)) for requirement, harms in given.get(protocol, {}).items()}

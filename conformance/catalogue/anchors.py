"""The anchor of each requirement: the strongest oracle of its cases, by a run of the reference.

`tools/reference_pages.py` writes `fixtures/anchors.json`; a test compares it with that run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.register import Requirement
from reference_impl.protocols import UPSTREAM

__all__ = ["ANCHORS", "anchor_key", "load_anchors"]

ANCHORS = "anchors.json"


def anchor_key(requirement: Requirement) -> str:
    """The key of a requirement: its id, and for an upstream dialect the dialect before it."""
    return f"{requirement.protocol}/{requirement.id}" if requirement.protocol in UPSTREAM else requirement.id


@cache
def load_anchors() -> Mapping[str, str]:
    """Key → anchor of every testable requirement."""
    anchors: dict[str, str] = json.loads((fixtures_root() / ANCHORS).read_text(encoding="utf-8"))
    return anchors

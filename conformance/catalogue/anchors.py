"""The strongest oracle behind each requirement, as the reference's own run found it.

`fixtures/anchors.json` is written by `tools/reference_pages.py`; a test holds it against that run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache

from conformance.catalogue.fixtures import fixtures_root

__all__ = ["ANCHORS", "load_anchors"]

ANCHORS = "anchors.json"


@cache
def load_anchors() -> Mapping[str, str]:
    """Requirement id → anchor, of every requirement that can be tested."""
    anchors: dict[str, str] = json.loads((fixtures_root() / ANCHORS).read_text(encoding="utf-8"))
    return anchors

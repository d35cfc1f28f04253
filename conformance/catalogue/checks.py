"""Where a requirement is checked: places of a message or an event, and kinds of difference that break it there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from conformance.catalogue.fixtures import fixtures_root

__all__ = ["CHECKS", "CheckedPlaces", "load_checks"]

CHECKS = "checks.json"
"""Below the fixtures: the checks of each requirement. Written by `tools/reference_pages.py`; a test compares it."""


class CheckedPlaces(NamedTuple):
    """Places at which differences of the same kinds break a requirement.

    A place is a path into a part of a record (`value.sqlType.{column}`, `frame.key`), into the answered event
    (`event.after.{column}`), or `answer`, which is the answer as a whole. Below a place that ends in `.*` stands
    whatever no other requirement names.
    """

    at: tuple[str, ...]
    kinds: tuple[str, ...]


@cache
def load_checks(protocol: str) -> Mapping[str, Sequence[CheckedPlaces]]:
    """The checks by the id of the requirement.

    Without checks here are upstream dialects, whose registers have them, and requirements that malformed input or the
    order of records alone can break.
    """
    given = json.loads((fixtures_root() / CHECKS).read_text(encoding="utf-8"))
    return {
        requirement: [CheckedPlaces(tuple(check["at"]), tuple(check["kinds"])) for check in checks]
        for requirement, checks in given.get(protocol, {}).items()
    }

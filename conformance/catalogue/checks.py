"""Where a requirement is checked: places of a message or an event, and kinds of difference that break it there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from conformance.catalogue.fixtures import fixtures_root

__all__ = ["CHECKS", "Check", "load_checks", "read_check"]

CHECKS = "checks.json"
"""Below the fixtures: the checks of each requirement. Written by `tools/reference_pages.py`; a test compares it."""


class Check(NamedTuple):
    """Places at which differences of the same kinds break a requirement.

    A place is a path into a part of a record (`value.sqlType.{column}`, `frame.key`), into the answered event
    (`event.after.{column}`), or `answer`, which is the answer as a whole. Below a place that ends in `.*` stands
    whatever no other requirement names.

    In the registers of upstream dialects `*` in a place stands for any characters, `{a,b}` for either. `families` and
    `null` limit a check to columns of these families, and to those that hold NULL; `holds` is the content of the place
    for a reader where no other dialect has it. Without `kinds` every difference counts.
    """

    at: tuple[str, ...]
    kinds: tuple[str, ...]
    families: tuple[str, ...] = ()
    null: bool = False
    holds: str = ""


@cache
def load_checks(protocol: str) -> Mapping[str, Sequence[Check]]:
    """The checks by the id of the requirement.

    Without checks here are upstream dialects, whose registers have them, and requirements that malformed input or the
    order of records alone can break.
    """
    given = json.loads((fixtures_root() / CHECKS).read_text(encoding="utf-8"))
    return {
        requirement: [Check(tuple(check["at"]), tuple(check["kinds"])) for check in checks]
        for requirement, checks in given.get(protocol, {}).items()
    }


_LISTS = ("at", "kinds", "families")


def read_check(given: Mapping[str, Any], places: Mapping[str, Sequence[str]]) -> Check:
    """A check of a register, the names of `places` replaced. Raises `ValueError` or `TypeError` for a malformed one."""
    if unknown := given.keys() - set(Check._fields):
        raise ValueError(f"unknown member {min(unknown)!r} of a check")
    for name in given.keys() & set(_LISTS):
        if not isinstance(given[name], list) or not given[name] or not all(isinstance(one, str) for one in given[name]):
            raise TypeError(f"{name!r} of a check is not a list of strings")
    if given.get("null", True) is not True:
        raise ValueError("'null' of a check is true, or left out")
    at = tuple(_places(given["at"], places))
    lists = {name: tuple(given.get(name, ())) for name in ("kinds", "families")}
    return Check(at, **lists, null="null" in given, holds=given.get("holds", ""))


def _places(at: Sequence[str], places: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for place in at:
        if place in places:
            yield from _places(places[place], places)
        else:
            yield place

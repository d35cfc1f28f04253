"""Profiles: the styles of TiCDC's generations. A profile names a style, never a defect.

The `style` table of each protocol has a row for each profile, by name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

__all__ = [
    "CLASSIC",
    "DOC",
    "LATEST",
    "NEWARCH",
    "NEWEST_KNOWN",
    "PROFILES",
    "Profile",
    "Release",
    "parse_release",
    "profile_of_release",
]

Release: TypeAlias = tuple[int, int, int]

LATEST: Release = (9999, 0, 0)
"""Later than every release: a profile with it has no rule of an older release."""

NEWEST_KNOWN: Release = (8, 5, 7)
"""The newest TiCDC release whose documents, recordings or sources were used."""


@dataclass(frozen=True, slots=True)
class Profile:
    """The style of a producer; `release` narrows it to the rules of a TiCDC release."""

    name: str
    title: str
    release: Release = LATEST


NEWARCH = Profile("newarch", "TiCDC new architecture, master of 2026-08")
CLASSIC = Profile("classic", "TiCDC classic (tiflow v8.5.7)")
DOC = Profile("doc", "the documents; silent points as newarch")

PROFILES: Mapping[str, Profile] = {p.name: p for p in (NEWARCH, CLASSIC, DOC)}

# The first release with the new architecture in general availability.
_FIRST_NEWARCH: Release = (8, 5, 4)


def parse_release(text: str) -> Release:
    """`v5.4.0` or `5.4.0` as numbers. Raises ValueError for anything else."""
    match = re.fullmatch(r"v?(\d+)\.(\d+)\.(\d+)(?:[-+.].*)?", text.strip())
    if not match:
        raise ValueError(f"{text!r} is not a TiCDC release; it looks like v8.5.4")
    return int(match[1]), int(match[2]), int(match[3])


def profile_of_release(text: str) -> Profile:
    """The profile of a TiCDC release: its style, narrowed to that release."""
    release = parse_release(text)
    base = CLASSIC if release < _FIRST_NEWARCH else NEWARCH
    return Profile(base.name, f"{base.title}, as of {text}", release)

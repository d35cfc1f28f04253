"""Fingerprints of failures, in a run, in a verdict event and in a baseline.

One rule may lose data in one answer and not in another: where a failure is compared with what is known, the fingerprint
of a finding whose harm is to data has ` (data)` behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from conformance.catalogue.harm import Harm
from conformance.catalogue.register import Level

__all__ = ["Marks", "as_data", "bare", "is_broken_off", "marks_of"]

_DATA = " (data)"


class Marks(NamedTuple):
    """The fingerprints of a failure: those that identify it, those of findings not scored yet, all above `may`."""

    leading: tuple[str, ...]
    later: tuple[str, ...]
    beneath: tuple[str, ...]


def as_data(mark: str) -> str:
    """The fingerprint of a finding that loses or changes data."""
    return mark + _DATA


def bare(mark: str) -> str:
    """The fingerprint alone."""
    return mark.removesuffix(_DATA)


def is_broken_off(marks: Iterable[str]) -> bool:
    """Whether fingerprints say that a case never came to an answer, such as `crash@encode`.

    The fingerprint of a finding has a `#`.
    """
    return any("#" not in mark for mark in marks)


def marks_of(verdict: Mapping[str, Any]) -> Marks:
    """The fingerprints in a verdict event; one of an old record, without a harm, counts as loss."""
    findings = verdict["findings"]
    data = {f["fingerprint"] for f in findings if Harm(f.get("harm") or Harm.LOST).is_data}

    def weighed(marks: Iterable[str]) -> tuple[str, ...]:
        return tuple(as_data(mark) if mark in data else mark for mark in marks)

    return Marks(
        weighed(verdict["fingerprints"]),
        weighed(f["fingerprint"] for f in findings if "later_than" in f),
        weighed(f["fingerprint"] for f in findings if f["level"] != Level.MAY),
    )

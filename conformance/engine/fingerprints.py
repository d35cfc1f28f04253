"""Fingerprints of failures, in a run, in a verdict event and in a baseline.

The same finding may lose data in one answer and not in another. So before a failure is compared with known failures,
the fingerprint of a finding that loses or changes data gets the suffix ` (data)`.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any, NamedTuple

from conformance.catalogue.harm import Harm
from conformance.catalogue.register import Level

__all__ = ["Marks", "bare", "is_broken_off", "marks_of"]

_DATA = " (data)"


class Marks(NamedTuple):
    """The fingerprints of a failure, with ` (data)` where a finding loses or changes data."""

    leading: tuple[str, ...] = ()
    """Those that identify the failure."""
    later: tuple[str, ...] = ()
    """Those of findings that the suite version of the run does not score."""
    above_may: tuple[str, ...] = ()
    """Those of all findings above `may`."""

    @classmethod
    def of(cls, data: Container[str], *groups: Iterable[str]) -> Marks:
        """The members, as plain fingerprints; `data` has those of findings that lose or change data."""
        return cls(*(tuple(mark + _DATA if mark in data else mark for mark in group) for group in groups))


def bare(mark: str) -> str:
    """The fingerprint without ` (data)`."""
    return mark.removesuffix(_DATA)


def is_broken_off(marks: Iterable[str]) -> bool:
    """Whether a case had no answer, by its fingerprints, such as `crash@encode`.

    Only the fingerprint of a finding has a `#`.
    """
    return any("#" not in mark for mark in marks)


def marks_of(verdict: Mapping[str, Any]) -> Marks:
    """The fingerprints in a `verdict` event; a finding of an old record, without a harm, counts as loss."""
    findings = verdict["findings"]
    data = {f["fingerprint"] for f in findings if Harm(f.get("harm") or Harm.LOST).is_data}
    later = (f["fingerprint"] for f in findings if "later_than" in f)
    above_may = (f["fingerprint"] for f in findings if f["level"] != Level.MAY)
    return Marks.of(data, verdict["fingerprints"], later, above_may)

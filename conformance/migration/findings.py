"""The findings of a trial, in the order of the report."""

from __future__ import annotations

from typing import Any

from conformance.catalogue.harm import Harm
from conformance.migration.assessment import Finding, Severity
from conformance.migration.diverging import of_divergences
from conformance.migration.harmed import of_consumer
from conformance.migration.structure import of_keyless, of_structure
from conformance.migration.trial import Trial
from conformance.migration.unnamed import of_classes, refused

__all__ = ["findings_of"]

_HARMS = list(Harm)
_SEVERITIES = list(Severity)


def findings_of(trial: Trial) -> tuple[Finding, ...]:
    """The findings, the worst first; within a severity, those of more columns first."""
    found = [
        *of_consumer(trial),
        *of_divergences(trial),
        *of_classes(trial),
        *refused(trial),
        *of_keyless(trial),
        *of_structure(trial),
    ]
    return tuple(sorted(found, key=_order))


def _order(one: Finding) -> tuple[Any, ...]:
    rank = _SEVERITIES.index(one.severity), _HARMS.index(one.harm), -len(one.places)
    return *rank, one.title, one.divergences, one.places

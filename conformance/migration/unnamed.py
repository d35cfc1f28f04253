"""Findings without a divergence: unexplained differences, and changes that a dialect refuses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.catalogue.harm import Harm
from conformance.migration.assessment import Finding, Severity
from conformance.migration.comparing import ColumnDifference
from conformance.migration.outside import BLOCKING, outside_divergences
from conformance.migration.samples import Where
from conformance.migration.showing import sql_of, text_shown
from conformance.migration.trial import Trial
from conformance.migration.writing import WrittenProbe, WrittenStep

__all__ = ["of_classes", "refused"]

_OF_CLASS: Mapping[str, str] = {
    "missing": "a change that only the old messages have",
    "extra": "a change that only the new messages have",
    "value": "another value",
    "type": "another type",
    "shape": "the same row by other steps, or another operation",
    "undecodable": "messages that their dialect cannot read",
    "metadata": "other commit time stamps",
    "duplicate": "changes that come twice",
    "reordered": "changes of a row in another order",
}


def of_classes(trial: Trial) -> Iterator[Finding]:
    """Differences without a name, by class and column type; between families there are no others."""
    groups: dict[tuple[str, str], tuple[dict[Where, None], ColumnDifference]] = {}
    for difference in trial.compared.differences:
        if difference.name or not difference.kind:
            continue
        written = trial.written_of(difference)
        column_type = ""
        if written and difference.kind != "undecodable":  # not a type is unreadable, but a whole message
            column_type = written.probe.types.get(difference.column, "")
        places, _ = groups.setdefault((difference.kind, column_type), ({}, difference))
        places.update(dict.fromkeys(trial.difference_places(difference)))
    for (kind, column_type), (places, difference) in groups.items():
        written = trial.written_of(difference)
        if not places:
            continue
        before = text_shown(difference.column, difference.left)
        after = text_shown(difference.column, difference.right)
        yield Finding(
            severity=_unnamed_severity(trial, kind),
            harm=Harm(difference.harm or "changed"),
            title=f"{_OF_CLASS.get(kind, kind)}" + (f" of {column_type}" if column_type else ""),
            places=tuple(places),
            before=before,
            after=after,
            sql=sql_of(written, difference.written) if written and difference.written else (),
            evidence=(("model", "both reference encoders, compared: no divergence has a name for it"),),
        )


def _unnamed_severity(trial: Trial, kind: str) -> Severity:
    if kind == "undecodable":
        return Severity.BLOCKER
    if kind in ("metadata", "shape"):
        return Severity.COSMETIC if trial.consumer is not None else Severity.SILENT
    return Severity.SILENT


def refused(trial: Trial) -> Iterator[Finding]:
    """Changes that TiCDC's dialect refuses, unless a divergence names the reason: the changefeed stops at them."""
    expected = outside_divergences(trial.move, trial.tables)
    explained = {place for one in expected if one.divergence.id in BLOCKING for place in one.places if place[2]}
    groups: dict[str, tuple[dict[Where, None], WrittenProbe, WrittenStep]] = {}
    for probe in trial.written:
        for written in probe.steps:
            for refusal in written.refusals:
                if refusal.dialect == trial.move.target:
                    places, _, _ = groups.setdefault(refusal.why, ({}, probe, written))
                    places.update(dict.fromkeys(trial.places(probe.probe)))
    for why, (places, probe, written) in groups.items():
        if explained.issuperset(places):
            continue
        yield Finding(
            severity=Severity.BLOCKER,
            harm=Harm.LOST,
            title=f"no message: {trial.move.target} refuses the change ({why})",
            places=tuple(places),
            sql=sql_of(probe, written),
            evidence=(("model", "the reference encoder"),),
        )

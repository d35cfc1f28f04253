"""Findings without a divergence: differences that have no name, and changes that a dialect refuses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from conformance.catalogue.harm import Harm
from conformance.migration.assessment import Finding, Severity
from conformance.migration.comparing import Met
from conformance.migration.samples import Where
from conformance.migration.showing import sql_of, text_shown
from conformance.migration.telling import Told, ToldProbe
from conformance.migration.trial import Trial

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
    groups: dict[tuple[str, str], tuple[dict[Where, None], Met]] = {}
    for met in trial.compared.met:
        if met.name or not met.kind:
            continue
        told = trial.of_table(met)
        kind = told.probe.types.get(met.column, "") if told else ""
        places, _ = groups.setdefault((met.kind, kind), ({}, met))
        places.update(dict.fromkeys(trial.met_places(met)))
    for (kind, of), (places, met) in groups.items():
        told = trial.of_table(met)
        if not places:
            continue
        before = text_shown(met.column or "row", met.left)
        after = text_shown(met.column or "row", met.right)
        yield Finding(
            severity=_unnamed_severity(trial, kind),
            harm=Harm(met.harm or "changed"),
            title=f"{_OF_CLASS.get(kind, kind)}" + (f" of {of}" if of else ""),
            divergences=(),
            rule=None,
            places=tuple(places),
            before=before,
            after=after,
            sql=sql_of(told, met.told) if told and met.told else (),
            evidence=(("model", "both reference encoders, compared: no divergence has a name for it"),),
        )


def _unnamed_severity(trial: Trial, kind: str) -> Severity:
    if kind == "undecodable":
        return Severity.BLOCKER
    if kind in ("metadata", "shape"):
        return Severity.COSMETIC if trial.consumer is not None else Severity.SILENT
    return Severity.SILENT


def refused(trial: Trial) -> Iterator[Finding]:
    """Changes for which TiCDC's dialect has no message: the changefeed stops at them."""
    groups: dict[str, tuple[dict[Where, None], ToldProbe, Told]] = {}
    for probe in trial.told:
        for told in probe.told:
            for refusal in told.refusals:
                if refusal.dialect == trial.move.target:
                    places, _, _ = groups.setdefault(refusal.why, ({}, probe, told))
                    places.update(dict.fromkeys(trial.places(probe.probe)))
    for why, (places, probe, told) in groups.items():
        yield Finding(
            severity=Severity.BLOCKER,
            harm=Harm.LOST,
            title=f"no message: {trial.move.target} refuses the change ({why})",
            divergences=(),
            rule=None,
            places=tuple(places),
            before=None,
            after=None,
            sql=sql_of(probe, told),
            evidence=(("model", "the reference encoder"),),
        )

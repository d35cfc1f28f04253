"""Findings for divergences that cause no known effect on the consumer, by what the catalogue says of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.catalogue.divergences import Divergence, find_divergence
from conformance.catalogue.divergences import Met as MetAt
from conformance.catalogue.harm import Harm
from conformance.migration.assessment import Finding, Removal, Severity
from conformance.migration.comparing import Met
from conformance.migration.harmed import harmed
from conformance.migration.outside import BLOCKING, expected, of_statements
from conformance.migration.samples import Where
from conformance.migration.showing import divergence_members, recorded, sql_of, strongest_first, texts
from conformance.migration.trial import Trial
from conformance.migration.writing import WrittenProbe

__all__ = ["of_divergences"]


def of_divergences(trial: Trial) -> Iterator[Finding]:
    done = harmed(trial)
    grouped: dict[str, tuple[dict[Where, None], list[Met]]] = {}
    for met in trial.compared.met:
        if not met.name:
            continue
        places, of = grouped.setdefault(met.name, ({}, []))
        of.append(met)
        places.update(dict.fromkeys(trial.met_places(met)))
    for one in expected(trial.move, trial.tables):
        places, _ = grouped.setdefault(one.divergence.id, ({}, []))
        places.update(dict.fromkeys(one.places))
    for name, (places, of) in grouped.items():
        divergence = find_divergence(name)
        assert divergence is not None
        columns = [place for place in places if place[2]]
        if not columns and of and divergence.types and divergence.met is MetAt.ENVELOPE:
            continue  # the comparison looks at the type of every column, and none shows this divergence
        left = tuple(place for place in columns or places if (name, place) not in done)
        if left:
            yield _divergence_finding(trial, divergence, left, of)
    if described := of_statements(trial.move):
        yield _described(trial, described)


def _divergence_finding(trial: Trial, one: Divergence, places: tuple[Where, ...], met: Sequence[Met]) -> Finding:
    severity = _severity_of(trial, one)
    written = next(_examples(trial, places, met), None)
    before, after = texts(trial, *written) if written else (None, None)
    shown = one.reproducer
    sql = (f"CREATE TABLE t (id BIGINT PRIMARY KEY, {', '.join(shown.columns)})", *shown.statements) if shown else ()
    if shown and shown.create:
        sql = (shown.create, *shown.statements)
    if written and written[1].written is not None:
        sql = sql_of(written[0], written[1].written)
    return Finding(
        severity=severity,
        harm=one.harm,
        title=one.title,
        divergences=(one.id,),
        rule=None,
        places=places,
        before=before,
        after=after,
        removals=tuple(Removal(of.what, of.breaks, of.but) for of in one.remedies),
        reader=one.reader,
        sql=sql,
        evidence=strongest_first(
            [
                *recorded(one),
                ("model", "both reference encoders, compared") if met else ("reading", "the definitions of the tables"),
            ]
        ),
        **divergence_members(one),
    )


def _examples(trial: Trial, places: Sequence[Where], met: Sequence[Met]) -> Iterator[tuple[WrittenProbe, Met]]:
    """The probes that show a divergence at these places, those with a single step first."""
    for one in sorted(met, key=lambda of: of.written is None):
        probe = trial.of_table(one)
        if probe is not None and {*trial.met_places(one)} & {*places}:
            yield probe, one


def _severity_of(trial: Trial, one: Divergence) -> Severity:
    """The severity of a divergence for a reader without a model, or with a model that shows no harm from it."""
    seen = trial.consumer is not None and (one.met is not MetAt.OUTSIDE or one.id in _SEEN)
    if not seen and (one.id in BLOCKING or (one.harm is Harm.LOST and one.met is MetAt.ENVELOPE)):
        return Severity.BLOCKER
    if one.harm in (Harm.LOST, Harm.CHANGED):
        return Severity.COSMETIC if seen else Severity.SILENT
    if one.harm is Harm.SCHEMA:
        declares = trial.consumer is not None and trial.consumer.declares
        return Severity.COSMETIC if declares or one.met is MetAt.STATEMENT else Severity.SILENT
    return Severity.COSMETIC


_SEEN = frozenset({"UN-3.2-6"})
"""Divergences that no comparison shows, but that a consumer meets in the messages of the trial."""


def _described(trial: Trial, all_of: Sequence[Divergence]) -> Finding:
    return Finding(
        severity=Severity.COSMETIC,
        harm=Harm.SCHEMA,
        title="what messages of statements say of tables (`tableChanges`)",
        divergences=tuple(one.id for one in all_of),
        rule=None,
        places=tuple((*table.id, "") for table in trial.tables),
        before=None,
        after=None,
        upstream_does="has the words and lengths of the statement",
        ticdc_does="has those of TiDB's catalogue",
        reader=all_of[0].reader,
        evidence=(("reading", "descriptions of tables are not compared"),),
    )

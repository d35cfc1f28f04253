"""Findings for divergences that cause no known effect on the consumer, by what the catalogue says of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.catalogue.divergences import Divergence, Met, find_divergence
from conformance.catalogue.harm import Harm
from conformance.migration.assessment import Finding, Removal, Severity
from conformance.migration.comparing import ColumnDifference
from conformance.migration.harmed import harmed_places
from conformance.migration.outside import BLOCKING, outside_divergences, statement_divergences
from conformance.migration.samples import Where
from conformance.migration.showing import before_and_after, divergence_members, evidence_of, sql_of, strongest_first
from conformance.migration.trial import Trial
from conformance.migration.writing import WrittenProbe

__all__ = ["of_divergences"]


def of_divergences(trial: Trial) -> Iterator[Finding]:
    """A finding for each divergence, with the columns where it causes no effect; a dict to None is an ordered set."""
    told_by_effects = harmed_places(trial)
    grouped: dict[str, tuple[dict[Where, None], list[ColumnDifference]]] = {}
    for difference in trial.compared.differences:
        if not difference.name:
            continue
        places, differences = grouped.setdefault(difference.name, ({}, []))
        differences.append(difference)
        places.update(dict.fromkeys(trial.difference_places(difference)))
    for one in outside_divergences(trial.move, trial.tables):
        places, _ = grouped.setdefault(one.divergence.id, ({}, []))
        places.update(dict.fromkeys(one.places))
    for name, (places, differences) in grouped.items():
        divergence = find_divergence(name)
        assert divergence is not None
        columns = [(schema, table, column) for schema, table, column in places if column]
        if not columns and differences and divergence.types and divergence.met is Met.ENVELOPE:
            continue  # the comparison looks at the type of every column, and none shows this divergence
        left = tuple(place for place in columns or places if (name, place) not in told_by_effects)
        if left:
            yield _divergence_finding(trial, divergence, left, differences)
    if in_statements := statement_divergences(trial.move):
        yield _statements_finding(trial, in_statements)


def _divergence_finding(
    trial: Trial, one: Divergence, places: tuple[Where, ...], differences: Sequence[ColumnDifference]
) -> Finding:
    severity = _severity_of(trial, one)
    before, after, sql = None, None, _reproducer_sql(one)
    if example := next(_examples(trial, places, differences), None):
        probe, difference = example
        before, after = before_and_after(trial, probe, difference)
        if difference.written is not None:
            sql = sql_of(probe, difference.written)
    source = ("reading", "the definitions of the tables")
    if differences:
        source = ("model", "both reference encoders, compared")
    return Finding(
        severity=severity,
        harm=one.harm,
        title=one.title,
        divergences=(one.id,),
        places=places,
        before=before,
        after=after,
        removals=tuple(Removal(remedy.what, remedy.breaks, remedy.but) for remedy in one.remedies),
        reader=one.reader,
        sql=sql,
        evidence=strongest_first([*evidence_of(one), source]),
        **divergence_members(one),
    )


def _reproducer_sql(one: Divergence) -> tuple[str, ...]:
    """The statements of a divergence's reproducer; none if it has no reproducer."""
    shown = one.reproducer
    if shown is None:
        return ()
    create = shown.create or f"CREATE TABLE t (id BIGINT PRIMARY KEY, {', '.join(shown.columns)})"
    return (create, *shown.statements)


def _examples(
    trial: Trial, places: Sequence[Where], differences: Sequence[ColumnDifference]
) -> Iterator[tuple[WrittenProbe, ColumnDifference]]:
    """The probes that show a divergence at these places, those whose step is known first."""
    for one in sorted(differences, key=lambda difference: difference.written is None):
        probe = trial.written_of(one)
        if probe is not None and {*trial.difference_places(one)} & {*places}:
            yield probe, one


def _severity_of(trial: Trial, one: Divergence) -> Severity:
    """The severity of a divergence for a reader without a model, or with a model that shows no harm from it."""
    is_harmless = trial.consumer is not None and (one.met is not Met.OUTSIDE or one.id in _MET_BY_CONSUMERS)
    if not is_harmless and (one.id in BLOCKING or (one.harm is Harm.LOST and one.met is Met.ENVELOPE)):
        return Severity.BLOCKER
    if one.harm in (Harm.LOST, Harm.CHANGED):
        return Severity.COSMETIC if is_harmless else Severity.SILENT
    if one.harm is Harm.SCHEMA:
        consumer = trial.consumer
        is_unread = consumer is not None and (consumer.declares or one.id in _OF_SQL_TYPE)
        return Severity.COSMETIC if is_unread or one.met is Met.STATEMENT else Severity.SILENT
    return Severity.COSMETIC


_MET_BY_CONSUMERS = frozenset({"UN-3.2-6"})
"""Divergences that no comparison shows, but that a consumer meets in the messages of the trial."""

_OF_SQL_TYPE = frozenset({"DV-14", "DV-45", "DV-46", "DV-47", "DV-60"})
"""Divergences of `sqlType`, which no consumer with a model reads: Paimon takes types from `mysqlType`."""


def _statements_finding(trial: Trial, divergences: Sequence[Divergence]) -> Finding:
    """One finding for all divergences in the descriptions of tables that messages of statements have."""
    return Finding(
        severity=Severity.COSMETIC,
        harm=Harm.SCHEMA,
        title="what messages of statements say of tables (`tableChanges`)",
        divergences=tuple(one.id for one in divergences),
        places=trial.whole_tables,
        upstream_does="has the words and lengths of the statement",
        ticdc_does="has those of TiDB's catalogue",
        reader=divergences[0].reader,
        evidence=(("reading", "descriptions of tables are not compared"),),
    )

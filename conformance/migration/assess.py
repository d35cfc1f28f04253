"""`assess` tries a move on tables and returns what breaks, column by column, and what it did not check."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from conformance.catalogue.harm import Harm
from conformance.migration.assessment import Assessment, ColumnResult, Finding, NotAssessed, Severity
from conformance.migration.configuration import configuration
from conformance.migration.diverging import of_divergences
from conformance.migration.effects import Kind
from conformance.migration.harmed import of_consumer
from conformance.migration.move import Move
from conformance.migration.outside import undetermined
from conformance.migration.placement import placement
from conformance.migration.samples import Where, every_type
from conformance.migration.structure import of_keyless, of_structure
from conformance.migration.trial import Trial
from conformance.migration.unnamed import of_classes, refused
from conformance.migration.values import LEFT_OUT, values_of
from reference_impl.keys import handle_key
from reference_impl.model import Table, Value

__all__ = ["assess"]

_ALWAYS = (
    ("clusters, load, and how long the move takes", "`migrate` starts no software"),
    (
        "values that the trial does not contain",
        "the trial has the boundaries of each type and a few other values; your data may hold more",
    ),
    ("rows larger than a message may be", "the trial has no such row"),
    (
        "statements other than CREATE, ALTER, TRUNCATE, RENAME and DROP TABLE",
        "the trial runs these alone, on a small table",
    ),
    ("repeated messages", "the trial repeats no message; after a restart either producer may"),
    ("consumer groups, offsets, and messages left in the old topic", "`migrate` reads no topic"),
)
_PARTITIONED = re.compile(r"\bPARTITION\s+BY\b", re.IGNORECASE)
_SHOWN = 3
_LONGEST = 24
_HARMS, _SEVERITIES = list(Harm), list(Severity)
_METADATA = (
    "metadata that a job reads beside the row, such as times and positions",
    "the models predict the columns of the table alone",
)


def assess(
    move: Move, tables: Sequence[Table] = (), not_read: Sequence[str] = (), others: Sequence[tuple[str, str]] = ()
) -> Assessment:
    """Say what the move breaks for a reader of `tables`; without tables, for tables of every column type.

    `not_read` has a sentence for each definition that the SQL reader could not read. `others` has the other objects
    that the user's script creates, as ("view", "v"). The result depends on the arguments alone. Raises `UsageError` if
    a dialect refuses an option.
    """
    given = [_whole(table) for table in tables or every_type()]
    trial = Trial(move, given)
    found = _findings(trial)
    unread = [NotAssessed("a table that the SQL reader could not read", text) for text in not_read]
    not_assessed = (*unread, *_other_objects(others), *_not_assessed(trial))
    return Assessment(
        origin=move.origin,
        target=move.target,
        consumer=move.consumer,
        findings=found,
        columns=tuple(_columns(trial, found, not_assessed)),
        placement=tuple(placement(move, trial.written)),
        configuration=tuple(configuration(move, trial.consumer)),
        not_assessed=not_assessed,
        named=frozenset(_differences(trial, named=True)),
        unnamed=frozenset(_differences(trial, named=False)),
        tried={
            "tables": len(given),
            "columns": sum(len(table.columns) for table in given),
            "changes": sum(len(probe.steps) for probe in trial.written),
            "messages": sum(
                len(written.origin or ()) + len(written.target or ())
                for probe in trial.written
                for written in probe.steps
            ),
        },
    )


def _other_objects(others: Sequence[tuple[str, str]]) -> Iterator[NotAssessed]:
    """One entry for all views, triggers and other objects: they have no messages of their own."""
    kinds = Counter(kind for kind, _ in others)
    if kinds:
        what = ", ".join(f"{number} {kind}{'s' if number > 1 else ''}" for kind, number in kinds.items())
        why = "they send no messages; a row that a trigger, a routine or an event changes appears as one of its table"
        yield NotAssessed(what, why)


def _whole(table: Table) -> Table:
    """The table with a default charset: utf8mb4 where its definition names none."""
    return table if table.charset else replace(table, charset="utf8mb4")


def _findings(trial: Trial) -> tuple[Finding, ...]:
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


# -- for comparisons ---------------------------------------------------------------------------------------------------


def _differences(trial: Trial, *, named: bool) -> Iterator[tuple[str, str, str]]:
    """(table, column, divergence) of each difference in rows that has a divergence; else (table, column, class)."""
    for difference in trial.compared.differences:
        what = difference.name if named else difference.kind
        if what and bool(difference.name) is named and trial.is_of_rows(difference):
            yield from ((f"{s}.{t}", column, what) for s, t, column in trial.difference_places(difference))


# -- column by column --------------------------------------------------------------------------------------------------


def _columns(trial: Trial, found: Sequence[Finding], not_assessed: Sequence[NotAssessed]) -> Iterator[ColumnResult]:
    numbers_at: dict[Where, list[int]] = {}
    for number, finding in enumerate(found, 1):
        for place in finding.places:
            numbers_at.setdefault(place, []).append(number)
    partly = {place for one in not_assessed for place in one.places}
    unknown = _unknown(trial)
    for table in trial.tables:
        for column in table.columns:
            where = (*table.id, column.name)
            numbers = tuple(numbers_at.get(where, ()))
            verdict = min((found[n - 1].severity for n in numbers), key=_SEVERITIES.index, default=None)
            assessed = "not" if where in unknown else "partly" if where in partly else "wholly"
            word = "not assessed" if assessed == "not" and verdict in (None, Severity.COSMETIC) else verdict or "same"
            yield ColumnResult(where, column.type.text, str(word), numbers, assessed)


def _unknown(trial: Trial) -> set[Where]:
    """The columns for which the trial decides no value."""
    tried = {place for written in trial.written if written.probe.column for place in written.probe.places}
    unknown = {(*t.id, c.name) for t in trial.tables for c in t.columns} - tried
    if trial.move.consumer and trial.consumer is None:
        return unknown | tried
    open_steps = {id(effect.written) for _, effect in trial.effects if effect.kind is Kind.OPEN}
    for one in trial.written:
        steps = [written for written in one.steps if any(value is not None for value in written.step.values)]
        is_decided = any(written.is_complete and id(written) not in open_steps for written in steps)
        if one.probe.column and not is_decided:
            unknown.update(one.probe.places)
    return unknown


# -- not assessed ------------------------------------------------------------------------------------------------------


def _not_assessed(trial: Trial) -> Iterator[NotAssessed]:
    move = trial.move
    if move.consumer:
        yield from _of_models(trial)
    empty = [(*table.id, column.name) for table in trial.tables for column in table.columns if not values_of(column)]
    if empty:
        why = "the suite knows no values of their type"
        yield NotAssessed("columns that the trial leaves empty", why, tuple(empty))
    partitioned = [(*table.id, "") for table in trial.tables if _PARTITIONED.search(table.create_sql or "")]
    if partitioned:
        yield NotAssessed("partitions of tables", "tables of the trial have one partition", tuple(partitioned))
    computed = [(*t.id, c.name) for t in trial.tables for c in t.columns if c.generated]
    if computed:
        why = "the trial draws them like those of any column: it computes no expressions"
        yield NotAssessed("the values of generated columns", why, tuple(computed))
    yield from _refused_upstream(trial)
    keyless = [(*table.id, "") for table in trial.tables if not handle_key(table)]
    if keyless:
        yield NotAssessed("equal rows of tables without a key", "nothing distinguishes them", tuple(keyless))
    for name, what in undetermined(move):
        yield NotAssessed(f"{what} ({name})", "it depends on more than the definition of a table")
    for text in LEFT_OUT:
        yield NotAssessed(text, "the trial never has them")
    for error in trial.compared.left_out:
        yield NotAssessed("a part of the comparison", f"the suite itself failed there: {error}")
    if move.consumer and trial.consumer is not None:
        yield NotAssessed(*_METADATA)
    if not trial.is_named:
        why = f"the suite lists no divergences between {move.origin} and {move.target}; it compares column values alone"
        yield NotAssessed("members around the row, times, positions and statements", why)
    for what, why in _ALWAYS:
        yield NotAssessed(what, why)


def _of_models(trial: Trial) -> Iterator[NotAssessed]:
    move = trial.move
    name, _, version = move.consumer.partition("@")
    if trial.consumer is None:
        places = tuple((*table.id, column.name) for table in trial.tables for column in table.columns)
        why = f"the suite has no model of {name} for {move.target}; the findings hold for a reader by the documents"
        yield NotAssessed(f"everything that {move.consumer} does with the messages", why, places)
        return
    if move.model(move.origin) is None:
        yield NotAssessed(
            f"what {move.consumer} did with {move.origin}",
            "the suite has no model of that; it compares what the consumer has after the move with the database's rows",
        )
    if any(trial.consumer.keeping(table).key for table in trial.tables):
        why = "it is taken to write each row over the row of its key, and to delete by the key"
        yield NotAssessed(f"what the job of {move.consumer} does with its rows", why)
    known = move.recorded
    if not any(one == version or one.startswith(f"{version}.") for one in known):
        yield NotAssessed(
            f"how {name} {version} differs from {', '.join(known)}", "only answers of those versions are recorded"
        )
    left: dict[str, tuple[dict[Where, None], dict[str, None]]] = {}
    for written, effect in trial.effects:
        if effect.kind is Kind.OPEN:
            why = effect.rule.text if effect.rule else "the model does not decide it"
            at, values = left.setdefault(why, ({}, {}))
            at.update(dict.fromkeys(trial.places(written.probe)))
            values.update(dict.fromkeys(map(_shown, effect.written.step.values[-1:])))
    for why, (at, values) in left.items():
        shown = ", ".join([*values][:_SHOWN]) + (" …" if len(values) > _SHOWN else "")
        yield NotAssessed(f"values like {shown} in {move.consumer}" if values else move.consumer, why, tuple(at))


def _shown(value: Value) -> str:
    if value is None:
        return "NULL"
    text = f"0x{value.hex()}" if isinstance(value, bytes) else str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _refused_upstream(trial: Trial) -> Iterator[NotAssessed]:
    left: dict[str, dict[Where, None]] = {}
    for probe in trial.written:
        for written in probe.steps:
            for refusal in written.refusals:
                if refusal.dialect == trial.move.origin:
                    left.setdefault(refusal.why, {}).update(dict.fromkeys(trial.places(probe.probe)))
    for why, places in left.items():
        yield NotAssessed(f"values for which {trial.move.origin} has no message", why, tuple(places))

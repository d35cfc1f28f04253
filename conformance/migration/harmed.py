"""Findings about effects on the consumer: one for each kind of effect and cause, with all its columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.catalogue.divergences import Met, find_divergence
from conformance.catalogue.harm import Harm
from conformance.consumers.model import Basis
from conformance.migration.assessment import Finding, Removal, Severity
from conformance.migration.comparing import ColumnDifference
from conformance.migration.effects import Effect, Kind
from conformance.migration.removals import removals_of
from conformance.migration.samples import Where
from conformance.migration.showing import divergence_members, evidence_of, read_shown, sql_of, strongest_first
from conformance.migration.trial import Trial
from conformance.migration.writing import WrittenProbe
from differential.classify.predicates import OF_TYPE
from reference_impl.model import Watermark

__all__ = ["harmed_places", "of_consumer"]

_SEVERITY: Mapping[Kind, tuple[Severity, Harm]] = {
    Kind.FAILS: (Severity.BLOCKER, Harm.LOST),
    Kind.SKIPS: (Severity.BLOCKER, Harm.LOST),
    Kind.ROW: (Severity.SILENT, Harm.CHANGED),
    Kind.MISSING: (Severity.SILENT, Harm.LOST),
    Kind.NULL: (Severity.SILENT, Harm.LOST),
    Kind.VALUE: (Severity.SILENT, Harm.CHANGED),
    Kind.FOR_NULL: (Severity.SILENT, Harm.CHANGED),
    Kind.TYPE: (Severity.SILENT, Harm.SCHEMA),
    Kind.STEPS: (Severity.COSMETIC, Harm.FORM),
    Kind.SPELLED: (Severity.COSMETIC, Harm.FORM),
    Kind.BETTER: (Severity.COSMETIC, Harm.FORM),
}
_EVIDENCE_OF = {Basis.RUN: "run live", Basis.RECORDED: "recorded", Basis.READ: "reading"}
_HARMS = list(Harm)


@dataclass(slots=True)
class _Group:
    """Effects of one kind and cause, on any number of columns. A dict to None is an ordered set."""

    first: tuple[WrittenProbe, Effect]
    places: dict[Where, None] = field(default_factory=dict)
    names: dict[str, None] = field(default_factory=dict)
    """The divergences that may cause them."""
    step_names: dict[str, None] = field(default_factory=dict)
    effects: dict[int, list[tuple[WrittenProbe, Effect]]] = field(default_factory=dict)
    """By the identity of the probe."""


def of_consumer(trial: Trial) -> Iterator[Finding]:
    """The findings about effects on the consumer."""
    groups: dict[tuple[Any, ...], _Group] = {}
    everywhere = _everywhere(trial)
    for written, effect in _to_tell(trial):
        rule = _rule(effect)
        names, what = _causes(trial, written, effect), ""
        if written.probe.places and (effect.kind, rule) in everywhere:
            names, what = _envelope_divergences(trial), _EVERY
        elif written.probe.places and not written.probe.column and not names:
            what = effect.written.step.what
        group = groups.setdefault((effect.kind, rule, names[:1], what), _Group((written, effect)))
        group.names.update(dict.fromkeys(names))
        group.step_names[effect.written.step.what] = None
        group.places.update(dict.fromkeys(trial.places(written.probe)))
        group.effects.setdefault(id(written), []).append((written, effect))
    for (kind, _, _, what), group in groups.items():
        probe = group.first[0].probe
        if not probe.places and len(group.step_names) > 1:
            what = f"statements ({', '.join(group.step_names)})"
        elif not what and not probe.column:
            what = "; ".join(group.step_names)
        yield _effect_finding(trial, kind, tuple(group.names), what, group)


def _to_tell(trial: Trial) -> Iterator[tuple[WrittenProbe, Effect]]:
    """The known effects; of one that a column of the key causes in every change of its row, the column alone."""
    everywhere = _everywhere(trial)
    of_columns: set[tuple[Kind, str, Where]] = set()
    of_inserts: set[tuple[int, Kind, str, str]] = set()
    for written, effect in trial.effects:
        if written.probe.column:
            of_columns.update((effect.kind, _rule(effect), place) for place in written.probe.places)
        elif effect.written.step.what == "insert":
            of_inserts.add((id(written), effect.kind, _rule(effect), effect.column))
    for written, effect in trial.effects:
        probe, kind, rule = written.probe, effect.kind, _rule(effect)
        if kind is Kind.OPEN:
            continue
        if (id(written), kind, rule, effect.column) in of_inserts and (kind, rule) not in everywhere:
            columns = [effect.column] if effect.column else [column.name for column in probe.table.columns]
            if any((kind, rule, (*probe.about.id, column)) in of_columns for column in columns):
                continue
        yield written, effect


def _rule(effect: Effect) -> str:
    return effect.rule.id if effect.rule else ""


_EVERY = "every message of a row"


def _everywhere(trial: Trial) -> set[tuple[Kind, str]]:
    """Failures and losses, with their rule, that every probe of rows shows."""
    found: dict[tuple[Kind, str], set[int]] = {}
    for written, effect in trial.effects:
        if effect.kind in (Kind.FAILS, Kind.SKIPS) and written.probe.places:
            found.setdefault((effect.kind, _rule(effect)), set()).add(id(written))
    probes = sum(bool(one.probe.places) for one in trial.written)
    return {key for key, hit in found.items() if len(hit) == probes}


def _envelope_divergences(trial: Trial) -> tuple[str, ...]:
    """The divergences of the envelope that lose rows."""
    losing = (one for one in trial.compared.differences if one.name and one.harm == Harm.LOST)
    known = dict.fromkeys(one.name for one in losing)
    return tuple(name for name in known if (one := find_divergence(name)) and one.met is Met.ENVELOPE)


_AMONG_ROWS: Mapping[tuple[str, bool], str] = {
    ("debezium", False): "UN-3.2-6",
    ("debezium", True): "DBZ-541",
    ("canal-json", True): "DV-04",
}
"""By target, and whether the message is a watermark: the divergence that mixes such messages with the rows."""


def _causes(trial: Trial, written: WrittenProbe, effect: Effect) -> tuple[str, ...]:
    """The divergences that may cause an effect, the worst first: those at its step and those of its column."""
    if not written.probe.places:
        is_watermark = any(isinstance(event, Watermark) for event in effect.written.step.kept)
        name = _AMONG_ROWS.get((trial.move.target, is_watermark))
        return (name,) if name and trial.is_named else ()
    found: list[ColumnDifference] = []
    for difference in trial.differences_at(written.probe):
        if not difference.name:
            continue
        is_cause = difference.written is effect.written
        if written.probe.column:
            is_of_every_step = difference.written is None and not _is_of_values(difference)
            is_cause = difference.column == effect.column and (is_cause or is_of_every_step)
        if is_cause:
            found.append(difference)
    return _names(found)


def _is_of_values(difference: ColumnDifference) -> bool:
    """Whether the divergence depends on the value: a step without such a value shows no effect of it."""
    known = find_divergence(difference.name)
    return known is not None and known.met is Met.TEXT and bool(known.predicate) and known.predicate not in OF_TYPE


def _names(differences: Iterable[ColumnDifference]) -> tuple[str, ...]:
    """The divergences of some differences, each once, the worst first."""
    ranked = {one.name: _HARMS.index(Harm(one.harm or "form")) for one in differences}
    return tuple(sorted(ranked, key=lambda name: (ranked[name], name)))


def _effect_finding(trial: Trial, kind: Kind, names: tuple[str, ...], what: str, group: _Group) -> Finding:
    written, effect = group.first
    severity, harm = _SEVERITY[kind]
    known = find_divergence(names[0]) if names else None
    rule = effect.rule
    cause = "; ".join(filter(None, (what, known.title if known else "", rule.text if rule else "")))
    removals: tuple[Removal, ...] = ()
    if severity is not Severity.COSMETIC:
        removals = removals_of(trial, names, [*group.effects.values()], is_everywhere=what == _EVERY)
    evidence = [("model", f"{trial.move.consumer}" + (f", rule {rule.id}" if rule else ""))]
    if rule is not None:
        evidence.append((_EVIDENCE_OF[rule.basis], f"what the rule {rule.id} rests on"))
    return Finding(
        severity=severity,
        harm=harm,
        title=f"{kind}: {cause or 'no divergence has a name for it'}",
        divergences=names,
        rule=None if rule is None else (rule.id, rule.text),
        places=tuple(group.places),
        before=read_shown(effect.was),
        after=read_shown(effect.now),
        removals=removals,
        reader=known.reader if known else "",
        sql=sql_of(written, effect.written),
        evidence=strongest_first([*evidence, *(evidence_of(known) if known else ())]),
        **divergence_members(known),
    )


def harmed_places(trial: Trial) -> set[tuple[str, Where]]:
    """The divergences that cause an effect, each with the columns where they do."""
    return {
        (name, place)
        for written, effect in _to_tell(trial)
        for name in _causes(trial, written, effect)
        for place in trial.places(written.probe)
    }

"""The trial of a move: samples in both dialects, compared, read by the consumer, and tried with other options."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from conformance.cases.inputs import BASE
from conformance.cases.statements import statement_of
from conformance.catalogue.divergences import load_divergences
from conformance.errors import UsageError
from conformance.migration.comparing import ColumnDifference, Compared, compared
from conformance.migration.effects import ALREADY, Consumer, Effect, Kind, Known, effects
from conformance.migration.move import Move
from conformance.migration.options import Candidate, candidates
from conformance.migration.samples import Probe, Where, column_probes, free_name, row_probe, statement_probe
from conformance.migration.writing import WrittenProbe, write_again, write_both
from differential.sides import Side
from reference_impl.errors import Rejected, Unsupported
from reference_impl.model import DdlEvent, Table

__all__ = ["HARMLESS", "Trial"]

HARMLESS = frozenset({Kind.STEPS, Kind.SPELLED, Kind.BETTER})
"""Kinds of effects after which the consumer has the same table, or a better one."""

_STATEMENTS = (
    *("create table", "add column", "modify column", "drop column", "add index", "drop index"),
    *("truncate table", "rename table", "drop table"),
)
"""The actions of the statements that are tried, in order."""


class Trial:
    """The trial of a move on the user's tables, and all its results.

    Raises `UsageError` for options that a dialect refuses.
    """

    def __init__(self, move: Move, tables: Sequence[Table]) -> None:
        self.move = move
        self.tables = tables
        statements = _statements(tables)
        self.probes: Sequence[Probe] = [*column_probes(tables), *map(row_probe, tables), statements]
        self.sides = move.sides([probe.table for probe in self.probes])
        for side in self.sides:
            _check(side)
        self.written = list(write_both(self.sides, self.probes))
        self._by_table = {one.probe.table.id: one for one in self.written}
        of_rows = compared(self.sides, self.written[:-1])
        of_statements = compared(self.sides, self.written[-1:])
        self.compared = Compared(
            (*of_rows.differences, *of_statements.differences),
            {**of_statements.explanations, **of_rows.explanations},
            (*of_rows.left_out, *of_statements.left_out),
        )
        self._differences: dict[tuple[str, str], list[ColumnDifference]] = {}
        """Table of the trial → the differences in its messages."""
        for difference in self.compared.differences:
            self._differences.setdefault(difference.table, []).append(difference)
        self._known: Known = {}
        """What the consumer reads from the old messages: each is read once, whatever options are tried."""
        self.candidates: Sequence[Candidate] = tuple(candidates(move))
        """The options to try for every finding."""
        self._effects_of: dict[Candidate, dict[tuple[str, str], Sequence[Effect]] | None] = {}
        """Other options → table of the trial → the effects; None for options that a dialect refuses."""
        self._new_effects: dict[Candidate, tuple[str, ...]] = {}
        self.consumer: Consumer | None = None
        """None if the move names no consumer, or the suite has no model of it for the target."""
        self.effects: Sequence[tuple[WrittenProbe, Effect]] = ()
        """The effects on the consumer, each with its probe."""
        if move.consumer and move.model(move.target) is not None:
            self.consumer = Consumer.of(move, self.sides, self.written)
            self.effects = [
                (one, effect) for one in self.written for effect in effects(self.consumer, one, self._known)
            ]
        self._found = {(effect.kind, id(written.probe), effect.column) for written, effect in self.effects}

    @property
    def whole_tables(self) -> tuple[Where, ...]:
        """Every table of the user as a place, for what concerns no single column."""
        return tuple((*table.id, "") for table in self.tables)

    def places(self, probe: Probe) -> tuple[Where, ...]:
        """The user's columns that a probe stands for; a probe of statements stands for every table."""
        return probe.places or self.whole_tables

    @property
    def is_named(self) -> bool:
        """Whether the divergences between the two dialects have names."""
        return (self.move.origin, self.move.target) in load_divergences()

    def difference_places(self, difference: ColumnDifference) -> tuple[Where, ...]:
        """The user's columns that a difference concerns: those of its probe, or whole tables, with the column ""."""
        written = self.written_of(difference)
        if written is None or not written.probe.places:
            return self.whole_tables
        if not written.probe.column:
            table = written.probe.about
            if not difference.column or difference.column.startswith(("key.", "value.")):
                return written.probe.places
            return ((*table.id, difference.column),) if table.column(difference.column) is not None else ()
        if difference.column == written.probe.column:
            return written.probe.places
        if difference.column:
            return ()
        # A difference in the envelope is in the messages of every column: it belongs to the table.
        return tuple(dict.fromkeys((*place[:2], "") for place in written.probe.places))

    def differences_at(self, probe: Probe) -> Sequence[ColumnDifference]:
        """The differences in the messages of a probe."""
        return self._differences.get(probe.table.id, ())

    def is_of_rows(self, difference: ColumnDifference) -> bool:
        """Whether a difference is in messages of rows rather than of statements."""
        written = self.written_of(difference)
        return written is not None and bool(written.probe.places)

    def written_of(self, difference: ColumnDifference) -> WrittenProbe | None:
        """The probe whose messages show a difference."""
        return self._by_table.get(difference.table)

    def effects_under(
        self, candidate: Candidate, probes: Sequence[Probe]
    ) -> Sequence[tuple[WrittenProbe, Effect]] | None:
        """The effects on some probes with other options; None if a dialect refuses these options."""
        known = self._effects_of.setdefault(candidate, {})
        if known is None:
            return None
        written = [self._by_table[probe.table.id] for probe in probes]
        if unknown := [one for one in written if one.probe.table.id not in known]:
            try:
                known.update(self._tried(candidate, unknown))
            except UsageError:
                self._effects_of[candidate] = None
                return None
        return [(one, effect) for one in written for effect in known[one.probe.table.id]]

    def _tried(
        self, candidate: Candidate, probes: Sequence[WrittenProbe]
    ) -> Iterator[tuple[tuple[str, str], Sequence[Effect]]]:
        """The effects by table of the trial. Raises `UsageError` for options that the target refuses."""
        assert self.consumer is not None
        move = replace(self.move, target_options={**self.move.target_options, **candidate.target})
        target = move.side(move.target, [one.probe.table for one in probes])
        _check(target)
        now = self.consumer.now
        tried = replace(now, options={**now.options, **candidate.consumer}, side=target)
        consumer = replace(self.consumer, now=tried)
        for one in write_again(target, probes):
            yield one.probe.table.id, [*effects(consumer, one, self._known)]

    def is_found(self, written: WrittenProbe, effect: Effect) -> bool:
        """Whether the move as it stands has an effect of that kind on the column, at any step."""
        return (effect.kind, id(written.probe), effect.column) in self._found

    def new_effects_under(self, candidate: Candidate) -> tuple[str, ...]:
        """The new effects that other options bring to the consumer, each in words, with the first column."""
        if candidate not in self._new_effects:
            found: dict[str, None] = {}
            for written, effect in self.effects_under(candidate, self.probes) or ():
                if effect.rule is ALREADY or effect.kind in HARMLESS or self.is_found(written, effect):
                    continue
                place = ".".join(filter(None, self.places(written.probe)[0]))
                step = "" if written.probe.column else f", {effect.written.step.what}"
                found[f"{effect.kind}: {place}{step}"] = None
            self._new_effects[candidate] = tuple(found)
        return self._new_effects[candidate]


def _statements(tables: Sequence[Table]) -> Probe:
    """The probe for statements, about a table whose name none of the user's tables has."""
    base = replace(BASE, name=free_name(BASE.schema, BASE.name, tables))

    def renamed(event: DdlEvent) -> DdlEvent:
        before, after = (table and replace(table, name=base.name) for table in (event.table_before, event.table_after))
        query = event.query.replace(f"`{BASE.name}`", f"`{base.name}`")
        return replace(event, table=base.name, query=query, table_before=before, table_after=after)

    return statement_probe(base, map(renamed, map(statement_of, _STATEMENTS)))


def _check(side: Side) -> None:
    """Raise `UsageError` for options that the side's dialect refuses."""
    try:
        side.decoder()
    except (Rejected, Unsupported) as e:
        raise UsageError(f"{side.dialect}: {e}") from None

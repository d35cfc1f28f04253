"""Counts what a search drew: a search without a finding reports what it covered, and what it never drew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from conformance.cases.model import Case
from conformance.search.spaces import option_space
from reference_impl.column_types import Family
from reference_impl.model import DdlEvent, Event, RowChange, Table

__all__ = ["DrawCounts"]

_UNSUPPORTED = frozenset({Family.GEOMETRY})
"""Column types that TiDB does not have."""


def _kind(event: Event) -> str:
    if isinstance(event, RowChange):
        return event.op
    if isinstance(event, DdlEvent):
        return event.action or "a statement"
    return "watermark"


def _key(table: Table) -> str:
    if table.primary_key:
        return "composite key" if len(table.primary_key) > 1 else "primary key"
    return "unique key alone" if table.unique_keys else "no key"


@dataclass(slots=True)
class DrawCounts:
    """Counts over the examples of one protocol."""

    protocol: str
    events: Counter[str] = field(default_factory=Counter)
    columns: Counter[str] = field(default_factory=Counter)
    options: Counter[str] = field(default_factory=Counter)
    settings: Counter[str] = field(default_factory=Counter)
    """Time zones, numbers of partitions and tables, and keys."""
    changes: Counter[str] = field(default_factory=Counter)
    """The kinds of change of changed records."""
    expected: Counter[str] = field(default_factory=Counter)
    """The expected answers to changed records."""

    def count(self, case: Case) -> None:
        """Count an example: every event, every column of the initial tables, every option."""
        self.events.update(map(_kind, case.events))
        columns = [column for table in case.tables for column in table.columns]
        self.columns.update(str(column.type.family) for column in columns)
        self.options.update([f"{name}={value}" for name, value in case.options.items()] or ["by default"])
        settings = case.settings
        self.settings.update([settings.timezone, f"{settings.partitions} partitions", f"{len(case.tables)} tables"])
        self.settings.update(map(_key, case.tables))
        if "change" in case.axes:
            self.changes[case.axes["negative"]] += 1
            self.expected[case.axes["follows"]] += 1

    def never_drawn(self) -> list[str]:
        """The protocol's column types and option values that no example had."""
        families = [str(f) for f in Family if f not in _UNSUPPORTED and not self.columns[str(f)]]
        values = option_space(self.protocol).values
        named = (f"{name}={value}" for name, (_, *others) in values.items() for value in others)
        return [*families, *(option for option in named if not self.options[option])]

    def lines(self) -> Iterator[str]:
        """One line for each subject, as `events: 7 insert, 2 update`, and one for what was never drawn.

        A search with changed records has lines with its changes and expectations instead of the last one.
        """
        for subject in ("events", "columns", "options", "settings"):
            counts: Counter[str] = getattr(self, subject)
            yield f"{subject}: " + (_listed(counts) or "none")
        if self.changes:
            yield f"changes of a record: {_listed(self.changes)}"
            yield f"expected: {_listed(self.expected)}"
            return
        if missing := self.never_drawn():
            yield "never drawn: " + ", ".join(missing)


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{n} {name}" for name, n in counts.most_common())

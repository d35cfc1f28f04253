"""Compares the verdicts in a record with the counts of its end: a record that lost lines must not pass for whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from reports.renderer import Event
from reports.texts import counted

__all__ = ["discrepancies"]


def discrepancies(events: Iterable[Event]) -> Iterator[str]:
    """Sentences without a full stop on each implementation whose counts in the `end` event differ from its verdicts.

    Empty for a record without an `end`, which is incomplete anyway.
    """
    recorded: dict[str, Counter[str]] = {}
    reported: dict[str, Counter[str]] | None = None
    for event in events:
        kind = event["event"]
        if kind == "iut":
            recorded.setdefault(str(event["iut"]), Counter())
        elif kind in ("verdict", "verdicts"):
            counts = recorded.setdefault(str(event["iut"]), Counter())
            counts[str(event["verdict"])] += _cases(event)
        elif kind == "end":
            reported = _reported_counts(event)
    if reported is None:
        return
    for label in dict.fromkeys((*reported, *recorded)):
        yield from _discrepancies_of(label, reported.get(label, Counter()), recorded.get(label, Counter()))


def _discrepancies_of(label: str, reported: Counter[str], recorded: Counter[str]) -> Iterator[str]:
    # Deselected cases are counted, and have no verdict in the record.
    missing = sum(n for verdict, n in (reported - recorded).items() if verdict != "excluded")
    more = sum(n for verdict, n in (recorded - reported).items() if verdict != "excluded")
    if missing and more:
        yield f"{label}: {counted(missing, 'verdict is', 'verdicts are')} other than its end counts, or missing"
    elif missing:
        yield f"{label}: {missing:,} of its verdicts {'is' if missing == 1 else 'are'} missing"
    elif more:
        yield f"{label}: {counted(more, 'verdict', 'verdicts')} more than its end counts"


def _cases(event: Event) -> int:
    number = event["cases"] if event["event"] == "verdicts" else 1
    return number if isinstance(number, int) else 0


def _reported_counts(end: Event) -> dict[str, Counter[str]]:
    """Label → the counts of the end; empty for a form that no run writes."""
    accounting = end["accounting"]
    iuts = accounting.get("iuts") if isinstance(accounting, Mapping) else None
    rows = [row for row in iuts if isinstance(row, Mapping)] if isinstance(iuts, list) else []
    return {str(row.get("iut")): _counter(row.get("counts")) for row in rows}


def _counter(counts: object) -> Counter[str]:
    rows = counts.items() if isinstance(counts, Mapping) else ()
    return Counter({str(verdict): number for verdict, number in rows if isinstance(number, int)})

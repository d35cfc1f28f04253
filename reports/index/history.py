"""The versions of one implementation over time: in which of them a requirement is broken."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from reports.index.columns import Column, short
from reports.index.states import RequirementKey, State
from reports.vocabulary import rank

__all__ = ["history_of"]

_JUDGED = frozenset({"broken", "advisory", "met"})

Json = dict[str, Any]


def history_of(columns: Mapping[str, Column], requirements: Collection[RequirementKey]) -> list[Json]:
    """An entry for each implementation with several columns, which are its versions in order."""
    series: dict[tuple[str, str], list[tuple[str, Column]]] = {}
    for column_id, column in columns.items():
        series.setdefault(column.name, []).append((column_id, column))
    return [
        {
            "implementation": implementation,
            "profile": profile,
            "columns": [column_id for column_id, _ in versions],
            "requirements": _entries(versions, requirements),
        }
        for (implementation, profile), versions in series.items()
        if len(versions) > 1
    ]


def _entries(versions: Sequence[tuple[str, Column]], requirements: Collection[RequirementKey]) -> list[Json]:
    """The requirements that a version breaks: first those whose state changes, each group by harm."""
    entries: list[tuple[tuple[bool, int, str, str], Json]] = []
    for key in requirements:
        states = [column.state_of(key) for _, column in versions]
        if not any(state.word == "broken" for state in states):
            continue
        spans = _spans([column_id for column_id, _ in versions], states)
        harm = min((state.harm for state in states if state.word == "broken"), key=rank)
        has_changed = any(span["since"] or span["until"] for span in spans)
        entry = {
            "protocol": short(key[0]),
            "id": short(key[1]),
            "harm": harm,
            "states": [state.word for state in states],
            "spans": spans,
        }
        entries.append(((not has_changed, rank(harm), *key), entry))
    return [entry for _, entry in sorted(entries, key=lambda pair: pair[0])]


def _spans(columns: Sequence[str], states: Sequence[State]) -> list[Json]:
    """The ranges of columns that break a requirement, by ids; versions that did not judge it are ignored.

    `first` is the first column that breaks it, and `since` the same if an earlier one meets it. `until` is the last one
    that breaks it if a later one meets it, which is `met_in`. Otherwise they are null.
    """
    spans: list[Json] = []
    last_judged, was_broken = None, False
    for column, state in zip(columns, states, strict=True):
        if state.word not in _JUDGED:
            continue
        is_broken = state.word == "broken"
        if is_broken and not was_broken:
            spans.append({"first": column, "since": column if last_judged else None, "until": None, "met_in": None})
        if was_broken and not is_broken:
            spans[-1] |= {"until": last_judged, "met_in": column}
        last_judged, was_broken = column, is_broken
    return spans

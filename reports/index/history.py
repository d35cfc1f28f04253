"""The versions of one implementation over time: in which of them a requirement is broken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reports.index.columns import Column, short
from reports.index.states import RequirementKey, State
from reports.vocabulary import rank

__all__ = ["history_of"]

_JUDGED = frozenset({"broken", "advisory", "met"})

Json = dict[str, Any]


def history_of(named: Sequence[tuple[str, Column]], known: Mapping[RequirementKey, Json]) -> list[Json]:
    """An entry for each implementation with several columns, with its requirements."""
    series: dict[tuple[str, str], list[tuple[str, Column]]] = {}
    for of, column in named:
        series.setdefault(column.name, []).append((of, column))
    return [
        {
            "implementation": implementation,
            "profile": profile,
            "columns": [of for of, _ in versions],
            "requirements": _requirements(versions, known),
        }
        for (implementation, profile), versions in series.items()
        if len(versions) > 1
    ]


def _requirements(versions: Sequence[tuple[str, Column]], known: Mapping[RequirementKey, Json]) -> list[Json]:
    """Broken requirements whose state changes come first; then by harm."""
    entries: list[tuple[tuple[bool, int, str, str], Json]] = []
    for key in known:
        states = [column.state_of(key) for _, column in versions]
        if not any(state.word == "broken" for state in states):
            continue
        spans = _spans([of for of, _ in versions], states)
        harm = min((state.harm for state in states if state.word == "broken"), key=rank)
        has_changed = any(span["since"] or span["until"] for span in spans)
        made = {
            "protocol": short(key[0]),
            "id": short(key[1]),
            "harm": harm,
            "states": [state.word for state in states],
            "spans": spans,
        }
        entries.append(((not has_changed, rank(harm), *key), made))
    return [made for _, made in sorted(entries, key=lambda entry: entry[0])]


def _spans(columns: Sequence[str], states: Sequence[State]) -> list[Json]:
    """The columns that break it, from and to, as ids.

    `first` is the first that breaks it; `since` is that, too, after one that does not, else null; `until` is the last
    before one that does not, else null; `met_in` is that one. Versions that did not judge it are ignored.
    """
    judged = [(of, state.word == "broken") for of, state in zip(columns, states, strict=True) if state.word in _JUDGED]
    spans: list[Json] = []
    for i, (of, is_broken) in enumerate(judged):
        if is_broken and (i == 0 or not judged[i - 1][1]):
            spans.append({"first": of, "since": of if i else None, "until": None, "met_in": None})
        if not is_broken and i and judged[i - 1][1]:
            spans[-1] |= {"until": judged[i - 1][0], "met_in": of}
    return spans

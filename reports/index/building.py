"""The record of runs side by side: columns in order, a row for each group of requirements, and changes over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count
from typing import Any

from reports.index.columns import NO_ANSWER, Column, columns_of, short
from reports.index.history import history_of
from reports.index.states import NOT_ASKED, NOT_JUDGED, UNSUPPORTED, IndexGathering, RequirementKey
from reports.renderer import Event
from reports.texts import case_count
from reports.vocabulary import HARMS, rank

__all__ = ["IndexBuilder"]

_SCHEMA = 1
_UNJUDGED = (NOT_JUDGED, UNSUPPORTED, NOT_ASKED)
_FOUND = ("broken", "advisory")

Json = dict[str, Any]


class IndexBuilder:
    """Takes runs, one after another, and keeps the shown data, but no event."""

    def __init__(self) -> None:
        self._columns: list[Column] = []

    def add(self, name: str, events: Iterable[Event]) -> None:
        """Take a run; `name` is its name for people, such as its path."""
        gathering = IndexGathering()
        for event in events:
            gathering.handle(event)
        self._columns += columns_of(name, gathering)

    def record(self) -> Json:
        """The record. Implementations keep the given order, the versions of one are sorted by version and date."""
        ordered = _in_order(self._columns)
        columns = dict(zip(_ids(ordered), ordered, strict=True))
        known = _requirements(ordered)
        return {
            "schema": _SCHEMA,
            "columns": [
                {"id": name, **column.facts, "harms": _harms(column), "notes": notes, "badge": dict(column.badge)}
                for (name, column), notes in zip(columns.items(), _notes(ordered), strict=True)
            ],
            "rows": list(_rows(columns, known)),
            "history": history_of(columns, known),
            "causes": {name: list(column.causes) for name, column in columns.items()},
            "requirements": _with_findings(ordered, known),
        }


def _in_order(columns: Sequence[Column]) -> list[Column]:
    names = [column.name for column in columns]
    return sorted(columns, key=lambda column: (names.index(column.name), column.order))


def _ids(columns: Sequence[Column]) -> list[str]:
    """For each column its anchor, with a number if an earlier column has the same id."""
    ids: list[str] = []
    for column in columns:
        numbered = (f"{column.anchor}-{n}" for n in count(2))
        ids.append(next(name for name in chain([column.anchor], numbered) if name not in ids))
    return ids


def _requirements(columns: Sequence[Column]) -> dict[RequirementKey, Json]:
    """Every requirement that some run knows, in the order of the register, with its facts in the last of these runs."""
    found: dict[RequirementKey, Json] = {}
    for column in columns:
        found |= column.requirements
    return found


def _harms(column: Column) -> dict[str, int]:
    """Harm → broken requirements, with each failure in place of an answer as `lost`."""
    broken = [state.harm for state in column.states.values() if state.word == "broken"]
    harms = {harm: broken.count(harm) for harm in HARMS}
    harms["lost"] += sum(column.unanswered.values())
    return harms | {"other": sum(harm not in HARMS for harm in broken)}


# -- rows ----------------------------------------------------------------------------


def _rows(columns: Mapping[str, Column], known: Mapping[RequirementKey, Json]) -> Iterator[Json]:
    """Protocol by protocol; failures in place of answers precede the groups. Untestable groups have no row."""
    protocols = dict.fromkeys(protocol for protocol, _ in known)
    for column in columns.values():
        protocols |= dict.fromkeys(sorted(column.selected_protocols | column.unanswered.keys()))
    for protocol in protocols:
        cells = {name: _unanswered(column, protocol) for name, column in columns.items()}
        if any(cell["failures"] for cell in cells.values()):
            yield {"protocol": short(protocol), "group": NO_ANSWER, "requirements": 0, "cells": cells}
        groups: dict[str, list[RequirementKey]] = {}
        for key, requirement in known.items():
            if key[0] == protocol:
                groups.setdefault(requirement["group"], []).append(key)
        for group, keys in groups.items():
            if testable := [key for key in keys if any(_is_testable(column, key) for column in columns.values())]:
                cells = {name: _cell(column, testable) for name, column in columns.items()}
                yield {"protocol": short(protocol), "group": group, "requirements": len(testable), "cells": cells}


def _is_testable(column: Column, key: RequirementKey) -> bool:
    """Whether the run has the requirement as a testable one."""
    return key in column.states and column.states[key].word not in ("untestable", "later")


def _unanswered(column: Column, protocol: str) -> Json:
    failures = column.unanswered.get(protocol, 0)
    if failures:
        word = "failures"
    elif protocol in column.selected_protocols:
        word = "clean" if protocol in column.judged_protocols else NOT_JUDGED
    else:
        word = NOT_ASKED
    return {"word": word, "failures": failures, "harm": "lost" if failures else "", "broken": [], "advisory": []}


def _cell(column: Column, keys: Sequence[RequirementKey]) -> Json:
    states = {key: column.state_of(key) for key in keys}
    by_word: dict[str, list[RequirementKey]] = {}
    for key, state in states.items():
        by_word.setdefault(state.word, []).append(key)
    broken, advisory = by_word.get("broken", []), by_word.get("advisory", [])
    unjudged = {word: len(by_word[word]) for word in _UNJUDGED if word in by_word}
    if broken:
        word = "failures"
    elif advisory or "met" in by_word:
        word = "clean"
    else:
        word = next(iter(unjudged), NOT_ASKED)
    return {
        "word": word,
        "failures": len(broken),
        "harm": min((states[key].harm for key in broken), key=rank, default=""),
        "broken": [short(identity) for _, identity in broken],
        "advisory": [short(identity) for _, identity in advisory],
        "unjudged": unjudged,
    }


def _with_findings(columns: Sequence[Column], known: Mapping[RequirementKey, Json]) -> list[Json]:
    """The requirements with a finding in some column: pages link to them."""
    found = {key for column in columns for key, state in column.states.items() if state.word in _FOUND}
    return [
        {"protocol": short(protocol), "id": short(identity), **facts}
        for (protocol, identity), facts in known.items()
        if (protocol, identity) in found
    ]


# -- caveats of a comparison of columns ------------------------------------------------------------


_COMPARED_FACTS = ("suite", "profile", "gate")


def _notes(columns: Sequence[Column]) -> list[list[str]]:
    """For each column the reasons why it is hard to compare with the others, as sentences without a full stop."""
    usual = {fact: _most_frequent([column.facts[fact] for column in columns]) for fact in _COMPARED_FACTS}
    registers: dict[str, list[str]] = {}
    for column in columns:
        for protocol, digest in column.facts["registers"].items():
            registers.setdefault(protocol, []).append(digest)
    digests = {protocol: _most_frequent(found) for protocol, found in registers.items()}
    return [list(_notes_of(column, usual, digests)) for column in columns]


def _notes_of(column: Column, usual: Mapping[str, str], digests: Mapping[str, str]) -> Iterator[str]:
    facts = column.facts
    for fact in _COMPARED_FACTS:
        if facts[fact] != usual[fact]:
            yield f"{fact} {facts[fact] or 'unknown'}, where others have {usual[fact] or 'none'}"
    others = [p for p, digest in facts["registers"].items() if digest != digests[p]]
    if others:
        yield f"other rules than the others for {', '.join(others)}: the registers differ"
    if column.why_cut:
        yield f"{column.why_cut}: what is missing was not judged"
    if facts["deselected"]:
        were = "was" if facts["deselected"] == 1 else "were"
        yield f"a selection: {case_count(facts['deselected'])} of {facts['planned']:,} {were} left out"
    if facts["not_run"]:
        yield f"{case_count(facts['not_run'])} not run"
    if facts["suite_errors"]:
        yield f"the suite itself failed in {case_count(facts['suite_errors'])}"


def _most_frequent(texts: Sequence[str]) -> str:
    """The most frequent text; of several the first."""
    return Counter(texts).most_common(1)[0][0] if texts else ""

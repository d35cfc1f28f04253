"""A saved run: the folder of `run --out DIR`, or the run record alone, a file of `--report jsonl=PATH`.

Every later report of a run, or of several, reads it here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from reports.accounting import discrepancies
from reports.jsonl import read_record
from reports.renderer import Event
from reports.saved_answers import SavedAnswers

__all__ = ["ANSWERS", "RECORD", "CaseKey", "SavedIut", "SavedRun", "SeveralRunsError", "open_run"]

RECORD, ANSWERS = "run.jsonl", "answers.jsonl.gz"
"""The files of a run folder."""

_MOST_DAMAGE = 3
CaseKey: TypeAlias = tuple[str, str, str]
"""The identity of a case in an implementation: protocol, role and id."""


@dataclass(slots=True)
class SavedIut:
    """The part of a record on one implementation."""

    event: Event
    plan: Event = field(default_factory=dict)
    verdicts: dict[CaseKey, Event] = field(default_factory=dict)
    cases: dict[CaseKey, Event] = field(default_factory=dict)
    """The `case` events, of cases that did not pass."""
    requirements: list[Event] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SavedRun:
    """A run read from disk.

    A damaged or incomplete record has no `end`: every report of it shows a run that was cut off, which is never green.
    """

    path: Path
    events: Sequence[Event]
    """All readable events, in order."""
    run: Event
    """The first `run` event; empty without one."""
    iuts: Mapping[str, SavedIut]
    """Label → implementation."""
    end: Event | None
    """The `end` event; None for a damaged or incomplete record."""
    problems: Sequence[str]
    """Unreadable lines, with their number, and other reasons why the record is incomplete."""
    answers: SavedAnswers
    damage: Sequence[str] = ()
    """The problems of a record with an `end` event: broken lines, and missing or additional verdicts."""

    @property
    def files(self) -> Sequence[Path]:
        """The files that may hold the run."""
        return [self.path / RECORD, self.path / ANSWERS] if self.path.is_dir() else [self.path]

    def answer_of(self, verdict: Event) -> Mapping[str, Any] | None:
        """The answer of the implementation, `{"ok": …}` or the like; None if there was none, or it was not kept."""
        digest = verdict.get("answer")
        return self.answers.answer(digest) if digest else None


class SeveralRunsError(ValueError):
    """A record that holds a second run, or one implementation twice."""


def open_run(path: Path) -> SavedRun:
    """The run in a folder or a file.

    Raises `OSError` if it cannot be opened, and `SeveralRunsError` for two runs in one file.
    """
    record = path / RECORD if path.is_dir() else path
    with record.open("rb") as lines:
        events, problems = read_record(lines, str(record))
    if sum(event["event"] == "run" for event in events) > 1:
        raise SeveralRunsError(f"{record}: two runs in one file; use report merge")
    miscounts = list(discrepancies(events))
    is_ended = any(event["event"] == "end" for event in events)
    damage = [*miscounts, *problems] if is_ended else []
    problems += [f"{record}: {text}; it is shown as a run that was cut" for text in miscounts]
    if problems:
        events = [_with_damage(event, damage) for event in events if event["event"] != "end"]
    iuts: dict[str, SavedIut] = {}
    first: Event = {}
    end: Event | None = None
    for event in events:
        kind = event["event"]
        if kind == "run":
            first = first or event
        elif kind == "end":
            end = event
        elif kind == "iut":
            if event["iut"] in iuts:
                raise SeveralRunsError(
                    f"{record}: it begins the implementation {event['iut']!r} twice, as two runs in one file do; "
                    "save each run in its own file, or use report merge for shards"
                )
            iuts[event["iut"]] = SavedIut(event)
        elif (iut := iuts.get(event.get("iut", ""))) is not None:
            _add(iut, kind, event)
    return SavedRun(path, events, first, iuts, end, problems, SavedAnswers(record.with_name(ANSWERS)), damage)


def _with_damage(event: dict[str, Any], damage: Sequence[str]) -> dict[str, Any]:
    """The first event of a damaged record says why it counts as incomplete."""
    if event["event"] != "run" or not damage:
        return event
    more = [f"and {len(damage) - _MOST_DAMAGE:,} more"] if len(damage) > _MOST_DAMAGE else []
    return {**event, "damage": [*damage[:_MOST_DAMAGE], *more]}


def _add(iut: SavedIut, kind: str, event: Event) -> None:
    if kind == "verdict":
        iut.verdicts[event["protocol"], event["role"], event["case"]] = event
    elif kind == "case":
        iut.cases[event.get("protocol", ""), event["role"], event["case"]] = event
    elif kind == "plan":
        iut.plan = event
    elif kind == "requirement":
        iut.requirements.append(event)

"""A saved run: the folder of `run --out DIR`, or the run record alone, a file of `--report jsonl=PATH`.

Everything that is shown of a run later, or made of several, is read here.
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
"""What names a case of an implementation: protocol, role and id."""


@dataclass(slots=True)
class SavedIut:
    """What a record holds of one implementation. `cases` are `case` events, of cases that did not pass.

    `unjudged` are `verdicts` events: cases that are settled together, of which only the number is told.
    """

    event: Event
    plan: Event = field(default_factory=dict)
    verdicts: dict[CaseKey, Event] = field(default_factory=dict)
    cases: dict[CaseKey, Event] = field(default_factory=dict)
    requirements: list[Event] = field(default_factory=list)
    restarts: list[Event] = field(default_factory=list)
    unjudged: list[Event] = field(default_factory=list)

    @property
    def label(self) -> str:
        """The name by which the record calls it."""
        return str(self.event["iut"])


@dataclass(frozen=True, slots=True)
class SavedRun:
    """A run that was read.

    `events` are all that can be read, in order; `run` is the first of them, or empty, `end` the last, or None where the
    run was cut. `iuts` are the implementations by label. `problems` say what could not be read, with the line, and what
    else keeps the record from being whole. One that is not has no `end` either: whatever shows it shows a run that was
    cut, which is never green.
    """

    path: Path
    events: Sequence[Event]
    run: Event
    iuts: Mapping[str, SavedIut]
    end: Event | None
    problems: Sequence[str]
    answers: SavedAnswers
    damage: Sequence[str] = ()
    """What is wrong with a record that has an `end` event: broken lines, and verdicts that it lacks or has too many."""

    @property
    def verdicts(self) -> Mapping[CaseKey, Event]:
        """The verdicts of its implementation, of the first one where there are several."""
        return next((iut.verdicts for iut in self.iuts.values()), {})

    @property
    def files(self) -> Sequence[Path]:
        """The files that the run may be in."""
        return [self.path / RECORD, self.path / ANSWERS] if self.path.is_dir() else [self.path]

    def answer_of(self, verdict: Event) -> Mapping[str, Any] | None:
        """What the implementation answered, `{"ok": …}` or the like; None where nothing was answered, or kept."""
        digest = verdict.get("answer")
        return self.answers.answer(digest) if digest else None


class SeveralRunsError(ValueError):
    """A record that holds a second run."""


def open_run(path: Path) -> SavedRun:
    """The run in a folder or a file. Raises `OSError` where there is none, `SeveralRunsError` where there are two."""
    record = path / RECORD if path.is_dir() else path
    with record.open("rb") as lines:
        events, problems = read_record(lines, str(record))
    if sum(event["event"] == "run" for event in events) > 1:
        raise SeveralRunsError(f"{record}: two runs in one file; use report merge")
    lost = list(discrepancies(events))
    is_ended = any(event["event"] == "end" for event in events)
    damage = [*lost, *problems] if is_ended else []
    problems += [f"{record}: {text}; it is shown as a run that was cut" for text in lost]
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
            iuts.setdefault(event["iut"], SavedIut(event))
        elif (iut := iuts.get(event.get("iut", ""))) is not None:
            _put(iut, kind, event)
    return SavedRun(path, events, first, iuts, end, problems, SavedAnswers(record.with_name(ANSWERS)), damage)


def _with_damage(event: dict[str, Any], damage: Sequence[str]) -> dict[str, Any]:
    """The first event of a damaged record says why that is shown as one that was cut."""
    if event["event"] != "run" or not damage:
        return event
    more = [f"and {len(damage) - _MOST_DAMAGE:,} more"] if len(damage) > _MOST_DAMAGE else []
    return {**event, "damage": [*damage[:_MOST_DAMAGE], *more]}


def _put(iut: SavedIut, kind: str, event: Event) -> None:
    if kind == "verdict":
        iut.verdicts[event["protocol"], event["role"], event["case"]] = event
    elif kind == "case":
        iut.cases[event.get("protocol", ""), event["role"], event["case"]] = event
    elif kind == "plan":
        iut.plan = event
    elif kind == "requirement":
        iut.requirements.append(event)
    elif kind == "verdicts":
        iut.unjudged.append(event)
    elif kind == "restart":
        iut.restarts.append(event)

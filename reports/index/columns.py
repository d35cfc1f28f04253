"""A column of the index: one implementation in one run, with the data that the page shows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports.badge import badge_of
from reports.causes import Cause, replay_command
from reports.frame.filters import anchor as anchor_of
from reports.gathering import Gathering, Iut
from reports.index.states import NOT_ASKED, NOT_JUDGED, IndexGathering, RequirementKey, State, findings_of, states_of
from reports.outcome import outcome_of
from reports.reasons import cut_text
from reports.texts import cut, difference_of, path_of, suite_text, visible
from reports.vocabulary import HARMS, NEVER_RUN, WITHOUT_ANSWER

__all__ = ["NO_ANSWER", "Column", "columns_of", "short", "version_key"]

NO_ANSWER = "No answer"
"""The group of failures in place of an answer: crashes, time-outs, malformed answers, false claims."""

_LONGEST_NAME, _LONGEST, _LONGEST_VALUE = 80, 300, 120  # characters
_MOST_OF_A_GROUP, _MOST_CAUSES, _MOST_WORDS = 5, 200, 200  # causes of a group, causes of a column, words of a command
_UNANSWERED = (WITHOUT_ANSWER - {"suite_error"}) | {"xfail", "xfail_changed", "flaky"}
"""Words of causes that, without a finding, are failures in place of an answer.

Known and flaky failures are of either kind: those with a finding have an answer that was judged. An error of the suite
is no failure of the implementation.
"""
_SHOWN = _UNANSWERED | {"fail", "warn"}
"""Words of the causes that a column shows, with a finding or without."""

_PART = re.compile(r"([0-9]+)|([A-Za-z]+)")
_BEFORE = frozenset(
    {"a", "alpha", "b", "beta", "c", "dev", "m", "milestone", "nightly", "pre", "preview", "rc", "snapshot"}
)
"""Words of versions before the release of that number."""

Json = dict[str, Any]


@dataclass(slots=True)
class Column:
    """The shown data of an implementation in a run."""

    facts: Json
    """Members of the column in the record, without its `id`."""
    badge: Mapping[str, Any]
    states: Mapping[RequirementKey, State]
    requirements: Mapping[RequirementKey, Json]
    """The facts on each requirement in the run: `level`, `group`, `rule`, `place`."""
    unanswered: Mapping[str, int]
    """Protocol → number of causes without an answer."""
    causes: Sequence[Json]
    selected_protocols: frozenset[str]
    """The protocols with at least one selected case."""
    judged_protocols: frozenset[str]
    """The protocols with at least one judged case."""
    why_cut: str
    """Why the record of the run has no end, such as `the run was cut`; empty if it has one."""

    def state_of(self, key: RequirementKey) -> State:
        """The state of any requirement; one without a state does not apply, or the run was cut off before it."""
        protocol, _ = key
        found = self.states.get(key)
        return found or State(NOT_JUDGED if self.why_cut and protocol in self.selected_protocols else NOT_ASKED)

    @property
    def name(self) -> tuple[str, str]:
        """Implementation and profile; columns with the same name are versions of one implementation."""
        return self.facts["implementation"], self.facts["profile"]

    @property
    def order(self) -> tuple[Any, ...]:
        """The sort key of the versions of one implementation."""
        return version_key(self.facts["version"]), self.facts["started"], self.facts["version"], self.facts["run"]

    @property
    def anchor(self) -> str:
        """An id made of the column's own name and version, independent of other columns."""
        text = anchor_of(*(str(self.facts[m])[:_LONGEST_NAME] for m in ("implementation", "version", "profile")))
        return text[:_LONGEST_NAME].strip("._-") or "column"


def columns_of(name: str, gathering: IndexGathering) -> list[Column]:
    """The columns of a run, one for each implementation; `name` is the run's name."""
    return [_column(name, gathering, iut) for iut in gathering.iuts.values()]


def _column(name: str, gathering: IndexGathering, iut: Iut) -> Column:
    outcome = outcome_of(gathering, iut)
    causes = iut.causes
    requirements = {key: _requirement(event) for key, event in iut.requirements.items()}
    for key, finding in findings_of(iut):  # the record may end before the facts on a requirement: findings repeat them
        requirements.setdefault(key, _requirement(finding))
    unanswered = [cause for cause in causes if cause.finding is None and cause.word in _UNANSWERED]
    shown, left_out = _shown_causes(gathering, iut, causes)
    facts = _facts(name, gathering, iut) | {
        "outcome": outcome.word,
        "colour": outcome.colour,
        "sentence": short(outcome.sentence, 2 * _LONGEST),
        "judged": outcome.judged,
        "causes_left_out": left_out,
    }
    selected = {part["protocol"] for part in iut.plan.get("by", ()) if part["planned"] > part["excluded"]}
    judged = {protocol for (protocol, _), verdicts in iut.verdicts.items() if set(verdicts) - NEVER_RUN}
    return Column(
        facts=facts,
        badge=badge_of(outcome, short(f"{facts['implementation']} {facts['version']}".strip(), _LONGEST_NAME)),
        states=states_of(gathering, iut),
        requirements=requirements,
        unanswered=Counter(cause.verdict["protocol"] for cause in unanswered),
        causes=shown,
        selected_protocols=frozenset(selected | {protocol for protocol, _ in iut.verdicts}),
        judged_protocols=frozenset(judged),
        why_cut="" if gathering.end else short(cut_text(gathering), 2 * _LONGEST),
    )


def _facts(name: str, gathering: Gathering, iut: Iut) -> Json:
    run, event = gathering.run, iut.event
    registers = run.get("registers", {})
    return {
        "run": short(name),
        "implementation": short(event.get("name") or iut.label),
        "version": short(event.get("version", "")),
        "language": short(event.get("language", "")),
        "profile": short(event.get("profile", "")),
        "suite": short(suite_text(run)),
        "registers": {short(protocol): short(one.get("digest", "")) for protocol, one in registers.items()},
        "gate": short(run.get("gate", "")),
        "started": short(run.get("started", "")),
        "command": [short(word) for word in run.get("command", ())][:_MOST_WORDS],
        "planned": int(iut.plan.get("planned", iut.done)),
        "deselected": iut.deselected,
        "not_run": iut.counts.get("not_run", 0),
        "suite_errors": iut.counts.get("suite_error", 0),
    }


def _requirement(event: Mapping[str, Any]) -> Json:
    return {member: short(event.get(member) or "") for member in ("level", "group", "rule", "place")}


def short(text: object, longest: int = _LONGEST) -> str:
    """A text for the record: visible, and of limited length."""
    # Texts of megabytes occur: cut first, roughly, and exactly once the characters are visible.
    return cut(visible(str(text)[: 2 * longest]), longest)


def version_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """The sort key of a version as people mean it: `1.9` before `1.10`, `2.0-rc1` before `2.0`; works for any text."""
    parts = [_part(found[1], found[2]) for found in _PART.finditer(text[:1].replace("v", "") + text[1:])]
    return (*parts, (0, 0, ""))


def _part(digits: str | None, word: str) -> tuple[int, int, str]:
    if digits is not None:
        shown = digits.lstrip("0")
        return 2, len(shown), shown  # longer numbers are greater
    word = word.lower()
    return (-1, 0, word) if word in _BEFORE else (1, 0, word)


# -- causes ----------------------------------------------------------------------------


def _shown_causes(gathering: Gathering, iut: Iut, causes: Sequence[Cause]) -> tuple[list[Json], int]:
    """The worst causes, a few of each group, and the number left out."""
    shown: list[Json] = []
    of_group = Counter[tuple[str, str]]()
    left_out = 0
    for cause in causes:
        if cause.word not in _SHOWN:
            continue
        group = str(cause.finding.get("group") or "") if cause.finding is not None else NO_ANSWER
        key = cause.verdict["protocol"], group
        of_group[key] += 1
        if of_group[key] > _MOST_OF_A_GROUP or len(shown) >= _MOST_CAUSES:
            left_out += 1
        else:
            shown.append(_cause(gathering, iut, cause, group))
    return shown, left_out


def _cause(gathering: Gathering, iut: Iut, cause: Cause, group: str) -> Json:
    finding, verdict = cause.finding, cause.verdict
    # Old records have no harms. What is refused, or ends in a crash or in silence, is lost to its reader.
    without_harm = "lost" if finding is None else ""
    made = {
        "id": short(cause.id),
        "protocol": short(verdict["protocol"]),
        "role": short(verdict["role"]),
        "group": short(group),
        "requirement": short(cause.requirement),
        "harm": cause.harm if cause.harm in HARMS else without_harm,
        "word": cause.word,
        "level": short(cause.level),
        "cases": cause.cases,
        "title": short(cause.title),
        "case": short(verdict["case"]),
        "replay": short(replay_command(gathering.run, iut.event, verdict), 2 * _LONGEST),
    }
    if finding is not None:
        expected, got, _ = difference_of(finding, _LONGEST_VALUE)
        made |= {"path": short(path_of(finding)), "expected": expected, "got": got}
    return made

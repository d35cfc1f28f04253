"""The state of each requirement of one implementation in one run.

Broken is decided alike for every run, whatever its gate and its baseline: a MUST, or a SHOULD by which data is lost or
changed. Any other finding is advisory. A requirement without a judgement has the reason for that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from reports.clusters import Finding
from reports.gathering import Gathering, Iut
from reports.renderer import Event
from reports.vocabulary import DATA, WITHOUT_ANSWER, rank

__all__ = [
    "NOT_ASKED",
    "NOT_JUDGED",
    "UNSUPPORTED",
    "IndexGathering",
    "RequirementKey",
    "State",
    "findings_of",
    "states_of",
]

RequirementKey: TypeAlias = tuple[str, str]
"""Protocol and id of a requirement."""

NOT_JUDGED, UNSUPPORTED, NOT_ASKED = "not judged", "unsupported", "not asked"
"""Words for an unjudged requirement: its cases had no result; it is not supported; none of its cases was selected."""

_WITHOUT_RESULT = (WITHOUT_ANSWER - {"false_claim"}) | {"not_run"}


@dataclass(frozen=True, slots=True)
class State:
    """`word` is `broken`, `advisory`, `met`, `untestable`, `later`, or one of the words for an unjudged one."""

    word: str
    harm: str = ""
    """The worst harm of its findings; empty without a finding, and in old records."""


class IndexGathering(Gathering):
    """A `Gathering` that also keeps the requirements whose cases had no result."""

    def __init__(self) -> None:
        super().__init__()
        self._without_result: dict[str, set[RequirementKey]] = {}
        """Implementation → the requirements of its cases without a result."""
        self._common_verdicts: dict[tuple[str, str, str], str] = {}
        """Implementation, protocol and role → the verdict of all their cases."""

    def handle(self, event: Event) -> None:
        """Take the next event."""
        super().handle(event)
        if event["event"] == "verdict" and event["verdict"] in _WITHOUT_RESULT:
            keys = self._without_result.setdefault(event["iut"], set())
            keys.update((event["protocol"], one) for one in event.get("requirements", ()))
        elif event["event"] == "verdicts":
            self._common_verdicts[event["iut"], event["protocol"], event["role"]] = event["verdict"]

    def verdict_without_judgement(self, iut: Iut, key: RequirementKey, role: str) -> str:
        """The verdict of an unjudged case for the requirement; empty where there is none."""
        if key in self._without_result.get(iut.label, ()):
            return "not_run"
        roles = ("encode", "decode") if role == "both" else (role,)
        return next(filter(None, (self._common_verdicts.get((iut.label, key[0], one)) for one in roles)), "")


def states_of(gathering: IndexGathering, iut: Iut) -> Mapping[RequirementKey, State]:
    """The states of the requirements that apply, and of those that are named in a finding."""
    found: dict[RequirementKey, State] = {}
    for key, finding in findings_of(iut):
        state = _state_of(finding)
        found[key] = _worse(found[key], state) if key in found else state
    states = {
        key: found.get(key) or _state_without_finding(gathering, iut, key, event)
        for key, event in iut.requirements.items()
    }
    return states | found


def findings_of(iut: Iut) -> Iterator[tuple[RequirementKey, Finding]]:
    """The findings of all causes, each with its requirement."""
    for cause in iut.causes_by_key.values():
        for finding in cause.findings:
            yield (cause.verdict["protocol"], finding["requirement"]), finding


def _state_of(finding: Finding) -> State:
    harm = str(finding.get("harm") or "")
    level = finding.get("level")
    if finding.get("later_than"):
        return State("later")
    is_broken = level == "must" or (level == "should" and harm in DATA)
    return State("broken" if is_broken else "advisory", harm)


def _worse(one: State, other: State) -> State:
    word = "broken" if "broken" in (one.word, other.word) else one.word
    # The harm is that of the finding that breaks it.
    harms = [state.harm for state in (one, other) if state.word == word]
    return State(word, min(harms, key=rank))


def _state_without_finding(gathering: IndexGathering, iut: Iut, key: RequirementKey, event: Event) -> State:
    """The state of a requirement without a finding, with the reason where it was not evaluated."""
    status = str(event["standing"])
    if status != "not evaluated":
        return State(status)
    protocol, identity = key
    if identity in iut.unsupported or protocol in iut.undeclared:
        return State(UNSUPPORTED)
    verdict = gathering.verdict_without_judgement(iut, key, event.get("role", "both"))
    return State({"not_run": NOT_JUDGED, "unsupported": UNSUPPORTED}.get(verdict, NOT_ASKED))

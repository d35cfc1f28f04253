"""The causes of failure of a run, worst first: every report of a run has an entry for each cause, not for each case.

A cause is a requirement broken in one way (its fingerprint), or a failure in place of an answer (a crash, a time-out, a
malformed answer). Its harm is the effect on a reader of the messages.
"""

from __future__ import annotations

import hashlib
import math
import re
import shlex
from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from reports.clusters import Finding, strongest_level
from reports.families import broken_operations, family_of
from reports.renderer import Event
from reports.texts import counted
from reports.vocabulary import DATA, FAILURE_NAMES, RED, failure_without_answer, rank, worst_harm

__all__ = ["Cause", "Following", "fails_gate", "faults_of", "replay_command", "worst_first"]

_MOST_CASES = 5
_WORDS = ("suite_error", *sorted(RED), "warn", "xpass", "flaky", "xfail", "may", "later")
_ADDRESS = re.compile(r"(cmd|py|tcp|exec|recorded|docker):")
_MEANINGS = {"xpass": "it passes now, and the baseline lists it as failing"}
"""The title of verdicts that have no message."""


class Following(NamedTuple):
    """A finding beside the leading one of its cause, and the number of cases that have it."""

    finding: Finding
    cases: int


@dataclass(slots=True)
class Cause:
    """One cause, of one implementation, represented by its smallest case."""

    key: tuple[str, ...]
    """Its word, requirement and fingerprint; or its word and failure."""
    verdict: Event
    """The `verdict` event of the representative case."""
    case: Event
    """The `case` event of the representative case, with its SQL and input; empty where the record has none."""
    finding: Finding | None
    """The leading finding; None if no answer was judged."""
    id: str = ""
    """Its anchor, the same in every run that has it: `canal-json-encode-CJ-388-4f611eb4`. `worst_first` sets it."""
    cases: int = 0
    """The number of cases that fail for this cause."""
    follows: dict[tuple[str, str], Following] = field(default_factory=dict)
    """Requirement and fingerprint → a further finding, which `clusters` puts with the leading one."""
    first_cases: list[str] = field(default_factory=list)
    """The ids of the first cases."""
    combinations: dict[Hashable, tuple[Mapping[str, str], Sequence[str]]] = field(default_factory=dict)
    """The axes of the cases with their broken operations, each combination once."""
    is_new: bool = False
    """Whether a case fails anew since the compared run, or there is no such run."""

    def add(self, verdict: Event, case: Event, cluster: Sequence[Finding], lead: int) -> None:
        """Add a case with its findings of this cause; the one at `lead` is the leading one."""
        self.cases += 1
        if _is_smaller(case, self.case):
            self.verdict, self.case, self.finding = verdict, case, cluster[lead] if cluster else None
        for i, finding in enumerate(cluster):
            if i != lead:
                key = finding["requirement"], finding["fingerprint"]
                first, cases = self.follows.get(key, (finding, 0))
                self.follows[key] = Following(first, cases + 1)
        self.is_new = self.is_new or verdict.get("new") is not False
        if len(self.first_cases) < _MOST_CASES and verdict["case"] not in self.first_cases:
            self.first_cases.append(verdict["case"])
        axes = verdict.get("axes", {})
        operations = broken_operations(axes, cluster)
        self.combinations.setdefault((*axes.items(), *operations), (axes, operations))

    @property
    def word(self) -> str:
        """`fail`, `warn`, `may`, `later`, or the verdict of its cases."""
        return self.key[0]

    @property
    def findings(self) -> list[Finding]:
        """All findings, the leading one first; none if no answer was judged."""
        return [self.finding, *(following.finding for following in self.follows.values())] if self.finding else []

    @property
    def level(self) -> str:
        """The strongest level of its findings, whatever that of the leading one is; empty where none was judged."""
        return strongest_level(self.findings) if self.finding else ""

    @property
    def harm(self) -> str:
        """One of `HARMS`; empty where the suite itself is at fault, or for a record without harms."""
        return worst_harm(self.findings, self.verdict)

    @property
    def failure(self) -> str:
        """`crash`, `timeout` and so on, also for a known failure; empty where an answer was judged."""
        return failure_without_answer(self.verdict) if self.finding is None else ""

    @property
    def requirement(self) -> str:
        """Id of the broken requirement; empty where no answer was judged."""
        return str(self.finding["requirement"]) if self.finding else ""

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the leading finding, or those of the verdict where no answer was judged."""
        return str(self.finding["fingerprint"]) if self.finding else "".join(map(str, self.verdict["fingerprints"]))

    @property
    def is_red(self) -> bool:
        """Whether the cause fails the gate `data`."""
        return self.word in RED

    @property
    def is_data(self) -> bool:
        """Whether values, rows or events are lost or changed."""
        return self.harm in DATA

    @property
    def accepts_malformed(self) -> bool:
        """Whether the implementation accepts malformed input."""
        return self.finding is not None and self.finding.get("kind") == "accepted"

    @property
    def title(self) -> str:
        """The broken rule, or the fault, in words."""
        if self.finding is not None:
            return str(self.finding.get("rule") or self.requirement)
        return str(self.verdict.get("message") or _MEANINGS.get(self.word, self.word))


def worst_first(causes: Collection[Cause]) -> list[Cause]:
    """The causes of one implementation, with their ids: red ones first, MAY last; of each, by harm and number of cases.

    Where two causes differ in their word alone, the id of the second ends in it.
    """
    for cause in causes:
        cause.id = _id(cause)
    in_order = sorted(causes, key=_weight)
    taken: set[str] = set()
    for cause in in_order:
        if cause.id in taken:
            cause.id = f"{cause.id}-{cause.word}"
        taken.add(cause.id)
    return in_order


def _id(cause: Cause) -> str:
    name = cause.requirement or failure_without_answer(cause.verdict) or cause.word
    # The word is left out: a failure that becomes known, or is judged by another gate, keeps its address.
    digest = hashlib.sha256("\0".join(cause.key[1:]).encode("utf-8", "backslashreplace")).hexdigest()[:8]
    return f"{cause.verdict['protocol']}-{cause.verdict['role']}-{name}-{digest}"


def _weight(cause: Cause) -> tuple[bool, bool, int, int, bool, int, str]:
    word = _WORDS.index(cause.word) if cause.word in _WORDS else len(_WORDS)
    is_mild = not cause.is_red and cause.word != "suite_error"
    # Faults on legal messages come before those on malformed ones, and what a MAY leaves free comes last.
    return is_mild, cause.word == "may", rank(cause.harm), word, cause.accepts_malformed, -cause.cases, cause.id


def _is_smaller(case: Event, shown: Event) -> bool:
    """Whether a case has its input in the record, and a smaller one than the shown case."""
    return "input" in case and ("input" not in shown or case.get("size", math.inf) < shown.get("size", math.inf))


def fails_gate(cause: Cause, gate: str) -> bool:
    """Whether a cause fails the gate of this name: warnings also fail `should`; only new causes fail `regress`."""
    if gate == "regress" and not cause.is_new:
        return False
    return cause.is_red or (gate == "should" and cause.word == "warn")


def faults_of(causes: Sequence[Cause]) -> str:
    """The faults of all these causes in a sentence, whether they fail the gate or not; empty without causes."""
    kinds: dict[str, list[Cause]] = {}
    for cause in causes:
        kinds.setdefault(_kind_of(cause), []).append(cause)
    return "; ".join(_with_family(kinds[kind], *nouns) for kind, nouns in _FAULTS.items() if kind in kinds)


_FAULTS = {
    **FAILURE_NAMES,
    "data": ("data fault", "data faults"),
    "schema": ("schema fault", "schema faults"),
    "metadata": ("metadata fault", "metadata faults"),
    "not refused": ("refusal missing", "refusals missing"),
    "form": ("fault of form", "faults of form"),
    "other": ("other fault", "other faults"),
}
"""Kind of fault, in the order of the sentence → its singular and plural."""


def _kind_of(cause: Cause) -> str:
    if cause.failure in _FAULTS:
        return cause.failure
    if cause.accepts_malformed or cause.harm == "strictness":
        return "not refused"
    if cause.is_data:
        return "data"
    return cause.harm if cause.harm in _FAULTS else "other"


def _with_family(causes: Sequence[Cause], one: str, many: str) -> str:
    """`2 data faults, 1 of them in decimal`: names the commonest type where data is lost or changed."""
    text = counted(len(causes), one, many)
    if not any(cause.is_data and not cause.accepts_malformed for cause in causes):
        return text
    causes_of_family = Counter[str]()
    for cause in causes:
        families = {family_of(axes) for axes, _ in cause.combinations.values()} - {""}
        # A cause in many types is a fault of no single type.
        if len(families) == 1:
            causes_of_family.update(families)
    if not causes_of_family:
        return text
    n, family = max((n, family) for family, n in causes_of_family.items())
    share = f"{n:,} of them " if n < len(causes) else "all " if n > 1 else ""
    return f"{text}, {share}in {family}"


def replay_command(run: Event, iut: Event, verdict: Event) -> str:
    """The command that runs one case again; for a capture the command of the run, with the place of the record.

    The arguments are events of the record.
    """
    if iut.get("contact") == "capture":
        return f"{shlex.join(run.get('command', ()))}   # {verdict['case']}"
    profile = iut.get("profile", "")
    style = "" if profile in ("", "newarch") else f" --profile {profile}"
    address = str(iut.get("address", ""))
    # A default implementation has a name in place of an address.
    given = f" --iut {shlex.quote(address)}" if _ADDRESS.match(address) else ""
    return f"ticdc-conformance replay {shlex.quote(str(verdict.get('replay', verdict['case'])))}{given}{style}"

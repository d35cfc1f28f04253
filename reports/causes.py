"""The causes of failure of a run, worst first: every report of a run has an entry for each cause, not for each case.

A cause is a requirement broken in one way (its fingerprint), or a failure in place of an answer (a crash, a time-out, a
malformed answer). Its harm is the effect on a reader of the messages.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from reports.families import family_of
from reports.gathering import Group, Iut
from reports.renderer import Event
from reports.texts import counted
from reports.vocabulary import DATA, FAILURE_NAMES, RED, failure_without_answer, rank, worst_harm

__all__ = [
    "Cause",
    "causes_of",
    "fails_gate",
    "faults_of",
    "replay_command",
    "sentence_of",
]

_WORDS = ("suite_error", *sorted(RED), "warn", "xpass", "flaky", "xfail", "may", "later")
_ADDRESS = re.compile(r"(cmd|py|tcp|exec|recorded|docker):")


@dataclass(frozen=True, slots=True)
class Cause:
    """One cause, of one implementation."""

    id: str
    """Anchor of the cause, the same in every run that has it: `canal-json-encode-CJ-388-4f611eb4`."""
    group: Group
    harm: str
    """One of `HARMS`; empty where the suite itself is at fault, or for a record without harms."""

    @property
    def word(self) -> str:
        """`fail`, `warn`, `may`, `later`, or the verdict of its cases."""
        return self.group.word

    @property
    def finding(self) -> Mapping[str, Any] | None:
        """The leading finding; None if no answer was judged."""
        return self.group.finding

    @property
    def verdict(self) -> Event:
        """The `verdict` event of the representative case."""
        return self.group.verdict

    @property
    def case(self) -> Event:
        """The `case` event of the representative case, with its SQL and input; empty where the record has none."""
        return self.group.case

    @property
    def cases(self) -> int:
        """The number of cases that fail for this cause."""
        return self.group.cases

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
    def level(self) -> str:
        """The strongest level of the broken requirements; empty where no answer was judged."""
        return self.group.level

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


_MEANINGS = {"xpass": "it passes now, and the baseline lists it as failing"}
"""The title of verdicts that have no message."""


def causes_of(iut: Iut) -> list[Cause]:
    """The causes of one implementation: red ones first, then by harm, then by the number of cases."""
    causes = [
        Cause(_id(key, group), group, worst_harm(group.findings, group.verdict)) for key, group in iut.groups.items()
    ]
    return _with_one_id_each(sorted(causes, key=_weight))


def _with_one_id_each(causes: Iterable[Cause]) -> list[Cause]:
    """The causes with distinct ids: a known cause with the id of a new one gets its word appended."""
    by_id: dict[str, Cause] = {}
    for cause in causes:
        distinct = replace(cause, id=f"{cause.id}-{cause.word}") if cause.id in by_id else cause
        by_id[distinct.id] = distinct
    return list(by_id.values())


def _id(key: Sequence[str], group: Group) -> str:
    """The id of a cause from its key: its word, requirement and fingerprint, or its word and failure."""
    name = group.finding["requirement"] if group.finding else failure_without_answer(group.verdict) or group.word
    # The word is left out: a failure that becomes known, or is judged by another gate, keeps its address.
    digest = hashlib.sha256("\0".join(key[1:]).encode("utf-8", "backslashreplace")).hexdigest()[:8]
    return f"{group.verdict['protocol']}-{group.verdict['role']}-{name}-{digest}"


def fails_gate(cause: Cause, gate: str) -> bool:
    """Whether a cause fails the gate of this name: warnings also fail `should`; only new causes fail `regress`."""
    if gate == "regress" and not cause.group.is_new:
        return False
    return cause.is_red or (gate == "should" and cause.word == "warn")


def _weight(cause: Cause) -> tuple[bool, int, int, bool, int, str]:
    word = _WORDS.index(cause.word) if cause.word in _WORDS else len(_WORDS)
    is_mild = not cause.is_red and cause.word != "suite_error"
    # Faults on legal messages come before those on malformed ones.
    return is_mild, rank(cause.harm), word, cause.accepts_malformed, -cause.cases, cause.id


def sentence_of(causes: Iterable[Cause]) -> str:
    """The faults in a sentence: `1 crash, in bit; 2 data faults, 1 of them in decimal; 14 refusals missing`."""
    return faults_of([cause for cause in causes if cause.is_red]) or "nothing that counts is broken"


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
        families = {family_of(axes) for axes, _ in cause.group.combinations.values()} - {""}
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

"""The outcome of a run, or of one implementation: a word, a sentence, and whether any case was judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reports.causes import Cause, fails_gate, faults_of
from reports.gathering import Gathering, Iut
from reports.reasons import cut_text, reason_of
from reports.texts import case_count, counted
from reports.vocabulary import NEVER_RUN

__all__ = ["NOTHING_JUDGED", "NO_PROOF", "Outcome", "outcome_of"]

CUT = "cut"
NOTHING_JUDGED = "nothing judged"
NO_PROOF = (CUT, NOTHING_JUDGED, "inconclusive")
"""Words of outcomes that prove nothing."""
_NOTHING_SELECTED = 5
_UNJUDGED = NEVER_RUN | {"suite_error"}
_COLOURS = {"green": "good", "red": "bad"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of the given implementations."""

    word: str
    """The colour of the gate (`green`, `red`, `stale`, `inconclusive`), or `nothing judged`, or `cut`."""
    policy: str
    """What made the gate: `data`, `must`, `should` or `regress`."""
    causes: Sequence[Cause]
    judged: int
    """Cases whose answer was judged."""
    met: int
    """Requirements that are met."""
    message: str
    """Why the run proves nothing, or ended early, where the record says so."""

    @property
    def colour(self) -> str:
        """`good`, `bad`, or `idle` for what proves nothing."""
        return _COLOURS.get(self.word, "idle")

    @property
    def faults(self) -> str:
        """The faults in a few words; empty where none counts."""
        return faults_of([cause for cause in self.causes if fails_gate(cause, self.policy)])

    @property
    def earlier(self) -> str:
        """The faults that the compared run already had, in a few words; empty with a gate that counts them."""
        return faults_of([cause for cause in self.causes if cause.is_red and not fails_gate(cause, self.policy)])

    @property
    def known(self) -> str:
        """The known failures in the baseline, in a few words; empty without any."""
        known = [cause for cause in self.causes if cause.word == "xfail"]
        data = sum(cause.is_data for cause in known)
        if not data:
            return counted(len(known), "known fault", "known faults") if known else ""
        more = f" and {len(known) - data:,} more" if len(known) > data else ""
        return f"{counted(data, 'known data fault', 'known data faults')}{more}"

    @property
    def sentence(self) -> str:
        """The verdict as a sentence without its full stop."""
        before = self._before
        if self.word == CUT:
            return self._with_faults(f"{self.message}; {case_count(self.judged)} judged until then")
        if self.word == NOTHING_JUDGED:
            return f"nothing was judged{f': {self.message}' if self.message else ''}"
        if self.word == "inconclusive":
            return self._with_faults(f"the run is inconclusive{f': {self.message}' if self.message else ''}")
        if self.word == "red":
            lead = self.faults or self.message or "the gate is red"
            return "; ".join(filter(None, (lead, before, self.known)))
        lead = "no new failure" if before else "nothing that counts is broken"
        parts = [lead, counted(self.met, "requirement met", "requirements met") if self.met else ""]
        parts += [before, self.known]
        parts.append("the baseline is stale" if self.word == "stale" else "")
        return "; ".join(filter(None, parts))

    @property
    def _before(self) -> str:
        return f"failing as before: {self.earlier}" if self.earlier else ""

    def _with_faults(self, lead: str) -> str:
        return "; ".join(filter(None, (lead, self.faults, self._before, self.known)))


def outcome_of(gathering: Gathering, iut: Iut | None = None) -> Outcome:
    """The outcome of a run, or of one of its implementations."""
    iuts = list(gathering.iuts.values()) if iut is None else [iut]
    judged = sum(n for one in iuts for verdict, n in one.counts.items() if verdict not in _UNJUDGED)
    end, word = gathering.end, _word(gathering, iut, judged)
    return Outcome(
        word,
        str(end["gate"].get("policy", "")) if end else str(gathering.run.get("gate", "")),
        [cause for one in iuts for cause in one.causes],
        judged,
        gathering.status_counts(iuts).get("met", 0),
        _message(gathering, iuts, word),
    )


def _message(gathering: Gathering, iuts: Sequence[Iut], word: str) -> str:
    if word == CUT:
        return cut_text(gathering)
    return reason_of(gathering, iuts) if word in NO_PROOF else str((gathering.end or {}).get("message") or "")


def _word(gathering: Gathering, iut: Iut | None, judged: int) -> str:
    if gathering.end is None:
        return CUT
    part = gathering.end_of(iut) if iut else None
    exit_status = int(part["exit"] if part else gathering.end["exit"])
    colour = str(part["gate"] if part else gathering.end["gate"]["colour"])
    if exit_status == _NOTHING_SELECTED or (not judged and colour in ("green", "stale")):
        return NOTHING_JUDGED
    return colour

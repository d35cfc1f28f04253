"""Verdicts, exit statuses and the gate, as tables; `outcomes` decides the verdicts.

The lists are closed: every planned case has exactly one verdict, so the counts of the verdicts add up to the plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

__all__ = [
    "EFFECTS",
    "FAULTS",
    "PRECEDENCE",
    "Effect",
    "ExitStatus",
    "Gate",
    "GateResult",
    "Tally",
    "Verdict",
    "before_baseline",
    "gate",
    "is_red",
    "statuses",
    "worst",
]


class Verdict(StrEnum):
    """The verdict on a planned case, in the order from good to bad."""

    PASS = "pass"
    EXCLUDED = "excluded"
    UNSUPPORTED = "unsupported"
    FLAKY = "flaky"
    XFAIL = "xfail"
    XPASS = "xpass"
    WARN = "warn"
    FAIL = "fail"
    XFAIL_CHANGED = "xfail_changed"
    FALSE_CLAIM = "false_claim"
    PROTOCOL_ERROR = "protocol_error"
    TIMEOUT = "timeout"
    CRASH = "crash"
    NOT_RUN = "not_run"
    SUITE_ERROR = "suite_error"


class Effect(StrEnum):
    """The effect of a verdict on the gate."""

    NONE = "none"
    NOT_JUDGED = "not judged"  # a run in which all cases have such a verdict has judged nothing
    STALE = "stale"
    RED_WHEN_STRICT = "red when strict"
    RED = "red"
    INCONCLUSIVE = "inconclusive"
    OURS = "ours"  # a fault of the suite


EFFECTS: Mapping[Verdict, Effect] = {
    Verdict.PASS: Effect.NONE,
    Verdict.EXCLUDED: Effect.NOT_JUDGED,
    Verdict.UNSUPPORTED: Effect.NOT_JUDGED,
    Verdict.FLAKY: Effect.NONE,
    Verdict.XFAIL: Effect.NONE,
    Verdict.XPASS: Effect.STALE,
    Verdict.WARN: Effect.RED_WHEN_STRICT,
    Verdict.FAIL: Effect.RED,
    Verdict.XFAIL_CHANGED: Effect.RED,
    Verdict.FALSE_CLAIM: Effect.RED,
    Verdict.PROTOCOL_ERROR: Effect.RED,
    Verdict.TIMEOUT: Effect.RED,
    Verdict.CRASH: Effect.RED,
    Verdict.NOT_RUN: Effect.INCONCLUSIVE,
    Verdict.SUITE_ERROR: Effect.OURS,
}


class ExitStatus(IntEnum):
    """The exit status of a run, the same in the command, pytest and tox."""

    GREEN = 0
    RED = 1
    INTERRUPTED = 2
    INTERNAL = 3
    USAGE = 4
    NOTHING = 5
    INCONCLUSIVE = 6
    STALE = 7


PRECEDENCE: tuple[ExitStatus, ...] = (
    ExitStatus.USAGE,
    ExitStatus.INTERRUPTED,
    ExitStatus.INTERNAL,
    ExitStatus.INCONCLUSIVE,
    ExitStatus.RED,
    ExitStatus.STALE,
    ExitStatus.NOTHING,
    ExitStatus.GREEN,
)
"""If several statuses apply, the first of these counts."""


class Gate(StrEnum):
    """The failures that make a run red: a broken MUST always, a broken SHOULD by the policy."""

    DATA = "data"  # if data is lost or changed
    MUST = "must"  # never
    SHOULD = "should"  # always
    REGRESS = "regress"  # like `data`, but only failures that an earlier run did not have count


def is_red(verdict: Verdict, policy: Gate) -> bool:
    """Whether a verdict by itself makes the gate red."""
    effect = EFFECTS[verdict]
    return effect is Effect.RED or (effect is Effect.RED_WHEN_STRICT and policy is Gate.SHOULD)


FAULTS = frozenset({Verdict.CRASH, Verdict.TIMEOUT, Verdict.PROTOCOL_ERROR, Verdict.FALSE_CLAIM})
"""Verdicts for a fault in place of an answer."""


def before_baseline(verdict: Verdict, marks: Sequence[str]) -> Verdict:
    """The verdict before the baseline applied, by the fingerprints of the failure; it gives `fail` for `warn` too."""
    if verdict is Verdict.XPASS:
        return Verdict.PASS
    if verdict not in (Verdict.XFAIL, Verdict.XFAIL_CHANGED):
        return verdict
    beginning = marks[0].partition("@")[0] if marks else ""
    return next((fault for fault in FAULTS if fault == beginning), Verdict.FAIL)


def worst(found: Iterable[ExitStatus]) -> ExitStatus:
    """The first of the statuses by `PRECEDENCE`; green without any."""
    return min(found, key=PRECEDENCE.index, default=ExitStatus.GREEN)


@dataclass(slots=True)
class Tally:
    """The accounting of one implementation: the number of planned cases, and of each verdict."""

    planned: int = 0
    counts: dict[Verdict, int] = field(default_factory=dict)
    tolerated: int = 0
    """Red verdicts that the earlier run had too, under `regress`."""
    incomplete: bool = False
    """The implementation did not start or was lost, or a recording could not be read."""
    interrupted: bool = False
    stale: bool = False
    """Entries of the baseline have expired, match no case, or have fingerprints that are gone."""

    def add(self, verdict: Verdict, cases: int = 1) -> None:
        """Count cases, one by default."""
        self.counts[verdict] = self.counts.get(verdict, 0) + cases

    @property
    def adds_up(self) -> bool:
        """Whether every planned case has ended in a verdict."""
        return self.planned == sum(self.counts.values())

    def having(self, *effects: Effect) -> int:
        """The number of cases whose verdict has one of these effects."""
        return sum(n for verdict, n in self.counts.items() if EFFECTS[verdict] in effects)


@dataclass(frozen=True, slots=True)
class GateResult:
    """The colour (`green`, `red`, `inconclusive`, or `stale` because of the baseline) and the status of a run."""

    colour: str
    status: ExitStatus


def statuses(tally: Tally, policy: Gate) -> frozenset[ExitStatus]:
    """Every status that applies to one implementation."""
    red = sum(n for verdict, n in tally.counts.items() if is_red(verdict, policy)) - tally.tolerated
    nothing_judged = tally.having(Effect.NOT_JUDGED) == sum(tally.counts.values())
    inconclusive = tally.incomplete or not tally.adds_up or tally.having(Effect.INCONCLUSIVE) > 0
    applies = {
        ExitStatus.INTERRUPTED: tally.interrupted,
        ExitStatus.INTERNAL: tally.having(Effect.OURS) > 0,
        ExitStatus.INCONCLUSIVE: inconclusive,
        ExitStatus.RED: red > 0,
        ExitStatus.STALE: tally.stale or tally.having(Effect.STALE) > 0,
        ExitStatus.NOTHING: nothing_judged and not inconclusive,
    }
    return frozenset(status for status, holds in applies.items() if holds)


_COLOURS: Mapping[ExitStatus, str] = {ExitStatus.RED: "red", ExitStatus.GREEN: "green", ExitStatus.STALE: "stale"}


def gate(tallies: Iterable[Tally], policy: Gate, also: Iterable[ExitStatus] = ()) -> GateResult:
    """The gate over all implementations of a run; `also` are statuses that no tally shows.

    An implementation without selected cases counts only if no implementation has any.
    """
    found, known = set(also), list(tallies)
    selected = [tally for tally in known if set(tally.counts) - {Verdict.EXCLUDED}]
    for tally in known:
        left_out = {ExitStatus.NOTHING} if selected and tally not in selected else set()
        found |= statuses(tally, policy) - left_out
    status = worst(found)
    return GateResult(_COLOURS.get(status, "inconclusive"), status)

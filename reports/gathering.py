"""What several reports need of a record: failures grouped by cause, counts by protocol and role, what came of it all.

One cause is told once: findings with one requirement and fingerprint are a group with a count and a representative.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from reports.renderer import Event

__all__ = ["BROKEN_OFF", "ORDER", "Gathering", "Group", "Iut", "sum_text"]

ORDER = (
    *("pass", "fail", "warn", "crash", "timeout", "protocol_error", "false_claim", "xfail", "xfail_changed", "xpass"),
    *("flaky", "unsupported", "excluded", "not_run", "suite_error"),
)
"""Verdicts in the order in which a sum names them."""

BROKEN_OFF = frozenset({"crash", "timeout", "protocol_error", "false_claim", "suite_error"})
"""Verdicts that come of what happened instead of an answer that could be judged."""

_WORD_OF_LEVEL = {"must": "fail", "should": "warn", "may": "may"}
_JUDGED = frozenset({"fail", "warn", "pass"})
_STANDINGS = ("met", "advisory", "broken", "not evaluated", "untestable")
_WORSE = ("untestable", "not evaluated", "met", "advisory", "broken")


@dataclass(slots=True)
class Group:
    """One cause. `word` is `fail`, `warn`, `may` or a verdict; `finding` is None where no answer was judged."""

    word: str
    verdict: Event
    case: Event
    finding: Mapping[str, Any] | None
    cases: int = 1


@dataclass(slots=True)
class Iut:
    """What is known of one implementation so far. `line` has the verdicts by (protocol, role), in order."""

    event: Event
    plan: Event = field(default_factory=dict)
    groups: dict[tuple[str, ...], Group] = field(default_factory=dict)
    line: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    standings: dict[tuple[str, str], str] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)
    restarts: int = 0
    done: int = 0

    @property
    def label(self) -> str:
        """The name by which the record calls it."""
        return str(self.event["iut"])

    @property
    def counts(self) -> dict[str, int]:
        """Verdict → number of cases so far."""
        counts: dict[str, int] = {}
        for verdicts in self.line.values():
            for verdict in verdicts:
                counts[verdict] = counts.get(verdict, 0) + 1
        return counts


class Gathering:
    """Takes events, keeps what reports need; of all failures with one cause only the first."""

    def __init__(self) -> None:
        self.run: Event = {}
        self.iuts: dict[str, Iut] = {}
        self.end: Event | None = None
        self._case: Event = {}

    def handle(self, event: Event) -> None:
        """Take the next event."""
        kind = event["event"]
        if kind == "run":
            self.run = event
        elif kind == "iut":
            self.iuts[event["iut"]] = Iut(event)
        elif kind == "case":
            self._case = event
        elif kind == "end":
            self.end = event
        elif (iut := self.iuts.get(event.get("iut", ""))) is not None:
            self._of_iut(iut, kind, event)

    def _of_iut(self, iut: Iut, kind: str, event: Event) -> None:
        if kind == "plan":
            iut.plan = event
        elif kind == "restart":
            iut.restarts += 1
        elif kind == "requirement":
            iut.standings[event.get("protocol", ""), event["id"]] = event["standing"]
        elif kind == "verdict":
            self._verdict(iut, event)

    def _verdict(self, iut: Iut, event: Event) -> None:
        verdict = event["verdict"]
        iut.done += 1
        iut.line.setdefault((event["protocol"], event["role"]), []).append(verdict)
        case = self._case if self._case.get("case") == event["case"] else {}
        if verdict in ("unsupported", "not_run"):
            reason = f"{verdict}: {event.get('message', '')}"
            iut.reasons[reason] = iut.reasons.get(reason, 0) + 1
        elif event["findings"]:
            for finding in event["findings"]:
                word = _WORD_OF_LEVEL.get(finding["level"], "fail")
                if verdict not in _JUDGED and finding["level"] != "may":
                    word = verdict
                self._group(iut, (word, finding["requirement"], finding["fingerprint"]), word, event, case, finding)
        elif verdict in BROKEN_OFF:
            self._group(iut, (verdict, event["protocol"], event.get("message", "")), verdict, event, case, None)
        elif verdict not in ("pass", "excluded"):
            self._group(iut, (verdict, *map(str, event["fingerprints"])), verdict, event, case, None)

    @staticmethod
    def _group(
        iut: Iut, key: tuple[str, ...], word: str, verdict: Event, case: Event, finding: Mapping[str, Any] | None
    ) -> None:
        group = iut.groups.get(key)
        if group is None:
            iut.groups[key] = Group(word, verdict, case, finding)
        else:
            group.cases += 1

    def standings(self, iuts: Iterable[Iut] | None = None) -> dict[str, int]:
        """Standing → number of requirements; of several implementations the worst counts."""
        worst: dict[tuple[str, str], str] = {}
        for iut in self.iuts.values() if iuts is None else iuts:
            for requirement, standing in iut.standings.items():
                before = worst.get(requirement, standing)
                worst[requirement] = max(before, standing, key=_rank)
        return {s: n for s in _STANDINGS if (n := sum(standing == s for standing in worst.values()))}


def _rank(standing: str) -> int:
    return _WORSE.index(standing) if standing in _WORSE else -1


def sum_text(planned: int, counts: Mapping[str, int]) -> str:
    """`1,830 = pass 1,792 + fail 38`; an inequality where it does not add up."""
    known = [*ORDER, *(verdict for verdict in counts if verdict not in ORDER)]
    parts = [f"{verdict} {counts[verdict]:,}" for verdict in known if counts.get(verdict)]
    sign = "=" if planned == sum(counts.values()) else "≠"
    return f"{planned:,} {sign} {' + '.join(parts) or '0'}"

"""The data that several reports need from a record: failures grouped by cause, and counts by protocol and role.

One cause is reported once: findings with one requirement and fingerprint are a group with a count and a representative.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from reports.families import broken_operations
from reports.happened import happened_of, without_when
from reports.renderer import Event

__all__ = [
    "NEVER_RUN",
    "ORDER",
    "Gathering",
    "Group",
    "Iut",
    "Unjudged",
    "clusters",
    "is_undeclared",
    "merged",
    "sum_text",
]

ORDER = (
    *("pass", "fail", "warn", "crash", "timeout", "protocol_error", "false_claim", "xfail", "xfail_changed", "xpass"),
    *("flaky", "unsupported", "excluded", "not_run", "suite_error"),
)
"""Verdicts in the order of a sum."""

NEVER_RUN = frozenset({"unsupported", "excluded", "not_run"})
"""Verdicts of cases without an answer."""

_WITH_REASON = frozenset({"unsupported", "not_run"})
_MOST_UNJUDGED = 3
_MOST_CASES = 5
_WORD_OF_LEVEL = {"must": "fail", "should": "warn", "may": "may"}
_DATA = frozenset({"lost", "changed"})
_JUDGED = frozenset({"fail", "warn", "pass"})
_STATUSES = ("met", "advisory", "broken", "not evaluated", "untestable", "later")
_BEST_FIRST = ("later", "untestable", "not evaluated", "met", "advisory", "broken")

Finding: TypeAlias = Mapping[str, Any]


@dataclass(slots=True)
class Group:
    """One cause of failures, represented by its smallest case."""

    word: str
    """`fail`, `warn`, `may`, `later` or a verdict."""
    verdict: Event
    case: Event
    finding: Mapping[str, Any] | None
    """The leading finding; None if no answer was judged."""
    cases: int = 1
    follows: dict[tuple[str, str], tuple[Mapping[str, Any], int]] = field(default_factory=dict)
    """Requirement and fingerprint → a further finding of the same cases, and the number of cases.

    It is of the same difference, or of the same missing or additional column or member.
    """
    first_cases: list[str] = field(default_factory=list)
    """The ids of the first cases."""
    places: dict[Hashable, tuple[Mapping[str, str], Sequence[str]]] = field(default_factory=dict)
    """The axes of the cases with their broken operations, each combination once."""
    is_new: bool = False
    """Whether a case fails anew since the compared run, or there is no such run."""

    @property
    def findings(self) -> list[Finding]:
        """All findings, the leading one first; none if no answer was judged."""
        return [self.finding, *(finding for finding, _ in self.follows.values())] if self.finding else []

    @property
    def level(self) -> str:
        """The strongest level of its findings; the leading finding may have a weaker one."""
        return _strongest(self.findings) if self.finding else ""

    def add(self, verdict: Event, findings: Sequence[Mapping[str, Any]]) -> None:
        """Add a case with its findings of this cause."""
        self.is_new = self.is_new or verdict.get("new") is not False
        if len(self.first_cases) < _MOST_CASES and verdict["case"] not in self.first_cases:
            self.first_cases.append(verdict["case"])
        axes = verdict.get("axes", {})
        operations = broken_operations(axes, findings)
        self.places.setdefault((*axes.items(), *operations), (axes, operations))


@dataclass(slots=True)
class Iut:
    """The data on one implementation so far."""

    event: Event
    plan: Event = field(default_factory=dict)
    groups: dict[tuple[str, ...], Group] = field(default_factory=dict)
    """Word, requirement and fingerprint (or word and failure) → the cause of failures."""
    verdicts: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """Protocol and role → the verdicts in order."""
    statuses: dict[tuple[str, str], str] = field(default_factory=dict)
    """Protocol and id of a requirement → its status: `met`, `broken` and so on."""
    undeclared: dict[str, int] = field(default_factory=dict)
    """Protocol that the implementation does not declare → number of its cases, which are not in `verdicts`."""
    reasons: dict[str, int] = field(default_factory=dict)
    """Reason why cases were not judged → number of these cases."""
    first_unjudged: dict[str, list[str]] = field(default_factory=dict)
    """Reason why cases were not judged → the ids of the first of them."""
    requirements: dict[tuple[str, str], Event] = field(default_factory=dict)
    """Protocol and id → the event of a requirement that applies."""
    unsupported: set[str] = field(default_factory=set)
    """The ids of the requirements that unsupported cases would have judged."""
    left_out: dict[str, int] = field(default_factory=dict)
    """Reason why places of a capture could not be judged → their number."""
    restarts: list[Event] = field(default_factory=list)
    """The `restart` events."""
    done: int = 0
    """The number of cases with a verdict so far."""
    executed: int = 0
    """The number of those that were run."""
    schema: int = 2
    """The version of the record's form."""

    @property
    def label(self) -> str:
        """Its name in the record."""
        return str(self.event["iut"])

    @property
    def deselected(self) -> int:
        """Cases that are planned but not selected; since schema 2 they have no verdict in the record."""
        return sum(part["excluded"] for part in self.plan.get("by", ())) if self.schema >= 2 else 0

    @property
    def to_run(self) -> int:
        """The number of cases to run: neither left out nor known to be unsupported."""
        settled: int = sum(part["excluded"] + part["unsupported"] for part in self.plan.get("by", ()))
        planned: int = self.plan.get("planned", self.executed + settled)
        return planned - settled

    @property
    def counts(self) -> dict[str, int]:
        """Verdict → number of cases so far; deselected ones count from the plan on."""
        unlisted = {"excluded": self.deselected, "unsupported": sum(self.undeclared.values())}
        counts = {verdict: n for verdict, n in unlisted.items() if n}
        for verdicts in self.verdicts.values():
            for verdict in verdicts:
                counts[verdict] = counts.get(verdict, 0) + 1
        return counts


class Gathering:
    """Takes the events of a record and keeps the data for reports; for each cause only the smallest input."""

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
            registers = self.run.get("registers", {}).values()
            has_no_profiles = bool(registers) and all(one.get("has_profiles") is False for one in registers)
            shown = {**event, "profile": ""} if has_no_profiles else event
            self.iuts[event["iut"]] = Iut(shown, schema=self.run.get("schema", 2))
        elif kind == "case":
            self._case = event
        elif kind == "end":
            self.end = event
        elif (iut := self.iuts.get(event.get("iut", ""))) is not None:
            self._handle_of_iut(iut, kind, event)

    def _handle_of_iut(self, iut: Iut, kind: str, event: Event) -> None:
        if kind == "plan":
            iut.plan = event
        elif kind == "restart":
            iut.restarts.append(event)
        elif kind == "requirement":
            iut.statuses[event.get("protocol", ""), event["id"]] = event["standing"]
            iut.requirements[event.get("protocol", ""), event["id"]] = event
        elif kind == "verdict":
            self._verdict(iut, event)
        elif kind == "verdicts":
            self._counted(iut, event, event["cases"])

    @staticmethod
    def _counted(iut: Iut, event: Event, cases: int) -> bool:
        """Count cases of one verdict; false for those of an undeclared protocol, which are not in `verdicts`."""
        verdict, protocol = event["verdict"], event["protocol"]
        iut.done += cases
        if verdict == "unsupported" and event.get("message") == f"it does not declare {protocol}":
            iut.undeclared[protocol] = iut.undeclared.get(protocol, 0) + cases
            return False
        iut.verdicts.setdefault((protocol, event["role"]), []).extend([verdict] * cases)
        if verdict in _WITH_REASON:
            iut.reasons[_reason(event)] = iut.reasons.get(_reason(event), 0) + cases
        return True

    def _verdict(self, iut: Iut, event: Event) -> None:
        verdict = event["verdict"]
        iut.executed += verdict not in NEVER_RUN
        if not self._counted(iut, event, 1):
            return
        case = self._case if self._case.get("case") == event["case"] else {}
        if verdict == "unsupported":
            iut.unsupported.update(event.get("requirements", ()))
        if verdict == "excluded" and event.get("message"):
            iut.left_out[event["message"]] = iut.left_out.get(event["message"], 0) + 1
        if verdict in _WITH_REASON:
            if len(cases := iut.first_unjudged.setdefault(_reason(event), [])) < _MOST_UNJUDGED:
                cases.append(event["case"])
            return
        for cluster in clusters(event["findings"]):
            self._cluster(iut, event, case, cluster)
        # What breaks advice alone is no reason for a verdict such as `xpass`.
        if event["findings"] and (verdict in _JUDGED or _strongest(event["findings"]) != "may"):
            return
        if happened_of(event):
            message = without_when(str(event.get("message", "")))
            self._group(iut, (verdict, event["protocol"], message), verdict, event, case, None).add(event, ())
        elif verdict not in ("pass", "excluded"):
            self._group(iut, (verdict, *map(str, event["fingerprints"])), verdict, event, case, None).add(event, ())

    def _cluster(self, iut: Iut, event: Event, case: Event, cluster: Sequence[Mapping[str, Any]]) -> None:
        """Add a case to an existing group of one of its possible leading findings, else to a new group of its first."""
        level = _strongest(cluster)
        verdict = event["verdict"]
        word = self._word(cluster) if verdict in _JUDGED or level == "may" else verdict
        keys = [(word, finding["requirement"], finding["fingerprint"]) for finding in cluster]
        lead = next((i for i in _leads(cluster) if keys[i] in iut.groups), 0)
        group = self._group(iut, keys[lead], word, event, case, cluster[lead])
        group.add(event, cluster)
        for i, finding in enumerate(cluster):
            if i != lead:
                first, cases = group.follows.get(keys[i][1:], (finding, 0))
                group.follows[keys[i][1:]] = first, cases + 1

    def _word(self, cluster: Sequence[Mapping[str, Any]]) -> str:
        """The verdict of findings on a case, by the gate of the run; old records have no harm."""
        level = _strongest(cluster)
        if level == "may" and "later_than" in cluster[0]:
            return "later"
        by_data = self.run.get("gate", "must") != "must"
        if by_data and any(one["level"] == "should" and one.get("harm") in _DATA for one in cluster):
            return "fail"
        return _WORD_OF_LEVEL.get(level, "fail")

    @staticmethod
    def _group(
        iut: Iut, key: tuple[str, ...], word: str, verdict: Event, case: Event, finding: Mapping[str, Any] | None
    ) -> Group:
        group = iut.groups.get(key)
        if group is None:
            group = iut.groups[key] = Group(word, verdict, case, finding)
        else:
            group.cases += 1
            if _is_smaller(case, group.case):
                group.verdict, group.case, group.finding = verdict, case, finding
        return group

    def status_counts(self, iuts: Iterable[Iut] | None = None) -> dict[str, int]:
        """Status → number of requirements; over several implementations the worst counts."""
        worst: dict[tuple[str, str], str] = {}
        for iut in self.iuts.values() if iuts is None else iuts:
            for requirement, status in iut.statuses.items():
                before = worst.get(requirement, status)
                worst[requirement] = max(before, status, key=_rank)
        return {s: n for s in _STATUSES if (n := sum(status == s for status in worst.values()))}


def _reason(event: Event) -> str:
    return f"{event['verdict']}: {event.get('message', '')}"


def is_undeclared(protocol: str, reason: str) -> bool:
    """Whether a case is unsupported because its protocol or role is not declared at all."""
    named = f"it does not declare {protocol}"
    return reason == named or reason.startswith(f"for {protocol} it does not declare the role ")


_OF_A_KIND = re.compile("(?P<lead>for .* it does not declare .*) (?P<name>[^ ]+)")


class Unjudged(NamedTuple):
    """Cases that were not judged for one reason."""

    verdict: str
    why: str
    cases: int
    first: tuple[str, ...] = ()
    """The ids of the first cases."""


def merged(reasons: Mapping[str, int], first_cases: Mapping[str, Sequence[str]]) -> list[Unjudged]:
    """Merge reasons that differ in one name into one with all names.

    Both mappings are by `verdict: reason`: the number of cases, and the ids of the first of them.
    """
    found: dict[tuple[str, str], dict[str, int]] = {}
    first: dict[tuple[str, str], list[str]] = {}
    for reason, cases in reasons.items():
        word, _, why = reason.partition(": ")
        named = _OF_A_KIND.fullmatch(why)
        key = word, named["lead"] if named else why
        found.setdefault(key, {})[named["name"] if named else ""] = cases
        first.setdefault(key, []).extend(first_cases.get(reason, ()))
    return [
        Unjudged(word, _with_names(why, names), sum(names.values()), tuple(first[word, why][:_MOST_UNJUDGED]))
        for (word, why), names in found.items()
    ]


def _with_names(why: str, names: Mapping[str, int]) -> str:
    if len(names) == 1:
        return f"{why} {next(iter(names))}".rstrip()
    return f"{why} " + ", ".join(f"{name} (×{cases:,})" if cases > 1 else name for name, cases in names.items())


_MISSING = {"missing": "got", "extra": "expected"}
_LEVELS = ("must", "should", "may")


def clusters(findings: Sequence[Finding]) -> list[list[Finding]]:
    """Group the findings of a case: those of one difference, and those of one missing or additional column or member.

    Findings of one difference keep their order: the most specific requirement is the first. Of several differences the
    most informative is the first: it has the strongest level, and shows a value rather than a description of one.
    """
    found: dict[object, dict[object, list[Finding]]] = {}
    for finding in findings:
        name = _name_of_missing(finding)
        name = "{column}" if name and "{column}" in finding["fingerprint"] else name
        place = _difference(finding)
        found.setdefault((finding["kind"], name) if name else place, {}).setdefault(place, []).append(finding)
    return [
        [finding for place in sorted(places.values(), key=lambda of: min(map(_weight, of))) for finding in place]
        for places in found.values()
    ]


def _strongest(cluster: Sequence[Finding]) -> str:
    return str(min((finding["level"] for finding in cluster), key=_level))


def _leads(cluster: Sequence[Finding]) -> Iterator[int]:
    """Positions of possible leading findings: the first of each difference with a finding of the strongest level."""
    level, seen = _strongest(cluster), set()
    for i, finding in enumerate(cluster):
        place = _difference(finding)
        if place not in seen and any(_difference(f) == place and f["level"] == level for f in cluster):
            yield i
        seen.add(place)


def _difference(finding: Finding) -> tuple[str, ...]:
    """The identity of a difference: findings of one difference have it in common."""
    return tuple(str(finding.get(name, "")) for name in ("where", "operations", "path", "kind"))


def _level(level: str) -> int:
    return _LEVELS.index(level) if level in _LEVELS else 0


def _name_of_missing(finding: Mapping[str, Any]) -> str:
    """The name of the missing or additional column or member of a finding; "" without one."""
    side = _MISSING.get(finding["kind"], "")
    if not side or not isinstance(finding[side], dict) or "$missing" not in finding[side]:
        return ""
    other = finding["expected" if side == "got" else "got"]
    if isinstance(other, dict) and isinstance(name := other.get("field", other.get("name")), str):
        return name  # an element of a list that describes columns
    return str(finding["path"].rpartition(".")[2])


def _weight(finding: Mapping[str, Any]) -> tuple[int, bool, int]:
    path = finding["path"]
    return _level(finding["level"]), isinstance(finding["expected"], dict), -path.count(".") - path.count("[")


def _is_smaller(case: Event, shown: Event) -> bool:
    """Whether a case has its input in the record, and a smaller one than the shown case."""
    return "input" in case and ("input" not in shown or case.get("size", math.inf) < shown.get("size", math.inf))


def _rank(status: str) -> int:
    return _BEST_FIRST.index(status) if status in _BEST_FIRST else -1


def sum_text(planned: int, counts: Mapping[str, int]) -> str:
    """`1,830 = pass 1,792 + fail 38`; an inequality if it does not add up."""
    known = [*ORDER, *(verdict for verdict in counts if verdict not in ORDER)]
    parts = [f"{verdict} {counts[verdict]:,}" for verdict in known if counts.get(verdict)]
    sign = "=" if planned == sum(counts.values()) else "≠"
    return f"{planned:,} {sign} {' + '.join(parts) or '0'}"

"""The data that several reports need from a record: the causes of failure, and counts by protocol and role."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from reports.causes import Cause, worst_first
from reports.clusters import Finding, clusters, possible_leads, strongest_level
from reports.renderer import Event, Renderer
from reports.texts import case_count
from reports.unjudged import Unjudged
from reports.vocabulary import DATA, FROM_FINDINGS, NEVER_RUN, VERDICTS, failure_without_answer, without_numbers

__all__ = ["Gathering", "GatheringRenderer", "Iut", "as_one_case", "sum_text"]

_WITH_REASON = frozenset({"unsupported", "not_run"})
_WORD_OF_LEVEL = {"must": "fail", "should": "warn", "may": "may"}
_STATUSES = ("met", "advisory", "broken", "not evaluated", "untestable", "later")
"""The statuses of requirements in the order of reports."""
_BADNESS = {s: n for n, s in enumerate(("later", "untestable", "not evaluated", "met", "advisory", "broken"))}


@dataclass(slots=True)
class Iut:
    """The data on one implementation so far."""

    event: Event
    plan: Event = field(default_factory=dict)
    causes_by_key: dict[tuple[str, ...], Cause] = field(default_factory=dict)
    """The causes of failure, as they came."""
    verdicts: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """Protocol and role → the verdicts in order."""
    statuses: dict[tuple[str, str], str] = field(default_factory=dict)
    """Protocol and id of a requirement → its status: `met`, `broken` and so on."""
    undeclared: Counter[str] = field(default_factory=Counter)
    """Protocol that the implementation does not declare → number of its cases, which are not in `verdicts`."""
    unjudged: dict[tuple[str, str], Unjudged] = field(default_factory=dict)
    """Verdict and reason → the cases that were not judged for it."""
    requirements: dict[tuple[str, str], Event] = field(default_factory=dict)
    """Protocol and id → the event of a requirement that applies."""
    unsupported: set[str] = field(default_factory=set)
    """The ids of the requirements that unsupported cases would have judged."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Reason why places of a capture could not be judged → their number."""
    restarts: list[Event] = field(default_factory=list)
    """The `restart` events."""
    done: int = 0
    """The number of cases with a verdict so far."""
    executed: int = 0
    """The number of cases that were run, of those with a verdict."""
    schema: int = 2
    """The version of the record's form."""

    @property
    def label(self) -> str:
        """The name of the implementation in the record."""
        return str(self.event["iut"])

    @property
    def causes(self) -> list[Cause]:
        """The causes of failure, worst first."""
        return worst_first(self.causes_by_key.values())

    @property
    def deselected(self) -> int:
        """The number of cases planned but not selected; since schema 2 they have no verdict in the record."""
        return sum(part["excluded"] for part in self.plan.get("by", ())) if self.schema >= 2 else 0

    @property
    def to_run(self) -> int:
        """The number of cases to run: neither left out nor known to be unsupported."""
        not_run: int = sum(part["excluded"] + part["unsupported"] for part in self.plan.get("by", ()))
        planned: int = self.plan.get("planned", self.executed + not_run)
        return planned - not_run

    @property
    def counts(self) -> Counter[str]:
        """Verdict → number of cases so far; deselected ones count from the plan on."""
        unlisted = {"excluded": self.deselected, "unsupported": self.undeclared.total()}
        counts = Counter({verdict: n for verdict, n in unlisted.items() if n})
        for verdicts in self.verdicts.values():
            counts.update(verdicts)
        return counts


class Gathering:
    """Takes the events of a record and keeps the data for reports; a cause keeps only its smallest input."""

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

    def case_of(self, verdict: Event) -> Event:
        """The `case` event before a `verdict` event; empty where the record has none for it."""
        return self._case if self._case.get("case") == verdict["case"] else {}

    def end_of(self, iut: Iut) -> Event:
        """The part of the `end` event on one implementation; empty in a record without it."""
        parts = (self.end or {}).get("accounting", {}).get("iuts", ())
        return next((part for part in parts if part.get("iut") == iut.label), {})

    def status_counts(self, iuts: Iterable[Iut] | None = None) -> dict[str, int]:
        """Status → number of requirements; over several implementations the worst status counts."""
        worst: dict[tuple[str, str], str] = {}
        for iut in self.iuts.values() if iuts is None else iuts:
            for requirement, status in iut.statuses.items():
                before = worst.get(requirement, status)
                worst[requirement] = max(before, status, key=lambda one: _BADNESS.get(one, -1))
        counts = Counter(worst.values())
        return {status: counts[status] for status in _STATUSES if counts[status]}

    # -- events of one implementation --------------------------------------------------------------------------------

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
            _count(iut, event, event["cases"])

    def _verdict(self, iut: Iut, event: Event) -> None:
        verdict, findings = event["verdict"], event["findings"]
        iut.executed += verdict not in NEVER_RUN
        if not _count(iut, event, 1):
            return
        if verdict == "unsupported":
            iut.unsupported.update(event.get("requirements", ()))
        if verdict == "excluded" and event.get("message"):
            iut.left_out[event["message"]] += 1
        if verdict in _WITH_REASON:
            iut.unjudged[_reason(event)].add_ids(event["case"])
            return
        for cluster in clusters(findings):
            self._add_cluster(iut, event, cluster)
        # A verdict such as `xpass` is a cause of its own, unless a MUST or SHOULD is broken beside it.
        if findings and (verdict in FROM_FINDINGS or strongest_level(findings) != "may"):
            return
        if failure_without_answer(event):
            message = without_numbers(str(event.get("message", "")))
            self._add(iut, (verdict, event["protocol"], message), event)
        elif verdict not in ("pass", "excluded"):
            self._add(iut, (verdict, *map(str, event["fingerprints"])), event)

    def _add_cluster(self, iut: Iut, event: Event, cluster: Sequence[Finding]) -> None:
        """Add a case to the cause of a possible leading finding; if none has a cause, to a new one of the first."""
        verdict = event["verdict"]
        word = self._word(cluster) if verdict in FROM_FINDINGS or strongest_level(cluster) == "may" else verdict
        keys = [(word, finding["requirement"], finding["fingerprint"]) for finding in cluster]
        lead = next((i for i in possible_leads(cluster) if keys[i] in iut.causes_by_key), 0)
        self._add(iut, keys[lead], event, cluster, lead)

    def _word(self, cluster: Sequence[Finding]) -> str:
        """The verdict of findings on a case, by the gate of the run; old records have no harm."""
        level = strongest_level(cluster)
        if level == "may" and "later_than" in cluster[0]:
            return "later"
        by_data = self.run.get("gate", "must") != "must"
        if by_data and any(one["level"] == "should" and one.get("harm") in DATA for one in cluster):
            return "fail"
        return _WORD_OF_LEVEL.get(level, "fail")

    def _add(
        self, iut: Iut, key: tuple[str, ...], event: Event, cluster: Sequence[Finding] = (), lead: int = 0
    ) -> None:
        """Add a case to the cause with this key."""
        case = self.case_of(event)
        if key not in iut.causes_by_key:
            iut.causes_by_key[key] = Cause(key, event, case, cluster[lead] if cluster else None)
        iut.causes_by_key[key].add(event, case, cluster, lead)


class GatheringRenderer(Renderer):
    """A report that needs a `Gathering` of the record."""

    def __init__(self) -> None:
        self._gathering = Gathering()

    def handle(self, event: Event) -> None:
        """Take the next event."""
        self._gathering.handle(event)


def as_one_case(event: Event) -> Event:
    """A `verdicts` event, which counts cases without naming them, as the `verdict` of one case that stands for all."""
    name = f"{event['protocol']}: {case_count(event['cases'])}"
    return {**event, "case": name, "level": "", "replay": "", "findings": (), "fingerprints": ()}


def sum_text(planned: int, counts: Mapping[str, int]) -> str:
    """`1,830 = pass 1,792 + fail 38`; an inequality if it does not add up."""
    known = [*VERDICTS, *(verdict for verdict in counts if verdict not in VERDICTS)]
    parts = [f"{verdict} {counts[verdict]:,}" for verdict in known if counts.get(verdict)]
    sign = "=" if planned == sum(counts.values()) else "≠"
    return f"{planned:,} {sign} {' + '.join(parts) or '0'}"


def _count(iut: Iut, event: Event, cases: int) -> bool:
    """Count cases of one verdict; returns False for an undeclared protocol, whose cases are not in `verdicts`."""
    verdict, protocol = event["verdict"], event["protocol"]
    iut.done += cases
    if verdict == "unsupported" and event.get("message") == f"it does not declare {protocol}":
        iut.undeclared[protocol] += cases
        return False
    iut.verdicts.setdefault((protocol, event["role"]), []).extend([verdict] * cases)
    if verdict in _WITH_REASON:
        iut.unjudged.setdefault(_reason(event), Unjudged(*_reason(event))).cases += cases
    return True


def _reason(event: Event) -> tuple[str, str]:
    return event["verdict"], str(event.get("message", ""))

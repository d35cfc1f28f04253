"""The diff of two saved runs as a record: JSON for every report of it, described by a schema."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from typing import Any

from reports.causes import replay_command
from reports.diff.comparability import notes_of, registers_of
from reports.diff.contents import ChangeGroup, compare_answers
from reports.diff.dialect import Dialects
from reports.diff.failures import Failure, failures_of, is_judged, weight
from reports.diff.sides import Side, VerdictPair, paired
from reports.diff.unexpected import described
from reports.diff.verdicts import GONE, KINDS, CauseTransition, Transition, transitions
from reports.frame.filters import anchor
from reports.renderer import Event
from reports.texts import known_text, suite_text
from reports.vocabulary import HARMS, NEVER_RUN, rank

__all__ = ["SCHEMA_VERSION", "Record", "diff_record"]

Record = Mapping[str, Any]

SCHEMA_VERSION = 1
_MOST_EXAMPLES = 3
_MOST_WAYS = 12
_MOST_DESCRIBED = 50
"""Unexpected members that are described part by part; a build that writes more has one reason for all of them."""


def diff_record(pairs: Sequence[tuple[Side, Side]], dialects: Dialects, suite: str, fail_on: str = "") -> Record:
    """The whole record. `pairs` are the implementations to compare, `suite` the version that compares them.

    `fail_on` is a harm. With it, `exit` is 6 where the new run was cut off or is inconclusive, and 1 where something
    newly broken, or of changed meaning, has this harm or a worse one, or where a case that passed is no longer judged,
    for its evidence is lost. Else `exit` is 5 where no case was judged in both, or 0.
    """
    sections: dict[str, list[dict[str, Any]]] = {
        name: [] for name in (*KINDS, "meaning", "bytes", "no_longer_judged", "newly_judged", "only_left", "only_right")
    }
    sides, notes, counts = [], [], Counter[str]()
    for left, right in pairs:
        name = right.label if len(pairs) > 1 else ""
        of_pair = _PairRecord(left, right, name, dialects)
        for section, entries in of_pair.sections().items():
            sections[section] += entries
        counts.update(of_pair.counts())
        notes += of_pair.notes()
        sides.append({"name": name, "left": _side(left), "right": _side(right), "requirements": _of_one(left, right)})
    for name, entries in sections.items():
        entries.sort(key=_by_harm)
        _number(name, entries)
    status = _status(sections, fail_on, [right for _, right in pairs], counts["judged"])
    return {
        "schema": SCHEMA_VERSION,
        "suite": suite,
        "sides": sides,
        "notes": list(dict.fromkeys(notes)),
        "counts": counts,
        "harms": {name: _harms(entries) for name, entries in sections.items() if name in _WITH_HARM},
        **sections,
        "fail_on": fail_on,
        "exit": status,
    }


_REGRESSIONS = ("newly_broken", "more_cases", "meaning")
_WITH_HARM = (*KINDS, "meaning")


def _status(
    sections: Mapping[str, Sequence[Mapping[str, Any]]], fail_on: str, rights: Iterable[Side], judged: int
) -> int:
    if fail_on and not all(side.is_certain for side in rights):
        return _INCONCLUSIVE
    if fail_on and _fails(sections, fail_on):
        return 1
    return 0 if judged else _NOTHING


_INCONCLUSIVE, _NOTHING = 6, 5  # exit statuses


def _fails(sections: Mapping[str, Sequence[Mapping[str, Any]]], fail_on: str) -> bool:
    """Whether something got worse by this harm, or a worse one."""
    harms = [entry["harm"] for name in _REGRESSIONS for entry in sections[name]]
    # A failure that is worse than the one before it is newly broken.
    harms += [e["harm"] for e in sections["changed_failures"] if rank(e["harm"]) < rank(e["was_harm"])]
    # A case that passed and is not judged any more counts as lost, the worst harm of all.
    harms += ["lost" for entry in sections["no_longer_judged"] if entry["passed"] and entry["verdict"] != "excluded"]
    return any(rank(harm) <= rank(fail_on) for harm in harms)


def _harms(entries: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """The number of entries of each harm; those that break advice alone are counted as `advice`."""
    named = ["advice" if entry.get("level") == "may" else entry["harm"] for entry in entries]
    return {harm: named.count(harm) for harm in (*HARMS, "advice") if harm in named}


def _by_harm(entry: Mapping[str, Any]) -> tuple[Any, ...]:
    name = f"{entry['protocol']} {entry['role']} {entry.get('requirement') or ''} {entry.get('at') or ''}"
    return *weight(entry.get("harm", ""), entry.get("level", ""), entry["cases"], name), entry["iut"]


def _number(section: str, entries: Sequence[dict[str, Any]]) -> None:
    """An address for each entry, the same in every diff that has it."""
    taken = Counter[str]()
    for entry in entries:
        what = entry.get("requirement") or entry.get("at") or entry.get("verdict")
        what = what or ("no-answer" if "ways" in entry else "")
        name = anchor(section.replace("_", "-"), entry["iut"], entry["protocol"], entry["role"], what)
        taken[name] += 1
        entry["id"] = name if taken[name] == 1 else f"{name}-{taken[name]}"


def _side(side: Side) -> dict[str, Any]:
    return {
        "name": side.name,
        "iut": side.label,
        "implementation": side.iut.get("name") or side.label,
        "version": side.iut.get("version", ""),
        "profile": side.profile,
        "protocols": sorted(side.protocols),
        "suite": suite_text(side.run),
        "registers": registers_of(side),
        "started": side.run.get("started", ""),
        "command": list(side.run.get("command", ())),
        "cases": len(side.verdicts),
        "whole": side.is_whole,
    }


def _of_one(left: Side, right: Side) -> dict[str, list[str]]:
    """The requirements that only one side has."""
    return {
        "left": sorted(left.requirements.keys() - right.requirements.keys()),
        "right": sorted(right.requirements.keys() - left.requirements.keys()),
    }


class _PairRecord:
    """The part of the record on one pair of implementations; `name` stands in its entries."""

    def __init__(self, left: Side, right: Side, name: str, dialects: Dialects) -> None:
        self._left = left
        self._right = right
        self._name = name
        self._pairing = paired(left, right)
        self._compared = compare_answers(left, right, self._pairing.both, dialects)
        unexpected = [group for group in self._compared.meaning if group.change.is_unexpected]
        self._described = unexpected[:_MOST_DESCRIBED]

    def notes(self) -> list[str]:
        """What makes the two runs hard to compare."""
        return notes_of(self._left, self._right, self._pairing, self._compared, self._name)

    def sections(self) -> dict[str, list[dict[str, Any]]]:
        """Section → its entries."""
        both = self._pairing.both
        found: dict[str, list[dict[str, Any]]] = {name: [] for name in KINDS}
        judged_before = [pair for pair in both if is_judged(pair.left) and not is_judged(pair.right)]
        judged_now = [pair for pair in both if is_judged(pair.right) and not is_judged(pair.left)]
        left_only = [*self._pairing.only_left, *(pair.left for pair in judged_before)]
        for transition in transitions(both, left_only, self._size):
            found[transition.kind].append(self._transition(transition))
        found["meaning"] = [self._meaning(group) for group in self._compared.meaning]
        found["bytes"] = [self._of_group(group) for group in self._compared.bytes]
        found["no_longer_judged"] = self._unjudged((pair.right, pair.left) for pair in judged_before)
        found["newly_judged"] = self._unjudged(judged_now)
        found["only_left"] = self._alone(self._pairing.only_left)
        found["only_right"] = self._alone(self._pairing.only_right)
        return found

    def counts(self) -> dict[str, int]:
        """The numbers of cases by what became of them."""
        both, compared = self._pairing.both, self._compared
        return {
            "common": len(both),
            "judged": sum(all(map(is_judged, pair)) for pair in both),
            "across": self._pairing.across,
            "same": compared.same,
            "meaning": compared.changed,
            "bytes": compared.respelled,
            "unknown": compared.unknown,
            "unkept": compared.unkept,
            "only_left": len(self._pairing.only_left),
            "only_right": len(self._pairing.only_right),
        }

    def _size(self, kind: str, pair: VerdictPair) -> float:
        """The size of a case's input, in the run that shows the failure."""
        side, verdict = (self._left, pair.left) if kind in GONE else (self._right, pair.right)
        case = _case_of(side, verdict)
        return float(case.get("size", inf)) if "input" in case else inf

    # -- failures ------------------------------------------------------------------------------------------------------

    def _transition(self, transition: Transition) -> dict[str, Any]:
        ways = sorted(transition.ways.values(), key=_weight)
        worst = ways[0].failure
        finding = worst.finding or {}
        return {
            "iut": self._name,
            "protocol": transition.protocol,
            "role": transition.role,
            "requirement": transition.requirement,
            "level": worst.level,
            "harm": worst.harm,
            "word": worst.word,
            "group": finding.get("group", ""),
            "rule": finding.get("rule", "") or str(worst.verdict.get("message") or worst.word),
            "place": finding.get("place", ""),
            "known": [known_text(known) for known in worst.verdict.get("known", ())],
            "was_harm": min((way.was.harm for way in ways if way.was), key=rank, default=""),
            "cases": transition.cases,
            "before": transition.before,
            "after": transition.after,
            "also": sorted(transition.follows),
            "ways": [self._way(transition, way) for way in ways[:_MOST_WAYS]],
            "more_ways": max(0, len(ways) - _MOST_WAYS),
        }

    def _way(self, transition: Transition, way: CauseTransition) -> dict[str, Any]:
        verdict = way.failure.verdict
        finding = way.failure.finding or {}
        side = self._left if transition.kind in GONE else self._right
        case = _case_of(side, verdict)
        return {
            "fingerprint": way.failure.key.fingerprint,
            "was": way.was.key.fingerprint if way.was else "",
            "harm": way.failure.harm,
            "cases": way.cases,
            **_example(way.pair),
            "path": ".".join(filter(None, (finding.get("where"), finding.get("path")))),
            "expected": finding.get("expected"),
            "got": finding.get("got"),
            "judged": way.failure.finding is not None,
            "message": str(verdict.get("message") or ""),
            "replay": replay_command(side.run, side.iut, verdict),
            "sql": list(case.get("sql", ())),
        }

    # -- answers -------------------------------------------------------------------------------------------------------

    def _meaning(self, group: ChangeGroup) -> dict[str, Any]:
        change = group.change
        return {
            **self._of_group(group),
            "harm": change.harm,
            "kind": change.kind,
            "path": ".".join(filter(None, (change.where, change.path))),
            "left": change.left,
            "right": change.right,
            "unexpected": described(change.left, change.right) if group in self._described else [],
        }

    def _of_group(self, group: ChangeGroup) -> dict[str, Any]:
        verdict = group.pair.right
        return {
            "iut": self._name,
            "protocol": group.protocol,
            "role": group.role,
            "at": group.change.at,
            "verdict": verdict["verdict"],
            "cases": group.cases,
            **_example(group.pair),
            "replay": replay_command(self._right.run, self._right.iut, verdict),
        }

    # -- what only one side has ----------------------------------------------------------------------------------------

    def _unjudged(self, pairs: Iterable[tuple[Event, Event]]) -> list[dict[str, Any]]:
        """An entry for each reason; a pair is (the verdict of a case that was not judged, that of the other side)."""
        found: dict[tuple[str, str, str, str], list[Event]] = {}
        for unjudged, other in pairs:
            reason = unjudged["verdict"], str(unjudged.get("message") or "")
            found.setdefault((unjudged["protocol"], unjudged["role"], *reason), []).append(other)
        return [
            {**self._counted(protocol, role, others), "verdict": verdict, "reason": reason}
            for (protocol, role, verdict, reason), others in found.items()
        ]

    def _alone(self, verdicts: Iterable[Event]) -> list[dict[str, Any]]:
        found: dict[tuple[str, str], list[Event]] = {}
        for verdict in verdicts:
            found.setdefault((verdict["protocol"], verdict["role"]), []).append(verdict)
        return [self._counted(protocol, role, group) for (protocol, role), group in found.items()]

    def _counted(self, protocol: str, role: str, verdicts: Sequence[Event]) -> dict[str, Any]:
        failing = [[f for f in failures_of(verdict).values() if f.word != "may"] for verdict in verdicts]
        failures: list[Failure] = [f for of_case in failing for f in of_case]
        broken = dict.fromkeys(f.requirement or f.word for f in sorted(failures, key=lambda f: rank(f.harm)))
        return {
            "iut": self._name,
            "protocol": protocol,
            "role": role,
            "cases": len(verdicts),
            "judged": sum(verdict["verdict"] not in NEVER_RUN for verdict in verdicts),
            "failing": sum(map(bool, failing)),
            "passed": sum(verdict["verdict"] == "pass" for verdict in verdicts),
            "broken": list(broken),
            "examples": [str(verdict["case"]) for verdict in verdicts[:_MOST_EXAMPLES]],
        }


def _case_of(side: Side, verdict: Event) -> Event:
    """The `case` event of a verdict, or nothing."""
    return side.cases.get((str(verdict["protocol"]), str(verdict["role"]), str(verdict["case"])), {})


def _weight(way: CauseTransition) -> tuple[bool, int, int, int, str]:
    return weight(way.failure.harm, way.failure.level, way.cases, way.failure.key.fingerprint)


def _example(pair: VerdictPair) -> dict[str, str]:
    return {"left_case": str(pair.left["case"]), "case": str(pair.right["case"])}

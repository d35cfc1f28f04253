"""Updates a baseline by a saved run: which entries are stale, may go, or must be added.

Only cases that the run judged decide. An entry about other implementations, or about cases that were not selected, not
declared or not reached, stays as it is. Only a run of all cases can show that a case no longer exists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

from conformance.engine.baseline import BASELINED, Baseline, Known, as_known
from conformance.engine.fingerprints import is_broken_off, marks_of
from conformance.engine.selection import Subject, subject_of
from conformance.engine.verdicts import Verdict
from reference_impl.protocols import DIALECTS

__all__ = ["Saved", "check", "prune", "saved_run", "updated"]

_PASSING = frozenset({Verdict.PASS, Verdict.XPASS})
_FAILING = BASELINED | {Verdict.XFAIL, Verdict.XFAIL_CHANGED, Verdict.FLAKY}


@dataclass(frozen=True, slots=True)
class _RecordedCase:
    """A case of the record; its fingerprints have the form of `fingerprints.Marks`."""

    iut: str
    subject: Subject
    verdict: Verdict
    marks: tuple[str, ...]
    """The fingerprints that identify its failure."""
    every: frozenset[str]
    """`marks`, and the fingerprints of all its findings above `may`."""

    @property
    def is_passing(self) -> bool:
        return self.verdict in _PASSING

    @property
    def is_failing(self) -> bool:
        return self.verdict in _FAILING

    def shows(self, entry: Known) -> bool:
        """Whether the case fails as an entry of the baseline says."""
        return self.is_failing and any(entry.covers(mark) for mark in self.every)


@dataclass(frozen=True)
class Saved:
    """The content of a run record that concerns a baseline."""

    seen: tuple[_RecordedCase, ...]
    protocols: frozenset[str]
    """The judged protocols; those whose cases the record only counts are in `undeclared`."""
    whole: bool
    """No case of `protocols` was left out, and the run was not interrupted."""
    undeclared: frozenset[str] = frozenset()
    """The protocols whose cases the record only counts."""

    @cached_property
    def iuts(self) -> frozenset[str]:
        """The implementations of the run."""
        return frozenset(case.iut for case in self.seen)

    @cached_property
    def _ids(self) -> frozenset[str]:
        return frozenset(one.subject.id for one in self.seen)

    def of(self, entry: Known) -> list[_RecordedCase]:
        """The cases that an entry names."""
        return [case for case in self.seen if entry.names(case.iut, case.subject)]

    def concerns(self, entry: Known) -> bool:
        """Whether the entry names an implementation and a protocol of the run."""
        return any(fnmatchcase(iut, entry.iut) for iut in self.iuts) and not entry.is_elsewhere(self.protocols)

    def lacks(self, case: str) -> bool:
        """Whether no case has that id any more, or ever had."""
        protocol = case.partition("/")[0]
        is_known = protocol in self.protocols or protocol not in {*DIALECTS, *self.undeclared}
        return self.whole and is_known and case not in self._ids

    def has_all_of(self, entry: Known) -> bool:
        """Whether every case that the pattern of an entry may match is in the record, or no longer exists."""
        is_known = not self.undeclared or entry.is_within(self.protocols)
        return self.whole and is_known and entry.names_no_other(self.protocols)

    def decides(self, entry: Known, named: Sequence[_RecordedCase]) -> bool:
        """Whether every case that the entry may name was judged, or no longer exists; `named` are those of the run."""
        judged = {one.subject.id for one in named}
        if entry.match:
            is_complete = self.has_all_of(entry)
        else:
            is_complete = all(case in judged or self.lacks(case) for case in entry.cases)
        return is_complete and all(one.is_passing or one.is_failing for one in named) and not _may_hide(named)

    def gone(self, entry: Known, named: Sequence[_RecordedCase]) -> tuple[str, ...]:
        """The fingerprints of the entry that none of its cases, `named`, shows any more; empty if that is undecided."""
        if not named or not self.decides(entry, named):
            return ()
        return entry.gone(mark for one in named if one.is_failing for mark in one.every)


def _may_hide(named: Sequence[_RecordedCase]) -> bool:
    """Whether a case was flaky or broke off, so that a failure may be there without being seen."""
    return any(one.verdict is Verdict.FLAKY or (one.is_failing and is_broken_off(one.marks)) for one in named)


def saved_run(events: Iterable[Mapping[str, Any]]) -> Saved:
    """Read a run record. A record that is cut off, or has a selection, is not whole."""
    seen = []
    whole, protocols, undeclared = False, frozenset[str](), set[str]()
    axes: Mapping[str, str] = {}
    for event in events:
        if event["event"] == "run":
            protocols = frozenset(event["registers"])
        elif event["event"] == "case":
            axes = event["axes"]
        elif event["event"] == "verdict":
            searched = (event["case"], event["protocol"], event["role"], event["level"], event["requirements"])
            subject = subject_of(*searched, event.get("axes", axes))
            marks, _, above_may = marks_of(event)
            every = frozenset((*marks, *above_may))
            seen.append(_RecordedCase(event["iut"], subject, Verdict(event["verdict"]), marks, every))
            axes = {}
        elif event["event"] == "verdicts":
            undeclared.add(event["protocol"])
        elif event["event"] == "end":
            whole = bool(event["baseline"].get("whole"))
    return Saved(tuple(seen), protocols - undeclared, whole, frozenset(undeclared))


def prune(baseline: Baseline, saved: Saved) -> list[Known]:
    """The entries that are still needed, without cases that pass and fingerprints that no longer occur."""
    return [kept for entry in baseline.entries if (kept := _pruned(entry, saved)) is not None]


def _pruned(entry: Known, saved: Saved) -> Known | None:
    named = saved.of(entry)
    if not saved.concerns(entry):
        return entry
    if gone := saved.gone(entry, named):
        entry = replace(entry, fingerprints=tuple(mark for mark in entry.fingerprints if mark not in gone))
        if not entry.fingerprints:
            return None
    if entry.flaky or entry.partial:
        is_served = bool(named) if entry.flaky else any(one.shows(entry) for one in named)
        return entry if is_served or not saved.decides(entry, named) else None
    # A case may pass with one implementation and not with another: then it is in both.
    passing = {one.subject.id for one in named if one.is_passing}
    left = {one.subject.id for one in named if not one.is_passing}
    if entry.match:
        if not saved.decides(entry, named):
            return entry
        # A pattern that matches too much becomes the list of the failing cases.
        narrowed = replace(entry, match="", cases=tuple(sorted(left))) if passing else entry
        return narrowed if left else None
    may_go = {case for case in entry.cases if case not in left and (case in passing or saved.lacks(case))}
    cases = tuple(case for case in entry.cases if case not in may_go)
    return replace(entry, cases=cases) if cases else None


def updated(baseline: Baseline, saved: Saved) -> list[Known]:
    """The entries that make the run green: the needed ones, and one for each set of failures not yet covered.

    An entry whose cases all fail in a new way keeps its text and gets the new fingerprints.
    """
    kept = prune(Baseline([_with_new_fingerprints(entry, saved) for entry in baseline.entries]), saved)
    missing: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for one in saved.seen:
        if not one.is_failing or one.verdict is Verdict.FLAKY:
            continue
        naming = [e for e in kept if not e.flaky and e.names(one.iut, one.subject)]
        left = tuple(as_known(mark) for mark in one.marks if not any(e.covers(mark) for e in naming))
        if left:
            missing.setdefault((one.iut, left), []).append(one.subject.id)
    new = [
        Known(cases=tuple(dict.fromkeys(cases)), fingerprints=marks, iut=iut) for (iut, marks), cases in missing.items()
    ]
    return [*kept, *new]


def _with_new_fingerprints(entry: Known, saved: Saved) -> Known:
    """The entry with the fingerprints of its cases, if none of them fails as it says any more."""
    named = saved.of(entry)
    failing = [one for one in named if one.is_failing]
    if entry.flaky or not failing or not saved.decides(entry, named) or any(one.shows(entry) for one in failing):
        return entry
    return replace(entry, fingerprints=tuple(dict.fromkeys(as_known(mark) for one in failing for mark in one.marks)))


def check(baseline: Baseline, saved: Saved, today: date) -> list[str]:
    """Why entries of a baseline are stale after a run, a sentence each."""
    problems = [f"{entry}: expired on {entry.expires}" for entry in baseline.expired(today)]
    for entry in baseline.entries:
        if saved.concerns(entry):
            problems += (f"{entry}: {problem}" for problem in _stale(entry, saved))
    return problems


def _stale(entry: Known, saved: Saved) -> Iterator[str]:
    named = saved.of(entry)
    if not named:
        if saved.decides(entry, named):
            yield "matches no case"
        return
    if entry.flaky:
        return
    failing = [one for one in named if one.is_failing]
    if saved.decides(entry, named) and not any(one.shows(entry) for one in failing):
        yield "no case fails this way any more" if entry.partial or not failing else "its cases fail in another way now"
        return
    yield from (f"no case shows {mark} any more" for mark in saved.gone(entry, named))
    if not entry.partial:
        yield from (f"{one.subject.id} passes now" for one in named if one.is_passing)

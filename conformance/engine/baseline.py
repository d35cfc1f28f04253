"""The baseline: known failures, in a TOML file, so that only what is new makes a run red.

```toml
[[known]]
match = "canal-json/insert/bigint-unsigned*"   # the grammar of -k; or cases = ["id", …]
fingerprint = "value@value.data[].{column}#1a2b3c4d"   # or a list; what follows the # may be left out
reason = "the encoder casts to signed"
issue = "https://issues.example/12"
owner = "team-sink"
expires = 2027-03-31
iut = "my-encoder*"                            # only of implementations of such a name
partial = true                                 # not every case that matches need show it

[[flaky]]
match = "canal-json/ddl/*"
reason = "…"
```
A case that is covered and fails otherwise has *changed*; one that is covered and passes is an unexpected pass, unless
the entry is partial.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

from conformance.engine.judging import Outcome
from conformance.engine.selection import Expression, Subject, subject_of
from conformance.engine.verdicts import Gate, Verdict, is_red
from conformance.errors import UsageError

__all__ = ["Baseline", "Known", "check", "prune", "read_baseline", "updated", "write_baseline"]

_BASELINED = frozenset(
    {Verdict.WARN, Verdict.FAIL, Verdict.FALSE_CLAIM, Verdict.PROTOCOL_ERROR, Verdict.TIMEOUT, Verdict.CRASH}
)


@dataclass(frozen=True)
class Known:
    """One entry. It names its cases by `match` or by `cases`; `fingerprints` is empty for one of the flaky list."""

    match: str = ""
    cases: tuple[str, ...] = ()
    fingerprints: tuple[str, ...] = ()
    reason: str = ""
    issue: str = ""
    owner: str = ""
    expires: date | None = None
    iut: str = "*"
    partial: bool = False
    flaky: bool = False

    @cached_property
    def _expression(self) -> Expression | None:
        return Expression(self.match) if self.match else None

    @cached_property
    def _ids(self) -> frozenset[str]:
        return frozenset(self.cases)

    def names(self, iut: str, subject: Subject) -> bool:
        """Whether the entry speaks of a case of an implementation."""
        if not fnmatchcase(iut, self.iut):
            return False
        return subject.id in self._ids or (self._expression is not None and self._expression.matches(subject))

    def covers(self, fingerprint: str) -> bool:
        """Whether a failure is the one that is known."""
        return fingerprint in self.fingerprints or fingerprint.partition("#")[0] in self.fingerprints

    def expired(self, today: date) -> bool:
        """Whether the entry is past its last day."""
        return self.expires is not None and self.expires < today

    def __str__(self) -> str:
        return self.match or ", ".join(self.cases[:2]) + (" …" if len(self.cases) > 2 else "")


@dataclass(slots=True)
class Baseline:
    """The entries of a file during one run: `apply` turns outcomes into verdicts and remembers which entries served."""

    entries: Sequence[Known] = ()
    _served: set[int] = field(default_factory=set)

    def is_flaky(self, iut: str, subject: Subject) -> bool:
        """Whether a case is in the flaky list."""
        return any(e.flaky and e.names(iut, subject) for e in self.entries)

    def apply(self, iut: str, subject: Subject, role: str, outcome: Outcome, policy: Gate) -> tuple[Outcome, list[int]]:
        """The outcome as the baseline sees it, and the positions of the entries that speak of it."""
        speaking_of = [i for i, e in enumerate(self.entries) if e.names(iut, subject)]
        self._served.update(i for i in speaking_of if self.entries[i].flaky)
        naming = [i for i in speaking_of if not self.entries[i].flaky]
        if not naming:
            return outcome, []
        if outcome.verdict is Verdict.PASS:
            whole = [i for i in naming if not self.entries[i].partial]
            self._served.update(whole)
            return (replace(outcome, verdict=Verdict.XPASS) if whole else outcome), whole
        if outcome.verdict not in _BASELINED:
            self._served.update(i for i in naming if not self.entries[i].partial)
            return outcome, []
        marks = outcome.fingerprints(role)
        speaking = [
            i for i in naming if not self.entries[i].partial or any(self.entries[i].covers(mark) for mark in marks)
        ]
        self._served.update(speaking)
        if not speaking:
            return outcome, []
        if all(any(self.entries[i].covers(mark) for i in speaking) for mark in marks):
            return replace(outcome, verdict=Verdict.XFAIL), speaking
        # What is not red by itself does not become so by being half known.
        changed = Verdict.XFAIL_CHANGED if is_red(outcome.verdict, policy) else outcome.verdict
        return replace(outcome, verdict=changed), speaking

    def unmatched(self, iuts: Iterable[str]) -> list[Known]:
        """Entries about these implementations that spoke of no case. To be asked only after a run of everything."""
        names = list(iuts)
        return [
            e
            for i, e in enumerate(self.entries)
            if i not in self._served and any(fnmatchcase(name, e.iut) for name in names)
        ]

    def expired(self, today: date) -> list[Known]:
        """Entries past their last day. They still cover what they cover."""
        return [e for e in self.entries if e.expired(today)]


# -- the file ------------------------------------------------------------------------------------------------------


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


_MEMBERS: Mapping[str, Callable[[Any], bool]] = {
    "match": _is_text,
    "cases": _is_texts,
    "fingerprint": lambda value: _is_text(value) or _is_texts(value),
    "reason": _is_text,
    "issue": _is_text,
    "owner": _is_text,
    "expires": lambda value: type(value) is date,  # a time of day has no business here
    "iut": _is_text,
    "partial": lambda value: isinstance(value, bool),
}


def read_baseline(path: Path) -> Baseline:
    """The baseline in a file. Raises `UsageError`, naming the file and the entry, for one that cannot be used."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as e:
        raise UsageError(f"baseline {path}: cannot be read ({e.strerror or e})") from None
    except ValueError as e:
        raise UsageError(f"baseline {path}: not TOML: {e}") from None
    unknown = sorted(set(data) - {"known", "flaky"})
    if unknown:
        raise UsageError(f"baseline {path}: unknown table {unknown[0]!r}; there are [[known]] and [[flaky]]")
    entries = []
    for kind in ("known", "flaky"):
        tables = data.get(kind, [])
        if not isinstance(tables, list):
            raise UsageError(f"baseline {path}: {kind} is not a list of tables; it is written [[{kind}]]")
        for number, given in enumerate(tables, 1):
            entries.append(_entry(f"baseline {path}, [[{kind}]] {number}", given, flaky=kind == "flaky"))
    return Baseline(tuple(entries))


def _entry(place: str, given: Any, *, flaky: bool) -> Known:
    if not isinstance(given, dict):
        raise UsageError(f"{place}: not a table")
    for name, value in given.items():
        if name not in _MEMBERS:
            raise UsageError(f"{place}: unknown member {name!r}; there are {', '.join(_MEMBERS)}")
        if not _MEMBERS[name](value):
            raise UsageError(f"{place}: {name} has the wrong type")
    if ("match" in given) == ("cases" in given):
        raise UsageError(f"{place}: one of match and cases is needed")
    if not flaky and "fingerprint" not in given:
        raise UsageError(f"{place}: fingerprint is missing; it stands in every verdict of a run record")
    marks = given.get("fingerprint", [])
    known = Known(
        match=given.get("match", ""),
        cases=tuple(given.get("cases", ())),
        fingerprints=(marks,) if isinstance(marks, str) else tuple(marks),
        reason=given.get("reason", ""),
        issue=given.get("issue", ""),
        owner=given.get("owner", ""),
        expires=given.get("expires"),
        iut=given.get("iut", "*"),
        partial=given.get("partial", False),
        flaky=flaky,
    )
    if known.match:
        try:
            Expression(known.match)
        except UsageError as e:
            raise UsageError(f"{place}: {e}") from None
    return known


def write_baseline(entries: Iterable[Known]) -> str:
    """The text of a file with these entries."""
    return "\n".join(_table(entry) for entry in entries)


def _table(entry: Known) -> str:
    lines = ["[[flaky]]" if entry.flaky else "[[known]]"]
    if entry.match:
        lines.append(f"match = {_quoted(entry.match)}")
    else:
        lines += ["cases = [", *(f"    {_quoted(case)}," for case in entry.cases), "]"]
    if len(entry.fingerprints) == 1:
        lines.append(f"fingerprint = {_quoted(entry.fingerprints[0])}")
    elif entry.fingerprints:
        lines += ["fingerprint = [", *(f"    {_quoted(mark)}," for mark in entry.fingerprints), "]"]
    for name in ("reason", "issue", "owner"):
        if text := getattr(entry, name):
            lines.append(f"{name} = {_quoted(text)}")
    if entry.expires is not None:
        lines.append(f"expires = {entry.expires.isoformat()}")
    if entry.iut != "*":
        lines.append(f"iut = {_quoted(entry.iut)}")
    if entry.partial:
        lines.append("partial = true")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


# -- from a saved run ----------------------------------------------------------------------------------------------


def _seen(events: Iterable[Mapping[str, Any]]) -> Iterable[tuple[str, Subject, str, tuple[str, ...]]]:
    """(implementation, subject, verdict, fingerprints) of every judged case of a run record."""
    axes: Mapping[str, str] = {}
    for event in events:
        if event["event"] == "case":
            axes = event["axes"]
        elif event["event"] == "verdict":
            parts = (event["case"], event["protocol"], event["role"], event["level"], event["requirements"])
            yield event["iut"], subject_of(*parts, axes), event["verdict"], tuple(event["fingerprints"])
            axes = {}


def updated(baseline: Baseline, events: Iterable[Mapping[str, Any]]) -> list[Known]:
    """The entries that a run needs: what still serves, and one new entry for each set of failures not yet covered."""
    seen = list(_seen(events))
    kept = prune(baseline, events=(), seen=seen)
    missing: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for iut, subject, verdict, marks in seen:
        if verdict not in {*_BASELINED, Verdict.XFAIL, Verdict.XFAIL_CHANGED}:
            continue
        naming = [e for e in kept if not e.flaky and e.names(iut, subject)]
        left = tuple(mark for mark in marks if not any(e.covers(mark) for e in naming))
        if left:
            missing.setdefault((iut, left), []).append(subject.id)
    new = [
        Known(cases=tuple(dict.fromkeys(cases)), fingerprints=marks, iut=iut) for (iut, marks), cases in missing.items()
    ]
    return [*kept, *new]


def prune(
    baseline: Baseline,
    events: Iterable[Mapping[str, Any]],
    seen: Sequence[tuple[str, Subject, str, tuple[str, ...]]] | None = None,
) -> list[Known]:
    """The entries that a run still needs. Cases listed by id are dropped one by one, patterns as a whole."""
    seen = list(_seen(events)) if seen is None else seen
    kept = []
    for entry in baseline.entries:
        if entry.flaky:
            if any(entry.names(iut, subject) for iut, subject, _, _ in seen):
                kept.append(entry)
            continue
        showing = {
            subject.id
            for iut, subject, _, marks in seen
            if entry.names(iut, subject) and any(entry.covers(mark) for mark in marks)
        }
        if showing:
            kept.append(replace(entry, cases=tuple(case for case in entry.cases if case in showing)))
    return kept


def check(baseline: Baseline, events: Iterable[Mapping[str, Any]], today: date) -> list[str]:
    """What is stale in a baseline after a run, in words; empty where nothing is."""
    seen = list(_seen(events))
    problems = [f"{entry}: expired on {entry.expires}" for entry in baseline.expired(today)]
    for entry in baseline.entries:
        named = [(subject, verdict, marks) for iut, subject, verdict, marks in seen if entry.names(iut, subject)]
        if not named:
            problems.append(f"{entry}: matches no case")
        elif not entry.flaky and not any(entry.covers(mark) for *_, marks in named for mark in marks):
            problems.append(f"{entry}: no case fails so any more")
        elif not entry.partial:
            passing = [subject.id for subject, verdict, _ in named if verdict == Verdict.XPASS]
            problems += [f"{entry}: {case} passes now" for case in passing]
    return problems

"""The baseline: known failures in a TOML file, so that only new failures make a run red.

```toml
[[known]]
match = "canal-json/insert/bigint-unsigned*"   # the grammar of -k; or cases = ["id", …]
fingerprint = "value@value.data[].{column}#1a2b3c4d"   # or a list; the part after # is optional
reason = "the encoder casts to signed"
issue = "https://issues.example/12"
owner = "team-sink"
expires = 2027-03-31
iut = "my-encoder*"                            # only for implementations of that name
partial = true                                 # some of the matching cases may pass

[[flaky]]
match = "canal-json/ddl/*"
reason = "…"
```
A case of an entry that fails in another way has *changed*; a case that passes is an unexpected pass, unless the entry
is partial. A fingerprint that no case of its entry shows any more is *gone*: it would hide a regression.
A fingerprint that ends in ` (no data)` covers a failure only while that failure neither loses nor changes data.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

from conformance.engine.burn_down import Row
from conformance.engine.fingerprints import Marks, bare, is_broken_off
from conformance.engine.outcomes import Outcome
from conformance.engine.selection import Expression, Subject
from conformance.engine.verdicts import Gate, Verdict, is_red
from conformance.errors import UsageError, file_errors
from reference_impl.protocols import DIALECTS

__all__ = ["BASELINED", "Baseline", "Known", "as_known", "read_baseline", "write_baseline"]

BASELINED = frozenset(
    {Verdict.WARN, Verdict.FAIL, Verdict.FALSE_CLAIM, Verdict.PROTOCOL_ERROR, Verdict.TIMEOUT, Verdict.CRASH}
)
"""Verdicts that an entry may excuse."""

_NO_DATA = " (no data)"


def as_known(mark: str) -> str:
    """A fingerprint in the form of `fingerprints.Marks`, as an entry writes it."""
    return bare(mark) if bare(mark) != mark or is_broken_off([mark]) else mark + _NO_DATA


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
        """Whether the entry names a case of an implementation."""
        if not fnmatchcase(iut, self.iut):
            return False
        if subject.id in self._ids:
            return True
        # A requirement names the cases written for it: most of the other cases that evaluate it pass, so the entry
        # would be stale.
        return self._expression is not None and self._expression.matches(subject._replace(evaluated=frozenset()))

    def is_elsewhere(self, protocols: Collection[str]) -> bool:
        """Whether the entry names protocols, as `PROTOCOL/…`, but none of these."""
        return bool(self._protocols) and self._protocols.isdisjoint(protocols)

    def is_within(self, protocols: Collection[str]) -> bool:
        """Whether the entry names protocols, as `PROTOCOL/…`, and only these."""
        return bool(self._protocols) and self._protocols.issubset(protocols)

    def names_no_other(self, protocols: Collection[str]) -> bool:
        """Whether the entry names no protocol, as `PROTOCOL/…`, besides these."""
        return self._protocols.issubset(protocols)

    @cached_property
    def _protocols(self) -> frozenset[str]:
        if self._expression is not None and self._expression.has_negation:
            return frozenset()  # a protocol behind `not` is one that the entry leaves out
        texts = self._expression.terms if self._expression is not None else self.cases
        return frozenset(text.partition("/")[0] for text in texts if "/" in text) & frozenset(DIALECTS)

    def covers(self, fingerprint: str) -> bool:
        """Whether the entry covers a failure, given by a fingerprint from `fingerprints.Marks`."""
        mark = bare(fingerprint)
        forms = {mark, mark.partition("#")[0]}
        if mark == fingerprint:
            forms |= {form + _NO_DATA for form in forms}
        return not forms.isdisjoint(self.fingerprints)

    def gone(self, shown: Iterable[str]) -> tuple[str, ...]:
        """The fingerprints of the entry that are not among `shown`, those of its failing cases."""
        marks = set(map(bare, shown))
        marks |= {mark.partition("#")[0] for mark in marks}
        return tuple(mark for mark in self.fingerprints if mark.removesuffix(_NO_DATA) not in marks)

    def expired(self, today: date) -> bool:
        """Whether the entry is past its last day."""
        return self.expires is not None and self.expires < today

    def __str__(self) -> str:
        return self.match or ", ".join(self.cases[:2]) + (" …" if len(self.cases) > 2 else "")


@dataclass(slots=True)
class _Seen:
    """The cases of a run that an entry names."""

    cases: set[str] = field(default_factory=set)
    """Their ids."""
    marks: set[str] = field(default_factory=set)
    """The fingerprints of their failures."""
    passing: int = 0
    failing: int = 0
    """The number that fail as the entry says."""
    changed: int = 0
    """The number that fail in another way."""
    names_a_case: bool = False
    """The entry names a case of the run."""
    is_decided: bool = True
    """Every case came to an answer."""


@dataclass(slots=True)
class Baseline:
    """The entries of a file during one run; `apply` changes outcomes by them, and records their use for `rows`."""

    entries: Sequence[Known] = ()
    _seen: dict[int, _Seen] = field(default_factory=dict)

    def is_flaky(self, iut: str, subject: Subject) -> bool:
        """Whether a case is in the flaky list."""
        return any(e.flaky and e.names(iut, subject) for e in self.entries)

    def apply(
        self, iut: str, subject: Subject, outcome: Outcome, marks: Marks, policy: Gate
    ) -> tuple[Outcome, list[Known]]:
        """The outcome after the baseline, and the entries that apply to the case.

        The entries must cover all of `marks.leading`, and may name others of `marks.above_may`. An entry that covers
        one of `marks.later` counts the case as failing, whatever the verdict.
        """
        all_naming = [i for i, e in enumerate(self.entries) if e.names(iut, subject)]
        for i in all_naming:
            self._seen_by(i).names_a_case = True
        naming = [i for i in all_naming if not self.entries[i].flaky]
        if outcome.verdict is Verdict.PASS:
            # It may break requirements that the run does not score: entries for these stay in use.
            unscored = [i for i in naming if any(map(self.entries[i].covers, marks.later))]
            self._remember(unscored, subject.id, replace(outcome, verdict=Verdict.FAIL), marks.later)
            naming = [i for i in naming if i not in unscored]
        if not naming:
            return outcome, []
        self._remember(naming, subject.id, outcome, marks.leading, (*marks.later, *marks.above_may))
        entries = [self.entries[i] for i in naming]
        if outcome.verdict is Verdict.PASS:
            expecting_failure = [e for e in entries if not e.partial]
            return (replace(outcome, verdict=Verdict.XPASS) if expecting_failure else outcome), expecting_failure
        if outcome.verdict not in BASELINED:
            return outcome, []
        applying = [e for e in entries if not e.partial or any(map(e.covers, (*marks.leading, *marks.above_may)))]
        if not applying:
            return outcome, []
        if all(any(e.covers(mark) for e in applying) for mark in marks.leading):
            return replace(outcome, verdict=Verdict.XFAIL), applying
        # A verdict that is not red stays not red when only some of its fingerprints are known.
        changed = Verdict.XFAIL_CHANGED if is_red(outcome.verdict, policy) else outcome.verdict
        return replace(outcome, verdict=changed), applying

    def _remember(
        self, naming: Iterable[int], case: str, outcome: Outcome, marks: Collection[str], also: Collection[str] = ()
    ) -> None:
        """Count a case for the entries at the positions `naming`, which name it.

        `marks` identify its failure, `also` are further fingerprints of its findings.
        """
        is_failing = outcome.verdict in BASELINED
        marks = marks if is_failing else ()
        is_decided = (is_failing or outcome.verdict is Verdict.PASS) and not is_broken_off(marks)
        marks = {*marks, *also}
        for i in naming:
            seen = self._seen_by(i)
            seen.cases.add(case)
            seen.marks.update(marks)
            seen.is_decided = seen.is_decided and is_decided
            is_covered = any(self.entries[i].covers(mark) for mark in marks)
            seen.passing += outcome.verdict is Verdict.PASS
            seen.failing += is_failing and is_covered
            seen.changed += is_failing and not is_covered

    def _seen_by(self, i: int) -> _Seen:
        return self._seen.setdefault(i, _Seen())

    def rows(self, iuts: Collection[str], protocols: Collection[str], today: date | None) -> list[Row]:
        """The account of each entry, after a run of these implementations and protocols."""
        return [self._row(i, iuts, protocols, today) for i in range(len(self.entries))]

    def _row(self, i: int, iuts: Collection[str], protocols: Collection[str], today: date | None) -> Row:
        entry, seen = self.entries[i], self._seen.get(i, _Seen())
        left = [case for case in entry.cases if case not in seen.cases]
        return {
            "entry": str(entry),
            "flaky": entry.flaky,
            "partial": entry.partial,
            "by_match": bool(entry.match),
            "reason": entry.reason,
            "issue": entry.issue,
            "owner": entry.owner,
            "expires": entry.expires.isoformat() if entry.expires else None,
            "expired": today is not None and entry.expired(today),
            "failing": seen.failing,
            "changed": seen.changed,
            "passing": seen.passing,
            "unseen": list(entry.gone(seen.marks)),
            "left": left,
            "served": seen.names_a_case,
            "decided": seen.is_decided,
            "concerned": any(fnmatchcase(name, entry.iut) for name in iuts) and not entry.is_elsewhere(protocols),
            "absent": entry.names_no_other(protocols),
        }

    def expired(self, today: date) -> list[Known]:
        """The entries past their last day; they still cover failures."""
        return [e for e in self.entries if e.expired(today)]


# -- the file ------------------------------------------------------------------------------------------------------


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


_MEMBERS: Mapping[str, Callable[[Any], bool]] = {
    "match": _is_text,
    "cases": _is_texts,
    "fingerprint": lambda value: _is_text(value) or _is_texts(value),
    "reason": _is_text,
    "issue": _is_text,
    "owner": _is_text,
    "expires": lambda value: type(value) is date,  # and no datetime
    "iut": _is_text,
    "partial": lambda value: isinstance(value, bool),
}

_NEVER_EMPTY = ("match", "cases")


def read_baseline(path: Path) -> Baseline:
    """The baseline in a file. Raises `UsageError`, naming the file and the entry, for one that cannot be used."""
    try:
        with file_errors(f"baseline {path}: cannot be read"):
            data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as e:
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
        if name in _NEVER_EMPTY and not value:
            raise UsageError(f"{place}: {name} is empty")
    if ("match" in given) == ("cases" in given):
        raise UsageError(f"{place}: one of match and cases is needed")
    if not flaky and "fingerprint" not in given:
        raise UsageError(f"{place}: fingerprint is missing; it stands in every verdict of a run record")
    marks = given.get("fingerprint", [])
    fingerprints = (marks,) if isinstance(marks, str) else tuple(marks)
    same_names = {name: value for name, value in given.items() if name not in ("cases", "fingerprint")}
    known = Known(**same_names, cases=tuple(given.get("cases", ())), fingerprints=fingerprints, flaky=flaky)
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

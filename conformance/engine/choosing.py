"""Selects the cases of a run by their ids, requirements and axes, before any case is made.

The cases that are left out are only counted, by protocol and role.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from conformance.cases.index import OUT_OF_DATE
from conformance.cases.index_rows import Entry, IndexedCases, entries_of
from conformance.cases.model import CaseHead, IndexedCase, Role, ids_of
from conformance.catalogue.register import Level, Register
from conformance.engine.selection import Expression, Selection, Shard, Subject, names_of, subject_of
from reference_impl.profiles import LATEST, Profile

__all__ = [
    "Choice",
    "Part",
    "RequirementLevels",
    "choose",
    "digest_of",
    "subject_of_entry",
    "unknown_terms",
]

Part: TypeAlias = tuple[str, Role]
"""Protocol and role."""

_STRENGTH = tuple(Level)


@dataclass(frozen=True, slots=True)
class RequirementLevels:
    """The levels of requirements under a profile; each set of requirements is looked up once."""

    register: Register
    profile: Profile
    _known: dict[tuple[str, ...], tuple[Level, frozenset[str]]] = field(default_factory=dict)

    def of(self, requirements: tuple[str, ...]) -> tuple[Level, frozenset[str]]:
        """The strongest level of the requirements of a case, and those that apply and are testable."""
        if requirements not in self._known:
            found = [(i, self.register.find(i)) for i in requirements]
            applying = [r for _, r in found if r is not None and r.applies(self.profile)]
            level = min((r.level for r in applying), key=_STRENGTH.index, default=Level.MUST)
            # An id that the register does not know stays: no assertion can carry it, so the case becomes a suite error.
            unknown = [i for i, r in found if r is None]
            self._known[requirements] = level, frozenset([*(r.id for r in applying if r.testable), *unknown])
        return self._known[requirements]


@dataclass(frozen=True, slots=True)
class Choice:
    """The selected cases. `planned` and `excluded` are numbers of the `shard`, the other members concern all shards."""

    selected: Sequence[tuple[Sequence[CaseHead], Sequence[int]]]
    """For each source its cases, and the positions of the selected ones in them, in order."""
    planned: Mapping[Part, int]
    """By protocol and role, the number of cases."""
    excluded: Mapping[Part, int]
    """By protocol and role, the number of cases that the selection leaves out."""
    digest: str
    unmatched: tuple[str, ...] = ()
    """Terms of `-k`, and ids, that match no case."""
    near: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Suggestions for unmatched terms of `-k`."""
    notes: tuple[str, ...] = ()
    """Sentences on terms that are known in part."""
    parts: tuple[Part, ...] = ()
    """Protocol and role of all planned cases."""
    shard: Shard | None = None
    total: int = 0
    """The number of planned cases of all shards."""

    @property
    def cases(self) -> Iterator[CaseHead]:
        """The selected cases."""
        return (cases[at] for cases, positions in self.selected for at in positions)

    def to_run(self) -> Mapping[Part, int]:
        """The number of selected cases."""
        return {part: n for part, planned in self.planned.items() if (n := planned - self.excluded.get(part, 0))}


def digest_of(keys: Iterable[str]) -> str:
    """The digest of a plan, from the role and id of each case: equal for equal plans."""
    return hashlib.sha256("\n".join(keys).encode()).hexdigest()


def choose(
    sources: Iterable[Sequence[CaseHead]],
    levels: Mapping[str, RequirementLevels],
    profile: Profile,
    selection: Selection,
) -> Choice:
    """Apply a selection to the cases of several sources; each source has one protocol."""
    shard, selection = selection.shard, replace(selection, shard=None)
    choosing = _Choosing(levels, profile, selection, shard)
    for cases in sources:
        if not isinstance(cases, IndexedCases) or shard is not None or selection.only is not None:
            choosing.take(cases)
        elif selection.takes_all:
            choosing.take_all(cases)
        elif selection.expression is not None and not _may_match(selection.expression, cases):
            choosing.leave_all(cases)
        else:
            choosing.take_indexed(cases)
    return choosing.choice()


def _may_match(expression: Expression, cases: IndexedCases) -> bool:
    """Whether the expression may match any of the cases; if not, they need not be parsed."""
    return expression.has_negation or any(_term_may_match(term, cases) for term in expression.terms)


def _term_may_match(term: str, cases: IndexedCases) -> bool:
    """Whether a term of `-k` may be found in the cases: all words of it stand in the index, or are roles or levels."""
    beginning, *rest = _WILDCARD(term, 1)
    if rest and not (beginning.startswith(cases.prefix) or cases.prefix.startswith(beginning)):
        return False  # a pattern for ids of another protocol
    return not term.isascii() or all(
        cases.has_text(part) or any(part in word for word in _WORDS) for part in _SEARCHED(term.lower())
    )


def _rows_that_may_match(expression: Expression | None, cases: IndexedCases) -> Iterable[tuple[Role, Any]]:
    """Role and row of each case; None for a row that no term of the expression matches, as far as its line shows.

    The ids of the requirements that a right answer evaluates are on no line.
    """
    if expression is not None and not (expression.has_negation or expression.requirements):
        words_of_terms = [_words_on_line(term, cases.protocol) for term in expression.terms]

        def may_match(line: bytes) -> bool:
            return any(all(word in line for word in words) for words in words_of_terms)

        if all(words_of_terms) and all(map(str.isascii, expression.terms)):
            return cases.rows_where(may_match)
    return ((row[0], row) for row in cases.rows)


def _words_on_line(term: str, protocol: str) -> list[bytes]:
    """The words of a term that are on the line of every case that it matches: all but those of protocol and level."""
    elsewhere = (protocol, *Level)
    return [word.encode() for word in _SEARCHED(term.lower()) if not any(word in text for text in elsewhere)]


_WILDCARD = re.compile("[*?]").split
_SEARCHED = re.compile("[a-z0-9-]+").findall
_WORDS = ("encode", "decode", *Level)


@dataclass(slots=True)
class _Choosing:
    """Builds a `Choice`, source by source: a source goes to one of the methods `take…` and `leave_all`.

    Sources of the index are read a row at a time, because most runs select few of many thousand cases.
    """

    levels: Mapping[str, RequirementLevels]
    profile: Profile
    selection: Selection
    shard: Shard | None
    selected: list[tuple[Sequence[CaseHead], Sequence[int]]] = field(default_factory=list)
    planned: Counter[Part] = field(default_factory=Counter)
    of_others: Counter[Part] = field(default_factory=Counter)
    """The planned cases of other shards."""
    excluded: Counter[Part] = field(default_factory=Counter)
    keys: list[str] = field(default_factory=list)
    """Role and id of each selected case."""
    subjects: list[Subject] = field(default_factory=list)
    """Those of the planned cases, if there is an expression."""
    sources: list[Sequence[CaseHead]] = field(default_factory=list)
    named: set[str] = field(default_factory=set)
    """The names in `selection.only` that match a planned case."""

    def take_all(self, cases: IndexedCases) -> None:
        """Select all cases of a source that have a selected role."""
        roles, selected = list(cases.roles), self.selection.roles
        positions = [at for at, role in enumerate(roles) if role in selected] if selected else range(len(roles))
        self.planned.update((cases.protocol, roles[at]) for at in positions)
        keys = list(cases.keys)
        self.keys += [keys[at] for at in positions]
        self.selected.append((cases, positions))

    def leave_all(self, cases: IndexedCases) -> None:
        """Count all cases of a source as excluded: the selection leaves the source out."""
        roles = self.selection.roles
        counts = Counter((cases.protocol, role) for role in cases.roles if not roles or role in roles)
        self.planned += counts
        self.excluded += counts
        self.sources.append(cases)

    def take_indexed(self, cases: IndexedCases) -> None:
        """Select among the cases of a source by their rows in the index."""
        selection, levels, positions = self.selection, self.levels[cases.protocol], list[int]()
        expression, roles = selection.expression, selection.roles
        needs_evaluated = expression is not None and bool(expression.requirements)
        for at, (role, row) in enumerate(_rows_that_may_match(expression, cases)):
            if roles and role not in roles:
                continue
            part = cases.protocol, role
            self.planned[part] += 1
            if row is None:
                self.excluded[part] += 1
                continue
            name, requirements, axes = row[1], tuple(row[4]), row[5]
            level, _ = levels.of(requirements)
            is_selected = level in selection.levels
            if expression is not None:
                evaluated = ids_of(cases.evaluated_of(row) or "") if needs_evaluated else _NOTHING
                subject = subject_of(cases.prefix + name, cases.protocol, role, level, requirements, axes, evaluated)
                self.subjects.append(subject)
                is_selected = is_selected and expression.matches(subject)
            if is_selected:
                positions.append(at)
                self.keys.append(f"{role} {cases.prefix}{name}")
            else:
                self.excluded[part] += 1
        self.selected.append((cases, positions))
        self.sources.append(cases)

    def take(self, cases: Sequence[CaseHead]) -> None:
        """Select among the cases of a source one by one."""
        selection, positions = self.selection, list[int]()
        for at, entry in enumerate(entries_of(cases)):
            if not selection.plans(entry) or (entry.profiles and self.profile.name not in entry.profiles):
                continue
            part = entry.protocol, entry.role
            is_held = self.shard is None or self.shard.holds(entry)
            (self.planned if is_held else self.of_others)[part] += 1
            level, _ = self.levels[entry.protocol].of(entry.requirements)
            subject = None
            if selection.expression is not None:
                subject = subject_of_entry(entry, level, with_evaluated=bool(selection.expression.requirements))
                self.subjects.append(subject)
            self.named |= selection.named(entry)
            if selection.selects(entry, level, subject):
                positions.append(at)
                self.keys.append(f"{entry.role} {entry.id}")
            elif is_held:
                self.excluded[part] += 1
        self.selected.append((cases, positions))
        self.sources.append(cases)

    def choice(self) -> Choice:
        """The finished choice."""
        unmatched, near, notes = list[str](), dict[str, tuple[str, ...]](), dict[str, str]()
        if (expression := self.selection.expression) is not None:
            notes = unknown_terms(expression, self.sources, self.levels)
            unmatched = [term for term in expression.unmatched(self.subjects) if term not in notes]
        if unmatched:  # the names of all cases take time
            names = [name for cases in self.sources for name in self._names(cases)]
            near = {term: Expression.near(term, names) for term in unmatched}
        missing = sorted((self.selection.only or frozenset()) - self.named)
        return Choice(
            selected=self.selected,
            planned=self.planned,
            excluded=self.excluded,
            digest=digest_of(self.keys),
            unmatched=(*unmatched, *missing),
            near=near,
            notes=tuple(notes.values()),
            parts=self._parts(),
            shard=self.shard,
            total=self.planned.total() + self.of_others.total(),
        )

    def _parts(self) -> tuple[Part, ...]:
        """The parts of all shards, by protocol in the order of the sources, the encoder's first."""
        parts = {**self.planned, **self.of_others}
        return tuple((p, role) for p in self.levels for role in _ROLES if (p, role) in parts)

    def _names(self, cases: Sequence[CaseHead]) -> Iterable[str]:
        """The names by which the planned cases of a source are known."""
        if isinstance(cases, IndexedCases):
            return cases.vocabulary(self.selection.roles)
        planned = [case for case in cases if self.selection.plans(case)]
        return names_of(subject_of_entry(case, self.levels[case.protocol].of(case.requirements)[0]) for case in planned)


_NOTHING = frozenset[str]()
_ROLES: tuple[Role, ...] = ("encode", "decode")


def subject_of_entry(entry: Entry | CaseHead, level: Level, *, with_evaluated: bool = True) -> Subject:
    """The subject of a case for `-k` and the baseline.

    `with_evaluated` adds the requirements that a right answer evaluates.
    """
    evaluated = entry.found_by if with_evaluated and isinstance(entry, Entry | IndexedCase) else frozenset[str]()
    return subject_of(entry.id, entry.protocol, entry.role, level, entry.requirements, entry.axes, evaluated)


def unknown_terms(
    expression: Expression, sources: Iterable[Sequence[CaseHead]], levels: Mapping[str, RequirementLevels]
) -> dict[str, str]:
    """The terms that are ids of requirements whose evaluating cases are unknown, each with a sentence that says why.

    Either the case index says it of no case of the protocol, or the requirement applies only to earlier releases and
    the index is of the newest.
    """
    if not expression.requirements:
        return {}
    reasons: dict[str, str] = {}
    for case in (entry for cases in sources for entry in entries_of(cases)):
        if reasons.get(case.protocol) != "":  # "" once they are known for one case of the protocol
            reasons[case.protocol] = _unknown_because(case)
    sentences = {}
    for term, written in expression.requirements.items():
        for protocol, reason in reasons.items():
            requirement, profile = levels[protocol].register.find(written), levels[protocol].profile
            if requirement is None or not requirement.applies(profile):
                continue
            if not reason and not requirement.applies(replace(profile, release=LATEST)):
                reason = "the case index is of the newest release, and it applies only to earlier ones"
            if reason:
                note = f"{term} stands for the cases that were written for it; which others evaluate it is not known: "
                sentences[term] = note + reason
    return sentences


def _unknown_because(case: Entry | CaseHead) -> str:
    """Why the requirements that a right answer evaluates are unknown, or ""."""
    if not isinstance(case, Entry | IndexedCase):
        return "these cases are not of the case index"
    return OUT_OF_DATE if case.evaluated is None else ""

"""The selection of cases: `-k` expressions, and the other filters of `run`.

The grammar is that of pytest's `-k`: `canal and (unsigned or decimal) and not decode`. A term is searched, in any
letter case, in the id, protocol, role, level, requirement ids and axes (`null=yes`) of a case. The whole id of a
requirement (`CJ-388`) selects every case that evaluates it. A term with `*` or `?` is a pattern for the whole id of a
case. A term with blanks or parentheses is put in double quotes.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import NamedTuple, TypeAlias

from conformance.cases.index_rows import Entry
from conformance.cases.model import CaseHead, Role
from conformance.catalogue.register import Level
from conformance.errors import UsageError
from conformance.nearest import nearest

__all__ = ["Expression", "Selection", "Shard", "Subject", "names_of", "subject_of"]


class Subject(NamedTuple):
    """A case as `-k` and the baseline search it."""

    id: str
    text: str
    """Its words in lower case, each between line feeds."""
    evaluated: frozenset[str] = frozenset()
    """The ids of the requirements that a right answer evaluates, as far as they are known."""


def subject_of(
    case_id: str,
    protocol: str,
    role: str,
    level: str,
    requirements: Iterable[str],
    axes: Mapping[str, str],
    evaluated: frozenset[str] = frozenset(),
) -> Subject:
    """The subject of a case, from members that a run record has too."""
    words = ("", case_id, protocol, role, level, *requirements, *[f"{n}={v}" for n, v in axes.items()], "")
    return Subject(case_id, "\n".join(words).lower(), evaluated)


def names_of(subjects: Iterable[Subject]) -> list[str]:
    """The words by which cases can be found: parts of their ids, the ids of requirements, axes; each once."""
    names: dict[str, None] = {}
    evaluated: set[frozenset[str]] = set()
    for subject in subjects:
        case_id, *words = subject.text[1:-1].split("\n")
        names.update(dict.fromkeys(case_id.replace(" ", "/").split("/")))
        names.update(dict.fromkeys(words))
        evaluated.add(subject.evaluated)
    names.update(dict.fromkeys(sorted(frozenset[str]().union(*evaluated))))
    return list(dict.fromkeys(map(_as_written, names)))


_Test: TypeAlias = Callable[[Subject], bool]

_EVERYWHERE = ("encode", "decode", *Level)
_REQUIREMENT = re.compile("[a-z]+-[0-9]{3}[a-z]*")
_DEEPEST = 100
_TOKEN = re.compile(r'\s*(?:"([^"]*)"|([()])|([^\s()"]+))')


def _term(text: str) -> _Test:
    if "*" in text or "?" in text:
        # A case id may hold brackets, which are no special characters here.
        pattern = text.replace("[", "[[]")
        return lambda subject: fnmatchcase(subject.id, pattern)
    needle = text.lower()
    if _REQUIREMENT.fullmatch(needle):
        # Among requirements it matches only that one: CJ-034 does not match CJ-034b. In the id of a case it is searched
        # like any other term.
        written, word = _as_written(needle), f"\n{needle}\n"
        return lambda s: written in s.evaluated or word in s.text or needle in s.id.lower()
    return lambda subject: needle in subject.text


def _as_written(word: str) -> str:
    """A word of a subject in its usual letter case: `CJ-040b`."""
    series, dash, rest = word.partition("-")
    return f"{series.upper()}{dash}{rest}" if _REQUIREMENT.fullmatch(word) else word


class Expression:
    """A parsed `-k` expression. Raises `UsageError` for text that cannot be parsed."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.terms: dict[str, _Test] = {}
        self.has_negation = False
        """Whether the expression has a `not`; if it has none, only a matching term makes it true."""
        self._tokens = list(self._split())
        self._next, self._depth = 0, 0
        self._test = self._any()
        if self._next < len(self._tokens):
            raise self._error(f"{self._tokens[self._next][1]!r} is not expected here")

    def matches(self, subject: Subject) -> bool:
        """Whether the expression is true for a case."""
        return self._test(subject)

    def unmatched(self, subjects: Sequence[Subject]) -> list[str]:
        """The terms that match no case: most likely misspelled."""
        return [text for text, test in self.terms.items() if not any(map(test, subjects))]

    @property
    def requirements(self) -> Mapping[str, str]:
        """The terms that look like the whole id of a requirement, with its usual spelling."""
        return {term: _as_written(term.lower()) for term in self.terms if _REQUIREMENT.fullmatch(term.lower())}

    @staticmethod
    def near(term: str, names: Iterable[str]) -> tuple[str, ...]:
        """Suggestions for a term that matches no case, from the words by which cases can be found."""
        return nearest(term, (*names, *(word for word in _EVERYWHERE if word != term.lower())))

    def _split(self) -> Iterable[tuple[str, str]]:
        """(`word`, text) of a term, or twice the text of a keyword or parenthesis."""
        text, position = self.text.rstrip(), 0
        while position < len(text):
            token = _TOKEN.match(text, position)
            if not token:
                raise self._error("a double quote is not closed")
            quoted, parenthesis, word = token.groups()
            keyword = parenthesis or (word if word in ("and", "or", "not") else None)
            yield (keyword, keyword) if keyword else ("word", word if quoted is None else quoted)
            position = token.end()

    def _error(self, problem: str) -> UsageError:
        return UsageError(f"-k {self.text!r}: {problem}; it looks like: canal and (unsigned or decimal) and not decode")

    def _take(self, kind: str) -> str | None:
        """Consume the next token if it is of this kind (see `_split`), and return its text."""
        if self._next < len(self._tokens) and self._tokens[self._next][0] == kind:
            self._next += 1
            return self._tokens[self._next - 1][1]
        return None

    def _any(self) -> _Test:
        """Operands joined by `or`."""
        tests = [self._all()]
        while self._take("or"):
            tests.append(self._all())
        return tests[0] if len(tests) == 1 else lambda subject: any(test(subject) for test in tests)

    def _all(self) -> _Test:
        """Operands joined by `and`."""
        tests = [self._one()]
        while self._take("and"):
            tests.append(self._one())
        return tests[0] if len(tests) == 1 else lambda subject: all(test(subject) for test in tests)

    def _one(self) -> _Test:
        """An operand, unless it is nested too deeply for Python's stack."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._error("it is nested too deeply")
        test = self._operand()
        self._depth -= 1
        return test

    def _operand(self) -> _Test:
        """A term, an expression in parentheses, or either after `not`."""
        if self._take("not"):
            self.has_negation = True
            test = self._one()
            return lambda subject: not test(subject)
        if self._take("("):
            test = self._any()
            if not self._take(")"):
                raise self._error("a parenthesis is not closed")
            return test
        word = self._take("word")
        if not word:
            raise self._error("a term is missing")
        return self.terms.setdefault(word, _term(word))


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of a run: number `index` (from 1) of `count`. The id and role of a case decide its shard."""

    index: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """`2/4`. Raises `UsageError`."""
        match = re.fullmatch("([0-9]{1,9})/([0-9]{1,9})", text)
        if not match or not 1 <= int(match[1]) <= int(match[2]):
            raise UsageError(f"--shard {text!r}: it looks like 2/4, the second of four parts")
        return cls(int(match[1]), int(match[2]))

    def holds(self, case: Entry | CaseHead) -> bool:
        """Whether a case is in this shard."""
        digest = hashlib.sha256(f"{case.role} {case.id}".encode()).digest()
        return int.from_bytes(digest[:8], "big") % self.count == self.index - 1


_LEVELS: Mapping[Level, frozenset[Level]] = {
    Level.MUST: frozenset({Level.MUST}),
    Level.SHOULD: frozenset({Level.MUST, Level.SHOULD}),
    Level.MAY: frozenset(Level),
}


@dataclass(frozen=True, slots=True)
class Selection:
    """The selection of a user; empty members select all.

    `protocols`, `roles` and `shard` narrow the plan; `expression`, `level` and `only` (ids, opaque ids or replay ids of
    cases; None selects all) leave cases planned but `excluded`.
    """

    protocols: tuple[str, ...] = ()
    roles: tuple[Role, ...] = ()
    shard: Shard | None = None
    expression: Expression | None = None
    level: Level = Level.MAY
    only: frozenset[str] | None = None

    @property
    def is_whole(self) -> bool:
        """Whether no case is left out: only then can a run show that an entry of the baseline matches no case."""
        return self == Selection()

    @property
    def takes_all(self) -> bool:
        """Whether every case of the selected protocols and roles is selected."""
        return self == Selection(protocols=self.protocols, roles=self.roles)

    @property
    def levels(self) -> frozenset[Level]:
        """The selected levels of cases."""
        return _LEVELS[self.level]

    def plans(self, case: Entry | CaseHead) -> bool:
        """Whether a case belongs to the plan."""
        return (
            (not self.protocols or case.protocol in self.protocols)
            and (not self.roles or case.role in self.roles)
            and (self.shard is None or self.shard.holds(case))
        )

    def selects(self, case: Entry | CaseHead, level: Level, subject: Subject | None) -> bool:
        """Whether a planned case is not `excluded`; its subject matters only to an expression."""
        if self.expression is not None and subject is not None and not self.expression.matches(subject):
            return False
        return level in self.levels and (self.only is None or bool(self.named(case)))

    def named(self, case: Entry | CaseHead) -> frozenset[str]:
        """The names in `only` that match a case."""
        if not self.only:
            return frozenset()
        # Opaque ids and replay ids have no slash; they are only computed if one is selected, as that takes time. The
        # replay id of a saved case is its file, which needs no computing.
        has_digests = any("/" not in name for name in self.only)
        return self.only & ({case.id, case.opaque_id, case.replay_id} if has_digests else {case.id, case.saved_in})

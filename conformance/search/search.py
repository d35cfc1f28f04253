"""The search: runs random inputs from a seed, and shrinks those that show a fault.

A search of one protocol and role goes in rounds. A round looks for a fault with an unknown mark (the fingerprint of a
finding, or the end of a crash), keeps that mark while it shrinks the input, and ends; the next looks for others. One
seed and number of examples always give the same search, unless the implementation varies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from hypothesis import HealthCheck, Phase, Verbosity, assume, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky, Unsatisfiable

from conformance.cases.corpora import started
from conformance.cases.inputs import Input
from conformance.cases.model import Case, Role
from conformance.cases.negatives.drawn import changed
from conformance.cases.requests import input_digest
from conformance.engine.outcomes import Outcome
from conformance.engine.verdicts import Verdict
from conformance.errors import ImplementationError
from conformance.search.drawn import Drawn
from conformance.search.inputs import inputs
from conformance.search.malformed import Damaged, damaged_inputs, smaller_damaged
from conformance.search.marks import marks_of
from conformance.search.reduction import smaller
from conformance.search.scope import EVERYTHING, Scope
from conformance.search.spaces import is_refused, questions
from conformance.search.steadiness import without_constants_of_modules
from reference_impl.model import RowChange, Value
from reference_impl.profiles import Profile

__all__ = ["Asker", "CounterExample", "Search"]

Asker: TypeAlias = Callable[[Case], "Outcome | None"]
"""Runs a case and returns the outcome; None if the case needs something undeclared.

It raises `ImplementationError` when the implementation is lost.
"""

_MOST_HANGS = 25
"""Time-outs in one round after which it ends with what it has."""

_NOT_JUDGED = frozenset({Verdict.EXCLUDED, Verdict.UNSUPPORTED})
_NO_FAULT = frozenset({Verdict.PASS}) | _NOT_JUDGED

Size: TypeAlias = tuple[int, int, int, int]

Given: TypeAlias = Input | Damaged
"""A drawn example: an input, or one whose records are changed in one place before a decoder gets them."""


@dataclass(frozen=True, slots=True)
class CounterExample:
    """The smallest case found that shows a fault, and the first one.

    `mark` distinguishes the fault; `after` is the number of examples before it was found, `steps` the number of inputs
    tried to shrink it. `unsteady`: run again, the same case did not show the fault.
    """

    case: Case
    mark: str
    outcome: Outcome
    first: Case
    after: int
    steps: int
    unsteady: bool = False


class _Shown(Exception):
    """The input shows the fault that the round pursues."""


class _Enough(KeyboardInterrupt):
    """The round ends here. It must be a `KeyboardInterrupt`: Hypothesis would take any other for a fault."""


def _length(value: Value) -> int:
    return len(value) if isinstance(value, (str, bytes)) else 1 if value is not None else 0


def size_of(case: Case) -> Size:
    """(events, columns, options, characters of the values): the smallest counter-example is the best."""
    rows = [row for e in case.events if isinstance(e, RowChange) for row in (e.before, e.after) if row]
    columns = sum(len(table.columns) for table in case.tables)
    return len(case.events), columns, len(case.options), sum(_length(value) for row in rows for value in row.values())


@dataclass(slots=True)
class _Round:
    """One round: the mark it pursues, once known, and the smallest case that showed it."""

    known: frozenset[str]
    mark: str = ""
    best: tuple[Given, Case, Outcome] | None = None
    first: Case | None = None
    examples: int = 0
    steps: int = 0
    hangs: int = 0

    def see(self, given: Given, case: Case, outcome: Outcome) -> bool:
        """Whether the input's case shows the fault that the round pursues."""
        marks = () if outcome.verdict in _NO_FAULT else marks_of(outcome, case.role, self.known)
        if not self.mark:
            self.examples += 1
            self.mark = next((mark for mark in marks if mark not in self.known), "")
            self.first = case
        else:
            self.steps += 1
        if not self.mark or self.mark not in marks:
            return False
        if self.best is None or size_of(case) <= size_of(self.best[1]):
            self.best = given, case, outcome
        self.hangs += outcome.verdict is Verdict.TIMEOUT
        return True


@dataclass(slots=True)
class Search:
    """A search for one protocol and role, under a profile."""

    ask: Asker
    protocol: str
    role: Role
    profile: Profile
    seed: int
    examples: int
    """The largest number of examples."""
    is_over: Callable[[], bool] = lambda: False
    """The search ends once this returns true."""
    scope: Scope = EVERYTHING
    """What the implementation declares: inputs are drawn from it."""
    malformed: bool = False
    """A decoder gets records that are changed in one place; the change decides what the case expects."""
    known: set[str] = field(default_factory=set)
    """The marks of faults that are not pursued; the search adds those it finds.

    Searches of one protocol and role that share the set report each fault once.
    """
    tried: int = 0
    """The number of examples run outside of shrinking."""
    judged: int = 0
    """The number of those with an answer."""
    interrupted: bool = False
    lost: str = ""
    """Why the implementation was given up; empty if it was not."""
    drawn: Drawn = field(init=False)
    """Counts the content of the examples."""

    def __post_init__(self) -> None:
        self.drawn = Drawn(self.protocol)

    def run(self) -> Iterator[CounterExample]:
        """The faults found, each as small as it gets, as they are found.

        Ctrl-C ends it: the fault of the round in progress is still yielded, and `interrupted` is set.
        """
        number = 0
        while self.tried < self.examples and not (self.interrupted or self.lost or self.is_over()):
            found = self._round(number)
            if found is None:
                return
            number += 1
            self.known.update(marks_of(found.outcome, self.role))
            yield found

    def _case(self, given: Given) -> Case | None:
        """The case of this role for the input, under this profile."""
        if isinstance(given, Damaged):
            legal = self._legal(given.legal)
            case = changed(legal, given.change) if legal is not None else None
        else:
            case = self._legal(given)
        if case is None:
            return None
        axes = {**case.axes, "search": f"seed {self.seed}"}
        return replace(case, id=f"{self.protocol}/search/{input_digest(case)[:12]}", source="search", axes=axes)

    def _legal(self, given: Input) -> Case | None:
        given = started(given)
        if is_refused(self.protocol, given):
            return None
        asked = (c for c in questions(self.protocol, given) if c.role == self.role)
        return next((c for c in asked if not c.profiles or self.profile.name in c.profiles), None)

    def _round(self, number: int) -> CounterExample | None:
        state = _Round(frozenset(self.known))
        unsteady = False
        try:
            try:
                with without_constants_of_modules():
                    self._examine(state, number)
            except (_Shown, Unsatisfiable):
                self._reduce(state)
            except Flaky:
                unsteady = True
        except _Enough:
            pass
        except KeyboardInterrupt:
            self.interrupted = True
        self.tried += state.examples
        if state.best is None or state.first is None:
            return None
        _, case, outcome = state.best
        return CounterExample(case, state.mark, outcome, state.first, self.tried, state.steps, unsteady)

    def _examine(self, state: _Round, number: int) -> None:
        @seed(self.seed * 1000 + number)
        @settings(
            max_examples=self.examples - self.tried,
            database=None,
            deadline=None,
            verbosity=Verbosity.quiet,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
            print_blob=False,
        )
        @given(self._strategy())
        def examine(given: Given) -> None:
            shown = self._shows(state, given)
            assume(shown is not None)
            if shown:
                raise _Shown

        examine()

    def _reduce(self, state: _Round) -> None:
        """Remove parts of the best input, as long as any can be removed."""
        found = True
        while found and state.best is not None:
            found = any(self._shows(state, candidate) for candidate in _smaller(state.best[0]))

    def _shows(self, state: _Round, given: Given) -> bool | None:
        """Whether the input shows the fault that the round pursues; None if it cannot run."""
        if self.is_over() or state.hangs >= _MOST_HANGS:
            raise _Enough
        case = self._case(given)
        outcome = self._outcome(case) if case is not None else None
        if case is None or outcome is None:
            return None
        if not state.mark and outcome.verdict not in _NOT_JUDGED:
            self.judged += 1
            self.drawn.count(case)
        return state.see(given, case, outcome)

    def _outcome(self, case: Case) -> Outcome | None:
        try:
            return self.ask(case)
        except ImplementationError as e:
            self.lost = str(e)
            raise _Enough from None

    def _strategy(self) -> st.SearchStrategy[Given]:
        return damaged_inputs(self.protocol, self.scope) if self.malformed else inputs(self.protocol, self.scope)


def _smaller(given: Given) -> Iterator[Given]:
    return smaller_damaged(given) if isinstance(given, Damaged) else smaller(given)

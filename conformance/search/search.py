"""The search: runs random inputs from a seed, and shrinks those that show a failure.

A search of one protocol and role goes in rounds. A round runs inputs until one shows a failure with an unknown mark
(the fingerprint of a finding, or the end of a crash), and shrinks that input as long as it shows the mark; the next
round looks for other marks. The same seed and number of examples give the same search, unless the implementation
varies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from hypothesis import HealthCheck, Phase, Verbosity, assume, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Flaky, Unsatisfiable

from conformance.cases.corpora import with_start_times
from conformance.cases.inputs import Input
from conformance.cases.model import Case, Role
from conformance.cases.negatives.drawn import changed
from conformance.cases.requests import input_digest
from conformance.engine.outcomes import Outcome
from conformance.engine.verdicts import Verdict
from conformance.errors import ImplementationError
from conformance.search.determinism import without_constants_of_modules
from conformance.search.draw_counts import DrawCounts
from conformance.search.inputs import inputs
from conformance.search.malformed import ChangedInput, changed_inputs, smaller_changed_inputs
from conformance.search.marks import failure_marks
from conformance.search.reduction import smaller
from conformance.search.scope import EVERYTHING, Scope
from conformance.search.spaces import input_cases, is_refused
from reference_impl.model import RowChange, Value
from reference_impl.profiles import Profile

__all__ = ["CounterExample", "Execute", "Search"]

Execute: TypeAlias = Callable[[Case], "Outcome | None"]
"""Runs a case and returns the outcome; None if the case needs something undeclared.

It raises `ImplementationError` when the implementation is lost.
"""

_MOST_HANGS = 25
"""A round ends, with what it has found, after so many time-outs that show its mark."""

_MOST_UNASKED = 100
"""A search ends after so many inputs if it could ask the implementation none of them."""

_NOT_JUDGED = frozenset({Verdict.EXCLUDED, Verdict.UNSUPPORTED})
_NO_FAULT = frozenset({Verdict.PASS}) | _NOT_JUDGED

Size: TypeAlias = tuple[int, int, int, int]
"""Numbers of events, columns, options, and characters of the values; compared in this order."""

Example: TypeAlias = Input | ChangedInput
"""A drawn example: an input, or one whose records are changed in one place before a decoder gets them."""


@dataclass(frozen=True, slots=True)
class CounterExample:
    """The smallest case found that shows a failure."""

    case: Case
    mark: str
    """Distinguishes the failure: see `marks`."""
    outcome: Outcome
    first: Case
    """The first case that showed it, before shrinking."""
    after: int
    """The number of examples run until it was found."""
    steps: int
    """The number of inputs run to shrink it."""
    unsteady: bool = False
    """The same case did not show the failure when it was run again."""


class _MarkShown(Exception):
    """An example shows the mark of the round."""


class _RoundOver(KeyboardInterrupt):
    """Ends the round. It is a `KeyboardInterrupt` because Hypothesis would take another exception for a failure."""


def _length(value: Value) -> int:
    if value is None:
        return 0
    return len(value) if isinstance(value, (str, bytes)) else 1


def size_of(case: Case) -> Size:
    """The size of a case: the smallest counter-example is the best."""
    rows = [row for e in case.events if isinstance(e, RowChange) for row in (e.before, e.after) if row]
    columns = sum(len(table.columns) for table in case.tables)
    return len(case.events), columns, len(case.options), sum(_length(value) for row in rows for value in row.values())


@dataclass(slots=True)
class _Round:
    """The state of one round."""

    known: frozenset[str]
    """Marks that the round ignores."""
    mark: str = ""
    """The mark of the round; "" until an example shows an unknown one."""
    best: tuple[Example, Case, Outcome] | None = None
    """The smallest example that showed it, with its case and outcome."""
    first: Case | None = None
    """The case of the first example that showed it; before that, of the last example."""
    examples: int = 0
    """The examples run until one showed it."""
    steps: int = 0
    """The examples run to shrink it."""
    hangs: int = 0
    """The time-outs that showed it."""

    def add(self, example: Example, case: Case, outcome: Outcome) -> bool:
        """Add an outcome to the round; whether it shows the mark of the round.

        Until a mark is known, the outcome may set it; later outcomes are steps of shrinking.
        """
        marks = () if outcome.verdict in _NO_FAULT else failure_marks(outcome, case.role, self.known)
        if not self.mark:
            self.examples += 1
            self.mark = next((mark for mark in marks if mark not in self.known), "")
            self.first = case
        else:
            self.steps += 1
        if not self.mark or self.mark not in marks:
            return False
        if self.best is None or size_of(case) <= size_of(self.best[1]):
            self.best = example, case, outcome
        self.hangs += outcome.verdict is Verdict.TIMEOUT
        return True


@dataclass(slots=True)
class Search:
    """A search for one protocol and role, under a profile."""

    execute: Execute
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
    """A decoder gets records that are changed in one place; the change decides the expectation of the case."""
    known: set[str] = field(default_factory=set)
    """The marks of failures that are ignored; the search adds those that it finds.

    Searches of one protocol and role that share the set report each failure once.
    """
    tried: int = 0
    """The number of examples run outside of shrinking."""
    judged: int = 0
    """The number of those that the implementation did not decline."""
    interrupted: bool = False
    lost: str = ""
    """Why the implementation was given up; empty if it was not."""
    unasked: int = 0
    """The number of inputs that could not be run, until one was."""
    draw_counts: DrawCounts = field(init=False)
    """What the examples contained."""

    def __post_init__(self) -> None:
        self.draw_counts = DrawCounts(self.protocol)

    def run(self) -> Iterator[CounterExample]:
        """Yields a counter-example for each failure as soon as it is found and shrunk.

        Ctrl-C ends it: the failure of the current round is still yielded, and `interrupted` is set.
        """
        number = 0
        while self.tried < self.examples and not (self.interrupted or self.lost or self.is_over()):
            found = self._round(number)
            if found is None:
                return
            number += 1
            self.known.update(failure_marks(found.outcome, self.role))
            yield found

    def _case(self, example: Example) -> Case | None:
        """The case of this role and profile for an example; None if there is none."""
        if isinstance(example, ChangedInput):
            unchanged = self._unchanged_case(example.original)
            case = changed(unchanged, example.change) if unchanged is not None else None
        else:
            case = self._unchanged_case(example)
        if case is None:
            return None
        axes = {**case.axes, "search": f"seed {self.seed}"}
        return replace(case, id=f"{self.protocol}/search/{input_digest(case)[:12]}", source="search", axes=axes)

    def _unchanged_case(self, input_: Input) -> Case | None:
        """The case of this role and profile for an input with unchanged records; None if there is none."""
        complete = with_start_times(input_)
        if is_refused(self.protocol, complete):
            return None
        cases = (c for c in input_cases(self.protocol, complete) if c.role == self.role)
        return next((c for c in cases if not c.profiles or self.profile.name in c.profiles), None)

    def _round(self, number: int) -> CounterExample | None:
        state = _Round(frozenset(self.known))
        unsteady = False
        try:
            try:
                with without_constants_of_modules():
                    self._examine(state, number)
            except (_MarkShown, Unsatisfiable):
                self._reduce(state)
            except Flaky:
                unsteady = True
        except _RoundOver:
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
        def examine(example: Example) -> None:
            shown = self._shows(state, example)
            assume(shown is not None)
            if shown:
                raise _MarkShown

        examine()

    def _reduce(self, state: _Round) -> None:
        """Shrink the best example further, until no example that is smaller by one part shows the mark."""
        has_shrunk = True
        while has_shrunk and state.best is not None:
            best_example, _, _ = state.best
            has_shrunk = any(self._shows(state, smaller_one) for smaller_one in _smaller_examples(best_example))

    def _shows(self, state: _Round, example: Example) -> bool | None:
        """Whether the example shows the mark of the round; None if it cannot run. Raises `_RoundOver`."""
        if self.is_over() or state.hangs >= _MOST_HANGS:
            raise _RoundOver
        case = self._case(example)
        outcome = self._outcome(case) if case is not None else None
        if case is None or outcome is None:
            self.unasked += 1
            if self.unasked >= _MOST_UNASKED and not self.tried and not state.examples:
                raise _RoundOver
            return None
        if not state.mark and outcome.verdict not in _NOT_JUDGED:
            self.judged += 1
            self.draw_counts.count(case)
        return state.add(example, case, outcome)

    def _outcome(self, case: Case) -> Outcome | None:
        try:
            return self.execute(case)
        except ImplementationError as e:
            self.lost = str(e)
            raise _RoundOver from None

    def _strategy(self) -> st.SearchStrategy[Example]:
        return changed_inputs(self.protocol, self.scope) if self.malformed else inputs(self.protocol, self.scope)


def _smaller_examples(example: Example) -> Iterator[Example]:
    return smaller_changed_inputs(example) if isinstance(example, ChangedInput) else smaller(example)

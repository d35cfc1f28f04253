"""The judge: compares an answer with the expectation of its case.

The result is a `Judgement`: the requirements whose assertions ran, and the findings. A `ProtocolOracle` has all that
depends on the protocol. `arranged` prepares the expectation of a case; `answered_events` and `answered_records` compare
answers; `comparison` compares two trees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from conformance.cases.model import (
    Case,
    Expectation,
    ExpectedAnswer,
    ExpectedEvents,
    ExpectedOneOf,
    ExpectedRecords,
    ExpectedRejection,
)
from conformance.catalogue.register import Register
from conformance.errors import SuiteError
from conformance.oracle.answered_events import judge_events
from conformance.oracle.answered_records import judge_records
from conformance.oracle.arranged import CaseExpectation, readings_of
from conformance.oracle.comparison import Comparison
from conformance.oracle.faults import faults_of
from conformance.oracle.findings import Judgement
from conformance.oracle.leniency import harm_of_acceptance
from conformance.oracle.perfect import is_perfect, perfect_answer
from conformance.oracle.rulebook import RuleBook
from conformance.oracle.rules import Delivery, ProtocolOracle, Reading
from conformance.oracle.tree import Kind
from conformance.oracle.weights import grade, lightest, weight_of
from reference_impl.errors import Rejected, RejectionClass
from reference_impl.options import parse
from reference_impl.profiles import PROFILES, Profile
from reference_impl.protocols import CODECS
from reference_impl.registry import MemoryRegistry

__all__ = ["Judge"]


class Judge:
    """Judges answers of one protocol under one profile.

    With `remembers` the judge makes the expectation of a case once and keeps it, for callers that judge many answers to
    the same `Case` objects.
    """

    def __init__(
        self, oracle: ProtocolOracle, register: Register, profile: Profile, *, remembers: bool = False
    ) -> None:
        self._oracle = oracle
        self._profile = profile
        self._requirements = register.requirements
        self._rules = RuleBook(oracle, register, profile)
        self._remembers = remembers
        self._remembered: dict[int, CaseExpectation] = {}  # by `id` of a case
        # By `id` of a case with `ExpectedOneOf`: the case, and the same case with all events expected.
        self._whole: dict[int, tuple[Case, Case]] = {}

    # -- expectation ---------------------------------------------------------------------------------------------

    def expectation(self, case: Case) -> Expectation:
        """The expectation that the case states, or the one that the reference makes of the case's events.

        Raises `SuiteError` where the reference refuses a case that does not expect a rejection.
        """
        if case.expected is not None:
            return case.expected
        options = self._options(case)
        if case.role == "decode":
            style = self._style(case)
            deliveries = self._oracle.deliveries(case, options, style)
            return ExpectedEvents(tuple(self._oracle.expected_event(d, case, options, style) for d in deliveries))
        registry = MemoryRegistry(case.schemas)
        settings = replace(case.settings, registry=registry)
        encoder = CODECS[case.protocol].encoder(options, self._profile, settings=settings)
        try:
            encoded = encoder.encode(case.events, case.tables)
        except Rejected as e:
            raise SuiteError(f"case {case.id}: the reference refuses it ({e.reason}: {e.message})") from None
        return ExpectedRecords(encoded.records, encoded.claims, tuple(registry.requests))

    def expected_records(self, case: Case) -> ExpectedRecords:
        """The records that a case expects from an encoder; empty for an expected rejection, and for a decoder."""
        expected = self._expected(case)
        return expected if isinstance(expected, ExpectedRecords) else ExpectedRecords(())

    def _options(self, case: Case) -> Any:
        kind = CODECS[case.protocol].options
        try:
            return parse(kind, case.options)
        except Rejected:
            if isinstance(case.expected, ExpectedRejection):
                return kind()  # the options themselves must be refused
            raise

    def _style(self, case: Case) -> Profile:
        """The profile whose style the records of a decode case have."""
        return self._profile if case.style in ("", self._profile.name) else PROFILES[case.style]

    # -- judging -------------------------------------------------------------------------------------------------

    def perfect(self, case: Case) -> frozenset[str] | None:
        """The requirements that the perfect answer to a case evaluates; they let `judge` skip a perfect answer.

        They depend only on the case, the profile and the register, so they can be kept. None if the perfect answer has
        findings or the suite cannot make the expectation: then `judge` must compare every answer.
        """
        try:
            judgement = self.judge(case, perfect_answer(self.expectation(case)))
        except SuiteError:
            return None
        return None if judgement.findings else frozenset(judgement.evaluated)

    def judge(self, case: Case, answer: Mapping[str, Any], *, perfect: frozenset[str] | None = None) -> Judgement:
        """Judge the answer (`{"ok": …}` or `{"rejected": …}`) to a case; `{"error": …}` is a crash.

        `ok` also holds the registrations of the implementation: `schemas`, a list of `id`, `subject` and `schema` in
        the order of the requests. `perfect` is the result of `perfect(case)` under this profile and register: with it
        an answer that equals the expectation is judged without being compared, with the same judgement.
        Raises `SuiteError` where the suite's own expectation cannot be read.
        """
        if isinstance(case.expected, ExpectedOneOf):
            return self._judge_one_of(case, case.expected, answer)
        expected = self._expected(case)
        if perfect is not None and is_perfect(expected, answer):
            return Judgement(set(perfect))
        comparison = Comparison(self._oracle, self._rules, self._profile, case, self._options(case))
        expectation = self._prepared(case, comparison.options, expected)
        if "error" in answer or isinstance(expected, ExpectedAnswer):
            _judge_any_answer(comparison, answer)
        elif isinstance(expected, ExpectedRejection):
            self._judge_rejection(comparison, expected, answer)
        elif "rejected" in answer:
            comparison.blame_answer(Kind.REFUSED, "an answer", answer["rejected"])
        elif isinstance(expected, ExpectedEvents):
            judge_events(comparison, expected, expectation.deliveries, answer["ok"]["events"])
        elif isinstance(expected, ExpectedRecords):
            judge_records(comparison, expected, expectation, answer["ok"])
        return comparison.judgement

    def _judge_one_of(self, case: Case, expected: ExpectedOneOf, answer: Mapping[str, Any]) -> Judgement:
        """The lightest of the judgements by each expectation that the case allows.

        The requirements of the case count as evaluated where the answer fulfils one expectation.
        """
        whole = self._with_all_events(case)
        if "rejected" in answer and expected.classes:
            judgement = self.judge(replace(case, expected=ExpectedRejection(expected.classes)), answer)
        elif "ok" not in answer:
            judgement = self.judge(whole, answer)
        else:
            events = answer["ok"]["events"]
            judgements = [self._judge_without(whole, positions, events) for positions in expected.without]
            judgement = lightest(judgements, self._requirements)
            if grade(weight_of(f, self._requirements[f.requirement]) for f in judgement.findings) == "pass":
                judgement.evaluated.update(case.requirements)
        return judgement

    def _with_all_events(self, case: Case) -> Case:
        """The case with all of its events expected."""
        if not self._remembers:
            return replace(case, expected=None)
        if id(case) not in self._whole:
            self._whole[id(case)] = case, replace(case, expected=None)
        _, whole = self._whole[id(case)]
        return whole

    def _judge_without(self, case: Case, positions: frozenset[int], got: Sequence[Any]) -> Judgement:
        """The judgement of the answered events `got` when the expected events at `positions` are left out."""
        comparison = Comparison(self._oracle, self._rules, self._profile, case, self._options(case))
        expected = self._expected(case)
        assert isinstance(expected, ExpectedEvents)
        deliveries = self._prepared(case, comparison.options, expected).deliveries
        kept = [i for i in range(len(expected.events)) if i not in positions]
        events = ExpectedEvents(tuple(expected.events[i] for i in kept))
        judge_events(comparison, events, [deliveries[i] for i in kept], got)
        return comparison.judgement

    def _expected(self, case: Case) -> Expectation:
        """As `expectation`, but from memory if it was made before."""
        remembered = self._remembered.get(id(case))
        return remembered.expected if remembered else self.expectation(case)

    def _prepared(self, case: Case, options: Any, expected: Expectation) -> CaseExpectation:
        """The expectation of a case, prepared for comparison."""
        if id(case) in self._remembered:
            return self._remembered[id(case)]
        readings: list[Reading] = []
        deliveries: list[Delivery] = []
        if isinstance(expected, ExpectedRecords):
            readings = readings_of(self._oracle, case, expected, options)
            deliveries = self._oracle.deliveries(case, options, self._profile)
        elif isinstance(expected, ExpectedEvents) and case.expected is None:
            deliveries = self._oracle.deliveries(case, options, self._style(case))
        prepared = CaseExpectation(case, expected, tuple(readings), tuple(deliveries))
        if self._remembers and (readings or deliveries):  # otherwise it costs nothing to make
            self._remembered[id(case)] = prepared
        return prepared

    def _judge_rejection(self, comparison: Comparison, expected: ExpectedRejection, answer: Mapping[str, Any]) -> None:
        comparison.note_case_requirements()
        allowed = sorted(str(c) for c in expected.classes)
        if "rejected" not in answer:
            ok = answer.get("ok", {})
            find_faults = partial(faults_of, self._oracle, options=comparison.options)
            harm = harm_of_acceptance(comparison.case, expected, ok, self.judge, find_faults)
            comparison.blame_answer(Kind.ACCEPTED, f"rejected as {' or '.join(allowed)}", ok, harm)
        elif answer["rejected"]["class"] not in expected.classes:
            comparison.blame_answer(Kind.CLASS, " or ".join(allowed), answer["rejected"])


def _judge_any_answer(comparison: Comparison, answer: Mapping[str, Any]) -> None:
    """Accept any events and any known class of rejection; a crash or an unknown class is a finding."""
    comparison.note_case_requirements()
    if "error" in answer:
        comparison.blame_answer(Kind.BROKEN, "an answer", answer["error"])
    elif "rejected" in answer and answer["rejected"]["class"] not in tuple(RejectionClass):
        comparison.blame_answer(Kind.BROKEN, "a known class", answer["rejected"])

"""Null implementations never pass: the exit status of a run of each, and the few cases that it answers rightly."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pytest

from conformance.cases.model import Case, ExpectedAnswer, ExpectedOneOf, ExpectedRejection
from conformance.catalogue.register import load_register
from conformance.embedded import Embedded
from conformance.engine import RunConfig, run_suite
from conformance.engine.implementation import Target, target_of
from conformance.engine.outcomes import outcome_of
from conformance.engine.plan import item_of
from conformance.engine.selection import Selection
from conformance.engine.verdicts import Gate, Verdict, is_red
from conformance.mutants.model import Answerer
from conformance.mutants.null import NULL_IMPLEMENTATIONS, always_reject
from conformance.oracle import ORACLES
from conformance.oracle.judge import Judge
from conformance.transport.limits import Limits
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.protocols import CODECS
from tests.amounts import ordinarily
from tests.every_case import heads, made
from tests.in_process import InProcessSession

RED = ("echo", "empty", "constant", "always-reject", "always-unsupported", "one-behind", "first-answer")
STATUSES = {**dict.fromkeys(RED, 1), "declares-nothing": 5, "dead": 6}

_EVERY = ordinarily(149, 31)
_EVERY_REFUSAL = ordinarily(5, 1)
_REFUSED = ("invalid", "negative")  # the kinds of cases among which are all whose input must be refused

_DEAD = (
    "import sys; from conformance.mutants.null import dead; from conformance.transport.hosting import host; "
    "host(dead, sys.stdin.buffer, sys.stdout.buffer)"
)


@cache
def _cases(protocol: str, profile: Profile) -> Sequence[Case]:
    """One case in `_EVERY`, of both roles."""
    assert profile is NEWARCH
    return tuple(made(head) for head in heads(protocol)[::_EVERY])


def _target(name: str) -> Target:
    if name == "dead":
        return target_of(f'cmd:"{sys.executable}" -c "{_DEAD}"', NEWARCH, _cases, Limits())
    answering = NULL_IMPLEMENTATIONS[name]
    return Target(f"py:null:{name}", NEWARCH, lambda: InProcessSession(lambda: answering), _cases, "py")


@cache
def _run(name: str) -> tuple[int, list[dict[str, Any]]]:
    events: list[dict[str, Any]] = []
    protocols = tuple(CODECS) if name != "dead" else ("canal-json",)
    status = run_suite(RunConfig((_target(name),), Selection(protocols=protocols), clock=lambda: 0.0), [events.append])
    return int(status), events


def _passing(name: str) -> set[str]:
    """The cases that pass, without those that any answer passes and those of a MAY."""
    verdicts = [e for e in _run(name)[1] if e["event"] == "verdict" and e["verdict"] == "pass" and not e["findings"]]
    strict = [case for e in verdicts if not isinstance((case := _by_id()[e["case"]]).expected, ExpectedAnswer)]
    return {c.id for c in strict if item_of(c, load_register(c.protocol), NEWARCH).level != "may"}


@cache
def _by_id() -> dict[str, Case]:
    return {case.id: case for protocol in CODECS for case in _cases(protocol, NEWARCH)}


@pytest.mark.parametrize("name", NULL_IMPLEMENTATIONS)
def test_what_does_nothing_has_the_status_that_it_deserves(name: str) -> None:
    assert _run(name)[0] == STATUSES[name]


@pytest.mark.parametrize("role", ["encode", "decode"])
@pytest.mark.parametrize("protocol", CODECS)
@pytest.mark.parametrize("name", [name for name, status in STATUSES.items() if status == 1])
def test_what_does_nothing_is_red_in_every_protocol_and_role(name: str, protocol: str, role: str) -> None:
    asked = _by_id()
    verdicts = Counter(
        Verdict(e["verdict"])
        for e in _run(name)[1]
        if e["event"] == "verdict" and (asked[e["case"]].protocol, asked[e["case"]].role) == (protocol, role)
    )
    red = sum(n for verdict, n in verdicts.items() if is_red(verdict, Gate.MUST))
    assert red > verdicts.total() / 3


@pytest.mark.parametrize("name", ["echo", "empty"])
def test_an_empty_answer_is_right_alone_where_nothing_was_put_in_or_is_sent(name: str) -> None:
    reference, asked = Embedded(), _by_id()
    put_in = [c for i in _passing(name) for c in (asked[i],) if c.records or (c.role == "encode" and c.events)]
    assert [c.id for c in put_in if c.role == "decode" or reference.ask(c)["ok"]["records"]] == []


def _may_be_refused(case: Case) -> bool:
    expected = case.expected
    return isinstance(expected, ExpectedRejection) or (isinstance(expected, ExpectedOneOf) and bool(expected.classes))


def test_refusing_everything_is_right_for_what_may_be_refused_alone() -> None:
    asked = _by_id()
    assert [i for i in _passing("always-reject") if not _may_be_refused(asked[i])] == []


@pytest.mark.parametrize("name", ["constant", "always-unsupported", "declares-nothing", "dead"])
def test_no_case_passes_without_an_answer_or_with_a_constant_one(name: str) -> None:
    assert _passing(name) == set()


# -- decoders of one protocol ------------------------------------------------------------------------------------------


def _verdicts(protocol: str, wrap: Callable[[Answerer], Answerer], *, must_refuse: bool) -> Counter[Verdict]:
    """The verdicts of a decoder in the cases whose input it must refuse, or in a sample of those that it must read."""
    register = load_register(protocol)
    judge, decoder = Judge(ORACLES[protocol], register, NEWARCH), Embedded(NEWARCH, wrap)
    verdicts: Counter[Verdict] = Counter()
    for head in heads(protocol)[:: _EVERY_REFUSAL if must_refuse else _EVERY]:
        if head.role != "decode" or (must_refuse and head.id.split("/")[1] not in _REFUSED):
            continue
        case = made(head)
        must = isinstance(case.expected, ExpectedRejection)
        if must is must_refuse and not isinstance(case.expected, ExpectedAnswer):
            item = item_of(case, register, NEWARCH)
            verdicts[outcome_of(item, judge.judge(case, decoder.ask(case)), register).verdict] += 1
    return verdicts


def _accepting(inner: Answerer) -> Answerer:
    def answer(request: dict[str, Any]) -> dict[str, Any]:
        given = inner(request)
        is_accepted = request["op"] == "decode" and "rejected" in given
        return {"id": request["id"], "ok": {"events": []}} if is_accepted else given

    return answer


@pytest.mark.parametrize("protocol", CODECS)
def test_a_decoder_that_accepts_everything_is_red_in_every_protocol(protocol: str) -> None:
    verdicts = _verdicts(protocol, _accepting, must_refuse=True)
    assert verdicts[Verdict.FAIL] > 0
    assert verdicts[Verdict.PASS] < verdicts.total() / 20


@pytest.mark.parametrize("protocol", CODECS)
def test_a_decoder_that_refuses_everything_is_red_in_every_protocol(protocol: str) -> None:
    verdicts = _verdicts(protocol, lambda inner: always_reject, must_refuse=False)
    assert verdicts[Verdict.FAIL] > max(verdicts[Verdict.WARN], verdicts[Verdict.PASS])

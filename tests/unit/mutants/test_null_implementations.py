"""What does nothing never looks right: each null implementation has the exit status that it deserves."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest

from conformance.cases.catalogue import all_cases
from conformance.cases.model import Case, ExpectedRejection
from conformance.catalogue.register import load_register
from conformance.engine import RunConfig, run_suite
from conformance.engine.implementation import Target, target_of
from conformance.engine.plan import level_of
from conformance.engine.selection import Selection
from conformance.mutants.null import NULL_IMPLEMENTATIONS
from conformance.transport.in_process import InProcessSession
from conformance.transport.limits import Limits
from reference_impl.profiles import NEWARCH, Profile
from reference_impl.protocols import CODECS

STATUSES = {
    "echo": 1,
    "empty": 1,
    "constant": 1,
    "always-reject": 1,
    "always-unsupported": 1,
    "declares-nothing": 5,
    "dead": 6,
}

_EVERY = 15

_DEAD = (
    "import sys; from conformance.mutants.null import dead; from conformance.transport.hosting import host; "
    "host(dead, sys.stdin.buffer, sys.stdout.buffer)"
)


@cache
def _cases(protocol: str, profile: Profile) -> Sequence[Case]:
    """One case in so many, which are of every kind and of both roles."""
    return all_cases(protocol, profile)[::_EVERY]


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
    """The cases that pass, but for those of a requirement that allows more than one answer."""
    passed = {str(e["case"]) for e in _run(name)[1] if e["event"] == "verdict" and e["verdict"] == "pass"}
    return {id_ for id_ in passed if level_of(case := _by_id()[id_], load_register(case.protocol), NEWARCH) != "may"}


@cache
def _by_id() -> dict[str, Case]:
    return {case.id: case for protocol in CODECS for case in _cases(protocol, NEWARCH)}


@pytest.mark.parametrize("name", NULL_IMPLEMENTATIONS)
def test_what_does_nothing_has_the_status_that_it_deserves(name: str) -> None:
    assert _run(name)[0] == STATUSES[name]


@pytest.mark.parametrize("name", ["echo", "empty"])
def test_an_empty_answer_is_right_where_nothing_was_put_in_alone(name: str) -> None:
    asked = _by_id()
    assert [i for i in _passing(name) if asked[i].events or asked[i].records] == []


def test_a_constant_answer_is_never_right() -> None:
    assert _passing("constant") == set()


def test_refusing_everything_is_right_for_what_must_be_refused_alone() -> None:
    asked = _by_id()
    assert [i for i in _passing("always-reject") if not isinstance(asked[i].expected, ExpectedRejection)] == []


@pytest.mark.parametrize("name", ["always-unsupported", "declares-nothing", "dead"])
def test_no_case_passes_without_an_answer(name: str) -> None:
    assert _passing(name) == set()

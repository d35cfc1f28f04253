"""Faults of harnesses: each is blamed on the case it came in, no other case suffers, and every report is whole.

`TRANSPORT_FAULTS` says how many of a protocol, over all ways to talk to a harness; the ordinary tests take each fault
once or twice.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest
from faulty import SILENT, TABLE

from conformance.cases.model import Case
from conformance.cli.outputs import open_outputs
from conformance.embedded import Embedded
from conformance.engine import RunConfig, run_suite
from conformance.engine.implementation import Target
from conformance.engine.selection import Selection
from conformance.errors import SuiteError
from conformance.transport import Limits, open_session
from reference_impl.profiles import NEWARCH
from reference_impl.protocols import CODECS
from reports import read_record
from tests.amounts import ordinarily
from tests.every_case import heads, made

FAULTS = int(os.environ.get("TRANSPORT_FAULTS", ordinarily(17, 36)))
PROGRAM = Path(__file__).with_name("faulty.py")
SHARES = {"cmd": 0.45, "tcp": 0.4, "exec": 0.15}
NUMBERS = {scheme: max(1, round(FAULTS * share)) for scheme, share in SHARES.items()}
ROLE = {"avro": "decode"}  # its encoders have to register, which no prepared answer does
PATIENT = Limits(start=120, answer=120, line=200_000)


@cache
def answered(protocol: str) -> Sequence[tuple[Case, Mapping[str, Any]]]:
    """Cases of both roles, and the reference's answers: good ones, short enough for the limit."""
    cases = [c for c in heads(protocol) if ROLE.get(protocol, c.role) == c.role]
    every = max(1, len(cases) // (3 * FAULTS + 60))
    found, reference = [], Embedded(NEWARCH)
    for case in map(made, cases[::every]):
        try:
            answer = reference.ask(case)
        except SuiteError:
            continue
        if len(json.dumps(answer)) < 100_000 and "error" not in answer:
            found.append((case, answer))
    return found


@contextmanager
def address_of(scheme: str, script: Mapping[str, Any], folder: Path) -> Iterator[str]:
    """The address of a harness with a script: its answers, and the faults by case."""
    file = folder / "script.json"
    file.write_text(json.dumps(script), encoding="utf-8")
    argv = [sys.executable, "-S", str(PROGRAM), str(file)]
    if scheme != "tcp":
        yield f"{scheme}:{shlex.join(argv)}"
        return
    with subprocess.Popen([*argv, "tcp"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdout is not None
        try:
            yield f"tcp:127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.kill()


def judged(
    protocol: str,
    scheme: str,
    put: Sequence[tuple[Case, Mapping[str, Any]]],
    faults: Mapping[str, str],
    folder: Path,
    limits: Limits = PATIENT,
) -> dict[str, str]:
    """Opaque id and role → verdict, of a run whose record was looked at."""
    answers = {case.opaque_id: answer for case, answer in put}
    script = {"seed": protocol, "protocols": {protocol: {}}, "answers": answers, "faults": faults}
    cases = [case for case, _ in put]
    record = folder / "record.jsonl"
    with address_of(scheme, script, folder) as address:
        target = Target(address, NEWARCH, lambda: open_session(address, limits=limits), lambda p, f: cases, scheme)
        config = RunConfig((target,), Selection(protocols=(protocol,)), started="", command=("run",))
        with open_outputs([f"jsonl={record}"], quiet=True) as outputs:
            status = run_suite(config, [outputs.handle])
        assert outputs.status(int(status)) == 1
    with record.open(encoding="utf-8") as lines:
        events, problems = read_record(lines)
    assert problems == []
    verdicts = [event for event in events if event["event"] == "verdict"]
    end = events[-1]
    assert end["exit"] == 1
    assert end["accounting"]["planned"] == len(cases) == sum(end["accounting"]["counts"].values())
    assert end["accounting"]["adds_up"]
    assert all("Traceback" not in event["message"] for event in verdicts)
    # In a record that leaves out cases that passed, the rest has one verdict each.
    return {f"{event['case']} {event['role']}": event["verdict"] for event in verdicts}


def guilty(put: Sequence[tuple[Case, Mapping[str, Any]]], names: Iterator[str]) -> dict[str, str]:
    """A fault for every second case: between two of them is a good answer, which restarts need."""
    order: dict[tuple[object, ...], list[Case]] = {}
    for case, _ in put:
        order.setdefault((tuple(sorted(case.options.items())), case.settings, case.registry_fault), []).append(case)
    planned = [case for group in order.values() for case in group]
    return {case.opaque_id: next(names) for case in planned[::2]}


@pytest.mark.parametrize("scheme", SHARES)
@pytest.mark.parametrize("protocol", CODECS)
def test_each_fault_is_blamed_on_the_case_it_came_in(protocol: str, scheme: str, tmp_path: Path) -> None:
    number = NUMBERS[scheme]
    # Each pair of scheme and protocol tries the faults of the table behind those of the pair before it.
    done = sum(NUMBERS[one] for one in SHARES if [*SHARES].index(one) < [*SHARES].index(scheme)) * len(CODECS)
    names = islice(cycle(TABLE), done + number * [*CODECS].index(protocol), None)
    put = [*islice(cycle(answered(protocol)), 2 * number)]
    assert len(put) == len({(case.id, case.role) for case, _ in put}), "more faults than cases"
    faults = guilty(put, names)
    found = judged(protocol, scheme, put, faults, tmp_path)
    wrong = Counter[tuple[str, str, str]]()
    for case, _ in put:
        fault = faults.get(case.opaque_id)
        expected = (TABLE[fault][0] if fault else None) or "pass"
        verdict = found.get(f"{case.id} {case.role}", "pass")
        if verdict != expected:
            wrong[fault or "none", expected, verdict] += 1
    assert wrong == Counter()
    assert len(faults) == number


def test_every_fault_comes_in_ordinarily() -> None:
    assert "TRANSPORT_FAULTS" in os.environ or sum(NUMBERS.values()) * len(CODECS) >= len(TABLE)


@pytest.mark.parametrize("scheme", SHARES)
def test_silence_ends_and_is_accounted_for(scheme: str, tmp_path: Path) -> None:
    put = answered("canal-json")[:6]
    faults = dict(zip((case.opaque_id for case, _ in put[::2]), cycle(SILENT), strict=False))
    # No verdict but that of the silent: a busy machine may be too slow for others.
    found = judged(
        "canal-json", scheme, put, faults, tmp_path, Limits(start=120, answer=0.2, line=200_000, restarts=None)
    )
    assert {found[f"{case.id} {case.role}"] for case, _ in put[::2]} == {"timeout"}

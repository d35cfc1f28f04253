"""The startup cost of commands: CPU seconds with children, relative to a fixed piece of work.

The work is an interpreter that starts and reads JSON for a while, so that the ratio is the same on any machine. The
goals are seconds on a quiet machine with two cores. There is no verdict. The index of cases must be current.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.cases.index import indexed_cases, is_current
from reference_impl.profiles import NEWARCH

__all__ = ["Cost", "measure", "report"]

_ROUNDS = 3
_WORK = """
import orjson
text = orjson.dumps([{"id": str(n), "name": "a text", "parts": list(range(20))} for n in range(1000)])
for _ in range(1000):
    orjson.loads(text)
"""
_ENTRY = str(Path(__file__).resolve().parents[1] / "ticdc_conformance.py")
_REFERENCE = f"cmd:{sys.executable} {_ENTRY} serve-reference"


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU seconds, their ratio to the fixed work, and the goal in seconds."""

    seconds: float
    ratio: float
    goal: float


def _commands() -> Mapping[str, tuple[Sequence[str], float]]:
    """Name of a command → its arguments, and the goal in seconds."""
    cases = indexed_cases("canal-json", NEWARCH)
    encode = [case for case in cases if case.role == "encode"]
    twenty = " or ".join(f'"{case.id.split("/", 1)[1]}"' for case in cases[:: len(cases) // 20][:20])
    replayed = encode[len(encode) // 2].replay_id
    return {
        "--version": (["--version"], 0.2),
        "--help": (["--help"], 0.2),
        "explain ID": (["explain", "CJ-010"], 0.7),
        "list cases": (["list", "cases"], 0.7),
        "list requirements": (["list", "requirements"], 0.7),
        "run, no such program": (["run", "-q", "--iut", "cmd:/nonexistent"], 0.7),
        "run, a typo in -k": (["run", "-q", "--iut", _REFERENCE, "-k", "unsgined"], 0.7),
        "run of all, a typo": (["run", "-q", "-k", "unsgined"], 0.7),
        "replay CASE": (["replay", replayed, "--iut", _REFERENCE], 1.5),
        "run, 20 cases": (["run", "-q", "--iut", _REFERENCE, "--protocol", "canal-json", "-k", twenty], 1.5),
    }


def _spent(argv: Sequence[str], folder: str) -> float:
    """CPU seconds of a child and of all its children that have ended."""
    before = os.times()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(argv, cwd=folder, env=environment, check=False, capture_output=True)
    after = os.times()
    return after.children_user - before.children_user + after.children_system - before.children_system


def _work(folder: str) -> float:
    """CPU seconds of the fixed work: the least of some rounds."""
    return min(_spent([sys.executable, "-c", _WORK], folder) for _ in range(_ROUNDS))


def measure() -> Mapping[str, Cost]:
    """Command → its cost: the least of some rounds, after one warm-up round."""
    costs = {}
    with tempfile.TemporaryDirectory() as folder:
        unit = _work(folder)
        for name, (arguments, goal) in _commands().items():
            argv = [sys.executable, _ENTRY, *arguments]
            _spent(argv, folder)
            least = min(_spent(argv, folder) for _ in range(_ROUNDS))
            costs[name] = Cost(least, least / unit, goal)
    return costs


def report() -> None:
    """Print every figure with its goal."""
    if not is_current():
        print("commands: the case index is out of date, so commands take longer than from a wheel")
    for name, cost in measure().items():
        print(f"{name:<22} {cost.seconds:5.2f} s CPU   {cost.ratio:5.2f} x fixed work   goal {cost.goal:g} s")

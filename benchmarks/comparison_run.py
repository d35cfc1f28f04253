"""Runs one comparison in another process, so that only its memory and CPU time are measured.

`python -m benchmarks.comparison_run MASTER ARGUMENT…` opens a Spark session, runs `compare` with the arguments in it,
and prints the cost as its last line, in JSON. `run` starts such a process.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.comparison_streams import Streams
from benchmarks.processes import Watched
from conformance.cli.main import main as ticdc_conformance
from differential.spark.session import session

__all__ = ["Cost", "run"]

_ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a comparison."""

    # Of both sides.
    messages: int
    differences: int
    # Without the start of Spark: wall clock, and time on cores.
    seconds: float
    core_seconds: float
    # With the start of Spark.
    seconds_in_all: float
    core_seconds_in_all: float
    # The greatest resident memory of all processes together, in bytes.
    peak: int

    @property
    def rate(self) -> float:
        """Messages a second, of both sides, in a running session."""
        return self.messages / self.seconds


def run(streams: Streams, out: Path, master: str) -> Cost:
    """Compare two streams. Raises `CalledProcessError` if the comparison fails."""
    sides = [f"--{name}={spec}" for name, spec in zip(("left", "right"), streams.specs, strict=True)]
    arguments = [*sides, f"--tables={streams.tables}", f"--out={out}", "--runner=spark", f"--master={master}"]
    command = [sys.executable, "-m", "benchmarks.comparison_run", master, *arguments]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, cwd=_ROOT, check=True).stdout
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    return Cost(
        messages=sum(side["messages"] for side in summary["sides"]),
        differences=sum(pair["differences"] for pair in summary["pairs"]),
        **json.loads(output.splitlines()[-1]),
    )


def _measured(master: str, arguments: Sequence[str]) -> dict[str, float]:
    """The measured fields of `Cost`. Raises `SystemExit` if `compare` fails."""
    begin = time.monotonic()
    with Watched() as watched:
        with session(master) as spark:
            spark.range(1).count()
            ready, used = time.monotonic(), watched.core_seconds()
            status = ticdc_conformance(["compare", *arguments])
        ended, in_all = time.monotonic(), watched.core_seconds()
    if status not in (0, 1):
        raise SystemExit(f"compare ended with {status}")
    return {
        "seconds": ended - ready,
        "core_seconds": in_all - used,
        "seconds_in_all": ended - begin,
        "core_seconds_in_all": in_all,
        "peak": watched.peak,
    }


if __name__ == "__main__":
    print(json.dumps(_measured(sys.argv[1], sys.argv[2:])))

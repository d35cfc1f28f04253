"""The cost of a comparison on one machine, for each pair of dialects: the core time that a message more takes.

It is the slope between a smaller and a larger stream, of a command with all of its processes, so that the start drops
out.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.comparison_streams import LEAST, PAIRS, Streams, streams

__all__ = ["LIMITS", "slopes"]

LIMITS = {"canal": 4}
"""By pair, how many times what `orjson.loads` takes is allowed; 6 for others."""

_CORES = 2


def slopes(cache: Path, out: Path, changes: int) -> Iterator[tuple[str, Streams, float]]:
    """By pair of dialects: its streams, and the seconds of core time that a message more takes.

    Raises `ValueError` for fewer than `LEAST` changes, which are of one size alone, and `CalledProcessError` if a
    comparison fails.
    """
    if changes < LEAST:
        raise ValueError(f"{changes:,} changes a side: a slope needs at least {LEAST:,}")
    for pair in PAIRS:
        found = streams(cache, changes, pair)
        (few, seconds), (many, more_seconds) = (
            _cost(one, out / pair) for one in (found.first(changes // 4, out), found)
        )
        yield pair, found, (more_seconds - seconds) / (many - few)


def _cost(found: Streams, out: Path) -> tuple[int, float]:
    """Messages, and seconds on cores."""
    sides = [f"--{name}={spec}" for name, spec in zip(("left", "right"), found.specs, strict=True)]
    arguments = ["compare", *sides, f"--tables={found.tables}", f"--out={out}", f"-n={_CORES}", "--quiet"]
    command = [sys.executable, "-m", "ticdc_conformance", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise subprocess.CalledProcessError(process.returncode, command)
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    messages = sum(side["messages"] for side in summary["sides"])
    return messages, used.ru_utime + used.ru_stime

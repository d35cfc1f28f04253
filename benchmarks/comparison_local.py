"""The cost of a comparison on one machine, for each pair of dialects: the core time of each additional message.

It is the slope between a smaller and a larger stream. The command is measured with all of its processes; the slope
leaves out their start.
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
"""Pair → the allowed multiple of the time of `orjson.loads`; 6 for other pairs."""

_CORES = 2


def slopes(cache: Path, out: Path, changes: int) -> Iterator[tuple[str, Streams, float]]:
    """For each pair of dialects: its name, its streams, and the core seconds of each additional message.

    Raises `ValueError` for fewer than `LEAST` changes, since a slope also needs a smaller stream, and
    `CalledProcessError` if a comparison fails.
    """
    if changes < LEAST:
        raise ValueError(f"{changes:,} changes a side: a slope needs at least {LEAST:,}")
    for pair in PAIRS:
        large = streams(cache, changes, pair)
        few, seconds = _cost(large.first(changes // 4, out), out / pair)
        many, more_seconds = _cost(large, out / pair)
        yield pair, large, (more_seconds - seconds) / (many - few)


def _cost(compared: Streams, out: Path) -> tuple[int, float]:
    """The number of messages of a comparison, and its core seconds."""
    sides = [f"--{name}={spec}" for name, spec in zip(("left", "right"), compared.specs, strict=True)]
    arguments = ["compare", *sides, f"--tables={compared.tables}", f"--out={out}", f"-n={_CORES}", "--quiet"]
    command = [sys.executable, "-m", "ticdc_conformance", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise subprocess.CalledProcessError(process.returncode, command)
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    messages = sum(side["messages"] for side in summary["sides"])
    return messages, used.ru_utime + used.ru_stime

"""Runs the commands of findings, and checks that each shows its finding."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from unittest.mock import patch

from conformance.catalogue.recordings import Recording, Workloads
from conformance.cli.main import main
from conformance.compatibility import recordings
from conformance.compatibility.encoders import EncodedCase
from tools.findings_entry import Finding

__all__ = ["output_of", "recordings_read_once", "untrue"]


@contextmanager
def recordings_read_once() -> Iterator[None]:
    """Let all commands share the recordings of upstream's producers, which take long to read."""
    read, kept = recordings._encoded, dict[tuple[str, str], list[EncodedCase]]()

    def cached(folder: str, recording: Recording, workloads: Workloads) -> Iterator[EncodedCase]:
        key = folder, recording.name
        if key not in kept:
            kept[key] = list(read(folder, recording, workloads))
        return iter(kept[key])

    once = {"read_recordings": cache(recordings.read_recordings), "Workloads": cache(recordings.Workloads)}
    with patch.multiple(recordings, _encoded=cached, **once):
        yield


def untrue(found: Sequence[Finding]) -> Iterator[str]:
    """A sentence for every command that does not show its finding."""
    outputs: dict[tuple[str, ...], tuple[int, str]] = {}
    for one in found:
        words = tuple(one.command)
        if words not in outputs:
            outputs[words] = output_of(words)
        status, text = outputs[words]
        if status not in (0, 1) or _plain(one.shows) not in _plain(text):
            yield f"{one.id}: status {status}, and {one.shows!r} is not in the output of {one.line}"


def output_of(words: Sequence[str]) -> tuple[int, str]:
    """The status of a command of the suite, and everything that it prints."""
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        status = main(list(words[1:]))
    return status, out.getvalue()


def _plain(text: str) -> str:
    """The text without blanks: a terminal folds its lines."""
    return "".join(text.split())

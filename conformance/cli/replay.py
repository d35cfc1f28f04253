"""`replay CASE --iut ADDRESS`: one case again, by id, replay id, or the start of one; `-v` shows the frames."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from typing import Any

from conformance.cases.catalogue import find_in
from conformance.cli.configuring import run_config
from conformance.cli.run import run_with_reports
from conformance.cli.settings import add_settings, resolve
from conformance.engine.implementation import Target
from conformance.transport import open_session
from conformance.transport.peer import Trace
from reference_impl.protocols import CODECS

__all__ = ["register"]

_SHOWN = 2000


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("replay", help="one case again, with the frames")
    parser.add_argument("case", metavar="CASE", help="a case's id, or a replay id such as 3f2a9c1d-encode")
    parser.add_argument("-v", "--verbose", action="store_true", help="show every frame, whole")
    add_settings(parser)
    parser.set_defaults(handle=_replay)


def _replay(args: argparse.Namespace) -> int:
    settings = resolve(vars(args), os.environ, args.config)
    command = ["ticdc-conformance", *sys.argv[1:]]
    # The cases are those of the targets: a recording has its own.
    held = [
        (target, [case for protocol in CODECS for case in target.cases(protocol, target.profile)])
        for target in run_config(settings, command).targets
    ]
    case = find_in({case.replay_id: case for _, cases in held for case in cases}.values(), args.case)
    settings["protocol"], settings["role"] = (case.protocol,), (case.role,)
    config = run_config(settings, command, frozenset({case.replay_id}))
    targets = tuple(
        _showing_frames(target, args.verbose)
        for target, cases in held
        if any(c.replay_id == case.replay_id for c in cases)
    )
    return run_with_reports(replace(config, targets=targets, baseline=()), settings)


class _Frames:
    """A `Trace` that prints the frames as they go over the wire."""

    def __init__(self, cut: int | None) -> None:
        self._cut = cut

    def launched(self) -> None:
        print("        (started)")

    def sent(self, line: bytes) -> None:
        self._print(">", line)

    def received(self, line: bytes) -> None:
        self._print("<", line)

    def close(self) -> None:
        """Nothing to close."""

    def _print(self, mark: str, line: bytes) -> None:
        text = line.decode("utf-8", "backslashreplace").rstrip("\n")
        if self._cut is not None and len(text) > self._cut:
            text = f"{text[: self._cut]} … {len(text) - self._cut} more, see them with -v"
        print(f"{mark} {text}")


def _showing_frames(target: Target, verbose: bool) -> Target:
    """The target, with the frames shown where there is a program to talk to."""
    if target.contact == "recorded":
        return target

    def trace() -> Trace:
        return _Frames(None if verbose else _SHOWN)

    return replace(target, open=lambda: open_session(target.address, trace=trace()))

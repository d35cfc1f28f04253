"""`replay CASE_OR_FILE --iut ADDRESS`: one case again, by id, replay id, the start of one, or the file it was saved in.

`-v` shows the frames whole.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from conformance.cases.catalogue import find_in
from conformance.cases.model import Case
from conformance.cases.saved import load_case
from conformance.cli.configuring import run_config
from conformance.cli.run import run_with_reports
from conformance.cli.settings import add_settings, resolve
from conformance.engine.implementation import CaseSource, Target
from conformance.engine.standing import check_stands
from conformance.errors import UsageError
from conformance.transport import open_session
from conformance.transport.peer import Trace
from reference_impl.protocols import CODECS, UPSTREAM

__all__ = ["register"]

_SHOWN = 2000


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("replay", help="one case again, with the frames")
    parser.add_argument(
        "case", metavar="CASE_OR_FILE", help="a case's id, a replay id such as 3f2a9c1d-encode, or a file"
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="show every frame, whole")
    add_settings(parser)
    parser.set_defaults(handle=_replay)


def _replay(args: argparse.Namespace) -> int:
    settings = resolve(vars(args), os.environ, args.config)
    command = ["ticdc-conformance", *sys.argv[1:]]
    targets = run_config(settings, command).targets
    if args.case.endswith(".json") or Path(args.case).is_file():
        case = load_case(Path(args.case))
        for profile in dict.fromkeys(t.profile for t in targets):
            check_stands(case, profile)
        held = [replace(t, cases=_alone(case)) for t in targets if t.contact != "recorded"]
    else:
        case, held = _found(targets, args.case)
    for what, asked, has in (("protocol", args.protocol, case.protocol), ("role", args.role, case.role)):
        if asked and has not in asked:
            raise UsageError(f"--{what} {', '.join(asked)}: the case {case.id} is of {what} {has}")
    settings["protocol"], settings["role"] = (case.protocol,), (case.role,)
    config = run_config(settings, command, frozenset({case.id}))
    shown = tuple(_showing_frames(target, args.verbose) for target in held)
    return run_with_reports(replace(config, targets=shown, baseline=()), settings)


def _alone(case: Case) -> CaseSource:
    return lambda protocol, profile: [case] if protocol == case.protocol else []


def _found(targets: Sequence[Target], wanted: str) -> tuple[Case, list[Target]]:
    """The case of that name, and the targets that have it: a recording has cases of its own.

    Upstream dialects are looked through where none of TiCDC's protocols has it.
    """
    of: list[tuple[Target, list[Case]]] = []
    for protocols in (CODECS, UPSTREAM):
        of = [(t, [c for p in t.protocols or protocols for c in t.cases(p, t.profile)]) for t in targets]
        try:
            case = find_in({c.replay_id: c for _, cases in of for c in cases}.values(), wanted)
            break
        except UsageError:
            if protocols is UPSTREAM:
                raise
    return case, [target for target, cases in of if any(c.replay_id == case.replay_id for c in cases)]


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

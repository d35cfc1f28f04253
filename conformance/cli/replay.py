"""`replay CASE --iut ADDRESS`: one case again, by id, replay id, or the start of one; `-v` shows the frames."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.cases.catalogue import all_cases
from conformance.cases.model import Case
from conformance.cli.configuring import profile_asked, run_config
from conformance.cli.run import run_with_reports
from conformance.cli.settings import add_settings, resolve
from conformance.errors import UsageError
from conformance.transport.peer import Trace
from reference_impl.profiles import Profile
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
    profile = profile_asked(settings)
    case = _find(args.case, profile)
    settings["protocol"], settings["role"] = (case.protocol,), (case.role,)
    if not settings["iut"]:
        raise UsageError("replay needs the implementation: --iut ADDRESS")
    config = run_config(settings, ["ticdc-conformance", *sys.argv[1:]], frozenset({case.replay_id}))
    targets = tuple(_only(t, case, args.verbose) for t in config.targets)
    return run_with_reports(replace(config, targets=targets, baseline=()), settings)


def _find(name: str, profile: Profile) -> Case:
    """The case of that id, replay id, or a start of one that is no other's. Raises `UsageError`."""
    cases = [c for protocol in CODECS for c in all_cases(protocol, profile.name)]
    exact = [c for c in cases if name in (c.id, c.replay_id, c.opaque_id)]
    found = exact or [c for c in cases if len(name) >= 4 and (c.opaque_id.startswith(name) or c.id.startswith(name))]
    if len(found) == 1 or (found and len({c.id for c in found}) == 1 and len({c.role for c in found}) == 1):
        return found[0]
    if found:
        listed = "\n  ".join(f"{c.replay_id}  {c.id}" for c in found[:8])
        raise UsageError(f"{name!r} names {len(found)} cases; give the replay id of one\n  {listed}")
    raise UsageError(
        f"no case is called {name!r} under the profile {profile.name}\n  See: ticdc-conformance list cases"
    )


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


def _only(target: Any, case: Case, verbose: bool) -> Any:
    """The target, with the frames shown where there is a program to talk to."""
    from conformance.transport import open_session
    from conformance.transport.addresses import RecordedAddress, parse_address

    address = parse_address(target.address)
    if isinstance(address, RecordedAddress):
        return target
    trace: Callable[[], Trace] = lambda: _Frames(None if verbose else _SHOWN)  # noqa: E731
    return replace(target, open=lambda: open_session(address, trace=trace()))

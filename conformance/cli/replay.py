"""`replay CASE_OR_FILE --iut ADDRESS`: one case again, by id, replay id, the start of one, or the file it was saved in.

`-v` shows the frames whole.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from conformance.cases.catalogue import find_in
from conformance.cases.index_rows import entries_of
from conformance.cases.model import Case, CaseHead
from conformance.cases.saved import load_case
from conformance.cli.configuring import run_config
from conformance.cli.frames import Frames
from conformance.cli.known_cases import near_cases
from conformance.cli.parser import typed_command
from conformance.cli.run import run_with_reports
from conformance.cli.settings import SETTINGS, add_settings, resolve
from conformance.engine.case_validation import check_case
from conformance.engine.implementation import CaseSource, Target
from conformance.errors import UsageError
from conformance.transport import open_session
from conformance.transport.connection import Trace
from reference_impl.protocols import CODECS, DIALECTS, UPSTREAM

__all__ = ["OF_MANY", "found_case", "register"]

# Settings that choose among many cases, or compare many results: they do not apply to one case.
OF_MANY = frozenset({"select", "level", "gate", "against", "baseline", "today", "shard", "sessions", "quiet"})


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "replay",
        description="Run one case again and show every frame of the conversation. The last line of a failure in the "
        "report of a run is the command to type.",
    )
    parser.add_argument(
        "case", metavar="CASE_OR_FILE", help="the id of a case, a replay id such as 3f2a9c1d-encode, or a saved case"
    )
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="show every frame whole, and keys and values decoded below it"
    )
    add_settings(parser, [s.name for s in SETTINGS if s.name not in OF_MANY])
    parser.set_defaults(handle=_replay)


def _replay(args: argparse.Namespace) -> int:
    settings = resolve(vars(args), os.environ, args.config)
    command = typed_command()
    case, held, settings = found_case(args.case, settings, command)
    config = run_config(settings, command, frozenset({case.id}))
    shown = tuple(_showing_frames(target, case.protocol, verbose=args.verbose) for target in held)
    return run_with_reports(replace(config, targets=shown, baseline=()), settings)


def found_case(
    wanted: str, given: Mapping[str, Any], command: Sequence[str]
) -> tuple[CaseHead, list[Target], dict[str, Any]]:
    """The case of that name or file, the targets that have it, and the settings to run it alone.

    Raises `UsageError` where there is none or several, and for a case of another protocol or role.
    """
    # Settings about many cases do not count, even from the file or the environment.
    settings = {**given, **{s.key: None for s in SETTINGS if s.name in OF_MANY}}
    targets = run_config(settings, command).targets
    case: CaseHead
    if wanted.endswith(".json") or Path(wanted).is_file():
        saved = case = load_case(Path(wanted))
        for profile in dict.fromkeys(t.profile for t in targets):
            check_case(saved, profile)
        held = [replace(t, cases=_alone(saved), again=None) for t in targets if t.contact != "recorded"]
    else:
        case, held = _found(targets, wanted, settings["role"] or ())
    for what, has in (("protocol", case.protocol), ("role", case.role)):
        if settings[what] and has not in settings[what]:
            raise UsageError(f"--{what} {', '.join(settings[what])}: the case {case.id} is of {what} {has}")
    settings["protocol"], settings["role"] = (case.protocol,), (case.role,)
    return case, held, settings


def _alone(case: Case) -> CaseSource:
    return lambda protocol, profile: [case] if protocol == case.protocol else []


def _found(targets: Sequence[Target], wanted: str, roles: Sequence[str]) -> tuple[CaseHead, list[Target]]:
    """The case of that name, and the targets that have it: a recording has cases of its own.

    Where two cases have one id, `roles` chooses. Upstream dialects are searched if none of TiCDC's protocols has it.
    """
    of: list[tuple[Target, list[CaseHead]]] = []
    for protocols in (CODECS, UPSTREAM):
        of = [(t, list(_called(wanted, t, t.protocols or protocols))) for t in targets]
        of = [(t, [c for c in cases if not roles or c.role in roles] or cases) for t, cases in of]
        try:
            case = find_in({c.replay_id: c for _, cases in of for c in cases}.values(), wanted)
            break
        except UsageError as e:
            if any(cases for _, cases in of):
                raise  # there are several
            if protocols is UPSTREAM:
                raise UsageError(f"{e}{near_cases(wanted, targets[0].profile)}") from None
    return case, [target for target, cases in of if any(c.replay_id == case.replay_id for c in cases)]


def _called(wanted: str, target: Target, protocols: Iterable[str]) -> Iterator[CaseHead]:
    """The cases of a target that match; only these are made."""
    named, slash, _ = wanted.partition("/")
    digits = wanted.partition("-")[0]
    for protocol in protocols:
        if slash and named in DIALECTS and named != protocol:
            continue
        cases = target.cases(protocol, target.profile)
        for at, entry in enumerate(entries_of(cases)):
            if entry.id == wanted if slash else entry.opaque_id.startswith(digits):
                yield cases[at]


def _showing_frames(target: Target, protocol: str, *, verbose: bool) -> Target:
    """The target; it shows the frames if a program answers."""
    if target.contact == "recorded":
        return target

    def trace() -> Trace:
        return Frames(protocol, verbose=verbose)

    return replace(target, open=lambda: open_session(target.address, trace=trace()), again=None)

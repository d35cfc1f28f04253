"""`replay CASE_OR_FILE --iut ADDRESS`: runs one case again and prints the frames of the conversation.

The case is named by its id, its replay id, the beginning of a replay id, or the file in which it was saved.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from conformance.cases.index_rows import entries_of
from conformance.cases.model import Case, CaseHead
from conformance.cases.parts import find_in
from conformance.cases.saved import load_case
from conformance.cli.configuring import run_config, traced
from conformance.cli.known_cases import near_cases
from conformance.cli.parser import typed_command
from conformance.cli.run import run_with_reports
from conformance.cli.settings import SETTINGS, add_settings, resolve
from conformance.engine.case_validation import check_case
from conformance.engine.implementation import CaseSource, Target
from conformance.errors import UsageError
from reference_impl.protocols import CODECS, DIALECTS, UPSTREAM
from reports.inputs import record_lines

__all__ = ["FOR_MANY_CASES", "find_case", "register"]

_SHOWN = 2000  # characters of a frame that are printed without -v

# Settings that select from many cases, or compare many results: they do not apply to one case.
FOR_MANY_CASES = frozenset({"select", "level", "gate", "against", "baseline", "today", "shard", "sessions", "quiet"})


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "replay",
        description="Run one case again and show every frame of the conversation. In the report of a run, the last "
        "line of a failure is this command.",
    )
    parser.add_argument(
        "case", metavar="CASE_OR_FILE", help="the id of a case, a replay id such as 3f2a9c1d-encode, or a saved case"
    )
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="show every frame in full, with the keys and values of its records as text below it",
    )
    add_settings(parser, [s.name for s in SETTINGS if s.name not in FOR_MANY_CASES])
    parser.set_defaults(handle=_replay)


def _replay(args: argparse.Namespace) -> int:
    settings = resolve(vars(args), os.environ, args.config)
    command = typed_command()
    case, targets, settings = find_case(args.case, settings, command)
    config = run_config(settings, command)
    shown = tuple(traced(target, settings, lambda: _Frames(case.protocol, verbose=args.verbose)) for target in targets)
    return run_with_reports(replace(config, targets=shown, baseline=()), settings)


def find_case(
    name_or_file: str, given: Mapping[str, Any], command: Sequence[str]
) -> tuple[CaseHead, list[Target], dict[str, Any]]:
    """The case of that name or file, the targets that have it, and the settings to run it alone.

    Raises `UsageError` for no case or several, and for a case of another protocol or role than the settings name.
    """
    # Settings about many cases do not apply, even from the file or the environment.
    settings = {**given, **{s.key: None for s in SETTINGS if s.name in FOR_MANY_CASES}, "only": (name_or_file,)}
    targets = run_config(settings, command).targets
    case: CaseHead
    if name_or_file.endswith(".json") or Path(name_or_file).is_file():
        saved = load_case(Path(name_or_file))
        for profile in dict.fromkeys(t.profile for t in targets):
            check_case(saved, profile)
        having = [replace(t, cases=_alone(saved), for_worker=None) for t in targets if t.contact != "recorded"]
        if not having:
            raise UsageError(f"{name_or_file}: a recording answers no saved case; name a program with --iut")
        case = saved
    else:
        case, having = _case_and_targets(targets, name_or_file, settings["role"] or ())
    for key, value in (("protocol", case.protocol), ("role", case.role)):
        if settings[key] and value not in settings[key]:
            raise UsageError(f"--{key} {', '.join(settings[key])}: the case {case.id} is of {key} {value}")
    settings |= {"protocol": (case.protocol,), "role": (case.role,), "only": (case.id,)}
    return case, having, settings


def _alone(case: Case) -> CaseSource:
    return lambda protocol, profile: [case] if protocol == case.protocol else []


def _case_and_targets(targets: Sequence[Target], name: str, roles: Sequence[str]) -> tuple[CaseHead, list[Target]]:
    """The case of that name, and the targets that have it: a recording has cases of its own.

    Where two cases have one id, `roles` chooses. Upstream dialects are searched if none of TiCDC's protocols has it.
    """
    not_found = ""
    for protocols in (CODECS, UPSTREAM):
        having: list[tuple[Target, list[CaseHead]]] = []
        for target in targets:
            cases = list(_matching_cases(name, target, target.protocols or protocols))
            having.append((target, [case for case in cases if case.role in roles] or cases))
        found = {case.replay_id: case for _, cases in having for case in cases}
        try:
            case = find_in(found.values(), name)
        except UsageError as e:
            if found:
                raise  # several cases match
            not_found = str(e)
        else:
            return case, [target for target, cases in having if any(c.replay_id == case.replay_id for c in cases)]
    raise UsageError(f"{not_found}{near_cases(name, targets[0].profile)}")


def _matching_cases(name: str, target: Target, protocols: Iterable[str]) -> Iterator[CaseHead]:
    """The cases of a target with that id, or with a replay id that begins so; only these are made."""
    named_protocol, slash, _ = name.partition("/")  # an id has a slash: canal-json/golden/1; a replay id has none
    digits = name.partition("-")[0]
    for protocol in protocols:
        if slash and named_protocol in DIALECTS and named_protocol != protocol:
            continue
        cases = target.cases(protocol, target.profile)
        for number, entry in enumerate(entries_of(cases)):
            matches = entry.id == name if slash else entry.opaque_id.startswith(digits)
            if matches:
                yield cases[number]


# -- the frames --------------------------------------------------------------------------------------------------------


class _Frames:
    """A `Trace` that prints the frames of sessions about one protocol; in full with `verbose`."""

    def __init__(self, protocol: str, *, verbose: bool) -> None:
        self._verbose = verbose
        # A record of a protocol with a registry is binary: its bytes begin with a schema id.
        self._schemas: Sequence[Mapping[str, Any]] | None = [] if DIALECTS[protocol].uses_registry else None

    def launched(self) -> None:
        print("        (started)")

    def sent(self, line: bytes) -> None:
        self._print(">", line)

    def received(self, line: bytes) -> None:
        self._print("<", line)

    def close(self) -> None:
        """Do nothing."""

    def _print(self, mark: str, line: bytes) -> None:
        text = line.decode("utf-8", "backslashreplace").rstrip("\n")
        if not self._verbose and len(text) > _SHOWN:
            text = f"{text[:_SHOWN]} … {len(text) - _SHOWN} more, see them with -v"
        print(f"{mark} {text}")
        for shown in _records_of(line, self._schemas) if self._verbose else ():
            print(f"  {shown}")


def _records_of(line: bytes, schemas: Sequence[Mapping[str, Any]] | None) -> Iterator[str]:
    """Keys and values of the records in a frame, as text if they are text. Empty for a malformed frame."""
    try:
        frame = json.loads(line)
    except (ValueError, RecursionError):
        return
    holder = frame.get("ok", frame) if isinstance(frame, dict) else None
    records = holder.get("records") if isinstance(holder, dict) else None
    for i, record in enumerate(records if isinstance(records, list) else ()):
        if isinstance(record, dict):
            for shown in record_lines(record, schemas, len(line)):
                yield f"records[{i}] {shown}"

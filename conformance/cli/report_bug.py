"""`report-bug CASE`: writes a bundle for an issue about a wrong expectation of the suite.

The bundle holds the case, its expectation and the oracle, the register's entries, and the reference's answer with its
judgement; with `--iut` also those of the implementation. `--redact` leaves out everything that may have values of
columns.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from conformance import __version__
from conformance.captures.redaction import hidden
from conformance.cases.model import Case
from conformance.cases.saved import case_to_json
from conformance.catalogue.register import load_register
from conformance.cli.configuring import REFERENCE, run_config, traced
from conformance.cli.parser import typed_command
from conformance.cli.replay import FOR_MANY_CASES, find_case
from conformance.cli.settings import SETTINGS, add_settings, resolve
from conformance.engine import run_suite
from conformance.engine.events import Event
from conformance.engine.implementation import Target
from conformance.errors import UsageError, file_errors
from conformance.transport.addresses import RecordedAddress, parse_address

__all__ = ["register"]

_UNUSED = frozenset({"report", "template", "out", "resume", "dump-stdin", "origin"})
_ISSUES = "https://github.com/ticdc-conformance/ticdc-conformance/issues/new/choose"
# Members of events that have, or may have, values of columns.
_VALUES = ("input", "sql", "stderr", "message", "expected", "got", "answer")
_WHOLE = """\
| file | holds |
|---|---|
| `case.json` | the case; `ticdc-conformance replay case.json --iut ADDRESS` runs it again |
| `register.json` | the requirements that it is about, with their places |
| `run.jsonl`, `frames.jsonl` | the verdict on the implementation, and every line to it and from it |
| `reference.jsonl`, `reference-frames.jsonl` | the same of the reference |
"""
_REDACTED = """\
| file | holds |
|---|---|
| `register.json` | the requirements that it is about, with their places |
| `run.jsonl`, `reference.jsonl` | the verdicts on the implementation and on the reference, without values of columns |

Values are left out (`--redact`), and with them the input and the lines of the conversation.
"""


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "report-bug",
        description="Write a bundle for an issue about a wrong expectation of the suite: the case, what is expected "
        "and why, the entries of the register, the bytes that an implementation and the reference answer.",
    )
    parser.add_argument("case", metavar="CASE_OR_FILE", help="the id of a case, a replay id, or a saved case")
    parser.add_argument(
        "-o",
        "--output",
        metavar="PATH",
        type=Path,
        help="a new folder, or a new file that ends in .zip (REPLAY_ID.zip)",
    )
    parser.add_argument("--redact", action="store_true", help="leave out everything that may have values of columns")
    add_settings(parser, [s.name for s in SETTINGS if s.name not in FOR_MANY_CASES | _UNUSED])
    parser.set_defaults(handle=_report_bug)


class _Frames:
    """A `Trace` that keeps every line, marked with its direction."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def launched(self) -> None:
        """Do nothing."""

    def sent(self, line: bytes) -> None:
        self._keep(">", line)

    def received(self, line: bytes) -> None:
        self._keep("<", line)

    def close(self) -> None:
        """Do nothing."""

    def _keep(self, mark: str, line: bytes) -> None:
        self.lines.append(f"{mark} {line.decode('utf-8', 'backslashreplace').rstrip(chr(10))}\n")


def _report_bug(args: argparse.Namespace) -> int:
    settings = resolve(vars(args), os.environ, args.config)
    if len(settings["iut"] or ()) > 1:
        raise UsageError("report-bug: give one --iut; write a bundle for each implementation")
    command = typed_command()
    reference = {**settings, "iut": (REFERENCE,)}
    head, targets, alone = find_case(args.case, reference, command)
    [target] = targets
    case = target.make_case(head)
    output = args.output or Path(f"{case.replay_id}.zip")
    if output.exists():
        raise UsageError(f"{output}: exists; name another with -o")
    files: dict[str, str] = {}
    ids = set(case.requirements)
    runs = [("reference.jsonl", "reference-frames.jsonl", alone, targets)]
    if settings["iut"]:
        runs.append(("run.jsonl", "frames.jsonl", *_of_implementation(args.case, settings, command)))
    for record_file, frames_file, given, of_run in runs:
        events, frames = _run(of_run, given, command)
        ids |= {finding["requirement"] for e in events for finding in e.get("findings", ())}
        events = [_without_values(e) for e in events] if args.redact else events
        files[record_file] = "".join(f"{json.dumps(e, ensure_ascii=False)}\n" for e in events)
        if not args.redact and frames:
            files[frames_file] = "".join(frames)
    if not args.redact:
        files["case.json"] = _text(case_to_json(case))
    rules = load_register(case.protocol)
    files["register.json"] = _text([asdict(entry) for name in sorted(ids) if (entry := rules.find(name)) is not None])
    files["README.md"] = _readme(case, command, redacted=args.redact)
    _write(output, files)
    print(f"{output}: {len(files)} files about {case.id} ({case.role}). Say in the issue why the answer is right:")
    print(f"  {_ISSUES}")
    return 0


def _of_implementation(
    name_or_file: str, settings: Mapping[str, Any], command: Sequence[str]
) -> tuple[dict[str, Any], list[Target]]:
    """The settings to run the case alone, and the target of the implementation."""
    if isinstance(parse_address(settings["iut"][0]), RecordedAddress):
        raise UsageError("report-bug: --iut names a program; for a case of recordings leave --iut out")
    _, targets, alone = find_case(name_or_file, settings, command)
    return alone, targets


def _run(
    targets: Sequence[Target], settings: Mapping[str, Any], command: Sequence[str]
) -> tuple[list[Event], list[str]]:
    """The events of a run of the case alone, and the lines of the conversation."""
    frames, events = _Frames(), list[Event]()
    shown = tuple(traced(target, settings, lambda: frames) for target in targets)
    config = run_config(settings, command)
    run_suite(replace(config, targets=shown, baseline=(), sessions=1), [events.append])
    return events, frames.lines


def _without_values(event: Event) -> Event:
    """The event without possible values of columns, at any depth, and without the command line."""

    def cleaned(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {name: hidden(part) if name in _VALUES else cleaned(part) for name, part in value.items()}
        return [cleaned(part) for part in value] if isinstance(value, list | tuple) else value

    clean: Event = cleaned(event)
    hidden_words = {"command": ["ticdc-conformance", "report-bug", "…"], "iut": "the implementation", "address": "…"}
    return {**clean, **{name: words for name, words in hidden_words.items() if name in clean}}


def _readme(case: Case, command: Sequence[str], *, redacted: bool) -> str:
    def lines() -> Iterator[str]:
        yield f"# {case.id} ({case.role})"
        yield ""
        yield f"* replay id: `{case.replay_id}`"
        yield f"* proves: {', '.join(case.requirements) or 'whatever its rules are'}"
        yield f"* rests on: {case.anchor} {case.source}".rstrip()
        yield f"* suite {__version__}, Python {platform.python_version()}, {platform.system()}"
        if not redacted:
            yield f"* `{' '.join(command)}`"
        yield ""
        yield "Why is the suite wrong? (What should be expected, and where that is written or can be seen.)"
        yield ""
        yield _REDACTED if redacted else _WHOLE

    return "\n".join(lines())


def _text(tree: Any) -> str:
    return json.dumps(tree, indent=1, ensure_ascii=False, default=str) + "\n"


def _write(output: Path, files: Mapping[str, str]) -> None:
    """Write a zip or a folder, by the name of the output. Raises `UsageError` where it cannot be written."""
    with file_errors(f"{output}: cannot be written"):
        if output.suffix == ".zip":
            with zipfile.ZipFile(output, "x", zipfile.ZIP_DEFLATED) as archive:
                for name in sorted(files):  # without the time of day, so that a bundle is reproducible
                    archive.writestr(zipfile.ZipInfo(f"{output.stem}/{name}"), files[name].encode())
            return
        output.mkdir(parents=True)
        for name, text in files.items():
            (output / name).write_text(text, encoding="utf-8", newline="\n")

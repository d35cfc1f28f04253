"""The program `ticdc-conformance`: runs a command, and turns an error into one message and an exit status."""

from __future__ import annotations

import argparse
import gc
import io
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from conformance import __version__
from conformance.cli.parser import CommandParser, print_note
from conformance.cli.step_log import only_own_commands
from conformance.errors import ConformanceError, SuiteError, UsageError, missing_extra
from conformance.signals import INTERRUPTED, interruptible
from reference_impl.errors import Rejected, Unsupported

__all__ = ["COMMANDS", "EVERY", "build_parser", "main"]

COMMANDS: Mapping[str, tuple[str, str]] = {
    "run": ("run", "judge an implementation"),
    "init": ("init", "begin a harness in Python, Go, Java, Node.js or Rust, with settings and a CI workflow"),
    "doctor": ("doctor", "check the conversation with a harness, step by step"),
    "replay": ("replay", "run one case again and show the conversation"),
    "bench": ("bench", "measure an implementation beside the reference; no verdict"),
    "fuzz": ("fuzz", "search for inputs that fail, and shrink them"),
    "list": ("listing", "list requirements, cases, mutants, divergences, protocols and their options"),
    "explain": ("explain", "say what an id stands for: a requirement, case, mutant or divergence"),
    "check-capture": ("check_capture", "judge messages captured from a topic; no harness is needed"),
    "compare": ("compare", "compare two or three streams of the same changes"),
    "generate": ("generate", "write streams of the same changes in several dialects, from a seed"),
    "matrix": ("matrix", "let every decoder and consumer read every encoder's records"),
    "migrate": ("migrate", "say what a move from Canal or Debezium to TiCDC breaks for a consumer of your tables"),
    "consumers": ("consumers", "compare the models of real consumers with recorded answers"),
    "report": ("report", "write reports of saved runs, and join the shards of a run"),
    "diff": ("diff", "compare two saved runs: what a build broke, fixed, or writes in another way"),
    "baseline": ("baseline", "update, prune or check the list of known failures"),
    "mutants": ("mutants", "test the suite itself with deliberately broken implementations (the kill matrix)"),
    "report-bug": (
        "report_bug",
        "write a bundle for an issue about a wrong expectation: a case, its oracle, the bytes",
    ),
    "sweep": ("sweep", "test the suite itself with every change at every path of the reference's answers"),
    "record": ("record", "record a real producer again, and show what drifted from the shipped recordings"),
    "serve-reference": ("serve_reference", "run the reference implementation as a harness on stdio"),
    "serve-pytest": (
        "serve_pytest",
        "judge for a pytest in another environment, which starts this command (--ticdc-suite)",
    ),
    "copy": ("copy", "write the fixtures as plain files, with a manifest"),
    "completion": ("completion", "print a script that lets a shell complete commands and options"),
}
"""Command → its module in this package, which is imported for this command alone, and its line in `--help`."""

EVERY = "*"
"""In place of a command: the parser has the arguments of all commands that can be loaded."""

_INTERNAL, _USAGE = 3, 4  # exit statuses
_NEED_COMPARE, _COMPARE_PACKAGES = ("compare", "migrate"), ("numpy", "pyarrow")
_JUDGING = (
    *("run", "replay", "fuzz", "doctor", "check-capture", "compare", "matrix", "migrate", "mutants", "sweep"),
    *("diff", "consumers", "baseline", "record", "report merge", "list --uncovered"),
)
"""Commands whose exit status is a judgement. If their output is cut, nobody saw it, and they end with status 3."""


class _Commands:
    """Adds the parser of a command, with its name and help line from `COMMANDS`.

    `sub_command` is the one whose arguments are needed, or `EVERY`.
    """

    def __init__(self, parsers: Any, sub_command: str) -> None:
        self._parsers, self.sub_command = parsers, sub_command

    def add_parser(self, name: str, **more: Any) -> argparse.ArgumentParser:
        _, text = COMMANDS[name]
        added: argparse.ArgumentParser = self._parsers.add_parser(name, **{"help": text, "description": text, **more})
        return added


def build_parser(command: str | None = None, sub_command: str = EVERY) -> argparse.ArgumentParser:
    """The parser, with the arguments of `command`, or of `EVERY` one; other commands have only a name and a help line.

    The same holds for its sub-commands. Raises `UsageError` where an extra that the command needs is not installed.
    """
    parser = CommandParser(
        prog="ticdc-conformance",
        description="Conformance and compatibility suite for the messages that TiCDC writes to Kafka.",
    )
    parser.add_argument("--version", action="version", version=f"ticdc-conformance {__version__}")
    parsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=CommandParser)
    commands = _Commands(parsers, sub_command)
    for name, (module, _) in COMMANDS.items():
        if command in (name, EVERY):
            if name in _NEED_COMPARE and not all(map(find_spec, _COMPARE_PACKAGES)):
                if command == EVERY:
                    commands.add_parser(name)
                    continue
                raise missing_extra(f"{name} needs numpy and pyarrow", "compare")
            import_module(f"conformance.cli.{module}").register(commands)
        else:
            commands.add_parser(name)
    return parser


def _write_anything() -> None:
    """Print characters outside the terminal's encoding as escapes, and to a closed stream (`>&-`) nothing."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - open to the end
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Returns its exit status."""
    _write_anything()
    with only_own_commands():
        return _main(arguments)


def _main(arguments: Sequence[str] | None) -> int:
    # Planning makes some 100,000 lasting objects; with the default thresholds a quarter of its time goes into the
    # search for cycles among them.
    gc.set_threshold(100_000, 50, 100)
    given = list(sys.argv[1:] if arguments is None else arguments)
    # Before the command may stand only --help and --version, which end the program.
    command = given[0] if given and given[0] in COMMANDS else None
    args = argparse.Namespace()
    try:
        try:
            build_parser(command, *given[1:2]).parse_args(given, args)
            with interruptible():
                status: int = args.handle(args)
        finally:
            sys.stdout.flush()  # without this, Python notices a pipe without a reader only at its end (status 120)
    except (UsageError, Rejected, Unsupported) as e:
        print_note(e)
        return _USAGE
    except SuiteError as e:
        print_note(f"the suite itself is at fault: {e}")
        return _INTERNAL
    except ConformanceError as e:
        print_note(e)
        return _INTERNAL
    except BrokenPipeError:
        # The reader of the output went away. A listing may end there; a judgement that nobody saw may not pass.
        from conformance.cli.outputs import silence_stdout

        silence_stdout()
        if not _is_judgement(args):
            return 0
        print_note("the output was cut (Broken pipe)")
        return _INTERNAL
    except OSError as e:
        print_note(f"{e.strerror or e}{f': {e.filename}' if e.filename else ''}")
        return _INTERNAL
    except Exception as e:  # noqa: BLE001 - any error here is one of the suite: one message, and its own status
        import traceback

        where = traceback.extract_tb(e.__traceback__)[-1]
        message = f"{type(e).__name__}: {e} ({Path(where.filename).name}, line {where.lineno})"
        print_note(f"the suite itself is at fault: {message}")
        return _INTERNAL
    except KeyboardInterrupt:
        print_note("interrupted")
        return INTERRUPTED
    return status


def _is_judgement(args: argparse.Namespace) -> bool:
    """Whether the exit status of a command is a judgement. `args` is empty if the command line was not parsed."""
    command = getattr(args, "command", None)
    names = [command, f"{command} {getattr(args, 'sub_command', None)}"]
    if getattr(args, "uncovered", None) is not None:
        names.append(f"{command} --uncovered")
    return any(name in _JUDGING for name in names)

"""The command `ticdc-conformance`: finds the command, and turns what went wrong into one message and an exit status."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from conformance import __version__
from conformance.cli import (
    baseline,
    check_capture,
    compare,
    copy,
    doctor,
    explain,
    fuzz,
    generate,
    listing,
    mutants,
    replay,
    run,
    serve_reference,
)
from conformance.errors import ConformanceError, SuiteError, UsageError
from reference_impl.errors import Rejected, Unsupported

__all__ = ["build_parser", "main"]

COMMANDS = (
    run,
    doctor,
    replay,
    fuzz,
    listing,
    explain,
    check_capture,
    compare,
    generate,
    baseline,
    mutants,
    serve_reference,
    copy,
)

INTERRUPTED, INTERNAL, USAGE = 2, 3, 4
_JUDGING = ("run", "replay", "fuzz", "check-capture")


class _Parser(argparse.ArgumentParser):
    """argparse, with our exit status for a wrong command line."""

    def error(self, message: str) -> None:  # type: ignore[override]
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\n")


def build_parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    parser = _Parser(
        prog="ticdc-conformance",
        description="Conformance and compatibility suite for the messages that TiCDC writes to Kafka.",
    )
    parser.add_argument("--version", action="version", version=f"ticdc-conformance {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser)
    for module in COMMANDS:
        module.register(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Returns its exit status."""
    args = build_parser().parse_args(arguments)
    try:
        status: int = args.handle(args)
    except UsageError as e:
        print(f"ticdc-conformance: {e}", file=sys.stderr)
        return USAGE
    except (Rejected, Unsupported) as e:
        print(f"ticdc-conformance: {e}", file=sys.stderr)
        return USAGE
    except SuiteError as e:
        print(f"ticdc-conformance: the suite itself is at fault: {e}", file=sys.stderr)
        return INTERNAL
    except ConformanceError as e:
        print(f"ticdc-conformance: {e}", file=sys.stderr)
        return INTERNAL
    except OSError as e:
        if isinstance(e, BrokenPipeError):
            # The reader of our output went away. A listing may end there; a run that was cut is not complete.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return INTERNAL if args.command in _JUDGING else 0
        print(f"ticdc-conformance: {e.strerror or e}{f': {e.filename}' if e.filename else ''}", file=sys.stderr)
        return INTERNAL
    except Exception as e:  # noqa: BLE001 - whatever it is, it is ours: one message, and the status that says so
        where = traceback.extract_tb(e.__traceback__)[-1]
        message = f"{type(e).__name__}: {e} ({Path(where.filename).name}, line {where.lineno})"
        print(f"ticdc-conformance: the suite itself is at fault: {message}", file=sys.stderr)
        return INTERNAL
    except KeyboardInterrupt:
        print("ticdc-conformance: interrupted", file=sys.stderr)
        return INTERRUPTED
    return status

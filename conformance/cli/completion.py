"""`completion bash|zsh|tcsh`: prints a completion script, which shtab (an extra) makes from the parser."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from typing import Any

from conformance.errors import missing_extra

__all__ = ["register"]

_SHELLS = ("bash", "zsh", "tcsh")


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "completion",
        description="Print a script that lets a shell complete commands and options. Use it as: "
        'eval "$(ticdc-conformance completion bash)". It needs an extra: pip install "ticdc-conformance[completion]"',
    )
    parser.add_argument("shell", metavar="SHELL", choices=_SHELLS, help=", ".join(_SHELLS))
    parser.set_defaults(handle=_completion)


def _completion(args: argparse.Namespace) -> int:
    if find_spec("shtab") is None:
        raise missing_extra("completion needs shtab", "completion")
    import shtab

    from conformance.cli.main import EVERY, build_parser

    print(shtab.complete(build_parser(EVERY), shell=args.shell))
    return 0

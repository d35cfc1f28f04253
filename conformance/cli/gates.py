"""The options of `compare` that say what is red: `--fail-on`, `--ignore`, `--max-share`."""

from __future__ import annotations

import argparse

from conformance.cli.arguments import amount
from conformance.nearest import unknown_name
from differential.model import Class
from differential.result.gate import FAIL_ON, Limits

__all__ = ["add_gate", "limits_of"]

_FAIL_ON = (
    "what is red: differences without a name (unexplained, the default), also those that no document describes "
    "(undocumented), or every difference (any); or by harm, whether named or not, and for other spellings of equal "
    "values, too: lost data (lost), or lost and changed data (changed)"
)
_IGNORE = f"differences of these classes are counted and shown, but never red: {', '.join(Class)}; more than once"


def add_gate(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--fail-on", choices=tuple(FAIL_ON), default="unexplained", help=_FAIL_ON)
    parser.add_argument("--ignore", metavar="CLASS,…", action="extend", type=_classes, default=[], help=_IGNORE)
    parser.add_argument(
        "--max-share",
        metavar="X",
        type=amount(below=1),
        default=0.0,
        help="tolerate differences in this part of the changes (0)",
    )


def _classes(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in {*Class}:
            raise argparse.ArgumentTypeError(unknown_name("class of differences", name, Class))
    return names


def limits_of(args: argparse.Namespace) -> Limits:
    """The limits in the options."""
    return Limits(args.fail_on, args.max_share, tuple(sorted(set(args.ignore))))

"""The options of `compare` that say what is red: `--fail-on`, `--ignore`, `--max-share`."""

from __future__ import annotations

import argparse

from conformance.errors import UsageError
from conformance.nearest import did_you_mean
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
    parser.add_argument("--ignore", metavar="CLASS,…", action="append", default=[], help=_IGNORE)
    parser.add_argument(
        "--max-share", metavar="X", type=float, default=0.0, help="tolerate differences in this part of the changes (0)"
    )


def limits_of(args: argparse.Namespace) -> Limits:
    """The limits in the options. Raises `UsageError` for an unknown class, and for a malformed share."""
    if not 0 <= args.max_share < 1:
        raise UsageError(f"--max-share {args.max_share}: a number from 0 to below 1 is needed")
    classes = [name.strip() for given in args.ignore for name in given.split(",")]
    for name in classes:
        if name not in {*Class}:
            known = ", ".join(Class)
            raise UsageError(
                f"--ignore {name}: no class of differences{did_you_mean(name, Class)}\n  There are: {known}"
            )
    return Limits(args.fail_on, args.max_share, tuple(sorted(set(classes))))

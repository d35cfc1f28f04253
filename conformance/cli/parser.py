"""The command line: argparse whose errors are `UsageError`s, the command as it was typed, and notes on stderr."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from conformance.errors import UsageError
from conformance.nearest import did_you_mean, unknown_name

__all__ = ["CommandParser", "print_note", "typed_command"]

_THERE_ARE = "\n  There are: "
_LOGIN = re.compile(r"(?<=://)[^/?#\s]+@")
"""A login in a URL: user and password stand before the host, which ends at `/`, `?` or `#`."""


def typed_command() -> list[str]:
    """The command as it was typed, for records and reports, without the logins in its addresses."""
    return ["ticdc-conformance", *(_LOGIN.sub("…@", word) for word in sys.argv[1:])]


def print_note(text: object) -> None:
    """Print a note, or the reason why the command ends, on stderr."""
    print(f"ticdc-conformance: {text}", file=sys.stderr)


class CommandParser(argparse.ArgumentParser):
    """The parser of one command."""

    def error(self, message: str) -> NoReturn:
        """Raise a `UsageError`; unless the message lists the possible values, it says what lists all arguments."""
        hint = "" if _THERE_ARE in message else f"\n  All arguments: {self.prog} --help"
        raise UsageError(message.removeprefix("argument ") + hint)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Like argparse, but the parser of the command itself refuses an unknown argument."""
        given = list(sys.argv[1:] if args is None else args)
        # An unknown option is reported first: argparse would report the required option that it misspells as missing.
        unknown = [] if self._subparsers else [text for text in _long_options(given) if not self._is_known(text)]
        if not unknown:
            namespace, unknown = super().parse_known_args(given, namespace)
        if unknown:
            self.error("\n  ".join(map(self._unknown, unknown)))
        return namespace, unknown

    def _names(self) -> list[str]:
        return [name for action in self._actions for name in action.option_strings if name.startswith("--")]

    def _is_known(self, text: str) -> bool:
        """Whether the text is an option, or the beginning of one."""
        return any(name.startswith(text.partition("=")[0]) for name in self._names())

    def _unknown(self, text: str) -> str:
        name = text.partition("=")[0]
        if not text.startswith("-"):
            return f"{text!r} is not expected here"
        return f"unknown option {name}{did_you_mean(name, self._names())}"

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        what = action.option_strings[-1] if action.option_strings else str(action.metavar or action.dest).lower()
        raise argparse.ArgumentError(None, unknown_name(what, str(value), map(str, action.choices)))


def _long_options(given: Sequence[str]) -> Iterator[str]:
    """The arguments that are long options; none after a `--`."""
    for text in given:
        if text == "--":
            return
        if text.startswith("--"):
            yield text

"""Arguments that several commands share, and the parsing of their values."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from conformance.errors import UsageError
from conformance.nearest import unknown_name
from reference_impl.profiles import NEWARCH, NEWEST_KNOWN, PROFILES, Profile, parse_release, profile_of_release
from reference_impl.protocols import DIALECTS

__all__ = [
    "add_profile",
    "add_shared",
    "amount",
    "assignments",
    "checked_name",
    "consumer_of",
    "profile_of",
    "refuse_profile",
    "release_note",
    "whole_number",
]


def whole_number(least: int | None = 1) -> Callable[[str], int]:
    """The type of an argument: a whole number from `least` on, or any for None."""
    bound = "" if least is None else f" from {least} on"

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = None
        if value is None or (least is not None and value < least):
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number{bound}")
        return value

    return read


def amount(below: float = math.inf) -> Callable[[str], float]:
    """The type of an argument: a number from 0 to below a bound."""
    bounds = "from 0 on" if below == math.inf else f"from 0 to below {below:g}"

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not 0 <= value < below:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number {bounds}")
        return value

    return read


_SHARED: Mapping[str, Mapping[str, Any]] = {
    "--protocol": {
        "metavar": "P",
        "action": "append",
        "default": [],
        "choices": DIALECTS,
        "help": "only this protocol; repeat for several",
    },
    "--tables": {
        "metavar": "FILE",
        "type": Path,
        "help": "Table JSON: a list, or one a line; or CREATE TABLE statements in a file .sql",
    },
    "--kafka-config": {
        "metavar": "FILE",
        "type": Path,
        "help": "for topics: properties of Kafka's own tools (TLS, SASL, …)",
    },
    "--runner": {"choices": ("local", "spark"), "default": "local", "help": "where it runs (local)"},
    "--master": {
        "metavar": "URL",
        "default": "local[*]",
        "help": "the master of Spark; sc://… is Spark Connect (local[*])",
    },
    "-n": {"dest": "processes", "metavar": "N", "type": whole_number(), "default": 2, "help": "processes (2)"},
    "--redact": {"action": "store_true", "help": "show no values of columns, only their type and length"},
    "--template": {"metavar": "DIR", "help": "use the templates in this folder in place of those of the pages"},
    "--format": {"choices": ("text", "json"), "default": "text", "help": "text (the default) or json"},
}
"""Options that mean the same in every command that has them."""


def add_shared(parser: argparse.ArgumentParser, *names: str, **other: Any) -> None:
    """Add options of `_SHARED`; `other` replaces properties of theirs."""
    for name in names:
        parser.add_argument(name, **{**_SHARED[name], **other})


def add_profile(parser: argparse.ArgumentParser, *names: str) -> None:
    """Add `--profile` and `--ticdc-version`, which exclude each other; `names` are further names of the latter."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--profile", metavar="NAME", choices=PROFILES, help=f"{', '.join(PROFILES)} (newarch)")
    group.add_argument(
        "--ticdc-version", *names, metavar="X.Y.Z", help="the profile and the requirements of a TiCDC release"
    )


def profile_of(profile: str | None, release: str | None) -> Profile:
    """The profile of that name, or of that TiCDC release if one is given. Raises `UsageError` for an unknown one."""
    if release:
        try:
            return profile_of_release(release)
        except ValueError as e:
            raise UsageError(f"--ticdc-version: {e}") from None
    return PROFILES[profile] if profile else NEWARCH


def refuse_profile(dialect: str, profile: str | None, release: str | None) -> None:
    """Raise `UsageError` for a profile or a release of TiCDC that is given with an upstream dialect."""
    for option, given in (("--profile", profile), ("--ticdc-version", release)):
        if given:
            raise UsageError(f"{option} goes with protocols of TiCDC: {dialect} is the same under all of them")


def release_note(text: str | None) -> str:
    """A note on a release that is newer than every release that the suite knows; empty for any other, and for None."""
    release = parse_release(text) if text else NEWEST_KNOWN
    if release <= NEWEST_KNOWN:
        return ""
    newest = ".".join(map(str, NEWEST_KNOWN))
    given = ".".join(map(str, release))
    return f"v{given} is newer than v{newest}, the newest release known here: judged as {NEWARCH.title}"


def assignments(option: str, texts: Iterable[str]) -> dict[str, str]:
    """The values in `NAME=VALUE` texts, by name. Raises `UsageError` for a malformed text and a repeated name."""
    values: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UsageError(f"{option} {text}: it looks like NAME=VALUE")
        if name in values:
            raise UsageError(f"{option}: {name!r} is given twice; leave one out")
        values[name] = value
    return values


_NO_FORMATS: Mapping[str, str] = {}


def consumer_of(
    text: str, names: Iterable[str], formats: Mapping[str, str] = _NO_FORMATS
) -> tuple[str, str, dict[str, str]]:
    """Name, version or "", and options of a consumer: `NAME[@VERSION][:OPTION=VALUE,…]`.

    NAME is one of `names`, or of `formats`, which stand for a consumer. Raises `UsageError`, also for an option or
    value that the models of the consumer do not know.
    """
    from conformance.consumers import OPTIONS  # late: other commands need no models

    consumer, _, given = text.partition(":")
    name, _, version = consumer.partition("@")
    name = checked_name("consumer", name, (*names, *formats))
    name = formats.get(name, name)
    options = assignments("--consumer", filter(None, given.split(",")))
    known = OPTIONS[name.removesuffix("-avro")]
    for option, value in options.items():
        if option not in known:
            listed = ", ".join(known) or "none"
            raise UsageError(f"--consumer {name}: unknown option {option!r}; its model knows {listed}")
        if value not in known[option]:
            raise UsageError(f"--consumer {name}: {option}={value!r} is not one of {', '.join(known[option])}")
    return name, version, options


def checked_name(what: str, given: str, names: Iterable[str]) -> str:
    """`given`, which must be one of `names`. Else raises `UsageError` with the nearest name; `what` is the noun."""
    names = list(names)
    if given not in names:
        raise UsageError(unknown_name(what, given, names))
    return given

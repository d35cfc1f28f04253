"""Arguments that several commands share, and the parsing of their values."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from conformance.errors import UsageError
from conformance.nearest import nearest
from reference_impl.profiles import NEWARCH, NEWEST_KNOWN, PROFILES, Profile, parse_release, profile_of_release

__all__ = ["add_profile", "check_positive", "checked_name", "profile_of", "refuse_profile", "release_note"]


def add_profile(parser: argparse.ArgumentParser, *names: str) -> None:
    """Add `--profile` and `--ticdc-version`, which exclude each other; `names` are further names of the latter."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--profile", metavar="NAME", help=f"{', '.join(PROFILES)} (newarch)")
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
    return PROFILES[checked_name("profile", profile, PROFILES)] if profile else NEWARCH


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


def check_positive(**given: int) -> None:
    """Raise `UsageError` for a number below 1; each is given under the name of its option, `n=2` for `-n 2`."""
    for name, number in given.items():
        if number < 1:
            option = f"-{name}" if len(name) == 1 else f"--{name}"
            raise UsageError(f"{option} {number}: one or more are needed")


def checked_name(what: str, given: str, names: Iterable[str]) -> str:
    """`given`, which must be one of `names`. Else raises `UsageError`: `unknown protocol 'avr'`, and the names.

    `what` is the noun for the message.
    """
    names = list(names)
    if given in names:
        return given
    near = nearest(given, names, 1)
    hint = f"did you mean {near[0]!r}?  " if near else ""
    raise UsageError(f"unknown {what} {given!r}\n  {hint}There are: {', '.join(names)}")

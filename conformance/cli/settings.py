"""The settings of a run: one table for the command line, environment, configuration file and pytest plug-in.

Precedence: command line, environment (`TICDC_CONFORMANCE_IUT=…`), file (`ticdc-conformance.toml`), default.
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from conformance.errors import UsageError, file_errors
from conformance.nearest import did_you_mean, unknown_name

__all__ = ["FILE", "SETTINGS", "Setting", "add_settings", "read_settings_file", "resolve", "sources", "value_of"]

FILE = "ticdc-conformance.toml"
_TOO_MUCH = 1_000_000
_PREFIX = "TICDC_CONFORMANCE_"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting, for every place in which it can be given."""

    name: str
    """The long option without `--`."""
    kind: Literal["text", "list", "flag", "count", "seconds"]
    """The type of the value."""
    help: str
    metavar: str = ""
    choices: tuple[str, ...] = ()
    """The values allowed; empty if any is."""
    short: str = ""
    """A short option, as `-k`."""

    @property
    def key(self) -> str:
        """The name as an attribute."""
        return self.name.replace("-", "_")


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "iut",
        "list",
        "address of an implementation, cmd:, docker:, py:, tcp:, exec: or recorded:; repeat for several",
        "ADDRESS",
    ),
    Setting("protocol", "list", "judge only this protocol; repeat for several", "P"),
    Setting("role", "list", "judge only this role, encode or decode", "ROLE", ("encode", "decode")),
    Setting(
        "select",
        "text",
        "run the cases that match: a requirement's id (CJ-388), or words of case ids, levels and axes, as in: "
        "a and (b or not c)",
        "EXPR",
        (),
        "-k",
    ),
    Setting(
        "level",
        "text",
        "leave out cases of weaker requirements: must, should or may (may)",
        "LEVEL",
        ("must", "should", "may"),
    ),
    Setting("strict", "flag", "fail on a broken SHOULD, too: --gate should"),
    Setting(
        "gate",
        "text",
        "what fails the run: data (the default: a broken MUST, and a broken SHOULD that loses or changes data), must, "
        "should, or regress",
        "GATE",
        ("data", "must", "should", "regress"),
    ),
    Setting("against", "text", "with --gate regress: fail on findings that this saved run did not have", "RUN"),
    Setting(
        "profile",
        "text",
        "expect this style: newarch (the default), classic or doc",
        "NAME",
        ("doc", "newarch", "classic"),
    ),
    Setting("ticdc-version", "text", "expect the style and the rules of this TiCDC release", "X.Y.Z"),
    Setting(
        "suite-version",
        "text",
        "score by the requirements of this version of the suite; later requirements are shown, never scored",
        "V",
    ),
    Setting("baseline", "text", "file of known failures: these do not fail the run", "FILE"),
    Setting(
        "report",
        "list",
        "write a report: html=PATH, jsonl=PATH, junit=PATH, markdown=PATH, sarif=PATH, badge=PATH, or github= (also "
        "github=DIR), allure=DIR; repeat for several",
        "KIND=PATH",
    ),
    Setting(
        "template",
        "text",
        "use the templates in this folder in place of those of the pages, whole or block by block",
        "DIR",
    ),
    Setting(
        "origin",
        "text",
        "the place that reports show for an answer that names no place in a source: a path relative to the root of "
        "the source",
        "FILE[:LINE]",
    ),
    Setting(
        "out",
        "text",
        "save the run in this folder: its record, run.jsonl, and every answer, answers.jsonl.gz",
        "DIR",
    ),
    Setting("resume", "flag", "with --out: resume the interrupted run in that folder"),
    Setting("shard", "text", "run part I of N; a case always belongs to the same part", "I/N"),
    Setting(
        "sessions", "count", "run N sessions with an implementation at a time (as many as cores; tcp: 1)", "N", (), "-n"
    ),
    Setting("timeout", "seconds", "give up on an answer after S seconds (5)", "S"),
    Setting("registry-url", "text", "use this schema registry instead of the suite's own", "URL"),
    Setting(
        "registry-config", "text", "with --registry-url: properties of Confluent's clients (login, token, TLS)", "FILE"
    ),
    Setting("dump-stdin", "text", "save in this folder every line that is sent to the implementation", "DIR"),
    Setting("today", "text", "the day by which entries of the baseline count as expired (today)", "YYYY-MM-DD"),
    Setting("quiet", "flag", "print only the summary", "", (), "-q"),
)

_BY_NAME = {s.name: s for s in SETTINGS}


def add_settings(parser: argparse.ArgumentParser, names: Collection[str] = tuple(_BY_NAME)) -> None:
    """Add the settings of these names as options, by default all; an option that is not given becomes None."""
    for s in (s for s in SETTINGS if s.name in names):
        flags = [f for f in (s.short, f"--{s.name}") if f]
        common: dict[str, Any] = {"dest": s.key, "help": s.help, "default": None}
        if s.kind == "flag":
            parser.add_argument(*flags, action="store_const", const=True, **common)
        else:
            action = "append" if s.kind == "list" else "store"
            parser.add_argument(*flags, action=action, metavar=s.metavar, **common)
    parser.add_argument("--config", metavar="FILE", type=Path, help=f"configuration ({FILE}, if it is there)")


def resolve(given: Mapping[str, Any], environment: Mapping[str, str], file: Path | None) -> dict[str, Any]:
    """Every setting by attribute name, None without a value.

    Raises `UsageError` for a malformed value, and for a named file that is missing.
    """
    return {key: value for key, (value, _) in sources(given, environment, file).items()}


def sources(given: Mapping[str, Any], environment: Mapping[str, str], file: Path | None) -> dict[str, tuple[Any, str]]:
    """Like `resolve`, with the source of each value: an option, a variable, a file, or "" for none."""
    path = file or (Path(FILE) if Path(FILE).is_file() else None)
    from_file = read_settings_file(path) if path else {}
    resolved: dict[str, tuple[Any, str]] = {}
    for s in SETTINGS:
        variable = _PREFIX + s.key.upper()
        if given.get(s.key) is not None:
            resolved[s.key] = value_of(s.name, given[s.key], f"--{s.name}"), f"--{s.name}"
        elif environment.get(variable):
            resolved[s.key] = value_of(s.name, environment[variable], f"environment {variable}"), variable
        else:
            resolved[s.key] = from_file.get(s.key), str(path) if s.key in from_file else ""
    if given.get("registry_config") is not None and resolved["registry_url"][0] is None:
        raise UsageError("--registry-config goes with --registry-url")
    return resolved


def read_settings_file(path: Path) -> dict[str, Any]:
    """The settings in a file, by attribute name. Raises `UsageError`, naming file and line, for a malformed one."""
    try:
        with file_errors(f"config error: {path}: cannot be read"):
            text = path.read_text(encoding="utf-8-sig")
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as e:
        raise UsageError(f"config error: {path}: not TOML: {e}") from None
    found = {}
    for name, given in data.items():
        line = next((n for n, row in enumerate(text.splitlines(), 1) if _begins(row, name)), 0)
        place = f"config error: {path}{f', line {line}' if line else ''}"
        if name not in _BY_NAME:
            hint = did_you_mean(name, _BY_NAME)
            raise UsageError(f"{place}: unknown setting {name!r}{hint}\n  All settings: ticdc-conformance run --help")
        found[_BY_NAME[name].key] = value_of(name, given, place)
    return found


def value_of(name: str, given: Any, place: str) -> Any:
    """A value of the setting of that name, in its own type. Raises `UsageError`, naming the place."""
    s = _BY_NAME[name]
    if s.kind == "list":
        if isinstance(given, list):
            items = given
        else:
            items = str(given).split(",") if place.startswith("environment") else [given]
        return tuple(_choice(s, _text(s, item, place), place) for item in items)
    if s.kind == "flag":
        if isinstance(given, bool):
            return given
        if str(given).lower() in ("1", "true", "yes", "0", "false", "no"):
            return str(given).lower() in ("1", "true", "yes")
        raise UsageError(f"{place}: {s.name} is neither true nor false: {given!r}")
    if s.kind in ("count", "seconds"):
        try:
            number = float(given)
        except (TypeError, ValueError, OverflowError):
            number = 0
        is_whole = s.kind == "count"
        if isinstance(given, bool) or not 0 < number < _TOO_MUCH or (is_whole and number != int(number)):
            kind = "whole number" if is_whole else "number"
            name = "" if place.startswith("--") else f"{s.name} "
            raise UsageError(f"{place}: {name}{given!r} is not a {kind} above 0 and below {_TOO_MUCH:,}")
        return int(number) if is_whole else number
    return _choice(s, _text(s, given, place), place)


def _text(s: Setting, given: Any, place: str) -> str:
    if isinstance(given, (dict, list, bool)):
        raise UsageError(f"{place}: {s.name} is not a text: {given!r}")
    return str(given)


def _choice(s: Setting, given: str, place: str) -> str:
    if s.choices and given not in s.choices:
        raise UsageError(f"{place}: {unknown_name(s.name, given, s.choices)}")
    return given


def _begins(row: str, name: str) -> bool:
    """Whether a row of TOML begins the value of a name: `name =`, `"name" =`, `name.part =` or `[name]`."""
    return row.split("=")[0].split(".")[0].strip(" \t[]\"'") == name

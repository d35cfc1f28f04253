"""docs/cli.md: every command with its options, from the parser; docs/schemas.md: every schema, from its file."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator

from conformance.catalogue.fixtures import fixtures_root
from conformance.cli.main import COMMANDS, build_parser
from tools.page_text import cell, code, page, table

__all__ = ["cli_page", "schemas_page"]

_HIDDEN = ("help",)
_CODE = re.compile(r"(?<![\w/`])(--[\w-]+(?:=[\w.-]+)?|ticdc-conformance(?: [\w-]+)+)")


def cli_page() -> str:
    """`cli.md`."""

    def lines() -> Iterator[str]:
        yield "`ticdc-conformance COMMAND --help` shows the same on the terminal. Long options may be shortened."
        yield ""
        yield from table(("command", "does"), ((f"[{code(n)}](#{n})", cell(text)) for n, (_, text) in COMMANDS.items()))
        yield "What the exit status says is in the [README](../README.md#what-the-exit-status-says)."
        yield ""
        for name in COMMANDS:
            [parsers] = (a for a in build_parser(name)._actions if isinstance(a, argparse._SubParsersAction))
            yield from _command(name, parsers.choices[name], "##")

    return page("Commands and options", lines())


def _command(name: str, parser: argparse.ArgumentParser, heading: str) -> Iterator[str]:
    yield f"{heading} {name}"
    yield ""
    nested = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    if parser.description:
        yield _text(parser.description)
        yield ""
    shown = [a for a in parser._actions if a.dest not in _HIDDEN and a not in nested and a.help != argparse.SUPPRESS]
    if shown:
        yield from table(("argument", "means"), ((_name(a), _text(a.help or "") + _more(a)) for a in shown))
    if parser.epilog:
        yield _text(parser.epilog)
        yield ""
    for group in nested:
        for sub, one in group.choices.items():
            yield from _command(f"{name} {sub}", one, heading + "#")


def _name(action: argparse.Action) -> str:
    metavar = action.metavar or (action.dest.upper() if action.option_strings else action.dest)
    value = " ".join(metavar) if isinstance(metavar, tuple) else metavar
    if not action.option_strings:
        return code(f"{value} …" if action.nargs in ("+", "*") else value)
    takes = f" {value}" if action.nargs != 0 else ""
    return ", ".join(code(f"{flag}{takes}") for flag in sorted(action.option_strings, key=len, reverse=True))


def _more(action: argparse.Action) -> str:
    notes = ["required"] if action.required and action.option_strings else []
    if action.choices and not all(str(choice) in (action.help or "") for choice in action.choices):
        notes.append("one of " + ", ".join(map(str, action.choices)))
    if isinstance(action, argparse._AppendAction) and "repeat" not in (action.help or ""):
        notes.append("may be repeated")
    return f" ({'; '.join(notes)})" if notes else ""


def _text(text: str) -> str:
    """Help as Markdown: on one line, options and commands as code; what is code in the help stays as it is."""
    parts = cell(" ".join(text.replace("%%", "%").split())).split("`")
    return "`".join(part if number % 2 else _CODE.sub(r"`\1`", part) for number, part in enumerate(parts))


def schemas_page() -> str:
    """`schemas.md`."""
    files = sorted((fixtures_root() / "schemas").glob("*.schema.json"))
    schemas = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in files}

    def lines() -> Iterator[str]:
        yield "JSON Schemas (2020-12) of everything that is written or read as data, each at a stable address."
        yield "`ticdc-conformance copy DIR` writes them, too. What may change is in the [policy](policy.md#formats)."
        yield ""
        yield from table(
            ("schema", "of"),
            ((f"[{code(name)}](../fixtures/schemas/{name})", cell(one["title"])) for name, one in schemas.items()),
        )

    return page("Schemas", lines())

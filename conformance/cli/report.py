"""`report render|merge|…`: reports of saved runs. A sub-command is a module in `report_commands` and a line here."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from conformance.cli.parser import CommandParser

__all__ = ["SUB_COMMANDS", "register"]

SUB_COMMANDS: Mapping[str, tuple[str, str]] = {
    "merge": ("merge", "join the shards of a run into the undivided run"),
    "render": ("render", "write any report of a saved run, as the run itself would have written it"),
    "index": ("index", "show runs side by side: implementations, and the versions of one"),
    "badge": ("badge", "write what shields.io shows of a run, or of the worst of several"),
}
"""Sub-command → its module in `report_commands`, imported only for this sub-command, and its line of help.

A module has `register(parser)`, which adds the arguments to the parser of the sub-command and sets `handle`.
"""


class _Parser(CommandParser):
    """The parser of one sub-command, which adds its arguments when they are first parsed."""

    module = ""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Import the module, then parse."""
        if self.module:
            name, self.module = self.module, ""
            import_module(f"conformance.cli.report_commands.{name}").register(self)
        return super().parse_known_args(args, namespace)


def register(commands: Any) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = commands.add_parser("report")
    subs = parser.add_subparsers(dest="sub_command", metavar="COMMAND", required=True, parser_class=_Parser)
    for name, (module, text) in SUB_COMMANDS.items():
        subs.add_parser(name, help=text, description=text).module = module

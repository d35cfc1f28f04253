"""`report render|merge|…`: reports of saved runs. A sub-command is a module in `report_commands` and a line here."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from conformance.cli.main import EVERY

__all__ = ["SUB_COMMANDS", "register"]

SUB_COMMANDS: Mapping[str, str] = {
    "merge": "join the shards of a run into the undivided run",
    "render": "write any report of a saved run, as the run itself would have written it",
    "index": "show runs side by side: implementations, and the versions of one",
    "badge": "write what shields.io shows of a run, or of the worst of several",
}
"""Sub-command, which is a module in `report_commands`, imported only if it is needed → its line of help.

A module has `register(parser)`, which adds the arguments to the parser of the sub-command and sets `handle`.
"""


def register(commands: Any) -> None:
    """Add the command."""
    subs = commands.add_parser("report").add_subparsers(dest="sub_command", metavar="COMMAND", required=True)
    for name, text in SUB_COMMANDS.items():
        parser = subs.add_parser(name, help=text, description=text)
        if commands.sub_command in (name, EVERY):
            import_module(f"conformance.cli.report_commands.{name}").register(parser)

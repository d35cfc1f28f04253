"""`--registry-config FILE`: the login, token and certificates for a schema registry."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.errors import UsageError

if TYPE_CHECKING:
    from conformance.registry.access import Access

__all__ = ["OPTION", "add_registry_config", "registry_access"]

OPTION = "--registry-config"


def add_registry_config(parser: argparse.ArgumentParser, place: str = "with --registry-url") -> None:
    """Add the option to a command that does not have it as a setting; `place` says where the URL comes from."""
    parser.add_argument(OPTION, metavar="FILE", help=f"{place}: properties of Confluent's clients (login, token, TLS)")


def registry_access(file: str | None) -> Access:
    """The access in a file; without a file no credentials.

    Raises `UsageError`, naming the line and the property and never a value.
    """
    from conformance.captures.kafka_config import read_config
    from conformance.registry.access import ANONYMOUS, access_of

    if file is None:
        return ANONYMOUS
    config = read_config(Path(file), OPTION)
    try:
        access = access_of(config.properties)
        access.context()
    except ValueError as e:
        name = str(e).partition(":")[0]
        line = config.lines.get(name) or config.lines.get(f"schema.registry.{name}")
        place = f"{file}, line {line}" if line else file
        raise UsageError(f"{OPTION} {place}: {e}") from None
    return access

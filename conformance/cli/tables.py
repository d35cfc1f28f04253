"""`--tables FILE`: Table JSON, a list of them or one a line."""

from __future__ import annotations

import json
from pathlib import Path

from conformance.errors import UsageError
from reference_impl.errors import Rejected
from reference_impl.model import Table
from reference_impl.wire import table_from_json

__all__ = ["read_tables"]


def read_tables(path: Path) -> list[Table]:
    """The tables in a file. Raises `UsageError`, naming file and table, for one that cannot be read."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as e:
        raise UsageError(f"--tables {path}: cannot be read ({e})") from None
    try:
        given = json.loads(text)
    except ValueError:
        given = [_line(path, n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    tables = []
    for number, item in enumerate(given if isinstance(given, list) else [given], 1):
        try:
            tables.append(table_from_json(item))
        except (Rejected, KeyError, TypeError) as e:
            raise UsageError(f"--tables {path}, table {number}: {e}") from None
    return tables


def _line(path: Path, number: int, line: str) -> object:
    try:
        return json.loads(line)
    except ValueError as e:
        raise UsageError(f"--tables {path}, line {number}: not JSON ({e})") from None

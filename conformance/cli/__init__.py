"""The command line: a file a command."""

from __future__ import annotations

__all__: list[str] = []

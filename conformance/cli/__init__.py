"""The command line: one file for each command."""

from __future__ import annotations

__all__: list[str] = []

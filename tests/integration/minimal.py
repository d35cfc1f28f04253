"""The smallest example of a harness, and copies of it with a change."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "minimal_harness.py"


def address(program: Path = EXAMPLE) -> str:
    """The address of a harness in Python, the example if none is named."""
    return f"cmd:{shlex.join([sys.executable, str(program)])}"


def changed(folder: Path, *changes: tuple[str, str]) -> str:
    """The address of a copy of the example in a folder; each change is a text of it, and the text in its place."""
    text = EXAMPLE.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    copy = folder / "changed_harness.py"
    copy.write_text(text, encoding="utf-8")
    return address(copy)

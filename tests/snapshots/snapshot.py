"""Texts compared with plain files. `UPDATE_SNAPSHOTS=1` writes them anew, for a person to review the difference."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "texts"


def assert_snapshot(name: str, text: str) -> None:
    """The text is the one in the file of that name."""
    path = FOLDER / name
    if os.environ.get("UPDATE_SNAPSHOTS") == "1":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    assert path.exists(), f"no snapshot {name}: write it with UPDATE_SNAPSHOTS=1 and review it"
    assert text == path.read_text(encoding="utf-8"), f"{name} differs: UPDATE_SNAPSHOTS=1 rewrites it"

"""The schemas of `tests/schemas`, as paths."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "schemas"
SCHEMAS = {path.stem: path for path in sorted(FOLDER.iterdir()) if path.suffix == ".sql" or path.is_dir()}

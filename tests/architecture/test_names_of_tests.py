"""Modules of tests that are collected together have names of their own: pytest imports them by their names alone."""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_no_two_modules_of_the_tests_have_one_name() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    folders = settings["tool"]["pytest"]["ini_options"]["testpaths"]
    names = Counter(path.name for folder in folders for path in (ROOT / folder).rglob("test_*.py"))
    assert names.total() > 100
    assert [name for name, count in names.items() if count > 1] == []

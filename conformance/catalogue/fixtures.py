"""Finds the folder of the fixtures.

It is `fixtures` beside the packages in a checkout, `conformance/_fixtures` in an installed wheel.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from conformance.errors import SuiteError

__all__ = ["fixtures_root"]


@cache
def fixtures_root() -> Path:
    """The folder of the shipped fixtures. Raises `SuiteError` where the installation has none."""
    package = Path(__file__).resolve().parent.parent
    for root in (package / "_fixtures", package.parent / "fixtures"):
        if root.is_dir():
            return root
    raise SuiteError(f"the fixtures are neither in {package} nor beside it: the installation is incomplete")

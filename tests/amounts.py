"""How much the tests draw and visit: as much as a change needs to be seen, or with `THOROUGH=1` several times as much.

What a test asserts is the same in both; `tox run -e thorough` is the larger one, and draws other examples each time.
"""

from __future__ import annotations

import os
from typing import TypeVar

__all__ = ["THOROUGH", "examples", "ordinarily"]

THOROUGH = os.environ.get("THOROUGH") == "1"
T = TypeVar("T")

_SHARE = 4
_FEWEST = 4


def ordinarily(few: T, many: T) -> T:
    """`few`, or with `THOROUGH=1` as `many`."""
    return many if THOROUGH else few


def examples(many: int = 100) -> int:
    """How many examples of `many` a property is tried with."""
    return ordinarily(max(many // _SHARE, min(many, _FEWEST)), many)

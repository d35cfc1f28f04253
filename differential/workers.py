"""What every process does that reads or compares messages for another."""

from __future__ import annotations

import gc
from functools import cache

__all__ = ["look_seldom_for_cycles"]

_SELDOM = 500_000
"""More objects than a batch of messages takes."""


@cache
def look_seldom_for_cycles(work: str) -> None:
    """Make garbage collection rare in this process; `work` names the kind of work, for which it is done once.

    It would scan modules and rows again and again, for a tenth of the time; there are hardly any cycles.
    """
    gc.freeze()
    gc.set_threshold(_SELDOM, 50, 50)

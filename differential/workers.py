"""Configures the worker processes that read or compare messages."""

from __future__ import annotations

import gc
from functools import cache

__all__ = ["collect_garbage_rarely"]

_MANY_OBJECTS = 500_000
"""More objects than a batch of messages takes."""


@cache
def collect_garbage_rarely(work: str) -> None:
    """Make garbage collection rare in this process, once for each kind of work that `work` names.

    The collector would spend a tenth of the time on scanning modules and rows, which hold hardly any cycles.
    """
    gc.freeze()
    gc.set_threshold(_MANY_OBJECTS, 50, 50)

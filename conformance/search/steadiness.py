"""What makes one seed one search.

Hypothesis also draws constants that stand in the source of whatever modules happen to be loaded. A search would then
depend on how it was started, and on every edit of ours; so there are none while it runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hypothesis.internal.conjecture import providers

__all__ = ["without_constants_of_modules"]

_COLLECTOR, _CACHE, _CONSTANTS = "_get_local_constants", "CONSTANTS_CACHE", "Constants"


@contextmanager
def without_constants_of_modules() -> Iterator[None]:
    """No constants of loaded modules are drawn meanwhile; nothing to do where Hypothesis knows none."""
    collect, cache = getattr(providers, _COLLECTOR, None), getattr(providers, _CACHE, None)
    if collect is None or cache is None:
        yield
        return
    none: Any = getattr(providers, _CONSTANTS)()
    cache.cache.clear()
    setattr(providers, _COLLECTOR, lambda: none)
    try:
        yield
    finally:
        setattr(providers, _COLLECTOR, collect)
        cache.cache.clear()

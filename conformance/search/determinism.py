"""Makes a search depend only on its seed.

Hypothesis also draws constants from the source of all loaded modules. A search would then depend on how it was started,
and on every edit of the suite; so this is switched off.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

__all__ = ["without_constants_of_modules"]

_PROVIDERS = "hypothesis.internal.conjecture.providers"
_COLLECTOR, _CACHE, _CONSTANTS = "_get_local_constants", "CONSTANTS_CACHE", "Constants"


@contextmanager
def without_constants_of_modules() -> Iterator[None]:
    """A context in which no constants of loaded modules are drawn; does nothing if Hypothesis has no such feature."""
    try:
        providers: Any = import_module(_PROVIDERS)
    except ImportError:  # the oldest supported release has no such module
        providers = None
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

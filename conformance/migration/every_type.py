"""A schema with every column type, for a move that is assessed without the user's tables."""

from __future__ import annotations

from functools import cache

from differential.generate.presets import PRESETS
from reference_impl.model import Table

__all__ = ["every_type"]


@cache
def every_type() -> tuple[Table, ...]:
    """One table for each family of column types, as in the preset `types` of `generate`."""
    return tuple(source.table for source in PRESETS["types"].sources())

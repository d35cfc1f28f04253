"""A schema with every column type, for a move that is assessed without tables of one's own."""

from __future__ import annotations

from functools import cache

from differential.generate.presets import PRESETS
from reference_impl.model import Table

__all__ = ["every_type"]


@cache
def every_type() -> tuple[Table, ...]:
    """A table a family of column types, as the preset `types` of `generate` has them."""
    return tuple(source.table for source in PRESETS["types"].sources())

"""The options of Squirrel: Canal's, with another release."""

from __future__ import annotations

from dataclasses import dataclass

from reference_impl.options import choice
from reference_impl.upstream.canal.options import Options as CanalOptions

__all__ = ["Options"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(CanalOptions):
    """Those of Canal."""

    version: str = choice("version", "0.1")

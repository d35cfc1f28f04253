"""Predicates of the divergences between Alibaba Canal and TiCDC's Canal-JSON."""

from __future__ import annotations

from collections.abc import Mapping

from differential.predicates.kinds import CellTest, StepTest, ValueTest

__all__ = ["CELLS", "STEPS", "VALUES"]

VALUES: Mapping[str, ValueTest] = {}
CELLS: Mapping[str, CellTest] = {}
STEPS: Mapping[str, StepTest] = {}

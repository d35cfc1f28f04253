"""Answers to cases that any answer fulfils."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.oracle.comparison import Comparison
from conformance.oracle.tree import Kind
from reference_impl.errors import RejectionClass

__all__ = ["judge_answered"]


def judge_answered(found: Comparison, answer: Mapping[str, Any]) -> None:
    """Accepts any events, and any known class of rejection."""
    found.looked_at()
    if "error" in answer:
        found.answered(Kind.BROKEN, "an answer", answer["error"])
    elif "rejected" in answer and answer["rejected"]["class"] not in tuple(RejectionClass):
        found.answered(Kind.BROKEN, "a known class", answer["rejected"])

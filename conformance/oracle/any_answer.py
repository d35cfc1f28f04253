"""Judges crashes, and the answers to cases that any answer fulfils."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.oracle.comparison import Comparison
from conformance.oracle.tree import Kind
from reference_impl.errors import RejectionClass

__all__ = ["judge_answered"]


def judge_answered(comparison: Comparison, answer: Mapping[str, Any]) -> None:
    """Accept any events and any known class of rejection; a crash or an unknown class is a finding."""
    comparison.note_case_requirements()
    if "error" in answer:
        comparison.blame_answer(Kind.BROKEN, "an answer", answer["error"])
    elif "rejected" in answer and answer["rejected"]["class"] not in tuple(RejectionClass):
        comparison.blame_answer(Kind.BROKEN, "a known class", answer["rejected"])

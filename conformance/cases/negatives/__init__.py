"""Negatives: valid records, each changed in one place, that a decoder must refuse or at least answer.

What must be refused follows from the change, from readers of other people or from what is known of a message's form;
where nothing follows, any answer is right, and a crash, a hang or an answer that is none is wrong. What is drawn is
drawn from fixed seeds: the cases are always the same.
"""

from __future__ import annotations

from conformance.cases.model import Case
from conformance.cases.negatives.table import NEGATIVES

__all__ = ["negative_cases"]


def negative_cases(protocol: str) -> list[Case]:
    """The negatives of a protocol, always the same and in the same order; ids are unique."""
    return list({case.id: case for case in NEGATIVES[protocol].cases()}.values())

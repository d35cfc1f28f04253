"""Negatives: valid records with one change each, which a decoder must refuse or at least answer.

A record must be refused where that follows from the change, from independent readers or from the form of the message.
Where nothing follows, any answer is right, but a crash, a hang or a malformed answer is wrong. Random choices use fixed
seeds: the cases are always the same.
"""

from __future__ import annotations

from conformance.cases.model import Case
from conformance.cases.negatives.table import NEGATIVES
from conformance.errors import SuiteError

__all__ = ["negative_cases"]


def negative_cases(protocol: str) -> list[Case]:
    """The negatives of a protocol, always in the same order. Raises `SuiteError` if two of them have one id."""
    found: dict[str, Case] = {}
    for case in NEGATIVES[protocol].cases():
        if found.setdefault(case.id, case) != case:
            raise SuiteError(f"two negatives have the id {case.id}")
    return list(found.values())

"""Inputs whose records are changed in one place before a decoder gets them, and their smaller versions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from conformance.cases.inputs import Input
from conformance.cases.negatives.drawn import Change, simpler
from conformance.cases.negatives.parts import KINDS
from conformance.search.inputs import inputs
from conformance.search.reduction import smaller
from conformance.search.scope import EVERYTHING, Scope

__all__ = ["ChangedInput", "changed_inputs", "smaller_changed_inputs"]

_NEAR, _FAR, _MOST_PARTS = 15, 4095, 7


@dataclass(frozen=True, slots=True)
class ChangedInput:
    """An input, and one change of the records that it is encoded to."""

    original: Input
    change: Change


def _changes() -> st.SearchStrategy[Change]:
    """Changes; half of them are near the beginning of a part, where headers and lengths are."""
    offset = st.one_of(st.integers(0, _NEAR), st.integers(0, _FAR))
    return st.builds(Change, st.integers(0, _MOST_PARTS), st.integers(0, len(KINDS) - 1), offset, st.integers(0, 63))


def changed_inputs(protocol: str, scope: Scope = EVERYTHING) -> st.SearchStrategy[ChangedInput]:
    """Inputs of a scope that the protocol can express, each with a change of its records."""
    return st.builds(ChangedInput, inputs(protocol, scope), _changes())


def smaller_changed_inputs(given: ChangedInput) -> Iterator[ChangedInput]:
    """Smaller examples: first the same change of smaller inputs, then smaller changes of the same input."""
    for original in smaller(given.original):
        yield replace(given, original=original)
    for change in simpler(given.change):
        yield replace(given, change=change)

"""The results of TiCDC's historical defects, from the results of their mutants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from conformance.catalogue.history import HistoricalDefect, Scope, load_history

if TYPE_CHECKING:
    from conformance.mutants.matrix import Death

__all__ = ["Fate", "defects_of", "fates"]


class Fate(StrEnum):
    """The result of a defect."""

    KILLED = "killed"
    SURVIVED = "survived"
    NOT_EXPRESSIBLE = "not expressible"
    OUT = "out of scope"


_WITHOUT_MUTANTS: Mapping[Scope, Fate] = {Scope.NOT_EXPRESSIBLE: Fate.NOT_EXPRESSIBLE, Scope.OUT: Fate.OUT}


def fates(deaths: Sequence[Death]) -> list[tuple[HistoricalDefect, Fate]]:
    """The defects of the given mutants, and those without mutants, in the order of the file.

    A defect is killed when all its mutants that were tried are; death for another reason is no kill.
    """
    from conformance.mutants.matrix import Outcome

    outcomes = {death.mutant.name: death.outcome for death in deaths if death.outcome is not Outcome.NOT_RUN}
    found = []
    for defect in load_history().values():
        tried = [outcomes[name] for name in defect.mutants if name in outcomes]
        if defect.scope in _WITHOUT_MUTANTS:
            found.append((defect, _WITHOUT_MUTANTS[defect.scope]))
        elif tried:
            found.append((defect, Fate.KILLED if set(tried) == {Outcome.KILLED} else Fate.SURVIVED))
    return found


def defects_of(mutant: str) -> list[HistoricalDefect]:
    """The defects that a mutant reproduces."""
    return [defect for defect in load_history().values() if mutant in defect.mutants]

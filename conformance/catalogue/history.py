"""Historical defects of TiCDC's encoders and decoders, with the mutants that reproduce them.

The data are `fixtures/history.toml`. Some ids are ids of requirements, too: commands call a defect `history/ID`. A test
checks that the mutants exist.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.members import Entry, reading, refuse_doubled, refuse_unknown, text, texts
from conformance.catalogue.sealed import read_toml

__all__ = ["PREFIX", "HistoricalDefect", "Scope", "defects_of_mutant", "load_history", "read_history"]

PREFIX = "history/"
"""The prefix of a defect's id where other names are possible."""

_MECHANISMS = frozenset("GNCSDRXPELKO")


class Scope(StrEnum):
    """Whether the suite shows a defect: by mutants, not through the harness protocol, or not at all."""

    MUTANTS = "mutants"
    NOT_EXPRESSIBLE = "not expressible"
    OUT = "out of scope"


@dataclass(frozen=True, slots=True)
class HistoricalDefect:
    """A historical defect, with `mutants`, or with a `reason` for having none."""

    id: str
    symptom: str
    fixed: str  # the releases, or the change, that fixed it; "" where that is unknown
    references: tuple[str, ...]  # issues and changes, such as `tiflow 3676` and `tiflow PR 3677`
    mechanisms: tuple[str, ...]  # letters that the data file explains
    mutants: tuple[str, ...] = ()
    scope: Scope = Scope.MUTANTS
    reason: str = ""

    @property
    def name(self) -> str:
        """`history/ID`."""
        return PREFIX + self.id


_MEMBERS = ("defect", "symptom", "fixed", "references", "mechanisms")


def _defect(entry: Entry) -> HistoricalDefect:
    """An entry, which has `mutants`, or else `scope` and `reason`."""
    has_mutants = "mutants" in entry
    refuse_unknown(entry, (*_MEMBERS, *(["mutants"] if has_mutants else ["scope", "reason"])))
    mutants = texts(entry, "mutants") if has_mutants else ()
    scope = Scope.MUTANTS if has_mutants else Scope(text(entry, "scope"))
    reason = "" if has_mutants else text(entry, "reason")
    if not (mutants or reason) or has_mutants is not (scope is Scope.MUTANTS):
        raise ValueError(f"{entry['defect']} has neither mutants nor a reason")
    mechanisms = texts(entry, "mechanisms")
    if unknown := set(mechanisms) - _MECHANISMS:
        raise ValueError(f"unknown mechanism {min(unknown)!r}")
    references = texts(entry, "references")
    id_, symptom, fixed = (text(entry, name) for name in ("defect", "symptom", "fixed"))
    return HistoricalDefect(id_, symptom, fixed, references, mechanisms, mutants, scope, reason)


def read_history(path: Path) -> Mapping[str, HistoricalDefect]:
    """The defects in a file by id. Raises `SuiteError`, naming the file, where it is malformed or has an id twice."""
    with reading(path, "a list of historical defects"):
        defects = [_defect(entry) for entry in read_toml(path)["defect"]]
    refuse_doubled((defect.id for defect in defects), path, "defect")
    return {defect.id: defect for defect in defects}


@cache
def load_history() -> Mapping[str, HistoricalDefect]:
    """The shipped defects by id, in the order of the file."""
    return read_history(fixtures_root() / "history.toml")


def defects_of_mutant(name: str) -> list[HistoricalDefect]:
    """The shipped defects that a mutant reproduces."""
    return [defect for defect in load_history().values() if name in defect.mutants]

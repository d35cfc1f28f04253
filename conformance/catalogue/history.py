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
from typing import Any

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.sealed import read_toml
from conformance.errors import SuiteError

__all__ = ["PREFIX", "HistoricalDefect", "Scope", "load_history", "read_history"]

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


_STRINGS = ("defect", "symptom", "fixed")
_LISTS = ("references", "mechanisms")
_WITHOUT_MUTANTS = ("scope", "reason")


def _defect(given: Mapping[str, Any]) -> HistoricalDefect:
    last = _WITHOUT_MUTANTS if "mutants" not in given else ()
    strings, lists = (*_STRINGS, *last), (*_LISTS, *(() if last else ("mutants",)))
    for name in strings:
        if not isinstance(given[name], str):
            raise TypeError(f"{name!r} is not a string")
    for name in lists:
        if not isinstance(given[name], list) or not all(isinstance(item, str) for item in given[name]):
            raise TypeError(f"{name!r} is not a list of strings")
    if unknown := given.keys() - {*strings, *lists}:
        raise ValueError(f"unknown member {min(unknown)!r}")
    if wrong := set(given["mechanisms"]) - _MECHANISMS:
        raise ValueError(f"unknown mechanism {min(wrong)!r}")
    scope = Scope(given.get("scope", Scope.MUTANTS))
    if bool(last) is (scope is Scope.MUTANTS) or not given[last[-1] if last else "mutants"]:
        raise ValueError(f"{given['defect']} has neither mutants nor a reason")
    return HistoricalDefect(
        id=given["defect"],
        symptom=given["symptom"],
        fixed=given["fixed"],
        references=tuple(given["references"]),
        mechanisms=tuple(given["mechanisms"]),
        mutants=tuple(given.get("mutants", ())),
        scope=scope,
        reason=given.get("reason", ""),
    )


def read_history(path: Path) -> Mapping[str, HistoricalDefect]:
    """The defects in a file by id. Raises `SuiteError`, naming the file, where it is malformed or has an id twice."""
    try:
        defects = [_defect(entry) for entry in read_toml(path)["defect"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as e:
        raise SuiteError(f"{path}: not a list of historical defects: {e!r}") from None
    found = {defect.id: defect for defect in defects}
    if len(found) < len(defects):
        doubled = next(d.id for d in defects if sum(other.id == d.id for other in defects) > 1)
        raise SuiteError(f"{path}: the defect {doubled!r} is described twice")
    return found


@cache
def load_history() -> Mapping[str, HistoricalDefect]:
    """The shipped defects by id, in the order of the file."""
    return read_history(fixtures_root() / "history.toml")

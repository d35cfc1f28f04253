"""Cases that were not judged, by the reason that the record gives for them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

__all__ = ["Unjudged", "is_undeclared", "merged"]

_MOST_NAMED = 3
_ENDS_IN_A_NAME = re.compile("(?P<lead>for .* it does not declare .*) (?P<name>[^ ]+)")


@dataclass(slots=True)
class Unjudged:
    """Cases that were not judged for one reason."""

    verdict: str
    why: str
    cases: int = 0
    first: list[str] = field(default_factory=list)
    """The ids of the first cases, where the record names them."""

    def add_ids(self, *cases: str) -> None:
        """Add ids of cases, as far as there is room."""
        self.first = [*self.first, *cases][:_MOST_NAMED]


def merged(reasons: Iterable[Unjudged]) -> list[Unjudged]:
    """Merge reasons that differ in their last word, a name: `… columns of type float (×2), set`."""
    found: dict[tuple[str, str], Unjudged] = {}
    names: dict[tuple[str, str], list[str]] = {}
    for reason in reasons:
        match = _ENDS_IN_A_NAME.fullmatch(reason.why)
        lead, name = match.group("lead", "name") if match else (reason.why, "")
        key = reason.verdict, lead
        whole = found.setdefault(key, Unjudged(reason.verdict, reason.why.rstrip()))
        whole.cases += reason.cases
        whole.add_ids(*reason.first)
        names.setdefault(key, []).append(f"{name} (×{reason.cases:,})" if reason.cases > 1 else name)
        if len(names[key]) > 1:
            whole.why = f"{lead} {', '.join(names[key])}"
    return list(found.values())


def is_undeclared(protocol: str, reason: str) -> bool:
    """Whether a case is unsupported because its protocol or role is not declared at all."""
    named = f"it does not declare {protocol}"
    return reason == named or reason.startswith(f"for {protocol} it does not declare the role ")

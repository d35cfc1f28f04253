"""The badge of a run: the JSON that shields.io reads from an address (`https://img.shields.io/endpoint?url=…`)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

from reports.causes import fails_gate
from reports.gathering import GatheringRenderer
from reports.outcome import NO_PROOF, Outcome, outcome_of
from reports.texts import counted, cut, visible

__all__ = ["LABEL", "BadgeRenderer", "badge_of", "badge_text", "worst_badge"]

LABEL = "TiCDC conformance"
_LONGEST = 80


def badge_of(outcome: Outcome, label: str = LABEL) -> Mapping[str, Any]:
    """The members for shields.io. Green is a run that judged cases and found nothing that counts."""
    message, colour = _message_and_colour(outcome)
    return {"schemaVersion": 1, "label": cut(visible(label), _LONGEST), "message": message, "color": colour}


def _message_and_colour(outcome: Outcome) -> tuple[str, str]:
    is_data = any(cause.is_red and cause.is_data and fails_gate(cause, outcome.policy) for cause in outcome.causes)
    if outcome.word in NO_PROOF:
        # A fault stays red, however the run ended.
        if not outcome.faults:
            return outcome.word, "lightgrey"
        return f"{outcome.word} · {_worst_fault(outcome.faults)}", "red" if is_data else "orange"
    if outcome.word == "red":
        return _worst_fault(outcome.faults) or "failing", "red" if is_data else "orange"
    if failing := outcome.faults or outcome.earlier:
        return f"no new failure · {_worst_fault(failing)}", "yellow"
    if outcome.word == "stale":
        return "baseline is stale", "yellow"
    parts = ["passing", counted(outcome.met, "requirement", "requirements") if outcome.met else "", outcome.known]
    return " · ".join(filter(None, parts)), "yellowgreen" if outcome.known else "brightgreen"


def _worst_fault(faults: str) -> str:
    """The first and worst of the faults: a badge has room for one."""
    first, _, more = faults.partition("; ")
    first = first.partition(", ")[0]
    return f"{first} and more" if more else first


class BadgeRenderer(GatheringRenderer):
    """Writes the badge of a run at its end."""

    def __init__(self, out: TextIO) -> None:
        super().__init__()
        self._out = out

    def close(self) -> None:
        """Write the badge."""
        self._out.write(badge_text(badge_of(outcome_of(self._gathering))))


def badge_text(badge: Mapping[str, Any]) -> str:
    """The JSON file for shields.io."""
    return json.dumps(badge, ensure_ascii=False, indent=2) + "\n"


_WORST_FIRST = ("red", "orange", "lightgrey", "yellow", "yellowgreen", "brightgreen")


def worst_badge(badges: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The worst of several badges; of equals the first."""
    return min(badges, key=lambda badge: _WORST_FIRST.index(badge["color"]))

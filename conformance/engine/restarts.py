"""Restarts that no session makes: after the last case of a shard, or before a resumed run continues."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["restart_after", "was_sent"]

_FAULTS = ("crash", "timeout", "protocol_error")


def was_sent(verdict: Mapping[str, Any]) -> bool:
    """Whether the case of a `verdict` event was sent to the implementation."""
    return verdict.get("answer") is not None or verdict["verdict"] not in ("excluded", "unsupported", "not_run")


def restart_after(label: str, contact: str, verdict: Mapping[str, Any]) -> dict[str, Any] | None:
    """The `restart` event before the next case, if a fault took the place of the answer to this one; else None."""
    marks = verdict["fingerprints"]
    if verdict.get("answer") is not None or contact == "recorded" or not marks:
        return None
    if marks[0].partition("@")[0] not in _FAULTS:
        return None
    return {
        "event": "restart",
        "iut": label,
        "after": verdict["case"],
        "role": verdict["role"],
        "why": verdict["message"],
    }

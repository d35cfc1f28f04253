"""The shared part of dialects with large-message handling: the marks of a message with only a part of its event."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["AT_HAND_ONLY", "KEY_ONLY", "LARGE", "place_of"]

LARGE = "large-message-handle-option"

AT_HAND_ONLY = "its whole message is in claim-check storage"
KEY_ONLY = "it was reduced to its handle key for its size"


def place_of(location: str) -> Mapping[str, str]:
    """The options with which a row went into storage at that location."""
    return {LARGE: "claim-check", "claim-check-storage-uri": location.rpartition("/")[0]}

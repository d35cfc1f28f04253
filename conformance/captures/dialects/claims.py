"""Shared by the dialects with large-message handling: options, and reasons why a message lacks a part of its event."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["IN_STORAGE", "KEY_ONLY", "LARGE", "options_of_location"]

LARGE = "large-message-handle-option"

IN_STORAGE = "its whole message is in claim-check storage"
KEY_ONLY = "it was reduced to its handle key for its size"


def options_of_location(location: str) -> Mapping[str, str]:
    """The options of the changefeed, by the location of a message in claim-check storage."""
    return {LARGE: "claim-check", "claim-check-storage-uri": location.rpartition("/")[0]}

"""What a codec raises: a refused input, and an input outside what is implemented."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Rejected", "RejectionClass", "TooLarge", "Undescribed", "Unsupported"]


class RejectionClass(StrEnum):
    """Why an input is refused, in the order in which the classes are looked for: the first that applies is right."""

    FRAMING = "framing"
    SYNTAX = "syntax"
    SCHEMA = "schema"
    TYPE = "type"
    RANGE = "range"
    SEMANTICS = "semantics"


class Rejected(Exception):
    """The input breaks a rule. `reason` is the class of rejection, the text says what was wrong and where."""

    def __init__(self, reason: RejectionClass | str, message: str) -> None:
        super().__init__(message)
        self.reason = RejectionClass(reason)
        self.message = message


class Undescribed(Rejected):
    """The input may be right: whether it is, the definition of its table says, which is not known."""


class Unsupported(Exception):
    """The input may be right, but it asks for something this implementation does not offer."""


class TooLarge(Unsupported):
    """The input is larger than what is read: a few bytes may stand for gigabytes."""

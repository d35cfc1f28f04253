"""The exceptions of codecs: refused input, and input that is not supported."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Rejected", "RejectionClass", "TooLarge", "Undescribed", "Unsupported"]


class RejectionClass(StrEnum):
    """Classes of rejection in order of precedence: the first one that applies is reported."""

    FRAMING = "framing"
    SYNTAX = "syntax"
    SCHEMA = "schema"
    TYPE = "type"
    RANGE = "range"
    SEMANTICS = "semantics"


class Rejected(Exception):
    """The input breaks a rule: `reason` is the class of rejection, `message` says what is wrong and where."""

    def __init__(self, reason: RejectionClass | str, message: str) -> None:
        super().__init__(message)
        self.reason = RejectionClass(reason)
        self.message = message


class Undescribed(Rejected):
    """The input may be correct, but deciding needs the definition of its table, which is unknown."""


class Unsupported(Exception):
    """The input may be correct, but needs a feature that this implementation lacks."""


class TooLarge(Unsupported):
    """The input exceeds the size limit, for example a few compressed bytes that expand to gigabytes."""

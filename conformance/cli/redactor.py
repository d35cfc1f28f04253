"""`compare --redact`: differences without the values of columns."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace

from conformance.captures.redaction import hidden
from differential.model import Class, Difference
from reference_impl.errors import RejectionClass

__all__ = ["Redactor"]

_REASON = re.compile(rf"({'|'.join(RejectionClass)}|unsupported): ")
_PLACE = re.compile(r"(?:[a-z]+\.)?([^:]+): ")


@dataclass(frozen=True, slots=True)
class Redactor:
    """Takes the values out of differences; `columns` are the names that may be shown."""

    columns: Collection[str]

    def __call__(self, difference: Difference) -> Difference:
        """The difference without its key and values.

        The reason for an unreadable message keeps its class and column.
        """
        names = ("key", "left_value", "right_value")
        shown = {name: hidden(getattr(difference, name)) for name in names}
        if difference.kind is Class.UNDECODABLE:
            name = "left_value" if difference.left is None else "right_value"
            shown[name] = self._why(getattr(difference, name))
        return replace(difference, **shown)

    def _why(self, text: str | None) -> str | None:
        reason = _REASON.match(text or "")
        if text is None or reason is None:
            return None if text is None else str(hidden(text))
        place = _PLACE.match(text, reason.end())
        kept = place if place is not None and place[1] in self.columns else reason
        return text[: kept.end()] + str(hidden(text[kept.end() :]))

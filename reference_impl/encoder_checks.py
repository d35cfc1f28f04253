"""Checks of every encoder: that a row change has the right images, and that a text is valid Unicode."""

from __future__ import annotations

from reference_impl.errors import Rejected
from reference_impl.model import RowChange

__all__ = ["check_images", "utf8"]

# Whether an operation has the images before and after.
_IMAGES = {"insert": (False, True), "update": (True, True), "delete": (True, False)}


def check_images(change: RowChange, protocol: str) -> None:
    """Raise `Rejected` (class `semantics`) for an unknown operation, and for a missing or surplus image."""
    if change.op not in _IMAGES:
        raise Rejected("semantics", f"{protocol} has no row event {change.op!r}")
    has = (change.before is not None, change.after is not None)
    if has != _IMAGES[change.op]:
        raise Rejected("semantics", f"the images of an event {change.op!r} are wrong: before {has[0]}, after {has[1]}")


def utf8(text: str, errors: str = "strict") -> bytes:
    """The bytes of a text. Raises `Rejected` (class `type`) for half of a surrogate pair."""
    try:
        return text.encode("utf-8", errors)
    except UnicodeEncodeError as e:
        raise Rejected("type", f"U+{ord(text[e.start]):04X} stands alone, which is not Unicode") from None

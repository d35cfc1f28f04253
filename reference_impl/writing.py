"""Checks that every encoder makes before it writes: of the images of a row change, and of a text."""

from __future__ import annotations

from reference_impl.errors import Rejected
from reference_impl.model import RowChange

__all__ = ["check_images", "utf8"]

# Which images an operation of the database has: before, after.
_IMAGES = {"insert": (False, True), "update": (True, True), "delete": (True, False)}


def check_images(change: RowChange, protocol: str) -> None:
    """Raises `Rejected` (class `semantics`) for an operation without a message, and for images that are not its own."""
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

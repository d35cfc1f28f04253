"""Collects what is wrong with a message, so that it is refused for the first class that applies."""

from __future__ import annotations

from reference_impl.errors import Rejected, RejectionClass, Undescribed

__all__ = ["Faults"]


class Faults:
    """The first fault of each class of rejection."""

    def __init__(self) -> None:
        self._found: dict[RejectionClass, str] = {}
        self._undescribed: Undescribed | None = None

    def add(self, reason: RejectionClass | str, message: str) -> None:
        """Remember a fault, unless its class has one already."""
        self._found.setdefault(RejectionClass(reason), message)

    def expect(self, holds: bool, reason: RejectionClass | str, message: str) -> bool:
        """Remember a fault unless `holds`; answers `holds`."""
        if not holds:
            self.add(reason, message)
        return holds

    def add_undescribed(self, message: str) -> None:
        """Remember what only the definition of a table could judge. Every fault comes before it."""
        self._undescribed = self._undescribed or Undescribed(RejectionClass.TYPE, message)

    @property
    def none(self) -> bool:
        """Whether nothing was found so far."""
        return not self._found and self._undescribed is None

    def settle(self, last: RejectionClass | str = RejectionClass.SEMANTICS) -> None:
        """Raise `Rejected` for the fault that comes first in the order of classes, of those up to class `last`.

        At the end of the classes, raise `Undescribed` where nothing else is wrong.
        """
        for reason in RejectionClass:
            if reason in self._found:
                raise Rejected(reason, self._found[reason])
            if reason == last:
                break
        if self._undescribed is not None and last == RejectionClass.SEMANTICS:
            raise self._undescribed

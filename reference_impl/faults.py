"""Collects the faults of a message, so that it is refused for the class with the highest precedence."""

from __future__ import annotations

from reference_impl.errors import Rejected, RejectionClass, Undescribed

__all__ = ["Faults"]


class Faults:
    """The first fault of each class of rejection."""

    def __init__(self) -> None:
        self._found: dict[RejectionClass, str] = {}
        self._undescribed: Undescribed | None = None

    def add(self, reason: RejectionClass | str, message: str) -> None:
        """Record a fault, unless its class has one already."""
        self._found.setdefault(RejectionClass(reason), message)

    def expect(self, holds: bool, reason: RejectionClass | str, message: str) -> bool:
        """Record a fault unless `holds`; returns `holds`."""
        if not holds:
            self.add(reason, message)
        return holds

    def add_undescribed(self, message: str) -> None:
        """Record a doubt that only the unknown definition of a table could settle. Faults take precedence."""
        self._undescribed = self._undescribed or Undescribed(RejectionClass.TYPE, message)

    @property
    def is_empty(self) -> bool:
        """Whether no fault was recorded so far."""
        return not self._found and self._undescribed is None

    def raise_first(self, last: RejectionClass | str = RejectionClass.SEMANTICS) -> None:
        """Raise `Rejected` for the recorded fault with the highest precedence, if it has a class up to `last`.

        With the default `last` and without a fault, raise `Undescribed` if a doubt was recorded.
        """
        for reason in RejectionClass:
            if reason in self._found:
                raise Rejected(reason, self._found[reason])
            if reason == last:
                break
        if self._undescribed is not None and last == RejectionClass.SEMANTICS:
            raise self._undescribed

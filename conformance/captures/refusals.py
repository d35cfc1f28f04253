"""The requirements broken by a record that the reference refuses to decode, or to write again after decoding.

A decoder gives a class and words. If the oracle's own reader refuses the record too, the oracle's rules on unreadable
records decide first; then the words, by the table of the dialect; then the protocol's general requirement. Where these
are weaker than the requirement that a record can be read at all, that one is broken too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from conformance.captures.dialects import Dialect
from conformance.cases.model import Case
from conformance.catalogue.register import Level, Register
from conformance.oracle.comparison import Comparison
from conformance.oracle.rulebook import RuleBook
from conformance.oracle.rules import ProtocolOracle
from conformance.oracle.tree import Kind
from reference_impl.column_types import ColumnType
from reference_impl.errors import Rejected, RejectionClass
from reference_impl.profiles import Profile

__all__ = ["RefusalJudge"]


_STRICTEST_FIRST = tuple(Level)


class RefusalJudge:
    """Charges refusals of one protocol under a profile."""

    def __init__(self, dialect: Dialect, oracle: ProtocolOracle, register: Register, profile: Profile) -> None:
        self._refusals = dialect.refusals
        self._oracle = oracle
        self._register = register
        self._profile = profile
        self._rules = RuleBook(oracle, register, profile)

    def charged(
        self,
        options: Any,
        error: Rejected,
        unreadable: Rejected | None,
        kinds: Callable[[], Mapping[str, ColumnType]],
    ) -> tuple[str, ...]:
        """The requirements broken by a record that the reference refuses with `error`, at least one.

        `unreadable` is the refusal of the oracle's reader, None if it reads the record; `kinds` gives the types of
        the columns that it shows, by name.
        """
        named = self.unread(options, unreadable) if unreadable is not None else ()
        if not named:
            named = (self.named_by(error, kinds) or self._oracle.fallback,)
        general = self._refusals.general(error.reason)
        return named if min(map(self._rank, named)) <= self._rank(general) else (*named, general)

    def named_by(self, error: Rejected, kinds: Callable[[], Mapping[str, ColumnType]]) -> str | None:
        """The requirement that the words of a refusal name; None if the dialect does not know the words."""
        return self._refusals.charged(error.message, lambda name: kinds().get(name))

    def _rank(self, requirement: str) -> int:
        return _STRICTEST_FIRST.index(self._register.requirements[requirement].level)

    def unread(self, options: Any, unreadable: Rejected) -> tuple[str, ...]:
        """The requirements on a record that the oracle's reader refuses, by its reason.

        None if only the protocol's general requirement applies.
        """
        part = "frame" if unreadable.reason is RejectionClass.FRAMING else "value"
        case = Case(f"{self._oracle.protocol}/capture", self._oracle.protocol, "encode")
        found = Comparison(self._oracle, self._rules, self._profile, case, options)
        found.blame_at(part, Kind.VALUE, "a readable record", unreadable.message)
        named = dict.fromkeys(finding.requirement for finding in found.judgement.findings)
        return tuple(requirement for requirement in named if requirement != self._oracle.fallback)

"""Blames requirements for a record that the reference refuses to decode, or to write again after decoding.

If the oracle's own reader refuses the record too, the oracle's rules for unreadable records decide; else the message of
the reference, by the table of the dialect; else the protocol's general requirement. If all these are weaker than the
dialect's general requirement on the form or on the content of a record, that one is blamed too.
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
    """Blames the requirements of one protocol, under a profile, for refusals."""

    def __init__(self, dialect: Dialect, oracle: ProtocolOracle, register: Register, profile: Profile) -> None:
        self._refusals = dialect.refusals
        self._oracle = oracle
        self._register = register
        self._profile = profile
        self._rules = RuleBook(oracle, register, profile)

    def blamed(
        self,
        options: Any,
        error: Rejected,
        unreadable: Rejected | None,
        types: Callable[[], Mapping[str, ColumnType]],
    ) -> tuple[str, ...]:
        """The requirements broken by a record that the reference refuses with `error`, at least one.

        `unreadable` is the refusal of the oracle's reader, None if it reads the record; `types` returns the types of
        the columns in the record, by name.
        """
        blamed = self.blamed_if_unreadable(options, unreadable) if unreadable is not None else ()
        if not blamed:
            blamed = (self.named_by(error, types) or self._oracle.fallback,)
        general = self._refusals.general(error.reason)
        return blamed if min(map(self._rank, blamed)) <= self._rank(general) else (*blamed, general)

    def named_by(self, error: Rejected, types: Callable[[], Mapping[str, ColumnType]]) -> str | None:
        """The requirement for the message of a refusal; None if the dialect does not know the message."""
        return self._refusals.blamed(error.message, lambda name: types().get(name))

    def _rank(self, requirement: str) -> int:
        return _STRICTEST_FIRST.index(self._register.requirements[requirement].level)

    def blamed_if_unreadable(self, options: Any, unreadable: Rejected) -> tuple[str, ...]:
        """The requirements that a record breaks that the oracle's reader refuses.

        Empty if only the protocol's general requirement applies.
        """
        part = "frame" if unreadable.reason is RejectionClass.FRAMING else "value"
        case = Case(f"{self._oracle.protocol}/capture", self._oracle.protocol, "encode")
        comparison = Comparison(self._oracle, self._rules, self._profile, case, options)
        comparison.blame_at(part, Kind.VALUE, "a readable record", unreadable.message)
        blamed = dict.fromkeys(finding.requirement for finding in comparison.judgement.findings)
        return tuple(requirement for requirement in blamed if requirement != self._oracle.fallback)

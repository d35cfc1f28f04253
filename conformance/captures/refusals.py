"""Blames requirements for a record that the reference refuses to decode, or to write again after decoding.

The first of these that names a requirement decides:

1. the oracle's rules for unreadable records, if the oracle's own reader refuses the record too;
2. the dialect's table of the reference's error messages;
3. the oracle's fallback, the requirement for what no rule claims.

If the dialect's general requirement, on form or on content, is more binding than all of them, it is blamed too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from conformance.captures.dialects import Dialect
from conformance.cases.model import Case
from conformance.catalogue.register import Level, Register
from conformance.oracle.comparison import Comparison
from conformance.oracle.findings import Finding, fingerprint
from conformance.oracle.harm import harm_of
from conformance.oracle.rulebook import RuleBook
from conformance.oracle.rules import ProtocolOracle
from conformance.oracle.tree import Kind
from reference_impl.column_types import ColumnType
from reference_impl.errors import Rejected, RejectionClass
from reference_impl.profiles import Profile

__all__ = ["RefusalJudge", "refusal"]

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
        blamed = self.blamed_if_unreadable(options, unreadable)
        if not blamed:
            blamed = (self.named_by(error, types) or self._oracle.fallback,)
        general = self._refusals.general(error.reason)
        return blamed if min(map(self._rank, blamed)) <= self._rank(general) else (*blamed, general)

    def named_by(self, error: Rejected, types: Callable[[], Mapping[str, ColumnType]]) -> str | None:
        """The requirement for the message of a refusal; None if the dialect does not know the message."""
        return self._refusals.blamed(error.message, lambda name: types().get(name))

    def _rank(self, requirement: str) -> int:
        """The position of a requirement's level: 0 is the most binding."""
        return _STRICTEST_FIRST.index(self._register.requirements[requirement].level)

    def blamed_if_unreadable(self, options: Any, unreadable: Rejected | None) -> tuple[str, ...]:
        """The requirements broken by a record that the oracle's reader refuses with `unreadable`.

        Empty without a refusal, and if only the oracle's fallback applies.
        """
        if unreadable is None:
            return ()
        part = "frame" if unreadable.reason is RejectionClass.FRAMING else "value"
        case = Case(f"{self._oracle.protocol}/capture", self._oracle.protocol, "encode")
        comparison = Comparison(self._oracle, self._rules, self._profile, case, options)
        comparison.blame_at(part, Kind.VALUE, "a readable record", unreadable.message)
        blamed = dict.fromkeys(finding.requirement for finding in comparison.judgement.findings)
        return tuple(requirement for requirement in blamed if requirement != self._oracle.fallback)


def refusal(requirement: str, error: Rejected, *, is_tombstone: bool = False) -> Finding:
    """The refusal of a record, blamed on a requirement: its content is lost, but a tombstone has none."""
    got = {"class": str(error.reason), "message": error.message}
    place, kind = ("tombstone", Kind.EXTRA) if is_tombstone else ("record", Kind.REFUSED)
    harm = harm_of(place, kind, None, got)
    mark = fingerprint(requirement, f"record.{error.reason}", Kind.REFUSED)
    return Finding(requirement, "record", Kind.REFUSED, "a record that can be decoded", got, mark, harm)

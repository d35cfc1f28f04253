"""The rules of an upstream dialect: the checks of its register, the most specific first, which is the one broken.

A rule is chosen by the skeleton of a path, the family of the column there, whether NULL is expected, and the kind of
difference. Skeletons are `value.data[].{column}` in a record (the payload of an envelope as if it stood alone), and
`event.after.{column}`, `event.old.{column}` (before an update) or `ddl event.query` in a decoder's answer. Each part of
a record and of an event has a check that claims every difference there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from conformance.catalogue.checks import Check
from conformance.catalogue.register import load_register
from conformance.errors import SuiteError
from conformance.oracle.harm import Holds
from conformance.oracle.table import families_of, kinds_of
from conformance.oracle.tree import Kind
from reference_impl.column_types import Family

__all__ = ["Rule", "rules_of"]

Families = frozenset[Family]


@dataclass(frozen=True, slots=True)
class Rule:
    """A check at one of its places."""

    requirement: str
    # The place as the check has it, in which `*` is any text; and the pattern that whole skeletons match.
    place: str
    pattern: re.Pattern[str]
    # None: all families of columns, all kinds of differences.
    families: Families | None
    kinds: frozenset[Kind] | None
    # Whether the rule is limited to columns that hold NULL.
    null: bool
    # What a reader finds at the place: for a member that no other dialect has.
    holds: Holds | None

    def applies_to(self, skeleton: str, family: Family | None, *, null: bool) -> bool:
        """Whether the rule asserts something at a path with this skeleton."""
        return (
            (self.families is None or family in self.families)
            and (null or not self.null)
            and self.pattern.fullmatch(skeleton) is not None
        )

    @property
    def rank(self) -> tuple[int | bool, ...]:
        """The rank of the rule among all rules: the lowest is the most specific.

        Kinds before NULL before few families before many; then a place in full before one with `*`, and of those the
        longer one.
        """
        families = len(Family) + 1 if self.families is None else len(self.families)
        return self.kinds is None, not self.null, families, "*" in self.place, -len(self.place)


@cache
def rules_of(protocol: str) -> tuple[Rule, ...]:
    """The rules of a dialect by rank; of equal rank, its own before those of its base.

    Raises `SuiteError` for a check that cannot be read.
    """
    requirements = load_register(protocol).requirements.values()
    try:
        rules = [rule for r in requirements for check in r.checks for rule in _rules(check)]
    except (ValueError, SuiteError) as e:
        raise SuiteError(f"the register of {protocol} has a check that cannot be read: {e}") from None
    inherited = {r.id: r.protocol != protocol for r in requirements}
    return tuple(sorted(rules, key=lambda rule: (*rule.rank, inherited[rule.requirement])))


def _rules(check: Check) -> Iterator[Rule]:
    if unfit := [name for name in _WORDS_OF_TICDC if getattr(check, name)]:
        raise ValueError(f"{unfit[0]!r} is a word of TiCDC's protocols alone")
    families = families_of(check.families) if check.families else None
    kinds = kinds_of(check.kinds) if check.kinds else None
    holds = Holds(check.holds) if check.holds else None
    for place in check.at:
        pattern = re.compile(".*".join(map(re.escape, place.split("*"))))
        yield Rule(check.requirement, place, pattern, families, kinds, check.null, holds)


_WORDS_OF_TICDC = (
    *("role", "event", "op", "options", "encoding", "actions"),
    *("when", "shows", "apart_from", "before", "stands", "alone", "absent"),
)

"""The rules of an upstream dialect: the checks of its register, the most specific first, which is the one broken.

A place is a skeleton (`value.data[].{column}`; of an envelope with its schema, the payload stands as if it were alone;
of a decoder's answer `event.after.{column}`, `event.old.{column}` before an update, `ddl event.query`), the family of
the column there, whether it should hold NULL, and the kind of difference. Each part of a record and of an event has a
check that claims every difference there.
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
    """One place of a check: `at` matches whole skeletons; without `families` or `kinds` it fits all of them.

    `null` limits it to columns that hold NULL. `holds` is the content of such a place for a reader, for a member that
    no other dialect has.
    """

    requirement: str
    place: str
    at: re.Pattern[str]
    families: Families | None
    kinds: frozenset[Kind] | None
    null: bool
    holds: Holds | None

    def speaks_of(self, skeleton: str, family: Family | None, *, null: bool) -> bool:
        """Whether the rule asserts something at a place."""
        return (
            (self.families is None or family in self.families)
            and (null or not self.null)
            and self.at.fullmatch(skeleton) is not None
        )

    @property
    def rank(self) -> tuple[int | bool, ...]:
        """Its rank among all rules: the lowest is the most specific.

        Kinds before NULL before few families before many; then a place in full before one with `*`, and of those the
        longer one.
        """
        families = len(Family) + 1 if self.families is None else len(self.families)
        return self.kinds is None, not self.null, families, "*" in self.place, -len(self.place)


@cache
def rules_of(protocol: str) -> tuple[Rule, ...]:
    """The rules of a dialect, in the order of their rank; its own before those of its base.

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
    if unfit := [name for name in _NOT_HERE if getattr(check, name)]:
        raise ValueError(f"{unfit[0]!r} is a word of TiCDC's protocols alone")
    families = families_of(check.families) if check.families else None
    kinds = kinds_of(check.kinds) if check.kinds else None
    holds = Holds(check.holds) if check.holds else None
    for place in check.at:
        pattern = re.compile(".*".join(map(re.escape, place.split("*"))))
        yield Rule(check.requirement, place, pattern, families, kinds, check.null, holds)


_NOT_HERE = (
    *("role", "event", "op", "options", "encoding", "actions"),
    *("when", "shows", "apart_from", "before", "stands", "alone", "absent"),
)

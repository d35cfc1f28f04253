"""Which requirement speaks of a place: the rows of a table, one a dialect. The first row that fits is the one broken.

A place is a skeleton (`value.data[].{column}`; of an envelope with its schema, the payload stands as if it were alone;
of a decoder's answer `event.after.{column}`, `event.old.{column}` before an update, `ddl event.query`), the family of
the column there, whether it should hold NULL, and the kind of difference. Every table ends in a residual row for each
part of a record and of an event.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from conformance.oracle.harm import Holds
from conformance.oracle.tree import Kind
from reference_impl.column_types import Family

__all__ = [
    "BROKEN",
    "DAYS",
    "EVENT_ROWS",
    "FLOATS",
    "GEOMETRY",
    "GONE",
    "LABELS",
    "ORDER",
    "OTHER_TEXT",
    "SHORT",
    "Rule",
    "one",
]

Families = frozenset[Family]


@dataclass(frozen=True, slots=True)
class Rule:
    """A row of the table: `at` is a regular expression of whole skeletons; None fits anything.

    `holds` is what such a place holds for a reader, for a member that no other dialect has.
    """

    requirement: str
    at: str
    families: Families | None = None
    kinds: frozenset[Kind] | None = None
    null: bool | None = None
    holds: Holds | None = None

    def speaks_of(self, skeleton: str, family: Family | None, *, null: bool) -> bool:
        """Whether the rule asserts something at a place."""
        return (
            re.fullmatch(self.at, skeleton) is not None
            and (self.families is None or family in self.families)
            and (self.null is None or self.null == null)
        )


GONE = frozenset({Kind.MISSING, Kind.EXTRA})
ORDER = frozenset({Kind.ORDER})
BROKEN = frozenset({Kind.BROKEN})
OTHER_TEXT = frozenset({Kind.TEXT})
FLOATS = frozenset({Family.FLOAT, Family.DOUBLE})
LABELS = frozenset({Family.ENUM, Family.SET})
DAYS = frozenset({Family.DATE, Family.DATETIME})
GEOMETRY = frozenset({Family.GEOMETRY})
SHORT = frozenset({Family.CHAR, Family.VARCHAR})


def one(family: Family) -> Families:
    """The family alone."""
    return frozenset({family})


EVENT_ROWS = r"event\.(?:before|after|old)\.\{column\}"

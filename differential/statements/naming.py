"""Finds the divergences of differences between DDL statements, in the catalogue.

`KINDS` holds the tests of entries about the kind of a statement in a message, or about a missing message: the
statements concerned, and their kinds in upstream and in TiCDC. `WORDS` holds the tests of entries about the wording of
a statement.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from conformance.catalogue.divergences import Divergence, Met, find_divergence, load_divergences
from conformance.errors import SuiteError
from differential.classify.naming import Name, divergences_of
from differential.sides import Side
from differential.statements.sql_text import Step
from reference_impl.upstream.canal.ddl import NO_NAMES, message_of

__all__ = ["KINDS", "MESSAGES", "NO_MESSAGE", "SILENT", "WORDS", "StatementNamer"]

NO_MESSAGE = "no message"
SILENT = "no statements"
"""The predicate of entries about a side that is configured to write no statements."""
MESSAGES = frozenset({SILENT, "watermarks", "tombstones", "other messages"})
"""Predicates of entries about messages that are counted and not compared."""

_SNAPSHOTS = "DBZ-539"

StepTest: TypeAlias = Callable[[Step, str], bool]


@dataclass(frozen=True, slots=True)
class Kinds:
    """A test of statements, by step and text, and the kinds that either side may give them."""

    test: StepTest
    upstream: tuple[str, ...]
    ticdc: tuple[str, ...]


def _begins(*patterns: str) -> StepTest:
    found = re.compile("|".join(patterns))
    return lambda step, query: found.match(step.text) is not None


def _has_clauses(step: Step, query: str) -> bool:
    return step.clauses > 1


def _canal_gives_up(step: Step, query: str) -> bool:
    return message_of(query) == NO_NAMES


_ADD = r"ALTER TABLE ADD (?:CONSTRAINT (?:\S+ )?)?"
_CANAL = ("CREATE", "ERASE", "TRUNCATE", "RENAME", "CINDEX", "DINDEX", "ALTER", "QUERY")
_CHECKS = _begins(rf"{_ADD}CHECK\b", r"ALTER TABLE (?:DROP|ALTER) (?:CHECK|CONSTRAINT)\b")
_FOREIGN = _begins(rf"{_ADD}FOREIGN KEY\b", r"ALTER TABLE DROP FOREIGN KEY\b")
_VIEWS = _begins(r"(?:CREATE|ALTER|DROP) (?!TABLE\b|DATABASE\b|(?:\w+ )?INDEX\b).*\bVIEW\b")
_PARTITIONING = _begins(r"ALTER TABLE (?:REMOVE PARTITIONING|PARTITION BY)\b")
_TIDB = _begins(
    r"ALTER TABLE (?:PARTITION \S+ )?(?:PLACEMENT|ATTRIBUTES)\b",
    r"ALTER TABLE (?:SHARD_ROW_ID_BITS|AUTO_ID_CACHE|AUTO_RANDOM_BASE|STATS_BUCKETS)\b",
    r"ALTER TABLE (?:SET TIFLASH|ADD VECTOR|CACHE|NOCACHE)\b",
    r"(?:CREATE|ALTER|DROP) (?:SEQUENCE|PLACEMENT POLICY|RESOURCE GROUP)\b",
    r"(?:RECOVER|FLASHBACK|ADMIN|LOCK|UNLOCK)\b",
)

KINDS: Mapping[str, Kinds] = {
    "DROP PRIMARY KEY": Kinds(_begins(r"ALTER TABLE DROP PRIMARY KEY\b"), ("ALTER",), ("DINDEX",)),
    "DROP FOREIGN KEY": Kinds(_begins(r"ALTER TABLE DROP FOREIGN KEY\b"), ("ALTER",), ("DINDEX",)),
    "ADD FOREIGN KEY": Kinds(_begins(rf"{_ADD}FOREIGN KEY\b"), (NO_MESSAGE,), ("CINDEX",)),
    "several clauses": Kinds(_has_clauses, _CANAL, ("ALTER",)),
    "views": Kinds(_VIEWS, (NO_MESSAGE,), ("QUERY",)),
    "EXCHANGE PARTITION": Kinds(_begins(r"ALTER TABLE EXCHANGE PARTITION\b"), ("ALTER",), ("QUERY",)),
    "REMOVE PARTITIONING": Kinds(_PARTITIONING, (NO_MESSAGE,), ("ALTER",)),
    "ALTER DATABASE": Kinds(_begins("ALTER DATABASE"), (NO_MESSAGE,), ("QUERY",)),
    "statements that Canal gives up on": Kinds(_canal_gives_up, ("QUERY",), _CANAL),
    "CHECK": Kinds(_CHECKS, (NO_MESSAGE, "DINDEX", "ALTER"), ("QUERY",)),
    "TTL": Kinds(_begins(r"ALTER TABLE (?:REMOVE )?TTL\b"), (NO_MESSAGE,), ("QUERY",)),
    "statements of TiDB alone": Kinds(_TIDB, (NO_MESSAGE,), ("QUERY",)),
    "TRUNCATE TABLE": Kinds(_begins("TRUNCATE TABLE"), (NO_MESSAGE,), ("",)),
    "DROP INDEX": Kinds(_begins("DROP INDEX"), ("",), ("DROP",)),
    "ALTER TABLE … DROP INDEX": Kinds(_begins(r"ALTER TABLE DROP INDEX\b"), ("ALTER",), ("DROP",)),
    "CREATE INDEX": Kinds(_begins("CREATE INDEX"), ("",), ("ALTER",)),
    "views in table changes": Kinds(
        _VIEWS, ("", NO_MESSAGE), ("CREATE", "DROP")
    ),
    "foreign keys and checks": Kinds(
        lambda step, query: _CHECKS(step, query) or _FOREIGN(step, query), ("ALTER", ""), (NO_MESSAGE,)
    ),
}  # fmt: skip

Tables: TypeAlias = tuple[int, int]


def _several(verb: str) -> Callable[[Step, Tables], bool]:
    """A test: one statement about several tables upstream, one for each table in TiCDC."""
    return lambda step, tables: step.verb == verb and tables[0] > 1 and tables[1] == 1


# The arguments are the step, and the numbers of tables in the message of upstream and in that of TiCDC.
WORDS: Mapping[str, Callable[[Step, Tables], bool]] = {
    "DROP TABLE of several": _several("DROP TABLE"),
    "RENAME TABLE of several": _several("RENAME TABLE"),
    "written anew": lambda step, tables: tables[0] == tables[1],
    "written anew, one by one": lambda step, tables: tables[0] >= tables[1],
}


def _silences(side: Side) -> Sequence[Divergence]:
    """The entries about statements for which the side's dialect has no message, but the other one of its family has."""
    found: list[Divergence] = []
    for (upstream, ticdc), pair in sorted(load_divergences().items()):
        for one in pair.divergences:
            if side.dialect not in (upstream, ticdc) or one.predicate not in KINDS or one.met is not Met.STATEMENT:
                continue
            kinds = KINDS[one.predicate]
            if NO_MESSAGE in (kinds.upstream if side.dialect == upstream else kinds.ticdc):
                options = {name: Side(side.name, name).every_option() for name in (upstream, ticdc)}
                if one.applies(options | {side.dialect: side.every_option()}):
                    found.append(one)
    return found


class StatementNamer:
    """Finds the divergences of statements between two sides; for dialects of two families, only of missing messages."""

    def __init__(self, left: Side, right: Side) -> None:
        is_of_two_families = left.traits.family != right.traits.family
        self._without_message = (_silences(left), _silences(right)) if is_of_two_families else ((), ())
        divergences, self._flipped = divergences_of(left, right)  # flipped: TiCDC's side is the left one
        self._divergences = [one for one in divergences if one.met is Met.STATEMENT or one.predicate in MESSAGES]
        for one in self._divergences:
            if one.predicate not in {*KINDS, *WORDS, *MESSAGES}:
                raise SuiteError(f"{one.id}: there is no predicate {one.predicate!r} of statements")

    def kinds(self, step: Step, query: str, left: str | None, right: str | None) -> Name | None:
        """The divergence of a statement to which the sides give these kinds; one may be `NO_MESSAGE`.

        Kinds of two families cannot be compared, but the divergences within the family of a side explain why the side
        has no message.
        """
        for kind, divergences in zip((left, right), self._without_message, strict=True):
            if kind == NO_MESSAGE:
                found = (one for one in divergences if KINDS[one.predicate].test(step, query))
                if name := _first_name(found):
                    return name
        upstream, ticdc = (right, left) if self._flipped else (left, right)
        for one in self._with_predicate(KINDS):
            kinds = KINDS[one.predicate]
            if upstream in kinds.upstream and ticdc in kinds.ticdc and kinds.test(step, query):
                return Name(one.id, one.documented)
        return None

    def snapshot(self) -> Name | None:
        """The divergence of a statement in a side's snapshot, where no statement is compared."""
        one = find_divergence(_SNAPSHOTS)
        return Name(one.id, one.documented) if one else None

    def words(self, step: Step, tables: Tables) -> Name | None:
        """The divergence of a statement in other words; `tables` are the numbers of tables in each message."""
        left, right = tables
        of_dialects = (right, left) if self._flipped else (left, right)
        return _first_name(one for one in self._with_predicate(WORDS) if WORDS[one.predicate](step, of_dialects))

    def messages(self, what: str) -> Name | None:
        """The divergence of messages that only one side has and that are not compared (`MESSAGES`)."""
        return _first_name(self._with_predicate({what}))

    def _with_predicate(self, predicates: Collection[str]) -> Iterator[Divergence]:
        return (one for one in self._divergences if one.predicate in predicates)


def _first_name(divergences: Iterator[Divergence]) -> Name | None:
    return next((Name(one.id, one.documented) for one in divergences), None)

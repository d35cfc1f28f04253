"""The rules of a protocol that apply under a profile, by place, and the place of each path."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from conformance.cases.model import Role
from conformance.catalogue.register import Level, Register
from conformance.errors import SuiteError
from conformance.oracle.rules import AllOf, CachedCondition, Condition, Place, ProtocolOracle, Rule, always
from conformance.oracle.tree import Path, Spot
from reference_impl.column_types import Family
from reference_impl.model import Column, Table
from reference_impl.profiles import Profile

__all__ = ["Asked", "RuleBook", "RulePart"]


@dataclass(frozen=True, slots=True)
class Asked:
    """The rules for a place, each with the open part of its condition, and their requirements."""

    rules: Sequence[tuple[Rule, Condition]]
    requirements: frozenset[str]


class RulePart:
    """The rules of a book under given options, for events of one kind and operation.

    Conditions on these and on the family of the column are evaluated here once for all.
    """

    def __init__(self, book: RuleBook) -> None:
        self._book = book
        self._asked: dict[Family | None, dict[Spot, Asked]] = {}

    def at(self, spot: Spot, column: Column | None, place: Callable[[], Place]) -> Asked:
        """The rules for a place whose cached conditions hold."""
        family = column.type.family if column else None
        asked = self._asked.get(family)
        if asked is None:
            asked = self._asked[family] = {}
        found = asked.get(spot)
        if found is None:
            rules = tuple(_open(self._book.at(spot.skeleton), place()))
            found = asked[spot] = Asked(rules, frozenset(rule.requirement for rule, _ in rules))
        return found


def _open(rules: Sequence[Rule], place: Place) -> Iterator[tuple[Rule, Condition]]:
    for rule in rules:
        parts = rule.when.parts if isinstance(rule.when, AllOf) else (rule.when,)
        cached = [part for part in parts if isinstance(part, CachedCondition)]
        rest = tuple(part for part in parts if not isinstance(part, CachedCondition) and part is not always)
        if all(part(place) for part in cached):
            yield rule, (always if not rest else rest[0] if len(rest) == 1 else AllOf(rest))


class RuleBook:
    """The rules of `oracle` whose requirements are testable and apply under `profile`.

    `applying` are all those requirements, `optional` those of the register that are a MAY, `root` is the spot of whole
    trees. The places at `watched` must be handed to `absences`. Raises `SuiteError` for a rule whose requirement the
    register does not know.
    """

    def __init__(self, oracle: ProtocolOracle, register: Register, profile: Profile) -> None:
        self.applying = {r.id for r in register.requirements.values() if r.testable and r.applies(profile)}
        self.optional = {r.id for r in register.requirements.values() if r.level is Level.MAY}
        self._rules: dict[str, list[Rule]] = {}
        self._absences: dict[str, set[str]] = {}
        for rule in oracle.rules:
            if rule.requirement not in register.requirements:
                raise SuiteError(f"{oracle.protocol}: a rule names {rule.requirement}, which is not in the register")
            if rule.requirement in self.applying:
                self._rules.setdefault(rule.at, []).append(rule)
                if rule.when_absent:
                    self._absences.setdefault(rule.at, set()).add(rule.requirement)
        self.watched = frozenset(near for at in self._absences for near in (at, at.rpartition(".")[0]))
        self.root = Spot(oracle.columns_at)
        self._nearest: dict[str, Sequence[Rule]] = {}
        self._parts: dict[Hashable, RulePart] = {}

    def at(self, skeleton: str) -> Sequence[Rule]:
        """The rules of a place: those at it, else those at `ANCESTOR.*` of the nearest ancestor that has any."""
        if skeleton not in self._nearest:
            found: Sequence[Rule] = self._rules.get(skeleton, ())
            ancestor = skeleton
            while not found and ancestor:
                ancestor = ancestor.rpartition(".")[0]
                found = self._rules.get(f"{ancestor}.*", ())
            self._nearest[skeleton] = found
        return self._nearest[skeleton]

    def part(self, options: Hashable, kind: str | None, operation: str | None, role: Role) -> RulePart:
        """The rules for such events."""
        key = options, kind, operation, role
        if key not in self._parts:
            self._parts[key] = RulePart(self)
        return self._parts[key]

    def absences(
        self, visited: Mapping[str, Mapping[Path, tuple[Spot, str | None]]], table: Table | None, evaluated: Set[str]
    ) -> Iterator[tuple[Spot, Path, Column | None]]:
        """Each place that both trees lack and whose absence a rule asserts, with its spot.

        `visited` are the paths at each skeleton that is `watched`, with their spot and the column they name. Places
        whose rules were all `evaluated` are skipped.
        """
        for skeleton, requirements in self._absences.items():
            if requirements <= evaluated:
                continue
            parent, _, name = skeleton.rpartition(".")
            there = visited.get(skeleton, ())
            for path, (spot, on_the_way) in visited.get(parent, {}).items():
                if name != "{column}":
                    if (*path, name) not in there:
                        column = table.column(on_the_way) if table and on_the_way else None
                        yield spot.member(name), (*path, name), column
                    continue
                for column in table.columns if table else ():
                    if (*path, column.name) not in there:
                        yield spot.member(name), (*path, column.name), column

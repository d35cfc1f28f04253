"""Looks up the rules of a protocol under a profile: by place, event and options."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple

from conformance.cases.model import Role
from conformance.catalogue.register import Level, Register
from conformance.errors import SuiteError
from conformance.oracle.rules import AllOf, CachedCondition, Condition, Place, ProtocolOracle, Rule, always
from conformance.oracle.tree import Path, Spot
from reference_impl.column_types import Family
from reference_impl.model import Column, Table
from reference_impl.profiles import Profile

__all__ = ["ApplicableRules", "RuleBook", "RulePart"]


@dataclass(frozen=True, slots=True)
class ApplicableRules:
    """The rules for a place whose cached conditions hold."""

    rules: Sequence[tuple[Rule, Condition]]  # each with those parts of its condition that are not cached
    requirements: frozenset[str]  # of these rules


class RulePart:
    """The rules of a book for one role, one set of options, and events of one kind and operation.

    It evaluates every `CachedCondition` once for each place and family of columns.
    """

    def __init__(self, book: RuleBook) -> None:
        self._book = book
        self._applicable: dict[Spot, dict[Family | None, ApplicableRules]] = {}

    def known(self, spot: Spot, column: Column | None) -> ApplicableRules | None:
        """The rules for a spot whose cached conditions hold; None if these were not evaluated there before."""
        by_family = self._applicable.get(spot)
        return None if by_family is None else by_family.get(None if column is None else column.type.family)

    def at(self, spot: Spot, column: Column | None, place: Place) -> ApplicableRules:
        """The rules for a spot whose cached conditions hold; `place` is a place there."""
        if (applicable := self.known(spot, column)) is None:
            divided = self._book.divided_at(spot.skeleton)
            rules = tuple((one.rule, one.rest) for one in divided if all(holds(place) for holds in one.cached))
            applicable = ApplicableRules(rules, frozenset(rule.requirement for rule, _ in rules))
            self._applicable.setdefault(spot, {})[column.type.family if column else None] = applicable
        return applicable


class _Divided(NamedTuple):
    """A rule with the two parts of its condition: what is cached, and the rest."""

    rule: Rule
    cached: tuple[Condition, ...]
    rest: Condition


def _divided(rule: Rule) -> _Divided:
    parts = rule.when.parts if isinstance(rule.when, AllOf) else (rule.when,)
    cached = tuple(part for part in parts if isinstance(part, CachedCondition))
    rest = tuple(part for part in parts if not isinstance(part, CachedCondition) and part is not always)
    return _Divided(rule, cached, _all_of(rest))


def _all_of(conditions: tuple[Condition, ...]) -> Condition:
    if len(conditions) == 1:
        return conditions[0]
    return AllOf(conditions) if conditions else always


class RuleBook:
    """The rules of `oracle` whose requirements are testable and apply under `profile`.

    Raises `SuiteError` for a rule whose requirement the register does not know.
    """

    def __init__(self, oracle: ProtocolOracle, register: Register, profile: Profile) -> None:
        requirements = register.requirements.values()
        self.applying = {r.id for r in requirements if r.testable and r.applies(profile)}  # ids
        self.optional = {r.id for r in requirements if r.level is Level.MAY}  # ids
        self._rules: dict[str, list[Rule]] = {}  # by `Rule.at`
        # By `Rule.at` of the rules with `when_absent`: skeleton and name that it consists of, and their requirements.
        self._absences: dict[str, tuple[str, str, set[str]]] = {}
        for rule in oracle.rules:
            if rule.requirement not in register.requirements:
                raise SuiteError(f"{oracle.protocol}: a rule names {rule.requirement}, which is not in the register")
            if rule.requirement in self.applying:
                self._rules.setdefault(rule.at, []).append(rule)
                if rule.when_absent:
                    parent, _, name = rule.at.rpartition(".")
                    self._absences.setdefault(rule.at, (parent, name, set()))[2].add(rule.requirement)
        # Skeletons of the places in `_absences` and of their parents: `absences` must know the paths visited there.
        self.watched = frozenset(skeleton for at in self._absences for skeleton in (at, at.rpartition(".")[0]))
        self.root = Spot(oracle.columns_at)  # the spot of whole trees
        self._nearest: dict[str, Sequence[Rule]] = {}  # by skeleton: the result of `at`
        self._divided: dict[str, Sequence[_Divided]] = {}  # by skeleton
        self._parts: dict[Hashable, RulePart] = {}

    def at(self, skeleton: str) -> Sequence[Rule]:
        """The rules for a skeleton; without any, the rules for `ANCESTOR.*` of its nearest ancestor with rules."""
        if skeleton not in self._nearest:
            found: Sequence[Rule] = self._rules.get(skeleton, ())
            ancestor = skeleton
            while not found and ancestor:
                ancestor = ancestor.rpartition(".")[0]
                found = self._rules.get(f"{ancestor}.*", ())
            self._nearest[skeleton] = found
        return self._nearest[skeleton]

    def divided_at(self, skeleton: str) -> Sequence[_Divided]:
        """The rules for a skeleton, with the parts of their conditions."""
        known = self._divided.get(skeleton)
        if known is None:
            known = self._divided[skeleton] = tuple(map(_divided, self.at(skeleton)))
        return known

    def part(self, options: Hashable, kind: str | None, operation: str | None, role: Role) -> RulePart:
        """The rules for events of a kind and operation, in answers of a role under the options."""
        key = options, kind, operation, role
        if key not in self._parts:
            self._parts[key] = RulePart(self)
        return self._parts[key]

    def absences(
        self, visited: Mapping[str, Mapping[Path, tuple[Spot, str | None]]], table: Table | None, evaluated: Set[str]
    ) -> Iterator[tuple[Spot, Path, Column | None]]:
        """(spot, path, column) of each place that both trees lack and that a rule with `when_absent` is about.

        `visited` has, for each skeleton in `watched`, the visited paths, each with its spot and the name of its column.
        Places whose requirements were all `evaluated` are skipped.
        """
        for skeleton, (parent, name, requirements) in self._absences.items():
            if parent not in visited or requirements <= evaluated:
                continue
            present = visited.get(skeleton, ())
            for path, (spot, column_name) in visited[parent].items():
                if name != "{column}":
                    if (*path, name) not in present:
                        column = table.column(column_name) if table and column_name else None
                        yield spot.member(name), (*path, name), column
                    continue
                for column in table.columns if table else ():
                    if (*path, column.name) not in present:
                        yield spot.member(name), (*path, column.name), column

"""The rules of a protocol that apply under a profile, by place, and how a path becomes the place of a rule."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence, Set
from typing import TypeAlias

from conformance.cases.model import Role
from conformance.catalogue.register import Register
from conformance.errors import SuiteError
from conformance.oracle.rules import AllOf, Condition, Place, ProtocolOracle, Rule, Settled, always
from conformance.oracle.tree import Path
from reference_impl.column_types import Family
from reference_impl.model import Column, Table
from reference_impl.profiles import Profile

__all__ = ["Asked", "Occasion", "RuleBook"]

_REMEMBERED = 200_000
"""Paths whose place is kept."""

Asked: TypeAlias = tuple[Rule, Condition]
"""A rule, and what is left to ask of its condition at a place."""


class Occasion:
    """The rules of a book under given options, for events of one kind and operation.

    What a condition asks of these and of the family of the column is asked here once for all.
    """

    def __init__(self, book: RuleBook) -> None:
        self._book = book
        self._asked: dict[tuple[str, Family | None], Sequence[Asked]] = {}

    def at(self, skeleton: str, column: Column | None, place: Callable[[], Place]) -> Sequence[Asked]:
        """The rules of a place that may speak there."""
        key = skeleton, column.type.family if column else None
        found = self._asked.get(key)
        if found is None:
            found = self._asked[key] = tuple(_open(self._book.at(skeleton), place()))
        return found


def _open(rules: Sequence[Rule], place: Place) -> Iterator[Asked]:
    for rule in rules:
        parts = rule.when.parts if isinstance(rule.when, AllOf) else (rule.when,)
        settled = [part for part in parts if isinstance(part, Settled)]
        rest = tuple(part for part in parts if not isinstance(part, Settled) and part is not always)
        if all(part(place) for part in settled):
            yield rule, (always if not rest else rest[0] if len(rest) == 1 else AllOf(rest))


class RuleBook:
    """The rules of `oracle` whose requirements are testable and apply under `profile`.

    `applying` are all those requirements. Raises `SuiteError` for a rule whose requirement the register does not know.
    """

    def __init__(self, oracle: ProtocolOracle, register: Register, profile: Profile) -> None:
        self.applying = {r.id for r in register.requirements.values() if r.testable and r.applies(profile)}
        self._rules: dict[str, list[Rule]] = {}
        self._absences: dict[str, set[str]] = {}
        for rule in oracle.rules:
            if rule.requirement not in register.requirements:
                raise SuiteError(f"{oracle.protocol}: a rule names {rule.requirement}, which is not in the register")
            if rule.requirement in self.applying:
                self._rules.setdefault(rule.at, []).append(rule)
                if rule.when_absent:
                    self._absences.setdefault(rule.at, set()).add(rule.requirement)
        self._column_parents = {at: f"{at}.{{column}}" for at in oracle.columns_at}
        self._nearest: dict[str, Sequence[Rule]] = {}
        self._skeletons: dict[Path, tuple[str, str | None]] = {}
        self._occasions: dict[Hashable, Occasion] = {}

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

    def skeleton(self, path: Path) -> tuple[str, str | None]:
        """The path as a skeleton, and the column it names at its end or on the way."""
        found = self._skeletons.get(path)
        if found is None:
            if len(self._skeletons) > _REMEMBERED:
                self._skeletons.clear()
            found = self._skeletons[path] = self._skeleton(path)
        return found

    def _skeleton(self, path: Path) -> tuple[str, str | None]:
        text, column = "", None
        for step in path:
            if isinstance(step, int):
                text += "[]"
            elif text in self._column_parents:
                text, column = self._column_parents[text], step
            else:
                text = f"{text}.{step}" if text else step
        return text, column

    def occasion(self, options: Hashable, kind: str | None, operation: str | None, role: Role) -> Occasion:
        """The rules as they speak of such events."""
        key = options, kind, operation, role
        if key not in self._occasions:
            self._occasions[key] = Occasion(self)
        return self._occasions[key]

    def absences(
        self, visited: Mapping[str, set[Path]], table: Table | None, evaluated: Set[str]
    ) -> Iterator[tuple[str, Path, Column | None]]:
        """Each place that neither tree has and of which a rule asserts that nothing is there, with its skeleton.

        Places whose rules were all `evaluated` have nothing more to tell.
        """
        for skeleton, requirements in self._absences.items():
            if requirements <= evaluated:
                continue
            parent, _, name = skeleton.rpartition(".")
            for path in visited.get(parent, ()):
                if name != "{column}":
                    if (*path, name) not in visited.get(skeleton, ()):
                        on_the_way = self.skeleton(path)[1]
                        yield skeleton, (*path, name), table.column(on_the_way) if table and on_the_way else None
                    continue
                for column in table.columns if table else ():
                    if (*path, column.name) not in visited.get(skeleton, ()):
                        yield skeleton, (*path, column.name), column

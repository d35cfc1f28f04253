"""The rules of a protocol that apply under a profile, by place, and how a path becomes the place of a rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from conformance.catalogue.register import Register
from conformance.errors import SuiteError
from conformance.oracle.rules import ProtocolOracle, Rule
from conformance.oracle.tree import Path
from reference_impl.model import Column, Table
from reference_impl.profiles import Profile

__all__ = ["RuleBook"]

_REMEMBERED = 200_000
"""Paths whose place is kept."""


class RuleBook:
    """The rules of `oracle` whose requirements are testable and apply under `profile`.

    `applying` are all those requirements. Raises `SuiteError` for a rule whose requirement the register does not know.
    """

    def __init__(self, oracle: ProtocolOracle, register: Register, profile: Profile) -> None:
        self.applying = {r.id for r in register.requirements.values() if r.testable and r.applies(profile)}
        self._rules: dict[str, list[Rule]] = {}
        self._absences: list[Rule] = []
        for rule in oracle.rules:
            if rule.requirement not in register.requirements:
                raise SuiteError(f"{oracle.protocol}: a rule names {rule.requirement}, which is not in the register")
            if rule.requirement in self.applying:
                self._rules.setdefault(rule.at, []).append(rule)
                if rule.when_absent:
                    self._absences.append(rule)
        self._column_parents = {at: f"{at}.{{column}}" for at in oracle.columns_at}
        self._nearest: dict[str, Sequence[Rule]] = {}
        self._skeletons: dict[Path, tuple[str, str | None]] = {}

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

    def absences(
        self, visited: Mapping[str, set[Path]], table: Table | None, evaluated: Set[str]
    ) -> Iterator[tuple[Rule, Path, Column | None]]:
        """The rules that something is not there, with each place that they speak of and neither tree has.

        Those that were `evaluated` have nothing more to tell; it may grow meanwhile.
        """
        for rule in self._absences:
            if rule.requirement in evaluated:
                continue
            parent, _, name = rule.at.rpartition(".")
            for path in sorted(visited.get(parent, ()), key=repr):
                if name != "{column}":
                    if (*path, name) not in visited.get(rule.at, ()):
                        column_name = self.skeleton(path)[1]
                        yield rule, (*path, name), table.column(column_name) if table and column_name else None
                elif table is not None:
                    for column in table.columns:
                        if (*path, column.name) not in visited.get(rule.at, ()):
                            yield rule, (*path, column.name), column

"""One answer to one case, held against what was expected, place by place, under the rules that speak there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from conformance.cases.model import Case, Role
from conformance.oracle.conditions import event_kind, event_op
from conformance.oracle.counts import MESSAGES
from conformance.oracle.events import compare_event_alternatives, compare_event_leaf
from conformance.oracle.findings import Finding, Judgement, fingerprint
from conformance.oracle.rulebook import RuleBook
from conformance.oracle.rules import NOTHING, Delivery, Message, Place, ProtocolOracle, Rule
from conformance.oracle.texts import text_differences
from conformance.oracle.tree import (
    MISSING,
    Kind,
    Maybe,
    Node,
    Path,
    doubled_members,
    is_same,
    json_kind,
    path_text,
    walk,
)
from reference_impl.profiles import Profile

__all__ = ["Comparison"]

# What is looked at wherever an answer is given: that it was, and how much is in it.
_OF_ANSWERS = frozenset({Kind.COUNT, Kind.REFUSED})


@dataclass(slots=True)
class Comparison:
    """What is found in one answer. `options` is the parsed options object of the protocol."""

    oracle: ProtocolOracle
    rules: RuleBook
    profile: Profile
    case: Case
    options: Any
    judgement: Judgement = field(default_factory=Judgement)
    # Pairs of texts that were compared, by the table they were compared under.
    _texts: set[tuple[int, str, str, str]] = field(default_factory=set)

    def place(
        self,
        path: Path,
        expected: Any,
        got: Any,
        tree: Mapping[str, Any] = NOTHING,
        delivery: Delivery | None = None,
        column: Any = None,
        given: Mapping[str, Any] = NOTHING,
    ) -> Place:
        """A place of this answer."""
        case = self.case
        return Place(case.role, path, expected, got, tree, case, self.options, self.profile, delivery, column, given)

    def blame(self, place: Place, skeleton: str, kind: Kind, rules: Sequence[Rule] | None = None) -> None:
        """A finding of the rules at a place that claim its kind; of the protocol's fallback where none does."""
        if rules is None:
            rules = [r for r in self.rules.at(skeleton) if r.when(place)]
        ids = [r.requirement for r in rules if kind in r.kinds] or [self.oracle.fallback]
        for requirement in dict.fromkeys(ids):
            self._find(requirement, skeleton, path_text(place.path), kind, place.expected, place.got)

    def blame_at(self, path: str, kind: Kind, expected: Any, got: Any) -> None:
        """A finding about a part of the answer as a whole: `frame`, `value`, `claim`, `registry`."""
        self.blame(self.place((path,), expected, got), path, kind)

    def _find(self, requirement: str, skeleton: str, path: str, kind: Kind, expected: Any, got: Any) -> None:
        mark = fingerprint(requirement, skeleton, kind)
        self.judgement.evaluated.add(requirement)
        self.judgement.findings.append(
            Finding(requirement, path, kind, expected, got, mark, advisory=kind is Kind.CLASS)
        )

    # -- the answer as a whole -------------------------------------------------------------------------------------

    def looked_at(self) -> None:
        """The answer as a whole was looked at: the assertions of what the case was written for have run."""
        self.judgement.evaluated.update(self.case.requirements or (self.oracle.fallback,))

    def answered(self, kind: Kind, expected: Any, got: Any) -> None:
        """A finding about the answer as a whole: it is charged to the requirements the case was written for."""
        place = self.place(("answer",), expected, got)
        rules = [r for r in self.rules.at("answer") if kind in r.kinds and r.when(place)]
        for requirement in list(self.case.requirements) or [r.requirement for r in rules] or [self.oracle.fallback]:
            self._find(requirement, "answer", "answer", kind, expected, got)

    def counted(self, expected: int, got: int, wanted: Sequence[Any] = (), given: Sequence[Any] = ()) -> bool:
        """Whether the numbers agree; where not, nobody knows which belongs to which, and no more is compared.

        Rules may look at the messages or events themselves; one that could not be read is given as the reason why.
        """
        place = self.place(("answer",), expected, got, {MESSAGES: wanted}, given={MESSAGES: given})
        rules = [r for r in self.rules.at("answer") if r.kinds & _OF_ANSWERS and r.when(place)]
        self.judgement.evaluated.update(r.requirement for r in rules)
        if expected != got:
            self.blame(place, "answer", Kind.COUNT)
        return expected == got

    # -- trees -----------------------------------------------------------------------------------------------------

    def compare(
        self,
        role: Role,
        expected: Mapping[str, Any],
        got: Mapping[str, Any],
        delivery: Delivery | None = None,
        *,
        table_columns: bool = True,
    ) -> None:
        """Two trees, whose outermost members are the parts of a message, of its frame, of an event."""
        table = delivery.table if delivery and table_columns else None
        visited: dict[str, set[Path]] = {"": {()}}
        evaluated = self.judgement.evaluated
        at_all = self.place((), expected, got, expected, delivery)
        occasion = self.rules.occasion(self.options, event_kind(at_all), event_op(at_all), self.case.role)
        for part in {**expected, **got}:
            for node in walk(expected.get(part, MISSING), got.get(part, MISSING), (part,)):
                if isinstance(node.expected, Maybe):
                    if node.got is MISSING:
                        continue
                    node = node._replace(expected=node.expected.value)
                skeleton, column_name = self.rules.skeleton(node.path)
                if role == "decode" and column_name is not None and not skeleton.endswith("{column}"):
                    continue  # inside a value that is written as an object: it was compared as a value
                visited.setdefault(skeleton, set()).add(node.path)
                column = table.column(column_name) if table and column_name is not None else None
                place = partial(self.place, node.path, node.expected, node.got, expected, delivery, column, got)
                asked = occasion.at(skeleton, column, place)
                same = is_same(node)
                if same:
                    # Nothing to find: all that is left to tell is which assertions ran, and each only once.
                    asked = [a for a in asked if a[0].requirement not in evaluated]
                    if not asked:
                        continue
                here = place()
                rules = [rule for rule, condition in asked if condition(here)]
                evaluated.update([r.requirement for r in rules])
                if not same:
                    for kind in self._kinds(node, here, skeleton, role):
                        self.blame(here, skeleton, kind, rules)
        for skeleton, path, column in self.rules.absences(visited, table, evaluated):
            place = partial(self.place, path, MISSING, MISSING, expected, delivery, column)
            for rule, condition in occasion.at(skeleton, column, place):
                if rule.when_absent and rule.requirement not in evaluated and condition(place()):
                    evaluated.add(rule.requirement)

    def _kinds(self, node: Node, place: Place, skeleton: str, role: Role) -> Iterator[Kind]:
        if node.expected is MISSING:
            yield Kind.EXTRA
            return
        if node.got is MISSING:
            yield Kind.MISSING
            return
        if role == "decode" and place.column is not None:
            alternatives = isinstance(node.expected, frozenset)
            kind = compare_event_alternatives(place) if alternatives else compare_event_leaf(place)
            if kind:
                yield kind
            return
        if isinstance(node.expected, frozenset):
            if not any(node.got == alternative for alternative in node.expected):
                yield Kind.VALUE
            return
        if json_kind(node.expected) != json_kind(node.got):
            yield Kind.JSON_KIND
            return
        if isinstance(node.got, dict):
            if set(doubled_members(node.got)) - set(doubled_members(node.expected)):
                yield Kind.DOUBLED
            if skeleton in self.oracle.ordered_at:
                common = [name for name in node.expected if name in node.got]
                if common != [name for name in node.got if name in node.expected]:
                    yield Kind.ORDER
            return
        if isinstance(node.got, list):
            return
        kind = self.oracle.compare(place)
        if kind:
            yield kind

    def texts(self, expected: Message, got: Message, delivery: Delivery) -> None:
        """The spelling of two messages: white space, and how strings and numbers are written."""
        for part, text in expected.texts.items():
            if part not in got.texts or (compared := (id(delivery.table), part, text, got.texts[part])) in self._texts:
                continue
            self._texts.add(compared)
            if text == got.texts[part] and self._is_settled(part):
                continue
            for what, want, have in text_differences(text, got.texts[part]):
                skeleton = f"text.{part}.{what}"
                place = self.place(("text", part, what), want, have, expected.tree, delivery)
                rules = [r for r in self.rules.at(skeleton) if r.when(place)]
                self.judgement.evaluated.update(r.requirement for r in rules)
                if want != have:
                    self.blame(place, skeleton, Kind.TEXT, rules)

    def _is_settled(self, part: str) -> bool:
        """Whether every rule about the spelling of a part has spoken."""
        rules = (r for what in ("space", "string", "other") for r in self.rules.at(f"text.{part}.{what}"))
        return all(r.requirement in self.judgement.evaluated for r in rules)

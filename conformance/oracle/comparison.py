"""Compares one answer to one case with the expectation, path by path, under the rules for each path."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from conformance.cases.model import Case, Role
from conformance.catalogue.harm import Harm
from conformance.oracle.conditions import event_kind, event_op, operation_of
from conformance.oracle.counts import MESSAGES
from conformance.oracle.events import compare_event_alternatives, compare_event_leaf
from conformance.oracle.findings import Finding, Judgement, fingerprint, is_advisory
from conformance.oracle.harm import harm_of
from conformance.oracle.harm_at import harm_at
from conformance.oracle.rulebook import RuleBook
from conformance.oracle.rules import NOTHING, Delivery, Message, Place, ProtocolOracle, Rule
from conformance.oracle.texts import text_differences
from conformance.oracle.tree import (
    MISSING,
    Kind,
    Maybe,
    Path,
    Spot,
    doubled_members,
    equal,
    is_same,
    json_kind,
    path_text,
    walk,
)
from conformance.oracle.unmatched import Tally, unmatched
from reference_impl.model import RowChange
from reference_impl.profiles import Profile

__all__ = ["Comparison"]

# Evaluated by every answer: that there is one, and its number of messages.
_OF_ANSWERS = frozenset({Kind.COUNT, Kind.REFUSED})


# Findings for single events; the last of them has the number of the rest.
_MOST_SHOWN = 10


def _differing(
    expected: int, got: int, expected_tally: Tally, got_tally: Tally, describe: Callable[[int], Any]
) -> Iterator[tuple[str, Any, Any]]:
    """(path, expected, got) of each event that is lost or too many; the numbers where no event can be named."""
    lost, extra = unmatched(expected_tally, got_tally)
    if (len(lost) - len(extra)) != expected - got:  # a record that could not be read may count for several
        yield "answer", expected, got
        return
    odd = lost or extra
    for n, i in enumerate(odd[:_MOST_SHOWN], 1):
        more = f", as for {len(odd) - n} more" if n == _MOST_SHOWN < len(odd) else ""
        if lost:
            yield f"answer[{expected_tally.places[i]}]", describe(i), f"nothing{more}: {got} in place of {expected}"
        else:
            yield f"answer[{got_tally.places[i]}]", f"nothing{more}: {expected}, not {got}", got_tally.trees[i]


@dataclass(slots=True)
class Comparison:
    """The findings of one answer; `options` is the parsed options object of the protocol."""

    oracle: ProtocolOracle
    rules: RuleBook
    profile: Profile
    case: Case
    options: Any
    judgement: Judgement = field(default_factory=Judgement)
    # The part of the answer under comparison, as findings name it; empty for a single part.
    where: str = ""
    # The operation of the event under comparison; empty for a single one.
    operation: str = ""
    # Pairs of texts that were compared, by their table.
    _texts: set[tuple[int, str, str, str]] = field(default_factory=set)
    # Tokens with equal spelling in both, by event and table, and where.
    _spelled: set[tuple[tuple[str | int, ...], str, str]] = field(default_factory=set)

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
        """A path of this answer, with its context."""
        case = self.case
        return Place(case.role, path, expected, got, tree, case, self.options, self.profile, delivery, column, given)

    def blame(self, place: Place, skeleton: str, kind: Kind, rules: Sequence[Rule] | None = None) -> None:
        """Add a finding for each rule at a path that claims the kind; without one, for the protocol's fallback."""
        if rules is None:
            rules = [r for r in self.rules.at(skeleton) if r.when(place)]
        ids = [r.requirement for r in rules if kind in r.kinds] or [self.oracle.fallback]
        harm = harm_at(self.oracle, place, skeleton, kind)
        for requirement in dict.fromkeys(ids):
            self._find(requirement, skeleton, path_text(place.path), kind, place.expected, place.got, harm)

    def blame_at(self, path: str, kind: Kind, expected: Any, got: Any) -> None:
        """A finding about a part of the answer as a whole: `frame`, `value`, `claim`, `registry`."""
        self.blame(self.place((path,), expected, got), path, kind)

    def _find(
        self, requirement: str, skeleton: str, path: str, kind: Kind, expected: Any, got: Any, harm: Harm
    ) -> None:
        mark = fingerprint(requirement, skeleton, kind)
        self.judgement.evaluated.add(requirement)
        advisory = is_advisory(self.case.role, kind, harm)
        self.judgement.findings.append(
            Finding(requirement, path, kind, expected, got, mark, harm, advisory, self.where, self.operation)
        )

    # -- the answer as a whole -------------------------------------------------------------------------------------

    def looked_at(self) -> None:
        """Note that the answer was judged as a whole: the requirements of the case are evaluated."""
        self.judgement.evaluated.update(self.case.requirements or (self.oracle.fallback,))

    def answered(self, kind: Kind, expected: Any, got: Any, harm: Harm | None = None) -> None:
        """Add a finding about the answer as a whole, for the requirements of the case.

        An implementation that accepts optional input must still answer its content: lost or changed data, and a crash,
        also break the mandatory requirement that every event is answered.
        """
        place = self.place(("answer",), expected, got)
        rules = [r for r in self.rules.at("answer") if kind in r.kinds and r.when(place)]
        harm = harm or harm_of("answer", kind, expected, got)
        ids = list(self.case.requirements) or [r.requirement for r in rules] or [self.oracle.fallback]
        is_unanswered = kind is Kind.BROKEN or (kind is Kind.ACCEPTED and harm.is_data)
        if is_unanswered and self.rules.optional.issuperset(ids):
            ids.append(self.oracle.answered_once or self.oracle.fallback)
        for requirement in ids:
            self._find(requirement, "answer", "answer", kind, expected, got, harm)

    def counted(
        self, expected: int, got: int, expected_tally: Tally, got_tally: Tally, describe: Callable[[int], Any]
    ) -> bool:
        """Whether the numbers agree; if not, only the lost and additional messages are compared.

        Rules may look at the messages or events themselves. `describe` describes the expected one at a position.
        """
        place = self.place(
            ("answer",), expected, got, {MESSAGES: expected_tally.trees}, given={MESSAGES: got_tally.trees}
        )
        rules = [r for r in self.rules.at("answer") if r.kinds & _OF_ANSWERS and r.when(place)]
        self.judgement.evaluated.update(r.requirement for r in rules)
        if expected != got:
            ids = [r.requirement for r in rules if Kind.COUNT in r.kinds] or [self.oracle.fallback]
            harm = harm_of("answer", Kind.COUNT, expected, got)
            for path, want, have in _differing(expected, got, expected_tally, got_tally, describe):
                self.operation = operation_of(want) if expected > 1 and isinstance(want, Mapping) else ""
                for requirement in dict.fromkeys(ids):
                    self._find(requirement, "answer", path, Kind.COUNT, want, have, harm)
            self.operation = ""
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
        """Compare two trees; their top members are the parts of a message, of its frame, or of an event."""
        table = delivery.table if delivery and table_columns else None
        book, evaluated = self.rules, self.judgement.evaluated
        root, watched = book.root, book.watched
        visited: dict[str, dict[Path, tuple[Spot, str | None]]] = {root.skeleton: {(): (root, None)}}
        at_all = self.place((), expected, got, expected, delivery)
        rules_here = book.part(self.options, event_kind(at_all), event_op(at_all), self.case.role)
        for part in {**expected, **got}:
            for node in walk(expected.get(part, MISSING), got.get(part, MISSING), (part,), root.member(part)):
                path, want, have, spot, column_name = node
                if isinstance(want, Maybe):
                    if have is MISSING:
                        continue
                    want = want.value
                    node = node._replace(expected=want)
                if column_name is not None and role == "decode" and not spot.is_column:
                    continue  # inside a value that is written as an object: it was compared as a value
                if spot.skeleton in watched:
                    visited.setdefault(spot.skeleton, {})[path] = spot, column_name
                column = table.column(column_name) if column_name is not None and table else None
                place = partial(self.place, path, want, have, expected, delivery, column, got)
                asked = rules_here.at(spot, column, place)
                same = is_same(node)
                if same and asked.requirements <= evaluated:
                    continue  # nothing to find, and the assertions are noted already
                here = place()
                rules = [
                    rule
                    for rule, condition in asked.rules
                    if not (same and rule.requirement in evaluated) and condition(here)
                ]
                evaluated.update([r.requirement for r in rules])
                if not same:
                    for kind in self._kinds(want, have, here, spot.skeleton, role):
                        self.blame(here, spot.skeleton, kind, rules)
        for spot, path, column in book.absences(visited, table, evaluated):
            place = partial(self.place, path, MISSING, MISSING, expected, delivery, column)
            for rule, condition in rules_here.at(spot, column, place).rules:
                if rule.when_absent and rule.requirement not in evaluated and condition(place()):
                    evaluated.add(rule.requirement)

    def _kinds(self, expected: Any, got: Any, place: Place, skeleton: str, role: Role) -> Iterator[Kind]:
        if expected is MISSING:
            yield Kind.EXTRA
            return
        if got is MISSING:
            yield Kind.MISSING
            return
        if role == "decode" and place.column is not None:
            alternatives = isinstance(expected, frozenset)
            kind = compare_event_alternatives(place) if alternatives else compare_event_leaf(place)
            if kind:
                yield kind
            return
        if isinstance(expected, frozenset):
            if not any(equal(alternative, got) for alternative in expected):
                yield Kind.VALUE
            return
        if json_kind(expected) != json_kind(got):
            yield Kind.JSON_KIND
            return
        if isinstance(got, dict):
            if set(doubled_members(got)) - set(doubled_members(expected)):
                yield Kind.DOUBLED
            if skeleton in self.oracle.ordered_at:
                common = [name for name in expected if name in got]
                if common != [name for name in got if name in expected]:
                    yield Kind.ORDER
            return
        if isinstance(got, list):
            return
        kind = self.oracle.compare(place)
        if kind:
            yield kind

    def texts(self, expected: Message, got: Message, delivery: Delivery) -> None:
        """Compare the spelling of two messages: white space, strings and numbers.

        Rules about spelling look at the token, the event and the table, but not at the values of a row.
        """
        evaluated, event, table = self.judgement.evaluated, delivery.event, id(delivery.table)
        of = (event.op, event.schema, event.table, table) if isinstance(event, RowChange) else (id(event), table)
        for part, text in expected.texts.items():
            if part not in got.texts or (compared := (table, part, text, got.texts[part])) in self._texts:
                continue
            self._texts.add(compared)
            if text == got.texts[part] and self._is_settled(part):
                continue
            for what, want, have in text_differences(text, got.texts[part]):
                skeleton = f"text.{part}.{what}"
                same = want == have
                if same and (asked := (of, skeleton, want)) in self._spelled:
                    continue
                place = self.place(("text", part, what), want, have, expected.tree, delivery)
                rules = [
                    r for r in self.rules.at(skeleton) if not (same and r.requirement in evaluated) and r.when(place)
                ]
                evaluated.update(r.requirement for r in rules)
                if same:
                    self._spelled.add(asked)
                else:
                    self.blame(place, skeleton, Kind.TEXT, rules)

    def _is_settled(self, part: str) -> bool:
        """Whether every rule about the spelling of a part was evaluated."""
        rules = (r for what in ("space", "string", "other") for r in self.rules.at(f"text.{part}.{what}"))
        return all(r.requirement in self.judgement.evaluated for r in rules)

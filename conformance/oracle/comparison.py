"""Compares one answer to one case with the expectation, path by path."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.cases.model import Case
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
    is_plainly_equal,
    json_kind,
    path_text,
    walk,
)
from conformance.oracle.unmatched import Tally, unmatched
from reference_impl.model import Column, RowChange
from reference_impl.profiles import Profile

__all__ = ["Comparison"]

# Every answer with records or events evaluates the rules on these kinds: the answer is not a refusal, and has a count.
_OF_EVERY_ANSWER = frozenset({Kind.COUNT, Kind.REFUSED})

# So many lost or additional events have a finding of their own; the last of these findings states how many more there
# are.
_MOST_SHOWN = 10


def _count_differences(
    expected: int, got: int, expected_tally: Tally, got_tally: Tally, describe: Callable[[int], Any]
) -> Iterator[tuple[str, Any, Any]]:
    """(path, expected, got) of each lost or additional event; of the two counts if it is uncertain which these are."""
    lost, extra = unmatched(expected_tally, got_tally)
    if (len(lost) - len(extra)) != expected - got:  # a record that cannot be read may count for several
        yield "answer", expected, got
        return
    differing = lost or extra  # at most one of them has positions
    for n, i in enumerate(differing[:_MOST_SHOWN], 1):
        more = f", as for {len(differing) - n} more" if n == _MOST_SHOWN < len(differing) else ""
        if lost:
            yield f"answer[{expected_tally.positions[i]}]", describe(i), f"nothing{more}: {got} in place of {expected}"
        else:
            yield f"answer[{got_tally.positions[i]}]", f"nothing{more}: {expected}, not {got}", got_tally.trees[i]


@dataclass(slots=True)
class Comparison:
    """Compares one answer with its expectation, and collects the findings in `judgement`."""

    oracle: ProtocolOracle
    rules: RuleBook
    profile: Profile
    case: Case
    options: Any  # the parsed options object of the protocol
    judgement: Judgement = field(default_factory=Judgement)
    # The part of the answer under comparison, for `Finding.where`; empty where the answer has a single part.
    where: str = ""
    # The operation of the event under comparison, for `Finding.operation`; empty where there is a single event.
    operation: str = ""
    # (id of the table, part of the message, expected text, answered text) of the texts that were compared.
    _compared_texts: set[tuple[int, str, str, str]] = field(default_factory=set)
    # (event and table, skeleton, token) of the equal tokens whose rules were evaluated.
    _evaluated_tokens: set[tuple[tuple[str | int, ...], str, str]] = field(default_factory=set)

    def place(
        self,
        path: Path,
        expected: Any,
        got: Any,
        expected_tree: Mapping[str, Any] = NOTHING,
        delivery: Delivery | None = None,
        column: Column | None = None,
        got_tree: Mapping[str, Any] = NOTHING,
    ) -> Place:
        """The place at a path of this answer."""
        case, options, profile = self.case, self.options, self.profile
        return Place(case.role, path, expected, got, expected_tree, case, options, profile, delivery, column, got_tree)

    def blame(self, place: Place, skeleton: str, kind: Kind, rules: Sequence[Rule] | None = None) -> None:
        """Add a finding for each requirement that claims the difference, or for the protocol's fallback.

        `rules` are the rules at the place whose condition holds; without them they are looked up.
        """
        if rules is None:
            rules = [r for r in self.rules.at(skeleton) if r.when(place)]
        ids = [r.requirement for r in rules if kind in r.kinds] or [self.oracle.fallback]
        harm = harm_at(self.oracle, place, skeleton, kind)
        for requirement in dict.fromkeys(ids):
            self._add_finding(requirement, skeleton, path_text(place.path), kind, place.expected, place.got, harm)

    def blame_at(self, path: str, kind: Kind, expected: Any, got: Any) -> None:
        """Add a finding about a whole part of the answer: `frame`, `value`, `claim`."""
        self.blame(self.place((path,), expected, got), path, kind)

    def _add_finding(
        self, requirement: str, skeleton: str, path: str, kind: Kind, expected: Any, got: Any, harm: Harm
    ) -> None:
        mark = fingerprint(requirement, skeleton, kind)
        self.judgement.evaluated.add(requirement)
        advisory = is_advisory(self.case.role, kind, harm)
        self.judgement.findings.append(
            Finding(requirement, path, kind, expected, got, mark, harm, advisory, self.where, self.operation)
        )

    # -- the answer as a whole -------------------------------------------------------------------------------------

    def note_case_requirements(self) -> None:
        """Note that the requirements of the case are evaluated, because the answer was judged as a whole."""
        self.judgement.evaluated.update(self.case.requirements or (self.oracle.fallback,))

    def blame_answer(self, kind: Kind, expected: Any, got: Any, harm: Harm | None = None) -> None:
        """Add a finding about the answer as a whole, for each requirement of the case.

        If all of these are optional, a crash and lost or changed data also break the requirement that every event is
        answered: an implementation that accepts optional input must answer its content.
        """
        place = self.place(("answer",), expected, got)
        rules = [r for r in self.rules.at("answer") if kind in r.kinds and r.when(place)]
        harm = harm or harm_of("answer", kind, expected, got)
        ids = list(self.case.requirements) or [r.requirement for r in rules] or [self.oracle.fallback]
        is_unanswered = kind is Kind.BROKEN or (kind is Kind.ACCEPTED and harm.is_data)
        if is_unanswered and self.rules.optional.issuperset(ids):
            ids.append(self.oracle.answered_once or self.oracle.fallback)
        for requirement in ids:
            self._add_finding(requirement, "answer", "answer", kind, expected, got, harm)

    def compare_counts(
        self, expected: int, got: int, expected_tally: Tally, got_tally: Tally, describe: Callable[[int], Any]
    ) -> bool:
        """Whether the two numbers of messages or events agree; if not, add findings for the lost or additional ones.

        `describe` is the text of a finding for the expected message or event at a position.
        """
        trees = {MESSAGES: expected_tally.trees}, {MESSAGES: got_tally.trees}  # the conditions of rules look at these
        place = self.place(("answer",), expected, got, trees[0], got_tree=trees[1])
        rules = [r for r in self.rules.at("answer") if r.kinds & _OF_EVERY_ANSWER and r.when(place)]
        self.judgement.evaluated.update(r.requirement for r in rules)
        if expected != got:
            ids = [r.requirement for r in rules if Kind.COUNT in r.kinds] or [self.oracle.fallback]
            harm = harm_of("answer", Kind.COUNT, expected, got)
            for path, one, other in _count_differences(expected, got, expected_tally, got_tally, describe):
                self.operation = operation_of(one) if expected > 1 and isinstance(one, Mapping) else ""
                for requirement in dict.fromkeys(ids):
                    self._add_finding(requirement, "answer", path, Kind.COUNT, one, other, harm)
            self.operation = ""
        return expected == got

    # -- trees -----------------------------------------------------------------------------------------------------

    def compare(
        self,
        expected: Mapping[str, Any],
        got: Mapping[str, Any],
        delivery: Delivery | None = None,
    ) -> None:
        """Compare two trees, whose top members are parts of an answer, such as `value` or `event`."""
        role, table = self.case.role, delivery.table if delivery else None
        book, evaluated = self.rules, self.judgement.evaluated
        root, watched = book.root, book.watched
        # Visited paths, each with its spot and the name of its column, by skeleton; `RuleBook.absences` needs them.
        visited: dict[str, dict[Path, tuple[Spot, str | None]]] = {root.skeleton: {(): (root, None)}}
        root_place = self.place((), expected, got, expected, delivery)
        applicable = book.part(self.options, event_kind(root_place), event_op(root_place), role)
        for part in {**expected, **got}:
            nodes = walk(expected.get(part, MISSING), got.get(part, MISSING), (part,), root.member(part))
            for path, expected_part, got_part, spot, column_name in nodes:
                if isinstance(expected_part, Maybe):
                    if got_part is MISSING:
                        continue
                    expected_part = expected_part.value
                if column_name is not None and role == "decode" and not spot.is_column:
                    continue  # inside a value that is written as an object: it was compared as a value
                if spot.skeleton in watched:
                    visited.setdefault(spot.skeleton, {})[path] = spot, column_name
                column = table.column(column_name) if column_name is not None and table else None
                candidates = applicable.known(spot, column)
                if candidates is None:
                    place = self.place(path, expected_part, got_part, expected, delivery, column, got)
                    candidates = applicable.at(spot, column, place)
                same = is_plainly_equal(expected_part, got_part)
                if same and candidates.requirements <= evaluated:
                    continue  # no difference, and every requirement was evaluated before
                place = self.place(path, expected_part, got_part, expected, delivery, column, got)
                rules = [
                    rule
                    for rule, condition in candidates.rules
                    if not (same and rule.requirement in evaluated) and condition(place)
                ]
                if rules:
                    evaluated.update([r.requirement for r in rules])
                if not same and not self.oracle.is_open(place):
                    for kind in self._kinds(expected_part, got_part, place, spot.skeleton):
                        self.blame(place, spot.skeleton, kind, rules)
        for spot, path, column in book.absences(visited, table, evaluated):
            place = self.place(path, MISSING, MISSING, expected, delivery, column, got)
            for rule, condition in applicable.at(spot, column, place).rules:
                if rule.when_absent and rule.requirement not in evaluated and condition(place):
                    evaluated.add(rule.requirement)

    def _kinds(self, expected: Any, got: Any, place: Place, skeleton: str) -> Iterator[Kind]:
        """The kinds of difference at a node whose sides are not plainly equal; its parts have their own."""
        if expected is MISSING:
            yield Kind.EXTRA
            return
        if got is MISSING:
            yield Kind.MISSING
            return
        if place.role == "decode" and place.column is not None:
            compare = compare_event_alternatives if isinstance(expected, frozenset) else compare_event_leaf
            if kind := compare(place):
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
        if kind := self.oracle.compare(place):
            yield kind

    def compare_texts(self, expected: Message, got: Message, delivery: Delivery) -> None:
        """Compare the spelling of two messages: white space, strings and numbers.

        Rules about spelling depend on the token, the event and the table, but not on the values of a row: equal tokens
        are evaluated once.
        """
        evaluated, event, table_id = self.judgement.evaluated, delivery.event, id(delivery.table)
        of_event = (event.op, event.schema, event.table) if isinstance(event, RowChange) else (id(event),)
        context = (*of_event, table_id)
        for part, text in expected.texts.items():
            if part not in got.texts:
                continue
            texts = table_id, part, text, got.texts[part]
            if texts in self._compared_texts:
                continue
            self._compared_texts.add(texts)
            if text == got.texts[part] and self._is_spelling_evaluated(part):
                continue
            for what, expected_token, got_token in text_differences(text, got.texts[part]):
                skeleton = f"text.{part}.{what}"
                same = expected_token == got_token
                evaluated_token = context, skeleton, expected_token
                if same and evaluated_token in self._evaluated_tokens:
                    continue
                rules = [r for r in self.rules.at(skeleton) if not (same and r.requirement in evaluated)]
                if same and not rules:
                    continue
                place = self.place(("text", part, what), expected_token, got_token, expected.tree, delivery)
                rules = [r for r in rules if r.when(place)]
                evaluated.update([r.requirement for r in rules])
                if same:
                    self._evaluated_tokens.add(evaluated_token)
                else:
                    self.blame(place, skeleton, Kind.TEXT, rules)

    def _is_spelling_evaluated(self, part: str) -> bool:
        """Whether every rule on the spelling of a part was evaluated."""
        rules = (r for what in ("space", "string", "other") for r in self.rules.at(f"text.{part}.{what}"))
        return all(r.requirement in self.judgement.evaluated for r in rules)

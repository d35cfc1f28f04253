"""Finds the words of a register's checks that decide no verdict.

A word that narrows a check decides where the difference would break the check's requirement without the word and does
not with it. A check, or a kind of difference that it claims, decides where the check alone breaks its requirement. What
decides nothing is needless, or a fault that shows its use is missing.

The differences are those of the fault sweep, of the recorded faults and of our mutants. The sweep judges the newest
profile; others are judged by recorded faults and mutants.

Not counted: without a check, another one that gives way to it (`apart_from`) would break its own requirement.

    python -m tools.check_words avro
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from conformance.cases.index import indexed_cases  # noqa: E402
from conformance.catalogue.checks import Check  # noqa: E402
from conformance.catalogue.faults import load_faults  # noqa: E402
from conformance.catalogue.harm import Harm  # noqa: E402
from conformance.catalogue.register import load_register  # noqa: E402
from conformance.mutants import mutants_of  # noqa: E402
from conformance.mutants.matrix import run_matrix  # noqa: E402
from conformance.oracle import ORACLES  # noqa: E402
from conformance.oracle.comparison import Comparison  # noqa: E402
from conformance.oracle.counts import MESSAGES  # noqa: E402
from conformance.oracle.rules import Condition, Place, Rule  # noqa: E402
from conformance.oracle.table import checks_and_rules, condition_of, kinds_of  # noqa: E402
from conformance.oracle.tree import Kind  # noqa: E402
from conformance.sweep.judging import Sweep  # noqa: E402
from conformance.sweep.proofs import proofs_of  # noqa: E402
from reference_impl.protocols import CODECS  # noqa: E402

_ALTERNATIVES = ("event", "op", "families")  # each left out whole: its words are alternatives
_CONJUNCTIONS = ("options", "when", "shows", "apart_from")  # their words are left out one by one
_CASES = 24  # of each mutant


WHOLE = "check"  # among words: the whole check


def _kind_word(kind: Kind) -> str:
    return f"kinds {kind.value}"


@dataclass(slots=True)
class WatchedCheck:
    """A check at one of its places."""

    check: Check
    at: str
    kinds: frozenset[Kind]
    # Each word with the condition of the check without it.
    without: Sequence[tuple[str, Condition]]
    decided: set[str] = field(default_factory=set)  # the words that decided a difference, and WHOLE


def undecided(checks: Sequence[WatchedCheck]) -> Iterator[tuple[Check, list[str]]]:
    """Each check with its idle parts: places that decided nothing; if not all, also words that decided nothing."""
    with_kinds = (one for one in checks if one.kinds)  # the others say only what is evaluated
    for check, group in groupby(with_kinds, key=lambda one: one.check):
        places = list(group)
        decided = {word for one in places for word in one.decided}
        idle_places = [f"at {one.at}" for one in places if WHOLE not in one.decided]
        kinds = [_kind_word(kind) for kind in sorted(kinds_of(check.kinds))] if len(check.kinds) > 1 else []
        words = [word for word in [*kinds, *(word for word, _ in places[0].without)] if word not in decided]
        if len(idle_places) == len(places):
            yield check, idle_places
        elif idle_places or words:
            yield check, [*idle_places, *words]


class Watch:
    """Watches the checks of a protocol at every difference that is judged."""

    def __init__(self, protocol: str) -> None:
        self.oracle = ORACLES[protocol]
        options = CODECS[protocol].options
        checks = [check for r in load_register(protocol).requirements.values() for check in r.checks]
        checks_at: dict[str, list[Check]] = {}
        for check in checks:
            for at in check.at:
                checks_at.setdefault(at, []).append(check)
        self.checks = [
            WatchedCheck(check, at, _kinds(check), list(self._without(check, checks_at[at], options)))
            for check in checks
            for at in check.at
        ]
        watched = {(id(one.check), one.at): one for one in self.checks}
        # The oracle has made its rules of the same checks, in the same order.
        made = checks_and_rules(checks, self.oracle.predicates, options, self.oracle.columns_at)
        self._watched_by_rule = {
            id(rule): watched[id(check), rule.at] for (check, _), rule in zip(made, self.oracle.rules, strict=True)
        }

    def _without(self, check: Check, at_place: Sequence[Check], options: type[Any]) -> Iterator[tuple[str, Condition]]:
        for word, changed in _without_each_word(check):
            place_checks = [changed if one is check else one for one in at_place]
            yield word, condition_of(changed, place_checks, self.oracle.predicates, options)

    def note_difference(self, rules: Sequence[Rule], place: Place, kind: Kind) -> None:
        """Note the words that decide which requirements a difference breaks."""
        held = {id(rule) for rule in rules if kind in rule.kinds and rule.when(place)}
        broken = Counter(rule.requirement for rule in rules if id(rule) in held)
        for rule in rules:
            if kind not in rule.kinds:
                continue
            watched = self._watched_by_rule[id(rule)]
            if id(rule) in held:
                if broken[rule.requirement] == 1:
                    watched.decided |= {WHOLE, _kind_word(kind)}
            elif rule.requirement not in broken:
                watched.decided.update(word for word, condition in watched.without if _holds(condition, place))

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Note every difference that a judge finds inside the context."""
        blame, counted, answered = Comparison.blame, Comparison.compare_counts, Comparison.blame_answer

        def watched_blame(
            found: Comparison, place: Place, skeleton: str, kind: Kind, rules: Sequence[Rule] | None = None
        ) -> None:
            self._note(found, skeleton, place, kind)
            blame(found, place, skeleton, kind, rules)

        def watched_counted(
            found: Comparison, expected: int, got: int, tally: Any, got_tally: Any, describe: Callable[[int], Any]
        ) -> bool:
            if expected != got:
                trees, got_trees = {MESSAGES: tally.trees}, {MESSAGES: got_tally.trees}
                place = found.place(("answer",), expected, got, trees, got_tree=got_trees)
                self._note(found, "answer", place, Kind.COUNT)
            return counted(found, expected, got, tally, got_tally, describe)

        def watched_answered(found: Comparison, kind: Kind, expected: Any, got: Any, harm: Harm | None = None) -> None:
            if not found.case.requirements:  # else these are broken, whatever the checks say
                self._note(found, "answer", found.place(("answer",), expected, got), kind)
            answered(found, kind, expected, got, harm)

        with ExitStack() as patched:
            for name, watched in (
                ("blame", watched_blame),
                ("compare_counts", watched_counted),
                ("blame_answer", watched_answered),
            ):
                patched.enter_context(mock.patch.object(Comparison, name, watched))
            yield

    def _note(self, found: Comparison, skeleton: str, place: Place, kind: Kind) -> None:
        if found.oracle is self.oracle:
            self.note_difference(found.rules.at(skeleton), place, kind)


def _kinds(check: Check) -> frozenset[Kind]:
    # `absent` alone claims extra members.
    return kinds_of(check.kinds or (("extra",) if check.absent else ()))


def _without_each_word(check: Check) -> Iterator[tuple[str, Check]]:
    """Each word that narrows the check, and the check without it."""
    for name in ("role", "encoding"):
        if getattr(check, name):
            yield f"{name} {getattr(check, name)}", replace(check, **{name: ""})
    for name in _ALTERNATIVES:
        if getattr(check, name):
            yield f"{name} {' '.join(getattr(check, name))}", replace(check, **{name: ()})
    if check.actions:
        yield "actions", replace(check, actions=())
    for name in _CONJUNCTIONS:
        for word in getattr(check, name):
            left = tuple(one for one in getattr(check, name) if one != word)
            yield f"{name} {word}", replace(check, **{name: left})


def _holds(condition: Condition, place: Place) -> bool:
    """Whether the condition holds; False where it fails for lack of what the left-out word guaranteed."""
    try:
        return condition(place)
    except Exception:  # noqa: BLE001 - a predicate may ask for a column, or for a part of the message
        return False


def judge_everything(protocol: str, share: int) -> None:
    """Judge all faults that are at hand: one in `share` of the sweep, those recorded, and our mutants."""
    for role in ("encode", "decode"):
        Sweep(protocol, role, share).done()  # type: ignore[arg-type]
    for _ in proofs_of([fault for fault in load_faults() if fault.protocol == protocol]):
        pass
    for _ in run_matrix(mutants_of(protocol), indexed_cases, _CASES):
        pass


def main(argv: Sequence[str] | None = None) -> int:
    """Print the list. Returns 0."""
    parser = argparse.ArgumentParser(description="Find the words of a register's checks that decide no verdict.")
    parser.add_argument("protocol", choices=ORACLES)
    parser.add_argument("--share", type=int, default=1, help="one fault of the sweep in so many (default: all)")
    options = parser.parse_args(argv)
    watch = Watch(options.protocol)
    with watch.watching():
        judge_everything(options.protocol, options.share)
    words = sum(1 + len(one.without) for one in watch.checks if one.kinds)
    found = list(undecided(watch.checks))
    for check, missing in found:
        print(f"{check.requirement:9} {'; '.join(missing)}")
    print(f"{len(watch.checks)} checks at their places, {words} words; {len(found)} checks have idle parts")
    return 0


if __name__ == "__main__":
    sys.exit(main())

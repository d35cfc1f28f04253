"""Turns the checks in the register of a protocol into the rules of its oracle.

The rules of one place keep the order of the register, with two exceptions: a check precedes the requirements that it
names in `before`, and checks with `stands` are the first or the last of their place.

A check with `apart_from` claims no difference that one of the named requirements claims. Only the conditions that
those requirements state themselves count there, not their own `apart_from`. A check with `alone` excludes all other
checks of its place in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import Field, dataclass, fields
from functools import cache
from typing import Any, cast

from conformance.catalogue.checks import Check
from conformance.catalogue.register import load_register
from conformance.errors import SuiteError
from conformance.oracle.conditions import (
    action,
    all_of,
    any_of,
    encoded_as,
    family,
    kind,
    no,
    op,
    option,
    role,
    shows,
)
from conformance.oracle.rules import Condition, Predicates, Rule
from conformance.oracle.tree import Kind
from reference_impl.column_types import BINARY, INTEGERS, TEXT, Family
from reference_impl.errors import Rejected

__all__ = ["checks_and_rules", "condition_of", "families_of", "kinds_of", "rules_of_checks", "rules_of_register"]

_ROOTS = frozenset({"answer", "claim", "event", "frame", "key", "record", "registry", "schema", "text", "value"})
_KINDS: Mapping[str, Set[Kind]] = {
    **{k.value.replace(" ", "-"): frozenset({k}) for k in Kind},
    "any": frozenset(Kind) - {Kind.ORDER, Kind.TEXT},
    "none": frozenset(),
}
_SHORT_TEXT = frozenset({Family.CHAR, Family.VARCHAR})
_SHORT_BYTES = frozenset({Family.BINARY, Family.VARBINARY})
_BYTES = BINARY - {Family.GEOMETRY}
_FAMILIES: Mapping[str, Set[Family]] = {
    **{f.value: frozenset({f}) for f in Family},
    "integers": INTEGERS,
    "floats": frozenset({Family.FLOAT, Family.DOUBLE}),
    "text-columns": TEXT,
    "short-text": _SHORT_TEXT,
    "long-text": TEXT - _SHORT_TEXT,
    "bytes": _BYTES,
    "short-bytes": _SHORT_BYTES,
    "blobs": _BYTES - _SHORT_BYTES,
}
_EVENTS = frozenset({"row", "ddl", "watermark"})
_OPS = frozenset({"insert", "update", "delete"})
_BRACES = re.compile(r"\{[^}]*\}?")
_STANDS: Mapping[str, int] = {"first": 0, "": 1, "last": 2}


def rules_of_register(
    protocol: str, predicates: Predicates, options: type[Any], columns_at: Set[str]
) -> tuple[Rule, ...]:
    """The rules of a protocol's register. Raises `SuiteError` for a check with an unknown word."""
    checks = [check for requirement in load_register(protocol).requirements.values() for check in requirement.checks]
    return tuple(rules_of_checks(checks, predicates, options, columns_at))


def rules_of_checks(
    checks: Sequence[Check], predicates: Predicates, options: type[Any], columns_at: Set[str]
) -> Iterator[Rule]:
    """The rules of checks, place by place; `options` is the dataclass of the protocol's options."""
    return (rule for _, rule in checks_and_rules(checks, predicates, options, columns_at))


def checks_and_rules(
    checks: Sequence[Check], predicates: Predicates, options: type[Any], columns_at: Set[str]
) -> Iterator[tuple[Check, Rule]]:
    """The rules of checks, place by place, each with its check."""
    maker = _RuleMaker(predicates, options, columns_at)
    by_place: dict[str, list[Check]] = {}
    for check in checks:
        for place in check.at:
            by_place.setdefault(place, []).append(check)
    for place, place_checks in by_place.items():
        yield from maker.rules(place, place_checks)


def condition_of(check: Check, place_checks: Sequence[Check], predicates: Predicates, options: type[Any]) -> Condition:
    """The condition of a check's rule at a place; `place_checks` are all checks of the place."""
    return _RuleMaker(predicates, options, frozenset()).condition(check, place_checks)


@dataclass(frozen=True, slots=True)
class _RuleMaker:
    """Makes rules of checks. `place_checks` are always all checks of one place, the check in hand among them."""

    predicates: Predicates
    options: type[Any]  # the dataclass of the protocol's options
    columns_at: Set[str]  # skeletons of objects whose members are columns

    def rules(self, place: str, place_checks: Sequence[Check]) -> Iterator[tuple[Check, Rule]]:
        """The checks of one place and their rules, in the order of the rules."""
        for check in place_checks:
            try:
                self._refuse_unknown(place, check, place_checks)
            except SuiteError as e:
                raise SuiteError(f"register: {check.requirement}: {e}") from None
        for check in _in_order(place_checks):
            try:
                condition = self.condition(check, place_checks)
            except SuiteError as e:
                raise SuiteError(f"register: {check.requirement}: {e}") from None
            yield check, Rule(check.requirement, place, condition, _kinds(check), check.absent)

    def _refuse_unknown(self, place: str, check: Check, place_checks: Sequence[Check]) -> None:
        """Raises `SuiteError` for unknown words and places, and for checks of a place that contradict each other."""
        if not check.kinds and not check.absent:
            raise SuiteError("a check has 'kinds' or 'absent = true'")
        if upstream := [name for name in ("null", "holds") if getattr(check, name)]:
            raise SuiteError(f"only the checks of upstream dialects may have {upstream[0]!r}")
        _refuse_unknown_words([check.stands], _STANDS.keys())
        parent, _, name = place.rpartition(".")
        if place.partition(".")[0] not in _ROOTS or (name == "{column}" and parent not in self.columns_at):
            raise SuiteError(f"no message has a place {place!r}")
        if place.count("*") != place.endswith(".*") or set(_BRACES.findall(place)) - {"{column}"}:
            raise SuiteError(f"{place!r} is no place: '*' may only be its end, and braces hold 'column' or a list")
        if check.actions == "other" and not any(_codes(other) for other in place_checks):
            raise SuiteError(f"no check names a code at {place!r}, so that there are no others")
        if check.requirement in (*check.before, *check.apart_from):
            raise SuiteError("'before' and 'apart_from' name other requirements")
        kinds = _kinds(check)
        if not (check.alone or check.before or check.apart_from):
            return
        rivals = [other for other in place_checks if _kinds(other) & kinds]
        if check.alone and any(other.alone and other is not check for other in rivals):
            raise SuiteError(f"another check at {place!r} is 'alone', too")
        for other in place_checks:
            if other.requirement in check.apart_from and check.requirement in other.apart_from:
                raise SuiteError(f"{check.requirement} and {other.requirement} name each other in 'apart_from'")
        if missing := {*check.before, *check.apart_from} - {other.requirement for other in rivals}:
            raise SuiteError(f"{min(missing)} has no check at {place!r} of these kinds")

    def condition(self, check: Check, place_checks: Sequence[Check]) -> Condition:
        """The check's own conditions hold, and no check that excludes it claims the difference."""
        return all_of(*self._stated(check, place_checks), *self._exclusions(check, place_checks))

    def _stated(self, check: Check, place_checks: Sequence[Check]) -> Iterator[Condition]:
        """The conditions that the words of a check state."""
        if check.role:
            _refuse_unknown_words([check.role], {"encode", "decode"})
            yield role("encode" if check.role == "encode" else "decode")
        yield from _one_of_words(check.event, _EVENTS, kind)
        yield from _one_of_words(check.op, _OPS, op)
        yield from _one_of_words(check.families, _FAMILIES.keys(), lambda *words: family(*families_of(words)))
        for word in check.options:
            yield _negatable(word, self._option)
        if check.encoding:
            yield encoded_as(check.encoding)
        if check.actions == "other":
            yield no(action(*(code for other in place_checks for code in _codes(other))))
        elif check.actions:
            yield action(*_codes(check))
        for word in check.when:
            yield self._predicate(word, check)
        if check.shows:
            yield shows(all_of(*(self._predicate(word, check) for word in check.shows)))

    def _predicate(self, word: str, check: Check) -> Condition:
        return _negatable(word, lambda name: self.predicates(name, check.requirement))

    def _option(self, text: str) -> Condition:
        """The condition of `NAME`, for a boolean option, or of `NAME=VALUE`."""
        name, equals, value = text.partition("=")
        known = _fields_of(cast(Hashable, self.options))
        _refuse_unknown_words([name], known.keys())
        named = known[name]
        if isinstance(named.default, bool) == bool(equals):
            raise SuiteError(f"{text!r} is to be {name if equals else f'{name}=VALUE'!r}")
        if not equals:
            return option(named.name)
        try:
            return option(named.name, named.metadata["read"](name, value))
        except Rejected as e:
            raise SuiteError(str(e)) from None

    def _exclusions(self, check: Check, place_checks: Sequence[Check]) -> Iterator[Condition]:
        """The condition that no check that precedes this one, by `apart_from` or `alone`, claims the difference."""
        preferred = [
            other
            for other in place_checks
            if (other.requirement in check.apart_from or (other.alone and other is not check))
            and _kinds(other) & _kinds(check)
        ]
        if preferred:
            claimed = any_of(*(all_of(*self._stated(other, place_checks)) for other in preferred))
            yield shows(no(claimed))


@cache
def _fields_of(options: Hashable) -> Mapping[str, Field[Any]]:
    """The fields of a dataclass of options, by the names of the options."""
    return {field.name.replace("_", "-"): field for field in fields(cast(Any, options))}


def _in_order(place_checks: Sequence[Check]) -> list[Check]:
    """The checks of one place by `stands` and `before`, otherwise in the order of the register.

    `before` counts only between checks with a common kind.
    """
    by_stands = sorted(place_checks, key=lambda check: _STANDS[check.stands])
    if not any(check.before for check in by_stands):
        return by_stands
    ordered: list[Check] = []
    being_appended: list[Check] = []

    def append(check: Check) -> None:
        """Append a check to `ordered`, after the checks that name it in `before`."""
        if any(check is other for other in being_appended):
            raise SuiteError(f"register: {check.requirement}: checks of its place are 'before' each other in a circle")
        if any(check is other for other in ordered):
            return
        being_appended.append(check)
        for other in by_stands:
            if check.requirement in other.before and _kinds(other) & _kinds(check):
                if _STANDS[other.stands] > _STANDS[check.stands]:
                    raise SuiteError(f"register: {other.requirement}: 'before' contradicts where the checks stand")
                append(other)
        being_appended.pop()
        ordered.append(check)

    for check in by_stands:
        append(check)
    return ordered


def _codes(check: Check) -> tuple[int, ...]:
    """The action codes that a check names; empty for none, and for `other`."""
    return () if isinstance(check.actions, str) else check.actions


def _kinds(check: Check) -> frozenset[Kind]:
    """The kinds of difference that a check claims; a check with `absent` alone claims an additional place."""
    return _claimed_kinds(check.kinds, check.absent)


@cache
def _claimed_kinds(words: tuple[str, ...], absent: bool) -> frozenset[Kind]:
    exclusive = {"any", "none"} & {*words}
    if exclusive and (len(words) > 1 or (absent and "none" in exclusive)):
        raise SuiteError("no other kind stands beside 'any' or 'none', and 'absent' does not go with 'none'")
    if not words and absent:
        return frozenset({Kind.EXTRA})
    return kinds_of(words)


def kinds_of(words: Sequence[str]) -> frozenset[Kind]:
    """The kinds of difference that these words name. Raises `SuiteError` for an unknown word."""
    _refuse_unknown_words(words, _KINDS.keys())
    return frozenset().union(*(_KINDS[word] for word in words))


def families_of(words: Sequence[str]) -> frozenset[Family]:
    """The families that these words name. Raises `SuiteError` for an unknown word."""
    _refuse_unknown_words(words, _FAMILIES.keys())
    return frozenset().union(*(_FAMILIES[word] for word in words))


def _negatable(word: str, condition_of_word: Callable[[str], Condition]) -> Condition:
    """The condition of a word, or its opposite where the word begins with `!`."""
    condition = condition_of_word(word.removeprefix("!"))
    return no(condition) if word.startswith("!") else condition


def _one_of_words(words: Sequence[str], known: Set[str], condition: Callable[..., Condition]) -> Iterator[Condition]:
    """The condition that one of the words holds, or none of them where each begins with `!`; nothing without words."""
    if not words:
        return
    negated = {word.startswith("!") for word in words}
    if len(negated) > 1:
        raise SuiteError(f"{' '.join(words)!r}: either all of these words have a '!', or none has")
    plain = [word.removeprefix("!") for word in words]
    _refuse_unknown_words(plain, known)
    holds = condition(*plain)
    yield no(holds) if negated == {True} else holds


def _refuse_unknown_words(words: Sequence[str], known: Set[str]) -> None:
    for word in words:
        if word not in known:
            raise SuiteError(f"unknown word {word!r}; it is one of {', '.join(sorted(known))}")

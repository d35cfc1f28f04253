"""Makes the rules of a protocol of the checks in its register.

At one place, rules stand in the order of the register; those that a check names in `before` stand behind it, and those
that stand `first` or `last` before and behind all others. One that is `apart_from` others asks for their words, not for
what those are apart from themselves; all are apart from one that speaks `alone`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, fields
from typing import Any

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

__all__ = ["checks_and_rules", "families_of", "kinds_of", "rules_of_checks", "rules_of_register", "speaks"]

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
    """The rules of that protocol's register. Raises `SuiteError` for a check that says something unknown."""
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
    """The same, each rule with its check."""
    table = _Table(predicates, options, columns_at)
    by_place: dict[str, list[Check]] = {}
    for check in checks:
        for at in check.at:
            by_place.setdefault(at, []).append(check)
    for at, here in by_place.items():
        yield from table.rules(at, here)


@dataclass(frozen=True, slots=True)
class _Table:
    predicates: Predicates
    options: type[Any]
    columns_at: Set[str]

    def rules(self, at: str, here: Sequence[Check]) -> Iterator[tuple[Check, Rule]]:
        """The rules of one place, in their order."""
        for check in here:
            try:
                self._refuse_unknown(at, check, here)
            except SuiteError as e:
                raise SuiteError(f"register: {check.requirement}: {e}") from None
        for check in _in_order(here):
            try:
                yield check, Rule(check.requirement, at, self.speaks(check, here), _kinds(check), check.absent)
            except SuiteError as e:
                raise SuiteError(f"register: {check.requirement}: {e}") from None

    def _refuse_unknown(self, at: str, check: Check, here: Sequence[Check]) -> None:
        if not check.kinds and not check.absent:
            raise SuiteError("a check has 'kinds' or 'absent = true'")
        if upstream := [name for name in ("null", "holds") if getattr(check, name)]:
            raise SuiteError(f"{upstream[0]!r} is a word of upstream dialects alone")
        _one_of(check.stands, _STANDS.keys())
        parent, _, name = at.rpartition(".")
        if at.partition(".")[0] not in _ROOTS or (name == "{column}" and parent not in self.columns_at):
            raise SuiteError(f"no message has a place {at!r}")
        if at.count("*") != at.endswith(".*") or set(_BRACES.findall(at)) - {"{column}"}:
            raise SuiteError(f"{at!r} is no place: '*' stands at the end alone, and braces hold 'column' or a list")
        if check.actions == "other" and not any(isinstance(c.actions, tuple) and c.actions for c in here):
            raise SuiteError(f"no check names a code at {at!r}, so that there are no others")
        if check.requirement in (*check.before, *check.apart_from):
            raise SuiteError("'before' and 'apart_from' name other requirements")
        if check.alone and [c for c in here if c.alone and c is not check and _kinds(c) & _kinds(check)]:
            raise SuiteError(f"another check at {at!r} speaks alone, too")
        for other in here:
            if other.requirement in check.apart_from and check.requirement in other.apart_from:
                raise SuiteError(f"{check.requirement} and {other.requirement} are apart from each other")
        known = {c.requirement for c in here if _kinds(c) & _kinds(check)}
        if missing := {*check.before, *check.apart_from} - known:
            raise SuiteError(f"{min(missing)} has no check at {at!r} of these kinds")

    def speaks(self, check: Check, here: Sequence[Check]) -> Condition:
        return all_of(*self._own(check, here), *self._apart(check, here))

    def _own(self, check: Check, here: Sequence[Check]) -> Iterator[Condition]:
        def named(word: str) -> Condition:
            holds = self.predicates(word.removeprefix("!"), check.requirement)
            return no(holds) if word.startswith("!") else holds

        if check.role:
            yield role("encode" if _one_of(check.role, {"encode", "decode"}) == "encode" else "decode")
        yield from _listed(check.event, _EVENTS, kind)
        yield from _listed(check.op, _OPS, op)
        yield from _listed(check.families, _FAMILIES.keys(), lambda *words: family(*families_of(words)))
        for text in check.options:
            holds = self._option(text.removeprefix("!"))
            yield no(holds) if text.startswith("!") else holds
        if check.encoding:
            yield encoded_as(check.encoding)
        if check.actions == "other":
            yield no(action(*(code for c in here if isinstance(c.actions, tuple) for code in c.actions)))
        elif isinstance(check.actions, tuple) and check.actions:
            yield action(*check.actions)
        yield from map(named, check.when)
        if check.shows:
            yield shows(all_of(*map(named, check.shows)))

    def _option(self, text: str) -> Condition:
        """The condition of NAME, for one that is true or false, or of NAME=VALUE."""
        name, equals, value = text.partition("=")
        known = {field.name.replace("_", "-"): field for field in fields(self.options)}
        given = known[_one_of(name, known.keys())]
        if isinstance(given.default, bool) == bool(equals):
            raise SuiteError(f"{text!r} is to be {name if equals else f'{name}=VALUE'!r}")
        if not equals:
            return option(given.name)
        try:
            return option(given.name, given.metadata["read"](name, value))
        except Rejected as e:
            raise SuiteError(str(e)) from None

    def _apart(self, check: Check, here: Sequence[Check]) -> Iterator[Condition]:
        others = [
            c
            for c in here
            if (c.requirement in check.apart_from or (c.alone and c is not check)) and _kinds(c) & _kinds(check)
        ]
        if others:
            yield shows(no(any_of(*(all_of(*self._own(c, here)) for c in others))))


def _in_order(here: Sequence[Check]) -> list[Check]:
    """The checks of one place: each before those of common kinds that it names, else as the register has them."""
    given = sorted(here, key=lambda check: _STANDS[check.stands])
    ordered: list[Check] = []
    waiting: list[int] = []

    def put(check: Check) -> None:
        if id(check) in waiting:
            raise SuiteError(f"register: {check.requirement}: checks of its place are 'before' each other in a circle")
        if any(check is one for one in ordered):
            return
        waiting.append(id(check))
        for other in given:
            if check.requirement in other.before and _kinds(other) & _kinds(check):
                if _STANDS[other.stands] > _STANDS[check.stands]:
                    raise SuiteError(f"register: {other.requirement}: 'before' contradicts where the checks stand")
                put(other)
        waiting.pop()
        ordered.append(check)

    for check in given:
        put(check)
    return ordered


def _kinds(check: Check) -> frozenset[Kind]:
    whole = {"any", "none"} & {*check.kinds}
    if whole and (len(check.kinds) > 1 or (check.absent and "none" in whole)):
        raise SuiteError("'any' and 'none' stand alone, and 'none' is not absent")
    return kinds_of(check.kinds or ("extra",) * check.absent)


def kinds_of(words: Sequence[str]) -> frozenset[Kind]:
    """The kinds of difference that these words name. Raises `SuiteError` for an unknown one."""
    return frozenset().union(*(_KINDS[_one_of(word, _KINDS.keys())] for word in words))


def families_of(words: Sequence[str]) -> frozenset[Family]:
    """The families that these words name. Raises `SuiteError` for an unknown one."""
    return frozenset().union(*(_FAMILIES[_one_of(word, _FAMILIES.keys())] for word in words))


def _listed(words: Sequence[str], known: Set[str], condition: Callable[..., Condition]) -> Iterator[Condition]:
    """The condition that one of these words holds, or none of them where each has a `!`; none without words."""
    if not words:
        return
    negated = {word.startswith("!") for word in words}
    if len(negated) > 1:
        raise SuiteError(f"{' '.join(words)!r}: either all of these words have a '!', or none has")
    holds = condition(*(_one_of(word.removeprefix("!"), known) for word in words))
    yield no(holds) if negated == {True} else holds


def _one_of(word: str, known: Set[str]) -> str:
    if word not in known:
        raise SuiteError(f"unknown word {word!r}; it is one of {', '.join(sorted(known))}")
    return word


def speaks(check: Check, here: Sequence[Check], predicates: Predicates, options: type[Any]) -> Condition:
    """When a check of a place speaks, beside all checks `here` of that place."""
    return _Table(predicates, options, frozenset()).speaks(check, here)

"""Makes the rules of a protocol of the checks in its register.

At one place, rules stand in the order of the register; a check stands before those that it names in `before`, and those
that stand `first` or `last` before and behind all others. One that is `apart_from` others asks for their words, not for
what those are apart from themselves; all are apart from one that speaks `alone`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from conformance.catalogue.checks_of_requirements import Check
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

__all__ = ["families_of", "kinds_of", "rules_of_checks", "rules_of_register"]

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
_STANDS: Mapping[str, int] = {"first": 0, "": 1, "last": 2}


def rules_of_register(
    protocol: str, predicates: Predicates, options: Set[str], columns_at: Set[str]
) -> tuple[Rule, ...]:
    """The rules of that protocol's register. Raises `SuiteError` for a check that says something unknown."""
    checks = [check for requirement in load_register(protocol).requirements.values() for check in requirement.checks]
    return tuple(rules_of_checks(checks, predicates, options, columns_at))


def rules_of_checks(
    checks: Sequence[Check], predicates: Predicates, options: Set[str], columns_at: Set[str]
) -> Iterator[Rule]:
    """The rules of checks, place by place; `options` are the names of the protocol's."""
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
    options: Set[str]
    columns_at: Set[str]

    def rules(self, at: str, here: Sequence[Check]) -> Iterator[Rule]:
        """The rules of one place, in their order."""
        ordered: list[Check] = []
        for check in here:
            behind = [n for n, other in enumerate(ordered) if other.requirement in check.before]
            ordered.insert(behind[0] if behind else len(ordered), check)
        for check in sorted(ordered, key=lambda check: _STANDS.get(check.stands, 1)):
            try:
                self._refuse_unknown(at, check, here)
                yield Rule(check.requirement, at, self._when(check, here), _kinds(check), check.absent)
            except SuiteError as e:
                raise SuiteError(f"register: {check.requirement}: {e}") from None

    def _refuse_unknown(self, at: str, check: Check, here: Sequence[Check]) -> None:
        if not check.kinds and not check.absent:
            raise SuiteError("a check has 'kinds' or 'absent = true'")
        if upstream := [name for name in ("null", "holds") if getattr(check, name)]:
            raise SuiteError(f"{upstream[0]!r} is a word of upstream dialects alone")
        if check.stands:
            _one_of(check.stands, {"first", "last"})
        parent, _, name = at.rpartition(".")
        if at.partition(".")[0] not in _ROOTS or (name == "{column}" and parent not in self.columns_at):
            raise SuiteError(f"no message has a place {at!r}")
        known = {c.requirement for c in here if _kinds(c) & _kinds(check)}
        if missing := {*check.before, *check.apart_from} - known:
            raise SuiteError(f"{min(missing)} has no check at {at!r} of these kinds")

    def _when(self, check: Check, here: Sequence[Check]) -> Condition:
        return all_of(*self._own(check, here), *self._apart(check, here))

    def _own(self, check: Check, here: Sequence[Check]) -> Iterator[Condition]:
        def named(word: str) -> Condition:
            holds = self.predicates(word.removeprefix("!"), check.requirement)
            return no(holds) if word.startswith("!") else holds

        if check.role:
            yield role("encode" if _one_of(check.role, {"encode", "decode"}) == "encode" else "decode")
        yield from _listed(check.event, _EVENTS, kind)
        yield from _listed(check.op, _OPS, op)
        if check.families:
            of = family(*families_of([word.removeprefix("!") for word in check.families]))
            yield no(of) if check.families[0].startswith("!") else of
        for text in check.options:
            name, _, value = text.removeprefix("!").partition("=")
            holds = option(_one_of(name, self.options).replace("-", "_"), value or True)
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

    def _apart(self, check: Check, here: Sequence[Check]) -> Iterator[Condition]:
        others = [
            c
            for c in here
            if (c.requirement in check.apart_from or (c.alone and c is not check)) and _kinds(c) & _kinds(check)
        ]
        if others:
            yield shows(no(any_of(*(all_of(*self._own(c, here)) for c in others))))


def _kinds(check: Check) -> frozenset[Kind]:
    return kinds_of(check.kinds or ("extra",) * check.absent)


def kinds_of(words: Sequence[str]) -> frozenset[Kind]:
    """The kinds of difference that these words name. Raises `SuiteError` for an unknown one."""
    return frozenset().union(*(_KINDS[_one_of(word, _KINDS.keys())] for word in words))


def families_of(words: Sequence[str]) -> frozenset[Family]:
    """The families that these words name. Raises `SuiteError` for an unknown one."""
    return frozenset().union(*(_FAMILIES[_one_of(word, _FAMILIES.keys())] for word in words))


def _listed(words: Sequence[str], known: Set[str], condition: Callable[..., Condition]) -> Iterator[Condition]:
    """The condition of these words; none without words. A leading `!` negates all of them."""
    if words:
        holds = condition(*(_one_of(word.removeprefix("!"), known) for word in words))
        yield no(holds) if words[0].startswith("!") else holds


def _one_of(word: str, known: Set[str]) -> str:
    if word not in known:
        raise SuiteError(f"unknown word {word!r}; it is one of {', '.join(sorted(known))}")
    return word

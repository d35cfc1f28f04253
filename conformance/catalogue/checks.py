"""The checks of a requirement: where and when an answer breaks it.

`fixtures/schemas/register.schema.json` explains the words of a check. `conformance.oracle.table` makes rules of checks
for the protocols of TiCDC, `conformance.oracle.upstream.rules` for upstream dialects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import product
from re import split
from typing import Any

__all__ = ["Check", "read_check", "refuse_malformed_places"]

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Check:
    """One check of a requirement: all its conditions must hold; a word that is left out is no condition."""

    requirement: str
    at: Words  # skeletons of places; alternatives and names of places are resolved
    kinds: Words = ()  # kinds of difference that break the requirement; `any`; `none` only evaluates it
    role: str = ""
    event: Words = ()  # one of these kinds of event; or with `!` before each word, none of them
    op: Words = ()  # operations of a row, with `!` as above
    options: Words = ()  # NAME, or NAME=VALUE: all of these are set; `!` before one: it is not set
    families: Words = ()  # families of columns, or names of groups of families, with `!` as above
    null: bool = False  # the column holds NULL
    holds: str = ""  # the content of the place for a reader, see `conformance.oracle.harm.Holds`
    encoding: str = ""  # the records are respelled with that encoding of JSON
    actions: tuple[int, ...] | str = ()  # TiDB's codes of a statement; `other`: those that no check of the place names
    when: Words = ()  # predicates that hold, NAME or NAME=ARGUMENT; `!` before one: it does not hold
    shows: Words = ()  # predicates that a difference must fulfil to break this requirement, with `!` as for `when`
    apart_from: Words = ()  # requirements that claim a difference in place of this one, where their checks apply
    before: Words = ()  # requirements whose checks follow this one at the place, although the register has them first
    stands: str = ""  # `first` or `last` of all checks of the place
    alone: bool = False  # no other check of the place claims a difference that this one claims
    absent: bool = False  # evaluated also where both sides lack the place; without kinds, only `extra` breaks it


def read_check(requirement: str, given: Mapping[str, Any], places: Mapping[str, Sequence[str]]) -> Check:
    """A check of a register, with `places` by name resolved. Raises `ValueError` or `TypeError` for a malformed one."""
    try:
        values = {name: _value(name, value) for name, value in given.items() if name != "at"}
        return Check(requirement, _at(given, places), **values)
    except (ValueError, TypeError) as e:
        raise type(e)(f"{requirement}: {e}") from None


def _value(name: str, given: Any) -> Any:
    """The value of a word of a check, except for `at`."""
    if name not in _READERS:
        raise ValueError(f"unknown word {name!r} in a check")
    try:
        return _READERS[name](given)
    except (ValueError, TypeError) as e:
        raise type(e)(f"{name!r} of a check {e}") from None


def _read_text(given: Any) -> str:
    if not isinstance(given, str):
        raise TypeError("is not a string")
    if not given.strip():
        raise ValueError("is empty")
    return given


def _read_words(given: Any) -> Words:
    return tuple(_read_text(given).split())


def _read_requirements(given: Any) -> Words:
    if not isinstance(given, list) or not all(isinstance(item, str) for item in given):
        raise TypeError("is not a list of requirements")
    if not given:
        raise ValueError("is empty")
    return tuple(given)


def _read_flag(given: Any) -> bool:
    if given is not True:
        raise ValueError("is true, or left out")
    return True


def _read_actions(given: Any) -> tuple[int, ...] | str:
    if given == "other":
        return "other"
    if not (isinstance(given, list) and given and all(type(code) is int for code in given)):
        raise ValueError("is a list of codes, or 'other'")
    return tuple(given)


_READERS: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("kinds", "event", "op", "options", "families", "when", "shows"), _read_words),
    **dict.fromkeys(("role", "encoding", "holds", "stands"), _read_text),
    **dict.fromkeys(("apart_from", "before"), _read_requirements),
    **dict.fromkeys(("absent", "null", "alone"), _read_flag),
    "actions": _read_actions,
}


def _at(given: Mapping[str, Any], places: Mapping[str, Sequence[str]]) -> Words:
    """The word `at` of a check, which is mandatory."""
    at = [given["at"]] if isinstance(given.get("at"), str) else given.get("at")
    if not isinstance(at, list) or not at or not all(isinstance(place, str) for place in at):
        raise TypeError("'at' of a check is neither a place nor a list of places")
    return tuple(_places(at, places))


def refuse_malformed_places(places: Any) -> None:
    """Raises `ValueError` or `TypeError` for named places that are no lists, or that contain themselves."""
    if not isinstance(places, dict) or not all(isinstance(one, list) and one for one in places.values()):
        raise TypeError("'places' are names, each of a list of places")
    inside = {name: [str(place).partition(".")[0] for place in at] for name, at in places.items()}
    try:
        TopologicalSorter(inside).prepare()
    except CycleError as e:
        raise ValueError(f"the place {e.args[1][0]!r} stands for itself") from None


def _places(at: Sequence[str], places: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The single places of patterns and names: two for `value.{es,ts}`, and for `NAME.type` one below each of NAME."""
    for place in at:
        name, dot, below = place.partition(".")
        if name in places:
            yield from _places([f"{one}{dot}{below}" for one in _places(places[name], places)], {})
        elif "," not in place:
            yield place
        else:
            parts = [part[1:-1].split(",") if "," in part else [part] for part in split(r"(\{[^}]*,[^}]*\})", place)]
            yield from map("".join, product(*parts))

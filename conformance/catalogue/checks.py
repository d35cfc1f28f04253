"""The checks of a requirement: where and when an answer breaks it.

`fixtures/schemas/register.schema.json` explains the words of a check. `conformance.oracle.table` makes rules of checks
for the protocols of TiCDC, `conformance.oracle.upstream.rules` for upstream dialects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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


_WORDS = ("kinds", "event", "op", "options", "families", "when", "shows")
_TEXTS = ("role", "encoding", "holds", "stands")
_LISTS = ("apart_from", "before")
_FLAGS = ("absent", "null", "alone")


def read_check(requirement: str, given: Mapping[str, Any], places: Mapping[str, Sequence[str]]) -> Check:
    """A check of a register, with `places` by name resolved. Raises `ValueError` or `TypeError` for a malformed one."""
    try:
        return Check(requirement, **{name: _value(name, value) for name, value in given.items()} | _at(given, places))
    except (ValueError, TypeError) as e:
        raise type(e)(f"{requirement}: {e}") from None


def _value(name: str, given: Any) -> Any:
    """The value of a word of a check, except for `at`."""
    if name in _FLAGS and given is not True:
        raise ValueError(f"{name!r} of a check is true, or left out")
    if name in (*_WORDS, *_TEXTS):
        if not isinstance(given, str):
            raise TypeError(f"{name!r} of a check is not a string")
        if not given.strip():
            raise ValueError(f"{name!r} of a check is empty")
        return tuple(given.split()) if name in _WORDS else given
    if name in _LISTS:
        if not isinstance(given, list) or not all(isinstance(item, str) for item in given):
            raise TypeError(f"{name!r} of a check is not a list of requirements")
        if not given:
            raise ValueError(f"{name!r} of a check is empty")
        return tuple(given)
    if name == "actions" and given != "other":
        is_list_of_codes = isinstance(given, list) and given and all(type(code) is int for code in given)
        if not is_list_of_codes:
            raise ValueError("'actions' of a check is a list of codes, or 'other'")
        return tuple(given)
    if name not in (*_FLAGS, "actions", "at"):
        raise ValueError(f"unknown word {name!r} in a check")
    return given


def _at(given: Mapping[str, Any], places: Mapping[str, Sequence[str]]) -> dict[str, Words]:
    """The word `at` of a check, which is mandatory."""
    at = [given["at"]] if isinstance(given.get("at"), str) else given.get("at")
    if not isinstance(at, list) or not at or not all(isinstance(place, str) for place in at):
        raise TypeError("'at' of a check is neither a place nor a list of places")
    return {"at": tuple(_places(at, places))}


def refuse_malformed_places(places: Any) -> None:
    """Raises `ValueError` or `TypeError` for named places that are no lists, or that contain themselves."""
    if not isinstance(places, dict) or not all(isinstance(one, list) and one for one in places.values()):
        raise TypeError("'places' are names, each of a list of places")
    for name in places:
        seen, waiting = set(), [name]
        while waiting:
            seen.add(current := waiting.pop())
            inside = [str(place).partition(".")[0] for place in places[current]]
            if name in inside:
                raise ValueError(f"the place {name!r} stands for itself")
            waiting += [other for other in inside if other in places and other not in seen]


def _places(at: Sequence[str], places: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The single places of patterns and names: two for `value.{es,ts}`, and for `NAME.type` one below each of NAME."""
    for place in at:
        name, dot, below = place.partition(".")
        if name in places:
            yield from _places([f"{one}{dot}{below}" for one in _places(places[name], places)], {})
        else:
            parts = [part[1:-1].split(",") if "," in part else [part] for part in split(r"(\{[^}]*,[^}]*\})", place)]
            yield from map("".join, product(*parts))

"""The checks of a requirement: what its entry in the register says of where and when an answer may break it.

The words are those of `fixtures/schemas/register.schema.json`. `conformance.oracle.table` makes rules of them for the
protocols of TiCDC, `conformance.oracle.upstream.rules` for upstream dialects.
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
    """One check of a requirement; a word that is left out is no condition."""

    requirement: str
    at: Words  # the places: skeletons, alternatives and names of places spelled out
    kinds: Words = ()  # kinds of difference, or `any`; `none` notes that the requirement was looked at
    role: str = ""
    event: Words = ()  # kinds of event; either all words of such a list have a `!`, or none has
    op: Words = ()
    options: Words = ()  # NAME, or NAME=VALUE; all of them
    families: Words = ()  # families of columns, or names of several; with `!` as above
    null: bool = False  # the column holds NULL
    holds: str = ""  # the content of the place for a reader
    encoding: str = ""  # the records are respelled with that encoding of JSON
    actions: tuple[int, ...] | str = ()  # TiDB's codes of a statement; `other`: those that no check names at the place
    when: Words = ()  # predicates that hold, NAME or NAME=ARGUMENT; `!` before one: that does not hold
    shows: Words = ()  # predicates that a difference must fulfil to break this requirement
    apart_from: Words = ()  # requirements that say all that is wrong where they are broken, too
    before: Words = ()  # requirements of the same place behind it, although the register has them first
    stands: str = ""  # `first` or `last` of all at the place
    alone: bool = False  # no other check of its place speaks where a difference shows this one
    absent: bool = False  # that neither side has the place is asserted, too; without kinds only extra breaks it


_WORDS = ("kinds", "event", "op", "options", "families", "when", "shows")
_TEXTS = ("role", "encoding", "holds", "stands")
_LISTS = ("apart_from", "before")
_FLAGS = ("absent", "null", "alone")


def read_check(requirement: str, given: Mapping[str, Any], places: Mapping[str, Sequence[str]]) -> Check:
    """A check of a register, the names of `places` replaced. Raises `ValueError` or `TypeError` for a malformed one."""
    if unknown := given.keys() - {"at", "actions", *_WORDS, *_TEXTS, *_LISTS, *_FLAGS}:
        raise ValueError(f"{requirement}: unknown word {min(unknown)!r} in a check")
    if wrong := [name for name in (*_WORDS, *_TEXTS) if not isinstance(given.get(name, ""), str)]:
        raise TypeError(f"{requirement}: {wrong[0]!r} of a check is not a string")
    if empty := [name for name in (*_WORDS, *_TEXTS, *_LISTS) if name in given and not str(given[name] or "").strip()]:
        raise ValueError(f"{requirement}: {empty[0]!r} of a check is empty")
    for name in _LISTS:
        if not isinstance(given.get(name, []), list) or not all(isinstance(one, str) for one in given.get(name, ())):
            raise TypeError(f"{requirement}: {name!r} of a check is not a list of requirements")
    if wrong := [name for name in _FLAGS if given.get(name, True) is not True]:
        raise ValueError(f"{requirement}: {wrong[0]!r} of a check is true, or left out")
    at = [given["at"]] if isinstance(given.get("at"), str) else given.get("at")
    if not isinstance(at, list) or not at or not all(isinstance(place, str) for place in at):
        raise TypeError(f"{requirement}: 'at' of a check is neither a place nor a list of places")
    actions = given.get("actions", ())
    if "actions" in given and actions != "other" and not _are_codes(actions):
        raise ValueError(f"{requirement}: 'actions' of a check is a list of codes, or 'other'")
    return Check(
        requirement,
        **{
            **given,
            **{name: tuple(given[name].split()) for name in _WORDS if name in given},
            **{name: tuple(given[name]) for name in _LISTS if name in given},
            "at": tuple(_places(at, places)),
            "actions": actions if isinstance(actions, str) else tuple(actions),
        },
    )


def _are_codes(given: Any) -> bool:
    return isinstance(given, list) and bool(given) and all(type(code) is int for code in given)


def refuse_malformed_places(places: Any) -> None:
    """Raises `ValueError` or `TypeError` for names of places that are no lists, or stand for themselves."""
    if not isinstance(places, dict) or not all(isinstance(one, list) and one for one in places.values()):
        raise TypeError("'places' are names, each of a list of places")
    for name in places:
        seen, left = set(), [name]
        while left:
            seen.add(one := left.pop())
            inside = [str(place).partition(".")[0] for place in places[one]]
            if name in inside:
                raise ValueError(f"the place {name!r} stands for itself")
            left += [other for other in inside if other in places and other not in seen]


def _places(at: Sequence[str], places: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The places of patterns and names: `value.{es,ts}` is two, `{column}` is one, `NAME.type` is below all of NAME."""
    for place in at:
        name, dot, below = place.partition(".")
        if name in places:
            yield from _places([f"{one}{dot}{below}" for one in _places(places[name], places)], {})
        else:
            parts = [part[1:-1].split(",") if "," in part else [part] for part in split(r"(\{[^}]*,[^}]*\})", place)]
            yield from map("".join, product(*parts))

"""Decoders that get images or types of a row wrong, or are too strict.  [OP-040 … OP-142, OP-238 … OP-240]"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.mutants.model import Mutant
from conformance.mutants.open_protocol.edits import Tree, decoder, in_families, read_rows, read_values, refuses
from conformance.mutants.wrappers import Context
from reference_impl.column_types import Family
from reference_impl.model import Column

__all__ = ["MUTANTS"]


Change = Callable[[Any, Column], Any]


def _swapped(event: Tree, context: Context) -> None:
    if event["op"] == "update" and (event["before"] or {}).keys() == event["after"].keys():
        event["before"], event["after"] = event["after"], event["before"]


def _on(wanted: str, /, **members: Any) -> Callable[[Tree, Context], None]:
    """Members of the events with that operation are others."""
    return lambda event, context: event.update(members) if event["op"] == wanted else None


# (name, requirement, families, change of the value, words for the values)
_VALUES: tuple[tuple[str, str, tuple[Family, ...], Change, str], ...] = ()


def _columns(value: Tree) -> list[Tree]:
    return [given for image in "upd" for given in (value.get(image) or {}).values() if isinstance(given, dict)]


def _has_code(*codes: int) -> Callable[[Tree, Tree], bool]:
    return lambda key, value: any(given.get("t") in codes for given in _columns(value))


def _without_flag(code: int) -> Callable[[Tree, Tree], bool]:
    return lambda key, value: any(given.get("t") == code and "f" not in given for given in _columns(value))


MUTANTS: tuple[Mutant, ...] = (
    decoder(
        "images-swapped-when-read",
        "OP-040",
        "the images of an update are exchanged",
        read_rows(_swapped),
    ),
    decoder("previous-image-unread", "OP-042", "`p` is not read", read_rows(_on("update", before=None))),
    decoder(
        "columns-without-flags-refused",
        "OP-044b",
        "a column without `f` is refused",
        refuses("schema", lambda key, value: any("f" not in given for given in _columns(value))),
    ),
    *(
        decoder(name, requirement, description, read_values(in_families(*families), change))
        for name, requirement, families, change, description in _VALUES
    ),
    decoder(
        "code-14-refused",
        "OP-105",
        "the type code 14 is refused",
        refuses("type", _has_code(14)),
    ),
    decoder(
        "code-253-refused",
        "OP-116",
        "the type code 253 is refused",
        refuses("type", _has_code(253)),
    ),
    decoder(
        "year-without-flag-refused",
        "OP-240",
        "a YEAR without flags is refused",
        refuses("type", _without_flag(13)),
    ),
)

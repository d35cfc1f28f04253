"""Decoders that misread the images of a row, or are too strict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.mutants.model import Mutant
from conformance.mutants.open_protocol.edits import Tree, decoder, read_rows, refuses
from conformance.mutants.wrappers import Context

__all__ = ["MUTANTS"]


def _swapped(event: Tree, context: Context) -> None:
    if event["op"] == "update" and (event["before"] or {}).keys() == event["after"].keys():
        event["before"], event["after"] = event["after"], event["before"]


def _with_members(op: str, /, **members: Any) -> Callable[[Tree, Context], None]:
    """Replaces members of the events with an operation."""
    return lambda event, context: event.update(members) if event["op"] == op else None


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
    decoder("previous-image-unread", "OP-042", "`p` is not read", read_rows(_with_members("update", before=None))),
    decoder(
        "columns-without-flags-refused",
        "OP-044b",
        "a column without `f` is refused",
        refuses("schema", lambda key, value: any("f" not in given for given in _columns(value))),
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

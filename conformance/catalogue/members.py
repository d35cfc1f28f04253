"""Reads the members of an entry in a data file; for the loaders of this package."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from conformance.errors import SuiteError

__all__ = ["MALFORMED", "Entry", "reading", "refuse_doubled", "refuse_unknown", "text", "texts"]

Entry = Mapping[str, Any]
"""An entry as its file has it: member → value."""

MALFORMED = (OSError, ValueError, KeyError, TypeError, AttributeError)
"""The errors of reading a data file that is malformed or cannot be opened."""


@contextmanager
def reading(path: Path, what: str) -> Iterator[None]:
    """Turns an error of `MALFORMED` into a `SuiteError`: `PATH: not WHAT: …`; `what` is what the file should be."""
    try:
        yield
    except MALFORMED as e:
        raise SuiteError(f"{path}: not {what}: {e!r}") from None


def refuse_unknown(entry: Entry, members: Iterable[str]) -> None:
    """Raises ValueError if the entry has a member that is not in `members`."""
    if unknown := entry.keys() - set(members):
        raise ValueError(f"unknown member {min(unknown)!r}")


def text(entry: Entry, member: str, default: str | None = None) -> str:
    """A member that is a string; without a default it must be there. Raises KeyError or TypeError."""
    value = entry[member] if default is None else entry.get(member, default)
    if not isinstance(value, str):
        raise TypeError(f"{member!r} is not a string")
    return value


def texts(entry: Entry, member: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
    """A member that is a list of strings; without a default it must be there. Raises KeyError or TypeError."""
    value = entry[member] if default is None or member in entry else [*default]
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TypeError(f"{member!r} is not a list of strings")
    return tuple(value)


def refuse_doubled(ids: Iterable[str], file: Path, what: str) -> None:
    """Raises `SuiteError` for an id that occurs twice; `what` is the kind of thing that has the ids."""
    seen: set[str] = set()
    for name in ids:
        if name in seen:
            raise SuiteError(f"{file}: the {what} {name!r} is described twice")
        seen.add(name)

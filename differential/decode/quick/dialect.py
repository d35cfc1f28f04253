"""What the fast path must know of a dialect."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from differential.decode.quick.cells import Token
from reference_impl.model import Table

__all__ = ["Dialect", "Splitter", "longest_undivided"]

Subjects: TypeAlias = Callable[[Sequence[Token], Sequence[Token]], Sequence[Token]]
"""From the values and keys of messages to one text a message, for the patterns; None for the slow path."""

Splitter: TypeAlias = Callable[[Sequence[Token], Sequence[Token]], tuple[Sequence[Token], Sequence[int]]]
"""As `Subjects`, with one text an event; also returns, by event, the position of its message."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the fast path reads a dialect; the parameter `options` of a function are those of the dialect."""

    head: Callable[[bytes], object]  # a part of a text that all texts of one shape share, as a dictionary key
    # From a side, one of its tables and the options: the shapes of the table with their heads. Raises `Rejected` or
    # `Unsupported` for a type or name that the dialect does not have.
    shapes: Callable[[Any, Table, Any], Iterable[tuple[object, Any]]]
    # The heads of a table without its shapes, for shapes that take long to make.
    heads: Callable[[Any, Table, Any], Iterable[object]] | None = None
    subjects: Subjects | None = None
    splitter: Callable[[Any, Any], Splitter] | None = None  # of a dialect whose messages hold several events
    # Whether messages under these options can be read by the fast path.
    is_quick: Callable[[Any], bool] = lambda options: True
    # The largest message, in bytes, that no limit of its encoder altered.
    longest: Callable[[Any], int] = lambda options: sys.maxsize


_MOST_GROWTH, _MOST_MORE = 6, 1024  # the dialect's own text may be longer than a message: by this factor, plus bytes


def longest_undivided(options: Any) -> int:
    """The largest message, in bytes, that an encoder of TiCDC surely did not have to shrink or divide."""
    most: int = options.max_message_bytes
    return (most - _MOST_MORE) // _MOST_GROWTH

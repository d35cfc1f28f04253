"""Values of the right form beyond their type, put into a JSON text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from conformance.cases.negatives.model import Negative, classes
from conformance.cases.negatives.texts import place_of

__all__ = ["value_negatives"]

_BEYOND = classes("type", "range")


def value_negatives(data: bytes, path: tuple[str | int, ...], texts: Sequence[str]) -> Iterator[Negative]:
    """The value at a path in a JSON text replaced, a string by a string, by each that its type does not hold."""
    text = data.decode()
    start, end, kind = place_of(text, path)
    for beyond in texts:
        put = json.dumps(beyond) if kind == "string" else beyond
        name = f"{'.'.join(map(str, path))} beyond its type as {beyond}"
        yield Negative("beyond", name, (text[:start] + put + text[end:]).encode(), _BEYOND)

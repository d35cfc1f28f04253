"""Changes of a value in a JSON text: to one that its type cannot hold, or to another spelling of it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from conformance.cases.negatives.model import ANY_CLASS, Negative, classes
from conformance.cases.negatives.texts import place_of

__all__ = ["base64_negatives", "respelled_negatives", "value_negatives"]

_BEYOND = classes("type", "range")
_BROKEN = classes("type")
_FOR_URLS = str.maketrans("+/", "-_")


def value_negatives(data: bytes, path: tuple[str | int, ...], texts: Sequence[str]) -> Iterator[Negative]:
    """The value at a path in a JSON text replaced by each of `texts`, which its type cannot hold.

    A string is replaced by a string.
    """
    text = data.decode()
    start, end, kind = place_of(text, path)
    for beyond in texts:
        replacement = json.dumps(beyond) if kind == "string" else beyond
        name = f"{'.'.join(map(str, path))} beyond its type as {beyond}"
        yield Negative("beyond", name, (text[:start] + replacement + text[end:]).encode(), _BEYOND)


def _replaced(data: bytes, path: tuple[str | int, ...], value: str) -> bytes:
    text = data.decode()
    start, end, _ = place_of(text, path)
    return (text[:start] + json.dumps(value) + text[end:]).encode()


def respelled_negatives(data: bytes, path: tuple[str | int, ...], texts: Sequence[str]) -> Iterator[Negative]:
    """The value at a path in other spellings: a decoder that accepts them must read the same."""
    for text in texts:
        name = f"{'.'.join(map(str, path))} spelled {text}"
        yield Negative("spelling", name, _replaced(data, path, text), ANY_CLASS, keeps_meaning=True)


def base64_negatives(data: bytes, path: tuple[str | int, ...], requirement: str) -> Iterator[Negative]:
    """The base64 at a path in forms of the same meaning (alphabet, padding, lines), and in broken forms."""
    text = data.decode()
    start, end, _ = place_of(text, path)
    coded: str = json.loads(text[start:end])
    digits = coded.rstrip("=")
    same = {
        "in the alphabet for URLs": coded.translate(_FOR_URLS),
        "without padding": digits,
        "on two lines": f"{coded[:2]}\n{coded[2:]}",
    }
    broken = {
        "with a character of no alphabet": f"{coded[:1]}!{coded[2:]}",
        "with padding in the middle": f"{coded[:1]}={coded[2:]}",
        "of one character more than four": digits[: (len(digits) - 1) // 4 * 4 + 1],
    }
    where = ".".join(map(str, path))
    for what, value in same.items():
        changed = _replaced(data, path, value)
        yield Negative("base64", f"{where} {what}", changed, ANY_CLASS, requirement, keeps_meaning=True)
    for what, value in broken.items():
        yield Negative("base64", f"{where} {what}", _replaced(data, path, value), _BROKEN, requirement)

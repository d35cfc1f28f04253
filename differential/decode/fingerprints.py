"""The fingerprint of an image: 128 bits, the same in every process and on every machine.

Images with the same columns and values have the same fingerprint, whichever way they were read. It is a hash of the
cells in the order of their names, salted with the names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from hashlib import blake2b

import orjson

from differential.model import PARTLY

__all__ = ["NO_ROW", "SIZE", "UNKNOWN_IMAGE", "number_of", "print_of", "printer"]

SIZE = 16
NO_ROW = bytes(SIZE)
UNKNOWN_IMAGE = NO_ROW[:-1] + b"\1"
"""The fingerprints of an absent row, and of an image that the format does not carry."""

_PART = b"part"


@lru_cache(maxsize=1024)
def _salt_of(names: tuple[str, ...]) -> bytes:
    return blake2b(orjson.dumps(names), digest_size=SIZE).digest()


def printer(names: Iterable[str]) -> Callable[[Iterable[bytes]], list[bytes]]:
    """A function from rows to fingerprints.

    A row is a JSON list of its cells, sorted by column name.
    """
    begun = blake2b(digest_size=SIZE, salt=_salt_of(tuple(names))).copy

    def prints(texts: Iterable[bytes]) -> list[bytes]:
        found = []
        for text in texts:
            hashed = begun()  # copying a hash takes less time than creating one
            hashed.update(text)
            found.append(hashed.digest())
        return found

    return prints


def print_of(image: bytes | None) -> bytes:
    """The fingerprint of an image: canonical, partial (`PARTLY`), unknown (b"") or absent (None)."""
    if image is None:
        return NO_ROW
    if not image:
        return UNKNOWN_IMAGE
    cells = orjson.loads(image.removeprefix(PARTLY))
    person = _PART if image.startswith(PARTLY) else b""
    text = orjson.dumps([*cells.values()])
    return blake2b(text, digest_size=SIZE, salt=_salt_of(tuple(cells)), person=person).digest()


def number_of(print_: bytes) -> int:
    """The number that a row adds to the checksum of its table, below 2**64."""
    return int.from_bytes(print_[:8], "little")

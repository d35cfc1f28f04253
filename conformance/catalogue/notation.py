"""Reads the notation for bytes in hand-written fixtures, well-formed or not.

| notation | bytes |
|---|---|
| `null` | absent, such as a record without a key |
| `{"text": T}` | T in UTF-8 |
| `{"hex": H}` | the bytes of H; blanks are free |
| `{"json": J}` | J as JSON without white space, members in the order given, no number with a fraction |
| `{"avro": {"id": I, "body": H}}` | a zero byte, the schema id I as 4 bytes big-endian, the bytes of H |
| `{"parts": [N, …]}` | one notation after the other |
| `{"frames": [N, …], "version"?: V, "lengths"?: [L, …]}` | the version, then each body after its length |

Version and lengths are big-endian 64-bit numbers; without `version` there is none. `lengths` overrides the lengths of
bodies; null there, and a missing element, stands for the right one. A number above 2^53 is a string of digits.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["bytes_of", "optional_bytes_of"]


def _text(given: Any) -> bytes:
    return bytes(given.encode())


def _hex(given: Any) -> bytes:
    return bytes.fromhex(given)


def _refuse_fractions(tree: Any) -> None:
    if isinstance(tree, float):
        raise TypeError(f"{tree!r} in `json`: write a number with a fraction as `text`")
    for part in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        _refuse_fractions(part)


def _json(given: Any) -> bytes:
    _refuse_fractions(given)
    return json.dumps(given, ensure_ascii=False, separators=(",", ":")).encode()


def _avro(given: Any) -> bytes:
    return struct.pack(">BI", 0, given["id"]) + _hex(given["body"])


def _parts(given: Any) -> bytes:
    return b"".join(bytes_of(part) for part in given)


_KINDS: Mapping[str, Callable[[Any], bytes]] = {
    "text": _text,
    "hex": _hex,
    "json": _json,
    "avro": _avro,
    "parts": _parts,
}


def _number(given: Any) -> bytes:
    return struct.pack(">Q", int(given))


def _framed(given: Mapping[str, Any]) -> bytes:
    bodies = [bytes_of(body) for body in given["frames"]]
    overrides = list(given.get("lengths", ()))
    overrides += [None] * (len(bodies) - len(overrides))
    out = b"" if given.get("version") is None else _number(given["version"])
    for body, override in zip(bodies, overrides, strict=True):
        out += _number(len(body) if override is None else override) + body
    return out


def bytes_of(given: Any) -> bytes:
    """The bytes of a notation other than `null`.

    Raises ValueError, KeyError, TypeError, AttributeError or struct.error for a malformed one.
    """
    if "frames" in given:
        return _framed(given)
    [(kind, value)] = given.items()
    return _KINDS[kind](value)


def optional_bytes_of(given: Any) -> bytes | None:
    """The bytes of a notation, or None for `null`."""
    return None if given is None else bytes_of(given)

"""JSON text of Canal-JSON: string literals as TiCDC escapes them, and documents read without losing anything.

[CJ-701 … CJ-709, CJ-885]
"""

from __future__ import annotations

import re
from typing import Any

import orjson

from reference_impl import exact_json
from reference_impl.errors import Rejected

__all__ = ["literal", "read_exactly", "read_quickly"]

_ESCAPES = {
    **{chr(code): f"\\u{code:04x}" for code in range(0x20)},
    **dict(zip('\t\n\r"\\', ("\\t", "\\n", "\\r", '\\"', "\\\\"), strict=True)),
    **{char: f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"},
    # A byte of a text that is not part of valid UTF-8 arrives here as a lone surrogate.  [CJ-402, CJ-708]
    **{chr(code): "\\ufffd" for code in range(0xDC80, 0xDD00)},
}
_SPECIAL = re.compile("[" + "".join(re.escape(char) for char in _ESCAPES) + "]")

_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def _escape(found: re.Match[str]) -> str:
    return _ESCAPES[found[0]]


def literal(text: str) -> str:
    """A JSON string literal, quotes included.  [CJ-701 … CJ-709]"""
    return f'"{_SPECIAL.sub(_escape, text)}"'


def read_quickly(data: bytes) -> Any:
    """The tree of a document, or None where this short way might lose something that `read_exactly` would not.

    A document that is printed again as the same bytes has no doubled member and no number that was rounded.
    """
    try:
        tree = orjson.loads(data)
        return tree if orjson.dumps(tree) == data else None
    except (orjson.JSONDecodeError, TypeError):
        return None


def _has_lone_surrogate(tree: exact_json.Tree) -> bool:
    if isinstance(tree, str):
        return _SURROGATE.search(tree) is not None
    if isinstance(tree, dict):
        return any(map(_has_lone_surrogate, (*tree, *tree.values())))
    return isinstance(tree, list) and any(map(_has_lone_surrogate, tree))


def read_exactly(data: bytes) -> exact_json.Tree:
    """The tree of a document, numbers exact.

    Raises `Rejected`: class `syntax` where it is not JSON or not Unicode, `schema` for a doubled member.
    """
    tree = exact_json.loads_strict(data)
    if _ESCAPED_SURROGATE.search(data) and _has_lone_surrogate(tree):
        raise Rejected("syntax", "a lone surrogate is not Unicode")
    return tree

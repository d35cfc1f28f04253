"""Reads JSON with exact numbers, in member order, and with duplicate members; `string_writer` writes strings.

`loads` is the reader of the oracle: integers are Python integers, other numbers (and -0) are `Decimal`, an object is an
`Object`, which records members that occur more than once; `dumps` writes such a tree. `loads_strict` refuses duplicate
members, `loads_merged` leaves them to its caller. `loads_quickly` is for decoders: it reads only texts that ordinary
Python values represent without loss.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal, InvalidOperation
from json.encoder import encode_basestring
from typing import Any, NoReturn, TypeAlias

import orjson

from reference_impl.errors import Rejected, RejectionClass

__all__ = [
    "CONTROL_ESCAPES",
    "HTML_ESCAPES",
    "INVALID_UTF8_ESCAPES",
    "Object",
    "Tree",
    "dumps",
    "loads",
    "loads_merged",
    "loads_quickly",
    "loads_strict",
    "same",
    "string_writer",
]

Tree: TypeAlias = Any  # None | bool | int | Decimal | str | list[Tree] | Object


class Object(dict[str, Tree]):
    """A JSON object. As a dict it holds the last value of each name.

    `doubled` has a name once for each member that repeats it, in order.
    """

    __slots__ = ("doubled",)

    def __init__(self, pairs: Iterable[tuple[str, Tree]] = ()) -> None:
        pairs = list(pairs)
        super().__init__(pairs)
        self.doubled: tuple[str, ...] = ()
        if len(self) != len(pairs):
            seen: set[str] = set()
            doubled = []
            for name, _ in pairs:
                if name in seen:
                    doubled.append(name)
                seen.add(name)
            self.doubled = tuple(doubled)


def _integer(text: str) -> int | Decimal:
    if text == "-0":
        return Decimal(text)  # no int has this sign
    try:
        return int(text)
    except ValueError:  # Python's limit, against texts that take minutes
        raise Rejected("syntax", f"an integer of {len(text.removeprefix('-')):,} digits is too long") from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _strict(pairs: list[tuple[str, Tree]]) -> dict[str, Tree]:
    tree = dict(pairs)
    if len(tree) != len(pairs):
        raise Rejected("schema", f"doubled member {Object(pairs).doubled[0]!r}")
    return tree


def _decoder(hook: Any) -> json.JSONDecoder:
    return json.JSONDecoder(
        parse_int=_integer, parse_float=Decimal, parse_constant=_no_constant, object_pairs_hook=hook
    )


_OBJECTS, _STRICT = _decoder(Object), _decoder(_strict)
# An escape in a valid JSON text: both halves of a surrogate pair, one half alone, or the start of any other escape.
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(?P<half>u[dD][89a-fA-F]..)|.)")


def _has_lone_surrogate(text: str) -> bool:
    """Whether a JSON text escapes one half of a surrogate pair without the other."""
    return any(match["half"] for match in _ESCAPE.finditer(text))


def _read(data: bytes | str, decoder: json.JSONDecoder) -> Tree:
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
        tree = decoder.decode(text)
    except UnicodeDecodeError as e:
        raise Rejected("syntax", f"not UTF-8 at byte {e.start}") from None
    except RecursionError:
        raise Rejected("syntax", "nested too deeply") from None
    except ValueError as e:
        raise Rejected("syntax", f"not JSON: {e}") from None
    except InvalidOperation:
        raise Rejected("syntax", "a number with an exponent of 19 digits or more") from None
    if ("\\ud" in text or "\\uD" in text) and _has_lone_surrogate(text):
        raise Rejected("syntax", "half of a surrogate pair is no character")
    return tree


def loads_quickly(data: bytes) -> Tree | None:
    """The tree of a JSON text in plain dicts and floats, or None if that might lose something.

    Nothing is lost if the tree prints as the same bytes: then no member repeats and no number is rounded.
    """
    try:
        tree = orjson.loads(data)
        return tree if orjson.dumps(tree) == data else None
    except (orjson.JSONDecodeError, TypeError):
        return None


def loads(data: bytes | str) -> Tree:
    """The tree of a JSON text. Raises `Rejected` (class `syntax`) for malformed JSON or UTF-8."""
    return _read(data, _OBJECTS)


def loads_strict(data: bytes | str) -> Tree:
    """As `loads`, with plain dicts; raises `Rejected` (class `schema`) for duplicate members."""
    return _read_syntax_first(data, _STRICT)


def loads_merged(data: bytes | str, merge: Callable[[list[tuple[str, Tree]]], Tree]) -> Tree:
    """As `loads_strict`, but `merge` builds each object from its members, and may raise `Rejected`."""
    return _read_syntax_first(data, _decoder(merge))


def _read_syntax_first(data: bytes | str, decoder: json.JSONDecoder) -> Tree:
    try:
        return _read(data, decoder)
    except Rejected as e:
        if e.reason is RejectionClass.SCHEMA:
            loads(data)  # raises an error of syntax behind the refused object, which takes precedence
        raise


_leaf = json.JSONEncoder(ensure_ascii=False).encode


def dumps(tree: Tree) -> str:
    """A tree as compact JSON: numbers keep their digits, all characters that JSON allows stand for themselves."""
    if isinstance(tree, dict):
        return "{" + ",".join([f"{_leaf(name)}:{dumps(value)}" for name, value in tree.items()]) + "}"
    if isinstance(tree, list):
        return "[" + ",".join(map(dumps, tree)) + "]"
    return str(tree) if isinstance(tree, Decimal) else _leaf(tree)


def same(a: Tree, b: Tree) -> bool:
    """Whether two trees are equal: members may be in any order, true differs from 1, 1.0 equals 1 and -0 equals 0.

    Of members that repeat, the last counts.
    """
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same(v, b[k]) for k, v in a.items())
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


CONTROL_ESCAPES = {code: f"\\u{code:04x}" for code in range(0x20)} | {9: "\\t", 10: "\\n", 13: "\\r"}
"""Code point of a control character → its escape in Go's writers of JSON; some have \\b and \\f as well."""
HTML_ESCAPES = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}
"""Code point of a character that Go escapes for the sake of HTML and JavaScript → its escape."""

INVALID_UTF8_ESCAPES = dict.fromkeys(range(0xDC80, 0xDD00), "\\ufffd")
"""Code point of a lone surrogate, which stands for a byte that is not UTF-8 (`surrogateescape`) → its escape."""


def string_writer(escapes: Mapping[int, str]) -> Callable[[str], str]:
    """A function that writes a JSON string literal, quotes included.

    `escapes` maps code points to their escapes, in addition to those of `"` and `\\`. All other characters are written
    unchanged.
    """
    escape_of = {'"': '\\"', "\\": "\\\\"} | {chr(code): escape for code, escape in escapes.items()}
    escaped = re.compile("[" + re.escape("".join(escape_of)) + "]")
    # Python's own writer, which is faster, is right for texts without the characters that it escapes otherwise.
    candidates = {*map(chr, range(0x20)), *escape_of}
    otherwise = [char for char in candidates if encode_basestring(char)[1:-1] != escape_of.get(char, char)]
    has_otherwise = re.compile("[" + re.escape("".join(otherwise)) + "]").search

    def escape(match: re.Match[str]) -> str:
        return escape_of[match[0]]

    def write(text: str) -> str:
        return f'"{escaped.sub(escape, text)}"' if has_otherwise(text) else encode_basestring(text)

    return write

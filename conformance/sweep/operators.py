"""The table of operators: each changes one value of an answer, or the object or array that holds the value.

An operator is a name and an `Edit`, which returns the new value or raises `Skip` for a value that it cannot change.
Inside Avro data the new value fits the type in the schema.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.sweep import edits
from conformance.sweep.edits import Edit, Skip
from conformance.sweep.nodes import Document, FrameNumber, Pairs, Path, json_bytes
from conformance.sweep.places import Node

__all__ = ["IN_VALUE", "OPERATORS", "Change", "changes", "copies_of", "with_changed_copies"]


@dataclass(frozen=True, slots=True)
class Change:
    """One change of an opened answer: the name of its operator, the path, and the new value there."""

    operator: str
    path: Path
    value: Any


# -- the table ---------------------------------------------------------------------------------------------------------

_ANY: Mapping[str, Edit] = {
    "plus one": edits.of_number(lambda n: n + 1),
    "last digit": edits.of_number(edits.last_digit),
    "negated": edits.of_number(lambda n: -n),
    "times 1000": edits.of_integer(lambda n: n * 1000),
    "by 1000": edits.of_integer(edits.by_1000),
    "low 32 bits": edits.of_integer(edits.low_bits),
    "through a double": edits.of_integer(edits.through_double),
    "bit taken": edits.of_integer(edits.bit_taken),
    "bit added": edits.of_integer(edits.bit_added),
    "other float": edits.float_changed,
    "cut": edits.of_text(lambda t: t[:-1]),
    "longer": edits.of_text(lambda t: t + "x"),
    "other last character": edits.of_text(edits.other_last),
    "doubled text": edits.of_text(lambda t: t + t),
    "reversed": edits.of_text(lambda t: t[::-1]),
    "letter case": edits.of_text(str.swapcase),
    "blank behind": edits.of_text(lambda t: f"{t} "),
    "blank before": edits.of_text(lambda t: f" {t}"),
    "leading zero": edits.of_text(edits.leading_zero),
    "trailing zero": edits.of_text(edits.trailing_zero),
    "mojibake": edits.of_text(edits.mojibake),
    "base64": edits.of_text(lambda t: base64.b64encode(t.encode("utf-8", "surrogatepass")).decode()),
    "hour later": edits.of_text(edits.hour_later),
    "fraction lost": edits.of_text(edits.fraction_lost),
    "inverted": edits.inverted,
    "null": edits.null,
    "empty": edits.empty,
    "bytes cut": edits.of_bytes(lambda b: b[:-1]),
    "bytes longer": edits.of_bytes(lambda b: b + b"\0"),
    "bytes reversed": edits.of_bytes(lambda b: b[::-1]),
    "other byte": edits.of_bytes(lambda b: bytes((b[0] ^ 1,)) + b[1:]),
}
"""Operators that keep the type of a value or make it NULL or empty; for values of every syntax."""

_OF_ARRAYS: Mapping[str, Edit] = {
    "last again": edits.of_array(edits.repeated_element),
    "last first": edits.of_array(edits.last_first),
    "element doubled": edits.of_array(lambda items: [*items[:1], *items]),
}

# A header is a name with its value in base64.
_OF_HEADERS: Mapping[str, Edit] = {"extra element": edits.of_array(lambda items: [*items, ["extra", "eA=="]])}

_OTHER_TYPES: Mapping[str, Edit] = {
    "null as empty text": edits.of_null(""),
    "null as text": edits.of_null("null"),
    "null as zero": edits.of_null(0),
    "null as object": edits.of_null({}),
    "null as array": edits.of_null([]),
    "exchanged images": edits.exchanged_images,
    "exchanged values": edits.exchanged_values,
    "extra member": edits.extra_member,
    "extra copy": edits.extra_column,
    "extra element": edits.of_array(edits.extra_element),
    **_OF_ARRAYS,
}
"""Operators that change the type of a value, or the content of an object or array; not for Avro data."""

_DATUM: Mapping[str, Edit] = {"null as value": edits.of_null(0), "exchanged values": edits.exchanged_values}

_OF_JSON: Mapping[str, Edit] = {
    "other kind": edits.other_kind,
    "escaped": edits.escaped,
    "white space": edits.spaced,
    "exponent": edits.exponent,
    "decimal point": edits.decimal_point,
    "members reversed": edits.order_reversed,
}

_OF_PLAIN: Mapping[str, Edit] = {"other kind": edits.other_kind_plain}

_OF_SUBJECTS: Mapping[str, Edit] = {name: edit for name, edit in _ANY.items() if name not in ("null", "empty")}

_OF_BYTES: Mapping[str, Edit] = {
    "null": edits.null,
    "no bytes": edits.of_document(lambda data: b""),
    "last byte lost": edits.of_document(lambda data: data[:-1]),
    "byte behind": edits.of_document(lambda data: data + b"\0"),
    "line feed behind": edits.of_document(lambda data: data + b"\n"),
    "byte order mark": edits.of_document(lambda data: b"\xef\xbb\xbf" + data),
    "text in JSON": edits.of_document(lambda data: json_bytes(data.decode("latin-1"))),
    "twice": edits.of_document(lambda data: data + data),
}

_OF_FRAME_NUMBERS: Mapping[str, Edit] = {
    "plus one": edits.of_frame_number(lambda w: edits.plus(w, 1)),
    "minus one": edits.of_frame_number(lambda w: edits.plus(w, -1)),
    "byte order": edits.of_frame_number(lambda w: bytes(reversed(w.data))),
    "highest bit": edits.of_frame_number(lambda w: bytes([w.data[0] ^ 0x80]) + w.data[1:]),
    "half as wide": edits.of_frame_number(lambda w: w.data[len(w.data) // 2 :] if len(w.data) > 1 else b""),
}

_FIXED = ("records", "claims", "schemas")
"""Paths of objects whose members the harness protocol prescribes."""

_NO_OPERATOR = ("schemas[].id", "records[].frame")
"""Values at or below these paths have no operator, except a `FrameNumber`."""

_HOLDER_OPERATORS = ("member lost", "member doubled", "name in other case", "name longer")
OPERATORS = tuple(
    dict.fromkeys(
        (*_ANY, *_OTHER_TYPES, *_OF_HEADERS, *_DATUM, *_OF_JSON, *_OF_BYTES, *_OF_FRAME_NUMBERS, *_HOLDER_OPERATORS)
    )
)
"""The names of all operators, in the order of the table."""


def changes(node: Node) -> Iterator[Change]:
    """Every change of a value, and of the object or array that holds it, without changes that mean the same."""
    value = node.value
    for table in _tables(node):
        for name, edit in table.items():
            try:
                changed = edit(value)
            except Skip:
                continue
            # Objects are equal in any order of their members.
            if name == "members reversed" or not (_is_same(changed, value) or _reads_the_same(node, changed)):
                yield Change(name, node.path, changed)
    yield from _holder_changes(node)


def _tables(node: Node) -> Sequence[Mapping[str, Edit]]:
    """The operators for a value; they keep its type if the harness protocol or an Avro schema prescribes it."""
    value, path = node.value, node.place.path
    if isinstance(value, Document):
        return () if value.is_text or path.endswith(".frame") else (_OF_BYTES,)
    if isinstance(value, FrameNumber):
        return (_OF_FRAME_NUMBERS,)
    if node.syntax == "datum":
        return _ANY, _DATUM
    if node.syntax == "json":
        return _ANY, _OTHER_TYPES, _OF_JSON
    if path.endswith(".headers"):
        return (_OF_HEADERS,)
    if node.holder is None or path.startswith(_FIXED):
        if isinstance(value, list):
            return (_OF_ARRAYS,)
        if path == "schemas[].subject":
            return (_OF_SUBJECTS,)
        is_free = not isinstance(value, dict) and not path.startswith(_NO_OPERATOR)
        return (_ANY, _OTHER_TYPES) if is_free else ()
    return _ANY, _OTHER_TYPES, _OF_PLAIN


def _is_same(one: Any, other: Any) -> bool:
    are_objects = isinstance(one, dict) and isinstance(other, dict)
    return (are_objects or type(one) is type(other)) and bool(one == other)


_FLOATS = {"float": "f", "double": "d"}
_CLOCKS = ("time", "datetime", "timestamp")


def _reads_the_same(node: Node, changed: Any) -> bool:
    """Whether a value of a decoded event means the same: other digits of the same float, or a time without `.000`."""
    value, family = node.value, node.place.family.removesuffix(" unsigned")
    if not (node.place.path.startswith("events[]") and isinstance(value, str) and isinstance(changed, str)):
        return False
    if family in _FLOATS:
        try:
            one, other = (struct.pack(_FLOATS[family], float(text)) for text in (value, changed))
        except (ValueError, OverflowError):
            return False
        return one == other or float(value) == float(changed) == 0
    return family in _CLOCKS and "." in value and value.rstrip("0").rstrip(".") == changed


def _holder_changes(node: Node) -> Iterator[Change]:
    """Changes of the object or array that holds a value: the value is dropped, doubled or renamed."""
    if node.holder is None or node.syntax == "datum" or len(node.path) == 1:
        return
    step, within = node.path[-1], node.path[:-1]
    if isinstance(node.holder, list):
        yield Change("member lost", within, [part for n, part in enumerate(node.holder) if n != step])
        return
    if node.syntax == "plain" and node.place.path.startswith(_FIXED):
        return
    pairs = list(node.holder.items())
    is_null_image = node.value is None and node.place.path in ("events[].before", "events[].after")
    if not is_null_image:  # an absent image equals null
        yield Change("member lost", within, {name: part for name, part in pairs if name != step})
    if node.syntax == "json":
        position = list(node.holder).index(step)
        yield Change("member doubled", within, Pairs([*pairs[:position], pairs[position], *pairs[position:]]))
    if node.syntax == "json" or node.place.path.endswith("{column}"):
        for operator, other in (("name in other case", step.swapcase()), ("name longer", f"{step}x")):
            if other != step and other not in node.holder:
                yield Change(operator, within, {other if name == step else name: part for name, part in pairs})


# -- one change in key and value ---------------------------------------------------------------------------------------

IN_VALUE = " in the value, too"
"""The suffix of an operator that changes a column in key and value alike, as an encoder that writes it wrong does."""


def copies_of(all_nodes: Sequence[Node]) -> Mapping[Path, Sequence[Node]]:
    """By the path of a node in a key: its copies, the equal nodes of the same column in the value of its record."""
    copies: dict[Path, list[Node]] = {}
    keys: dict[tuple[Path, str, str], list[Node]] = {}
    for node in all_nodes:
        if not node.column or node.path[0] != "records":
            continue
        record, part = node.path[:2], node.path[2]  # ("records", number), then `key` or `value`
        column = (record, node.column, node.place.path.rpartition("{column}")[2])
        if part == "key":
            keys.setdefault(column, []).append(node)
        else:
            for key in keys.get(column, ()):
                if type(key.value) is type(node.value) and key.value == node.value:
                    copies.setdefault(key.path, []).append(node)
    return copies


def with_changed_copies(change: Change, copies: Sequence[Node]) -> Iterator[Change]:
    """A change in a key, and the same change of each of its copies in the value."""
    yield change
    for copy in copies:
        yield from (other for other in changes(copy) if other.operator == change.operator)

"""Changes of a JSON text: members doubled, removed, renamed and exchanged, values of other kinds and sizes, bad UTF-8.

The text is that of a reference encoder, without white space. Everything outside the change keeps its bytes. A
`DocumentForm` decides which changed texts must be refused: it has the kinds of the members, and the mandatory ones.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from conformance.cases.negatives.model import (
    ANY_CLASS,
    SCHEMA,
    SYNTAX,
    Negative,
    cuts,
    flips,
    judged_as_json,
    shuffled,
    spread,
)
from reference_impl.errors import RejectionClass

__all__ = [
    "KINDS_OF_TEXT",
    "Amounts",
    "DocumentForm",
    "Member",
    "member",
    "place_of",
    "spelling_negatives",
    "text_change",
    "text_negatives",
]

_JSON = json.JSONDecoder()

_KINDS = {"{": "object", "[": "array", '"': "string", "t": "boolean", "f": "boolean", "n": "null"}

# A value of each JSON kind.
_VALUES: Mapping[str, str] = {
    "string": '"x"',
    "number": "7",
    "null": "null",
    "boolean": "true",
    "array": "[7]",
    "object": '{"x":7}',
}

_NUMBERS = (
    *("-1", "-0", "1.5", "1e2", "9007199254740993", "9223372036854775808", "-9223372036854775809"),
    *("18446744073709551616", "1e400", "-1e400", "1e-400", f"{10**80}"),
)

_UNKNOWN = '"a member nobody knows":{"x":[1,null,"y"]}'

_BAD_UTF8: Mapping[str, bytes] = {
    "the byte FF": b"\xff",
    "a byte that continues nothing": b"\x80",
    "a character without its last byte": b"\xe4\xb8",
    "a slash in two bytes": b"\xc0\xaf",
    "half of a surrogate pair": b"\xed\xa0\x80",
    "a character beyond U+10FFFF": b"\xf4\x90\x80\x80",
}


@dataclass(frozen=True, slots=True)
class Member:
    """The form of a member of a document."""

    kinds: frozenset[str]  # the JSON kinds that it may have
    is_needed: bool = True  # whether a document without the member must be refused
    missing: frozenset[RejectionClass] = SCHEMA  # the right classes for that refusal
    requirement: str = ""  # demands refusals about the member; empty: that of the document


def member(
    kinds: str, *, is_needed: bool = True, missing: frozenset[RejectionClass] = SCHEMA, requirement: str = ""
) -> Member:
    """A member; `kinds` are its JSON kinds, with blanks between them."""
    return Member(frozenset(kinds.split()), is_needed, missing, requirement)


@dataclass(frozen=True, slots=True)
class DocumentForm:
    """The known form of a document, as far as it decides refusals."""

    # Pattern of a path, as `data.0.*` (a `*` is one step), → the member; the first match counts. A member without a
    # pattern may be missing or of any kind.
    members: Mapping[str, Member] = field(default_factory=dict)
    # The classes with which a doubled member must be refused; empty: any answer is right.
    doubled: frozenset[RejectionClass] = SCHEMA
    # The names of members that may be doubled.
    repeatable: frozenset[str] = frozenset()
    # The paths of objects in which a decoder must ignore unknown members, and the requirement for that.
    open_at: frozenset[tuple[str, ...]] = frozenset()
    unknown_requirement: str = ""

    def member_at(self, path: tuple[str | int, ...]) -> Member | None:
        """The member at a path, None if nothing is known of it."""
        return next((known for pattern, known in self.members.items() if _fits(path, pattern)), None)

    def is_named(self, path: tuple[str | int, ...]) -> bool:
        """Whether the member at a path is mandatory and listed by its full path, so that it is not a column."""
        known = self.members.get(".".join(map(str, path)))
        return known is not None and known.is_needed


def _fits(path: tuple[str | int, ...], pattern: str) -> bool:
    steps = pattern.split(".")
    return len(steps) == len(path) and all(step in ("*", str(name)) for step, name in zip(steps, path, strict=True))


@dataclass(frozen=True, slots=True)
class Amounts:
    """The number of changes of each kind in a text; `cuts` None means at every byte."""

    cuts: int | None
    flips: int
    utf8: int
    doubled: int
    missing: int
    renamed: int
    exchanged: int
    kinds: int
    numbers: int


@dataclass(frozen=True, slots=True)
class _TextPart:
    """A value in the text."""

    path: tuple[str | int, ...]
    start: int  # the offset of its name; of the value, if it has no name
    value: int  # the offset of the value
    end: int  # the offset after the value
    kind: str  # its JSON kind

    @property
    def name(self) -> str:
        return ".".join(map(str, self.path))

    @property
    def is_member(self) -> bool:
        return bool(self.path) and isinstance(self.path[-1], str)


def _parts(text: str, path: tuple[str | int, ...] = (), start: int = 0, value: int = 0) -> list[_TextPart]:
    """The value at the offset `value`, and all values in it; `start` is the offset of its name."""
    first = text[value]
    inside: list[_TextPart] = []
    if first not in "{[":
        end = _JSON.raw_decode(text, value)[1]
    else:
        offset, number = value + 1, 0
        while text[offset] not in "}]":
            name: str | int = number
            name_offset = offset
            if first == "{":
                name, offset = _JSON.raw_decode(text, offset)
                offset += 1  # the colon
            child, *below = _parts(text, (*path, name), name_offset, offset)
            inside += [child, *below]
            offset = child.end
            if text[offset] == ",":
                offset += 1
            number += 1
        end = offset + 1
    return [_TextPart(path, start, value, end, _KINDS.get(first, "number")), *inside]


def place_of(text: str, path: tuple[str | int, ...]) -> tuple[int, int, str]:
    """The beginning and end of the value at a path in a text, and its JSON kind."""
    part = next(part for part in _parts(text) if part.path == path)
    return part.value, part.end, part.kind


class _Text:
    """A JSON text with its form, and the changes of it."""

    def __init__(self, text: str, form: DocumentForm) -> None:
        self._text = text
        self._form = form
        self._whole, *self.parts = _parts(text)
        self.members = [part for part in self.parts if part.is_member]

    def _changed(self, group: str, name: str, start: int, end: int, replacement: str) -> Negative:
        return Negative(group, name, (self._text[:start] + replacement + self._text[end:]).encode())

    def _refused(self, negative: Negative, refused: frozenset[RejectionClass], known: Member | None) -> Negative:
        return replace(negative, refused=refused, requirement=known.requirement if known else "")

    def doubled(self, part: _TextPart, variant: int) -> Negative:
        """The member twice: with the same value if `variant` is odd, else with null first."""
        copied = self._text[part.start : part.end] if variant % 2 else self._text[part.start : part.value] + "null"
        negative = self._changed("doubled", f"{part.name} doubled", part.start, part.start, copied + ",")
        if part.path[-1] in self._form.repeatable:
            return negative
        return self._refused(negative, self._form.doubled, self._form.member_at(part.path))

    def missing(self, part: _TextPart) -> Negative:
        """The text without a member and one comma beside it."""
        start, end = part.start, part.end
        if self._text[end] == ",":
            end += 1
        elif self._text[start - 1] == ",":
            start -= 1
        return self._without(self._changed("missing", f"{part.name} left out", start, end, ""), part)

    def renamed(self, part: _TextPart) -> Negative:
        first = part.start + 1  # after the quote
        return self._without(self._changed("renamed", f"{part.name} renamed", first, first, "not_"), part)

    def _without(self, negative: Negative, part: _TextPart) -> Negative:
        """The negative that lacks a part: it must be refused if the part is mandatory."""
        known = self._form.member_at(part.path)
        return self._refused(negative, known.missing, known) if known and known.is_needed else negative

    def of_kind(self, part: _TextPart, kind: str) -> Negative:
        """A value of another JSON kind in place of a part."""
        negative = self._changed("kind", f"{part.name} made {kind}", part.value, part.end, _VALUES[kind])
        known = self._form.member_at(part.path)
        return self._refused(negative, SCHEMA, known) if known and kind not in known.kinds else negative

    def exchanged(self, one: _TextPart, other: _TextPart) -> Negative:
        """The values of two members exchanged."""
        first, second = (self._text[part.value : part.end] for part in (one, other))
        between = self._text[one.end : other.value]
        name = f"{one.name} and {other.name} exchanged"
        negative = self._changed("exchanged", name, one.value, other.end, second + between + first)
        for old, new in ((one, other), (other, one)):
            known = self._form.member_at(old.path)
            if known and new.kind not in known.kinds:
                return self._refused(negative, SCHEMA, known)
        return negative

    def number(self, part: _TextPart, number: str) -> Negative:
        return self._changed("number", f"{part.name} made {number[:24]}", part.value, part.end, number)

    def bad_utf8(self, part: _TextPart, what: str) -> Negative:
        """A string that begins with bytes that are not UTF-8."""
        data = self._text[: part.value + 1].encode() + _BAD_UTF8[what] + self._text[part.value + 1 :].encode()
        return Negative("UTF-8", f"{part.name} with {what}", data, SYNTAX)

    def unknown(self, part: _TextPart) -> Negative:
        """An object with one more member, which is unknown; the meaning is the same if a decoder must ignore it."""
        comma = "," if self._text[part.value + 1] != "}" else ""
        name = f"{part.name or 'the document'} with an unknown member"
        negative = self._changed("unknown", name, part.value + 1, part.value + 1, f"{_UNKNOWN}{comma}")
        if part.path not in self._form.open_at:
            return negative
        requirement = self._form.unknown_requirement
        return replace(negative, group="unknown members", keeps_meaning=True, requirement=requirement)

    def in_other_case(self, part: _TextPart, variant: int) -> Negative:
        """A member whose name has another letter case: a decoder may refuse it or read the same."""
        name = str(part.path[-1])
        other = (name.upper(), name.swapcase(), name.capitalize())[variant % 3]
        first = part.start + 1  # after the quote
        end = first + len(name)
        negative = self._changed("letter case", f"{part.name} named {other}", first, end, other)
        if not self._form.is_named(part.path) or self._text[first:end] != name:
            return negative
        return replace(negative, keeps_meaning=True, refused=ANY_CLASS)

    def signed(self, part: _TextPart) -> Negative:
        """A number with a plus sign, which JSON does not have."""
        return judged_as_json(self._changed("number", f"{part.name} with a plus sign", part.value, part.value, "+"))

    def spaced(self, part: _TextPart) -> Negative:
        """White space before a value: the meaning is the same."""
        spaced = self._changed("spaced", f"a blank before {part.name}", part.value, part.value, " ")
        return replace(spaced, keeps_meaning=True)

    def escaped(self, part: _TextPart) -> Negative:
        """The first character of a text as an escape: the meaning is the same."""
        offset = part.value + 1  # after the quote
        first = self._text[offset]
        units = first.encode("utf-16-be")
        escape = "".join(f"\\u{units[i : i + 2].hex()}" for i in range(0, len(units), 2))
        if first in '"\\':  # the text is empty, or begins with an escape
            escape = first
        return replace(self._changed("escaped", f"{part.name} escaped", offset, offset + 1, escape), keeps_meaning=True)

    def elements(self, part: _TextPart) -> list[_TextPart]:
        """The elements of an array; empty for another value."""
        return [p for p in self.parts if p.path[:-1] == part.path] if part.kind == "array" else []

    def counted(self, part: _TextPart, variant: int) -> Negative:
        """An array without elements if `variant` is odd, else with its first element twice."""
        first, *_ = self.elements(part)
        if variant % 2:
            return self._changed("count", f"{part.name} without elements", part.value, part.end, "[]")
        twice = self._text[first.value : first.end] + ","
        return self._changed("count", f"{part.name} with an element twice", first.value, first.value, twice)

    def changed(self, kind: str, place: int, variant: int) -> Negative | None:
        """The change of a kind at the place that a number chooses; None if the text has no such place."""
        parts, changes = _PARTS_OF_KIND[kind](self), _CHANGES_OF_KIND[kind]
        if not parts:
            return None
        variant, index = divmod(variant, len(changes))
        return changes[index](self, parts[place % len(parts)], variant)

    @property
    def objects(self) -> list[_TextPart]:
        """The objects, the whole document first."""
        return [part for part in (self._whole, *self.parts) if part.kind == "object"]

    def adjacent_members(self) -> Iterator[tuple[_TextPart, _TextPart]]:
        """Pairs of members of one object, one right after the other, with different values."""
        by_start = {part.start: part for part in self.members}
        for one in self.members:
            other = by_start.get(one.end + 1)
            if other and self._text[one.value : one.end] != self._text[other.value : other.end]:
                yield one, other


# Kind of change → the parts of a text in which it can be made.
_PARTS_OF_KIND: Mapping[str, Callable[[_Text], Sequence[_TextPart]]] = {
    "member": lambda text: text.members,
    "unknown": lambda text: text.objects,
    "kind": lambda text: text.parts,
    "number": lambda text: [part for part in text.parts if part.kind == "number"],
    "text": lambda text: [part for part in text.parts if part.kind == "string"],
    "form": lambda text: text.parts,
    "count": lambda text: [part for part in text.parts if text.elements(part)],
}
_Change: TypeAlias = Callable[[_Text, _TextPart, int], Negative]  # the number chooses a variant

# Kind of change → the changes of that kind.
_CHANGES_OF_KIND: Mapping[str, Sequence[_Change]] = {
    "member": (
        lambda text, part, variant: text.missing(part),
        lambda text, part, variant: text.renamed(part),
        lambda text, part, variant: text.doubled(part, variant),
        lambda text, part, variant: text.in_other_case(part, variant),
    ),
    "unknown": (lambda text, part, variant: text.unknown(part),),
    "kind": (lambda text, part, variant: text.of_kind(part, list(_VALUES)[variant % len(_VALUES)]),),
    "number": (
        lambda text, part, variant: text.signed(part),
        lambda text, part, variant: text.number(part, _NUMBERS[variant % len(_NUMBERS)]),
    ),
    "text": (
        lambda text, part, variant: text.bad_utf8(part, list(_BAD_UTF8)[variant % len(_BAD_UTF8)]),
        lambda text, part, variant: text.escaped(part),
    ),
    "form": (lambda text, part, variant: text.spaced(part),),
    "count": (lambda text, part, variant: text.counted(part, variant),),
}
KINDS_OF_TEXT = tuple(_CHANGES_OF_KIND)
"""The kinds of change of a JSON text that `text_change` makes."""


def text_change(data: bytes, form: DocumentForm, kind: str, place: int, variant: int) -> Negative | None:
    """The change of a kind that two numbers choose in a JSON text; None if the text allows none."""
    return _Text(data.decode(), form).changed(kind, place, variant)


def spelling_negatives(data: bytes, form: DocumentForm, count: int) -> Iterator[Negative]:
    """The text with mandatory members in other letter case, unknown members, and numbers with a plus sign.

    There are at most `count` of the first and of the last; an unknown member is in every object that may have one.
    """
    text = _Text(data.decode(), form)
    named = [part for part in text.members if form.is_named(part.path)]
    yield from (text.in_other_case(part, i) for i, part in enumerate(spread(named, count)))
    yield from (text.unknown(part) for part in text.objects if part.path in form.open_at)
    numbers = [part for part in text.parts if part.kind == "number"]
    yield from (text.signed(part) for part in spread(numbers, count))


def _changes(text: _Text, amounts: Amounts, seed: str) -> Iterator[Negative]:
    members, parts = text.members, text.parts
    for i, part in enumerate(spread(members, amounts.doubled)):
        yield text.doubled(part, i)
    yield from (text.missing(part) for part in spread(members, amounts.missing))
    yield from (text.renamed(part) for part in spread(members, amounts.renamed))
    yield from (text.exchanged(*pair) for pair in spread(text.adjacent_members(), amounts.exchanged))
    others = [(part, kind) for part in parts for kind in _VALUES if kind != part.kind]
    yield from (text.of_kind(*pair) for pair in shuffled(others, seed)[: amounts.kinds])
    numbers = [(part, number) for part in parts if part.kind == "number" for number in _NUMBERS]
    yield from (text.number(*pair) for pair in shuffled(numbers, seed)[: amounts.numbers])
    strings = [part for part in parts if part.kind == "string"]
    bad = [(part, what) for part in strings for what in _BAD_UTF8]
    yield from (text.bad_utf8(*pair) for pair in shuffled(bad, seed)[: amounts.utf8])


def text_negatives(
    data: bytes, form: DocumentForm, amounts: Amounts, seed: str, cut: frozenset[RejectionClass] = SYNTAX
) -> Iterator[Negative]:
    """Changes of a JSON text; `cut` are the right classes for an early end."""
    yield from cuts(data, cut, amounts.cuts)
    yield from map(judged_as_json, flips(data, amounts.flips, seed))
    yield from _changes(_Text(data.decode(), form), amounts, seed)

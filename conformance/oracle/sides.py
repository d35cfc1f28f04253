"""Finds every path where the answers of two witnesses to one case differ.

The rules of the protocol do not matter here. A witness is a recorded producer, the reference or a document. Only
volatile members, which vary from run to run, may differ. The catalogue of disagreements says what a difference means,
and who is right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from conformance.oracle.rules import Message, ProtocolOracle, Reading
from conformance.oracle.tree import MISSING, Kind, Spot, doubled_members, json_kind, walk
from reference_impl.model import Claim, Record
from reference_impl.registry import RegisteredSchema

__all__ = ["FORM", "Answer", "Difference", "differences"]

FORM = frozenset({Kind.ORDER, Kind.TEXT})
"""Kinds of difference between texts of equal JSON."""


class Difference(NamedTuple):
    """A difference and its place.

    `at` is a skeleton, as in the rules of the oracle, `answer` for the answer as a whole, and `text.PART.WHAT` for
    spelling: `U+003C` for a character in strings, `number`, `space`.
    """

    at: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a witness: records, a refusal or a crash."""

    records: tuple[Record, ...] = ()
    schemas: tuple[RegisteredSchema, ...] = ()  # those it registered, in order
    claims: tuple[Claim, ...] = ()
    refused: str = ""  # the class of the refusal
    crashed: str = ""  # the kind of the crash

    @staticmethod
    def of(
        records: Iterable[Record],
        schemas: Iterable[RegisteredSchema] = (),
        claims: Iterable[Claim] = (),
        refused: str = "",
        crashed: str = "",
    ) -> Answer:
        """An answer with its records by partition: there is no order between partitions."""
        ordered = sorted(records, key=lambda record: record.partition or 0)
        return Answer(tuple(ordered), tuple(schemas), tuple(claims), refused, crashed)


# Name of a volatile part of a recording → the differences that do not count there.
_VOLATILE: Mapping[str, frozenset[Difference]] = {
    part: frozenset({Difference(at, kind), Difference(f"claim.{at}", kind)})
    for part, at, kind in (
        ("ts", "value.ts", Kind.VALUE),
        ("order of mysqlType members", "value.mysqlType", Kind.ORDER),
    )
}


def differences(
    oracle: ProtocolOracle, options: Any, left: Answer, right: Answer, volatile: Collection[str] = ()
) -> frozenset[Difference]:
    """The differences between two answers; `options` is the parsed options object of the protocol.

    `volatile` names parts that may differ. Raises `Rejected` for unreadable records, KeyError for an unknown name.
    """
    if left == right:
        return frozenset()
    if left.crashed or right.crashed:
        return frozenset({Difference("answer", Kind.BROKEN)})
    if left.refused or right.refused:
        return frozenset({Difference("answer", Kind.CLASS if left.refused and right.refused else Kind.REFUSED)})
    ignored = {difference for part in volatile for difference in _VOLATILE[part]}
    pair = _Pair(oracle, _Parts.of(oracle, options, left), _Parts.of(oracle, options, right))
    found = frozenset(pair.differences())
    if not found and not ignored and not left.claims:
        # Equal content in other bytes, such as another compression or another spelling of a name.
        return frozenset({Difference("record" if left.records != right.records else "registry", Kind.TEXT)})
    return found - ignored


@dataclass(frozen=True, slots=True)
class _Parts:
    """An answer taken apart."""

    frames: Sequence[Mapping[str, Any]]  # of each record
    messages: Sequence[Message]  # of all records
    registry: Mapping[str, Any]
    files: Sequence[Reading]  # the claim-check files, in the order in which messages refer to them
    # Location of a file → its folder and number, by which files are compared: names are random in every run.
    numbered: Mapping[Any, tuple[str, int]]

    @staticmethod
    def of(oracle: ProtocolOracle, options: Any, answer: Answer) -> _Parts:
        """Raises `Rejected` for records or files that cannot be read."""
        known = {schema.id: schema.schema for schema in answer.schemas}
        readings = [oracle.read(record, options, known) for record in answer.records]
        messages = [message for reading in readings for message in reading.messages]
        files = {claim.location: oracle.read_claim(claim, options) for claim in answer.claims}
        locations = [*dict.fromkeys(message.claim for message in messages if message.claim in files)]
        locations += sorted(files.keys() - locations)
        return _Parts(
            frames=[reading.frame for reading in readings],
            messages=messages,
            registry=oracle.registry_tree(answer.schemas),
            files=[files[location] for location in locations],
            numbered={location: (location.rpartition("/")[0], i) for i, location in enumerate(locations)},
        )


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two answers, taken apart."""

    oracle: ProtocolOracle
    left: _Parts
    right: _Parts

    def differences(self) -> Iterator[Difference]:
        """Every difference between them, some more than once."""
        left, right = self.left, self.right
        for frames in zip(left.frames, right.frames, strict=False):
            yield from self._trees("frame", *frames)
        yield from self._trees("registry", left.registry, right.registry)
        if len(left.messages) != len(right.messages) or len(left.files) != len(right.files):
            yield Difference("answer", Kind.COUNT)
            return
        for messages in zip(left.messages, right.messages, strict=True):
            yield from self._messages("", *messages)
        for files in zip(left.files, right.files, strict=True):
            yield from self._trees("claim", *(file.frame for file in files))
            for messages in zip(*(file.messages for file in files), strict=False):
                yield from self._messages("claim.", *messages)

    def _messages(self, within: str, left: Message, right: Message) -> Iterator[Difference]:
        for part in {**left.tree, **right.tree}:
            trees = (message.tree.get(part, MISSING) for message in (left, right))
            yield from (Difference(within + at, kind) for at, kind in self._trees(part, *trees))
        for part, text in left.texts.items():
            if part in right.texts and text != right.texts[part]:
                for what in _spellings(text, right.texts[part]):
                    yield Difference(f"{within}text.{part}.{what}", Kind.TEXT)

    def _trees(self, part: str, left: Any, right: Any) -> Iterator[Difference]:
        for node in walk(left, right, (part,), Spot(self.oracle.columns_at).member(part)):
            for kind in self._kinds(node.expected, node.got):
                yield Difference(node.spot.skeleton, kind)

    def _kinds(self, left: Any, right: Any) -> Iterator[Kind]:
        if left is MISSING or right is MISSING:
            yield Kind.EXTRA if left is MISSING else Kind.MISSING
        elif json_kind(left) != json_kind(right):
            yield Kind.JSON_KIND
        elif isinstance(left, dict):
            if doubled_members(left) != doubled_members(right):
                yield Kind.DOUBLED
            if [name for name in left if name in right] != [name for name in right if name in left]:
                yield Kind.ORDER
        elif not isinstance(left, (list, tuple)) and left != right and not self._is_one_file(left, right):
            yield Kind.VALUE

    def _is_one_file(self, left: Any, right: Any) -> bool:
        """Whether both are locations of files with the same folder and number."""
        left_file = self.left.numbered.get(left)
        return left_file is not None and left_file == self.right.numbered.get(right)


# -- spelling ------------------------------------------------------------------------------------------------------

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_CHARACTER = re.compile(r"\\u[0-9a-fA-F]{4}|\\?.", re.DOTALL)
_NUMBER = re.compile(r"-?[0-9][0-9.eE+-]*")


def _spellings(left: str, right: str) -> Iterator[str]:
    """The kinds of tokens that two texts spell differently: `U+XXXX` or `string`, `number`, `space`."""
    left_strings, right_strings = _strings(left), _strings(right)
    for meaning in left_strings.keys() & right_strings.keys():
        if left_strings[meaning] != right_strings[meaning]:
            yield from _characters(meaning, left_strings[meaning], right_strings[meaning])
    left_rest, right_rest = _STRING.sub("", left), _STRING.sub("", right)
    left_numbers, right_numbers = _numbers(left_rest), _numbers(right_rest)
    if any(left_numbers[value] != right_numbers[value] for value in left_numbers.keys() & right_numbers.keys()):
        yield "number"
    if (re.search(r"\s", left_rest) is None) != (re.search(r"\s", right_rest) is None):
        yield "space"


def _strings(text: str) -> Mapping[str, str]:
    """Meaning of each string literal → its spelling."""
    tokens = _STRING.findall(text)
    return {json.loads(token, strict=False) if "\\" in token else token[1:-1]: token for token in tokens}


def _numbers(text: str) -> Mapping[Decimal, str]:
    """Value of each number → its spelling."""
    return {Decimal(token): token for token in _NUMBER.findall(text)}


def _characters(meaning: str, left: str, right: str) -> Iterator[str]:
    """`U+XXXX` of each character that two literals of one meaning spell differently; `string` for other differences."""
    left_units, right_units = _CHARACTER.findall(left[1:-1]), _CHARACTER.findall(right[1:-1])
    if not len(left_units) == len(right_units) == len(meaning):
        yield "string"
        return
    for character, one, other in zip(meaning, left_units, right_units, strict=True):
        if one != other:
            yield f"U+{ord(character):04X}"

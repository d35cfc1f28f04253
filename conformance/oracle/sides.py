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
from conformance.oracle.tree import MISSING, Kind, Path, doubled_members, json_kind, walk
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
        ordered = sorted(records, key=lambda record: -1 if record.partition is None else record.partition)
        return Answer(tuple(ordered), tuple(schemas), tuple(claims), refused, crashed)


# Name of a volatile part of a recording → the differences that do not count there.
_VOLATILE: Mapping[str, frozenset[Difference]] = {
    what: frozenset(Difference(f"{within}{at}", kind) for within in ("", "claim."))
    for what, at, kind in (
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
    masked = {difference for what in volatile for difference in _VOLATILE[what]}
    found = frozenset(_Pair(oracle, _Parts.of(oracle, options, left), _Parts.of(oracle, options, right)).differences())
    if not found and not masked and not left.claims:
        # Equal content in other bytes, such as another compression or another spelling of a name.
        return frozenset({Difference("record" if left.records != right.records else "registry", Kind.TEXT)})
    return found - masked


@dataclass(frozen=True, slots=True)
class _Parts:
    """An answer taken apart."""

    frames: Sequence[Mapping[str, Any]]  # of each record
    messages: Sequence[Message]  # of all records
    registry: Mapping[str, Any]
    files: Sequence[Reading]  # the claim-check files, in the order in which messages refer to them
    places: Mapping[Any, tuple[str, int]]  # location of a file → its folder and number: its name is random in every run

    @staticmethod
    def of(oracle: ProtocolOracle, options: Any, answer: Answer) -> _Parts:
        """Raises `Rejected` for records or files that cannot be read."""
        known = {schema.id: schema.schema for schema in answer.schemas}
        sent = [oracle.read(record, options, known) for record in answer.records]
        messages = [message for reading in sent for message in reading.messages]
        stored = {claim.location: oracle.read_claim(claim, options) for claim in answer.claims}
        named = [*dict.fromkeys(message.claim for message in messages if message.claim in stored)]
        named += sorted(stored.keys() - named)
        return _Parts(
            [reading.frame for reading in sent],
            messages,
            oracle.registry_tree(answer.schemas),
            [stored[location] for location in named],
            {location: (location.rpartition("/")[0], i) for i, location in enumerate(named)},
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
        for node in walk(left, right, (part,)):
            for kind in self._kinds(node.expected, node.got):
                yield Difference(self._skeleton(node.path), kind)

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
        place = self.left.places.get(left)
        return place is not None and place == self.right.places.get(right)

    def _skeleton(self, path: Path) -> str:
        text = ""
        for step in path:
            if isinstance(step, int):
                text += "[]"
            elif text in self.oracle.columns_at:
                text += ".{column}"
            else:
                text = f"{text}.{step}" if text else step
        return text


# -- spelling ------------------------------------------------------------------------------------------------------

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_CHARACTER = re.compile(r"\\u[0-9a-fA-F]{4}|\\?.", re.DOTALL)
_NUMBER = re.compile(r"-?[0-9][0-9.eE+-]*")


def _spellings(left: str, right: str) -> Iterator[str]:
    """The kinds of tokens that two texts spell differently: `U+XXXX` or `string`, `number`, `space`."""
    strings = [{json.loads(token, strict=False): token for token in _STRING.findall(text)} for text in (left, right)]
    for meaning in strings[0].keys() & strings[1].keys():
        tokens = strings[0][meaning], strings[1][meaning]
        if tokens[0] != tokens[1]:
            yield from _characters(meaning, *([*map(str, _CHARACTER.findall(token[1:-1]))] for token in tokens))
    rest = [_STRING.sub("", text) for text in (left, right)]
    numbers = [{Decimal(token): token for token in _NUMBER.findall(text)} for text in rest]
    if any(numbers[0][value] != numbers[1][value] for value in numbers[0].keys() & numbers[1].keys()):
        yield "number"
    if (re.search(r"\s", rest[0]) is None) != (re.search(r"\s", rest[1]) is None):
        yield "space"


def _characters(meaning: str, left: Sequence[str], right: Sequence[str]) -> Iterator[str]:
    if not len(left) == len(right) == len(meaning):
        yield "string"
        return
    for character, one, other in zip(meaning, left, right, strict=True):
        if one != other:
            yield f"U+{ord(character):04X}"

"""Negatives of the upstream dialects: messages of rows, statements and transactions, each changed in one place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from conformance.cases.model import Anchor, Case, ExpectedAnswer
from conformance.cases.negatives.bases import base_input, in_key, in_value, negatives_of
from conformance.cases.negatives.canal_json import FLAT_MEMBERS
from conformance.cases.negatives.model import CUT
from conformance.cases.negatives.texts import Amounts, Shape, member, text_negatives
from conformance.cases.negatives.values import value_negatives
from conformance.cases.upstream.corpora import input_cases

__all__ = ["negative_cases"]

_FLAT_MESSAGE = Shape({**FLAT_MEMBERS, "gtid": member("string")})
_CHANGE = Shape(
    {
        "source": member("object"),
        **dict.fromkeys(("source.db", "source.table"), member("string")),
        "op": member("string", is_needed=False),
        **dict.fromkeys(("before", "after"), member("object null", is_needed=False)),
    }
)
_UNKNOWN = Shape()


@dataclass(frozen=True, slots=True)
class _Base:
    """A valid record that is changed: the events it is made of, what is known of its form, and how often."""

    events: str
    options: Mapping[str, str]
    shape: Shape
    amounts: Amounts


@dataclass(frozen=True, slots=True)
class _Negatives:
    """The negatives of a dialect. `beyond` are values that a column's type does not hold, below `image`."""

    refused: str
    bases: tuple[_Base, ...]
    image: tuple[str | int, ...]
    beyond: Mapping[str, tuple[str, ...]]
    keys: bool = False


_BARE = {"schemas.enable": "false"}
_SOME = Amounts(4, 8, utf8=3, doubled=5, missing=6, renamed=6, exchanged=3, kinds=14, numbers=5)
_FEW = Amounts(0, 4, utf8=1, doubled=2, missing=2, renamed=2, exchanged=1, kinds=5, numbers=1)

_DIALECTS: Mapping[str, _Negatives] = {
    "canal": _Negatives(
        "CJ-881",
        (
            _Base("row", {}, _FLAT_MESSAGE, _SOME),
            _Base("update", {}, _FLAT_MESSAGE, _FEW),
            _Base("statement", {}, _FLAT_MESSAGE, _FEW),
        ),
        ("data", 0),
        {
            "id": ("2147483648", "-2147483649"),
            "n": ("18446744073709551616", "-1"),
            "at": ("2024-13-01 00:00:00.000", "2024-01-01 24:00:00.000"),
        },
    ),
    "debezium-connector": _Negatives(
        "DBZ-451",
        (
            _Base("row", _BARE, _CHANGE, _SOME),
            _Base("update", _BARE, _CHANGE, _FEW),
            _Base("row", {}, _UNKNOWN, _FEW),
            _Base("statement", _BARE, _UNKNOWN, _FEW),
        ),
        ("after",),
        {"id": ("2147483648", "-2147483649"), "at": ("1e400",)},
        keys=True,
    ),
}


def _valid(protocol: str, given: _Base) -> Case:
    """The decode case of the valid record."""
    cases = input_cases(protocol, base_input(given.events, given.options))
    return replace(next(case for case in cases if case.role == "decode"), sql=())


def negative_cases(protocol: str) -> Iterator[Case]:
    """Every negative of a dialect, always the same and in the same order; ids are unique."""
    return iter({case.id: case for case in _changed(protocol)}.values())


def _changed(protocol: str) -> Iterator[Case]:
    dialect = _DIALECTS[protocol]
    for number, given in enumerate(dialect.bases):
        valid = _valid(protocol, given)
        valid = replace(valid, id=valid.id.replace("negative/", f"negative/{number} ", 1))
        value = valid.records[0].value or b""
        found = text_negatives(value, given.shape, given.amounts, given.events, CUT)
        yield from map(_anchored, negatives_of(valid, "value", in_value, found, dialect.refused))
        if dialect.keys and number == 0:
            found = text_negatives(valid.records[0].key or b"", _UNKNOWN, _FEW, "key", CUT)
            yield from map(_anchored, negatives_of(valid, "key", in_key, found, dialect.refused))
    first = _valid(protocol, dialect.bases[0])
    for name, texts in dialect.beyond.items():
        found = value_negatives(first.records[0].value or b"", (*dialect.image, name), texts)
        yield from map(_anchored, negatives_of(first, "value", in_value, found, dialect.refused))


def _anchored(case: Case) -> Case:
    """No document speaks of these dialects: that a decoder answers at all is asked by us."""
    return replace(case, anchor=Anchor.REFERENCE) if isinstance(case.expected, ExpectedAnswer) else case

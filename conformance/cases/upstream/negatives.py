"""Negatives of the upstream dialects: messages of rows, statements and transactions, each changed in one place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from conformance.cases.model import Anchor, Case, ExpectedAnswer
from conformance.cases.negatives.bases import base_input, in_key, in_value, negatives_of
from conformance.cases.negatives.model import CUT
from conformance.cases.negatives.texts import Shape, text_negatives
from conformance.cases.negatives.values import value_negatives
from conformance.cases.upstream.corpora import input_cases
from conformance.cases.upstream.dialects import DIALECTS
from conformance.cases.upstream.model import Base
from conformance.cases.upstream.shared import FEW

__all__ = ["negative_cases"]

_UNKNOWN = Shape()


def _valid(protocol: str, given: Base) -> Case:
    """The decode case of the valid record."""
    cases = input_cases(protocol, base_input(given.events, given.options))
    return replace(next(case for case in cases if case.role == "decode"), sql=())


def negative_cases(protocol: str) -> Iterator[Case]:
    """Every negative of a dialect, always in the same order; ids are unique."""
    return iter({case.id: case for case in _changed(protocol)}.values())


def _changed(protocol: str) -> Iterator[Case]:
    dialect = DIALECTS[protocol].negatives
    for number, given in enumerate(dialect.bases):
        valid = _valid(protocol, given)
        valid = replace(valid, id=valid.id.replace("negative/", f"negative/{number} ", 1))
        value = valid.records[0].value or b""
        found = text_negatives(value, given.shape, given.amounts, given.events, CUT)
        yield from map(_anchored, negatives_of(valid, "value", in_value, found, dialect.refused))
        if dialect.keys and number == 0:
            found = text_negatives(valid.records[0].key or b"", _UNKNOWN, FEW, "key", CUT)
            yield from map(_anchored, negatives_of(valid, "key", in_key, found, dialect.refused))
    first = _valid(protocol, dialect.bases[0])
    for name, texts in dialect.beyond.items():
        found = value_negatives(first.records[0].value or b"", (*dialect.image, name), texts)
        yield from map(_anchored, negatives_of(first, "value", in_value, found, dialect.refused))


def _anchored(case: Case) -> Case:
    """No document prescribes an answer of these dialects: the suite itself requires one."""
    if not isinstance(case.expected, ExpectedAnswer):
        return case
    return replace(case, anchor=Anchor.REFERENCE, requirements=(DIALECTS[case.protocol].answers,))

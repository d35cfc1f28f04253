"""Negatives of the upstream dialects: messages of rows, statements and transactions, each changed in one place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from conformance.cases.model import Anchor, Case, ExpectedAnswer
from conformance.cases.negatives.bases import base_input, key_of, negatives_of, value_of
from conformance.cases.negatives.model import CUT
from conformance.cases.negatives.texts import DocumentForm, text_negatives
from conformance.cases.negatives.values import value_negatives
from conformance.cases.upstream.corpora import input_cases
from conformance.cases.upstream.dialects import DIALECTS
from conformance.cases.upstream.model import FEW, Base

__all__ = ["negative_cases"]

_ANY_FORM = DocumentForm()


def _valid(protocol: str, valid_base: Base) -> Case:
    """The decode case of the valid record."""
    cases = input_cases(protocol, base_input(valid_base.events, valid_base.options))
    return replace(next(case for case in cases if case.role == "decode"), sql=())


def negative_cases(protocol: str) -> Iterator[Case]:
    """Every negative of a dialect, always in the same order; ids are unique."""
    negatives = DIALECTS[protocol].negatives
    for number, valid_base in enumerate(negatives.bases):
        valid = _valid(protocol, valid_base)
        valid = replace(valid, id=valid.id.replace("negative/", f"negative/{number} ", 1))
        value = value_of(valid)
        changes = text_negatives(value, valid_base.form, valid_base.amounts, valid_base.events, CUT)
        yield from map(_anchored, negatives_of(valid, "value", changes, negatives.requirement))
        if negatives.changes_key and number == 0:
            changes = text_negatives(key_of(valid), _ANY_FORM, FEW, "key", CUT)
            yield from map(_anchored, negatives_of(valid, "key", changes, negatives.requirement))
    first = _valid(protocol, negatives.bases[0])
    for name, texts in negatives.out_of_range.items():
        changes = value_negatives(value_of(first), (*negatives.image_path, name), texts)
        yield from map(_anchored, negatives_of(first, "value", changes, negatives.requirement))


def _anchored(case: Case) -> Case:
    """The case with the suite's own requirement that a decoder answers: no document of these dialects has one."""
    if not isinstance(case.expected, ExpectedAnswer):
        return case
    return replace(case, anchor=Anchor.REFERENCE, requirements=(DIALECTS[case.protocol].answer_requirement,))

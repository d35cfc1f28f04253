"""What the dialects say about requirements is about requirements that there are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pytest

from conformance.captures.dialects import DIALECTS
from conformance.catalogue.register import load_register
from reference_impl.column_types import ColumnType, Family
from reference_impl.protocols import CODECS

TYPES = [ColumnType(str(family), family, unsigned=unsigned) for family in Family for unsigned in (False, True)]


def charged_by(given: Any) -> Iterable[str]:
    """The requirements that a phrase may charge: one, one of each family, or what is made of a column's type."""
    if isinstance(given, str):
        return [given]
    return {given(kind) for kind in TYPES} if callable(given) else given.values()


def test_every_protocol_has_a_dialect():
    assert DIALECTS.keys() == CODECS.keys()


@pytest.mark.parametrize("protocol", DIALECTS)
def test_every_requirement_of_a_dialect_is_in_the_register(protocol: str):
    dialect = DIALECTS[protocol]
    charged = {requirement for _, given in dialect.refusals.phrases for requirement in charged_by(given)}
    named = charged | {dialect.refusals.unreadable, dialect.refusals.wrong}
    named |= dialect.unknown | dialect.unknown_without_tables | dialect.unknown_without_time
    assert named <= load_register(protocol).requirements.keys()


@pytest.mark.parametrize("protocol", DIALECTS)
def test_a_phrase_about_columns_says_which_column(protocol: str):
    for pattern, requirement in DIALECTS[protocol].refusals.phrases:
        assert isinstance(requirement, str) or "column" in re.compile(pattern).groupindex, pattern

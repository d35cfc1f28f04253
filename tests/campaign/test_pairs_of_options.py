"""Where the catalogue says that no option removes a divergence, no two of them together do.

`PAIRS_PER_DIVERGENCE` says how many pairs are tried of each, drawn from the id of the divergence; 0 stands for all.
"""

from __future__ import annotations

import os
import random
from itertools import combinations

import pytest

from conformance.catalogue.divergences import Divergence
from tests.amounts import ordinarily
from tests.unit.differential.remedying import merged
from tests.unit.differential.test_remedies import NOT_IN_ROWS, SHOWN, Options, _removes, _tried, _with, is_there

NONE_EXISTS = [entry for entry in SHOWN if entry.id not in NOT_IN_ROWS and not any(r.options for r in entry.remedies)]
PAIRS = int(os.environ.get("PAIRS_PER_DIVERGENCE", ordinarily("5", "10")))


def _together(one: Options, other: Options) -> Options | None:
    """Both; None if they set one option to two values."""
    alike = any(one[dialect].keys() & other[dialect].keys() for dialect in one.keys() & other.keys())
    return None if alike else merged(one, other)


@pytest.mark.parametrize("entry", NONE_EXISTS, ids=lambda entry: entry.id)
def test_two_options_remove_no_divergence_that_neither_removes(entry: Divergence) -> None:
    assert is_there(entry, _with(entry))
    every = [both for two in combinations(_tried(entry), 2) if (both := _together(*two)) is not None]
    pairs = random.Random(entry.id).sample(every, min(PAIRS, len(every))) if PAIRS else every
    assert [pair for pair in pairs if _removes(entry, pair)] == []

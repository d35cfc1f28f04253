"""Near misses of names."""

from __future__ import annotations

import pytest

from conformance.nearest import did_you_mean, nearest

NAMES = ["OP-040", "OP-040a", "OP-400", "CJ-040", "--iut", "--protocol", "unsigned", "canal-json/unsigned-wraps"]


@pytest.mark.parametrize(
    ("given", "near"),
    [
        ("OP-40", ("OP-040", "OP-040a")),
        ("op-040", ("OP-040", "OP-040a")),
        ("OP 0040", ("OP-040", "OP-040a")),
        ("OP-0400", ("OP-400",)),
        ("--itu", ("--iut",)),
        ("--protcol", ("--protocol",)),
        ("canal_json/unsigned_wraps", ("canal-json/unsigned-wraps",)),
        ("zzzz", ()),
        ("", ()),
    ],
)
def test_case_zeros_and_separators_count_for_nothing_and_letters_for_little(given: str, near: tuple[str, ...]) -> None:
    assert nearest(given, NAMES) == near


def test_a_hint_is_a_question_or_nothing() -> None:
    assert did_you_mean("OP-40", NAMES) == "; did you mean OP-040 or OP-040a?"
    assert did_you_mean("zzzz", NAMES) == ""

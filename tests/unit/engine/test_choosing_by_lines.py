"""What `-k` selects by the lines of the index is what each case by itself says."""

from __future__ import annotations

import pytest

from conformance.cases.index import read_index
from conformance.cases.index_rows import IndexedCases
from conformance.catalogue.register import load_register
from conformance.engine.choosing import RequirementLevels, choose, subject_of_entry
from conformance.engine.selection import Expression, Selection
from reference_impl.profiles import NEWARCH

PROTOCOL = "canal-json"
LEVELS = {PROTOCOL: RequirementLevels(load_register(PROTOCOL), NEWARCH)}
EXPRESSIONS = (
    *(
        "Golden",
        "golden/01",
        "json/golden",
        '"golden/01 "',
        "null=yes",
        "ULL=y",
        "CJ-388",
        "cj-38",
        "Decode",
        "de and bit",
    ),
    *("should", "ust and golden", "may or nothing-has-this", "anal-js", "nothing-has-this", "open-protocol"),
    *(
        "canal*golden*",
        "c*",
        "can?l-json/golden/*",
        "*/golden/*",
        "canal-json/type/*",
        "Canal*",
        "avro/*",
        "canal-json?x",
    ),
    *("not encode", "golden and not decode", "\N{KELVIN SIGN}ey", "é", "-", '"/"', "(bigint or year) and unsigned"),
)


def unread() -> IndexedCases:
    """The cases of the index, before any of its lines is parsed."""
    known = read_index(PROTOCOL, NEWARCH.name)
    cases, evaluated = known._files
    return IndexedCases(
        PROTOCOL, known._profile_index, NEWARCH.name, {"cases": cases, "evaluated": evaluated, "contexts": b""}
    )


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_the_lines_of_the_index_leave_out_no_case_that_the_expression_matches(text: str) -> None:
    expression = Expression(text)
    found = choose([unread()], LEVELS, NEWARCH, Selection(expression=expression))
    entries = [(one, LEVELS[PROTOCOL].of(one.requirements)[0]) for one in read_index(PROTOCOL, NEWARCH.name).entries]
    right = [at for at, (entry, level) in enumerate(entries) if expression.matches(subject_of_entry(entry, level))]
    assert [at for _, positions in found.selected for at in positions] == right
    assert (found.planned.total(), found.excluded.total()) == (len(entries), len(entries) - len(right))

"""A fault of the suite while it compares one key costs no more than the differences of that key, and is reported."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.ddl import tables_of_sql
from differential.align import merging
from differential.prints.ways import ComparedBy
from reference_impl.model import Record
from tests.comparing import compare_locally
from tests.unit.differential.building import NOON, exactly, pairs_for, row_change, side_of, written

_TABLES = tables_of_sql("CREATE TABLE shop.k (a INT PRIMARY KEY, b INT);", "x")
SIDES = [side_of(name, "canal-json", _TABLES) for name in ("left", "right")]


@pytest.fixture
def streams() -> list[list[Record]]:
    """Two rows on each side, each with another value on the right."""
    rows = [[row_change(None, {"a": a, "b": b}, NOON, "k") for a in "12"] for b in "34"]
    return [written(of, given) for of, given in zip(SIDES, rows, strict=True)]


def break_for_key_1(module: str, patch: pytest.MonkeyPatch) -> None:
    """Make the comparison of the changes of key 1 raise, where a module calls it."""
    whole = merging.compare_changes

    def broken(pair: Any, left: Any, right: Any) -> Any:
        if left[0].key == b'["1"]':
            raise ZeroDivisionError("broken")
        return whole(pair, left, right)

    patch.setattr(f"{module}.compare_changes", broken)


def test_a_key_whose_fingerprints_cannot_be_aligned_is_compared_by_its_values(
    streams: list[list[Record]], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = exactly(SIDES, streams)
    break_for_key_1("differential.prints.aligning", monkeypatch)
    found = compare_locally(SIDES, streams, pairs_for(SIDES))
    assert (found, len(found.differences)) == (expected, 2)
    assert found.counts.ways["compared", ComparedBy.FAILED] == 2
    assert not found.counts.suite_errors


def test_a_key_that_cannot_be_compared_is_reported_and_the_others_are_compared(
    streams: list[list[Record]], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = exactly(SIDES, streams)
    break_for_key_1("differential.align.merging", monkeypatch)
    found = exactly(SIDES, streams)
    assert found.differences == [one for one in expected.differences if one.key == '["2"]']
    [(pair, schema, table, key, *_, fault)] = found.counts.suite_errors
    assert (pair, schema, table, key) == ("left-right", "shop", "k", '["1"]')
    assert "ZeroDivisionError" in str(fault)
    assert found.counts.changes == expected.counts.changes

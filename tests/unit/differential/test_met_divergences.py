"""Rows by divergence, their harm and their order, and what of them makes a comparison red."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from differential.counts import Counts
from differential.model import Class
from differential.result.divergences import EXAMPLES, met_divergences
from differential.result.gate import FAIL_ON, Limits, exit_status
from differential.result.harms import harm_of_cell

Json = dict[str, Any]
EXAMPLE = {"key": "[1]", "left": None, "right": None, "left_value": "1", "right_value": "2"}


def cell(count: int, kind: str = "value", divergence: str | None = None, **more: Any) -> Json:
    status = "undocumented" if divergence else "unexplained"
    named = {"class": kind, "status": status, "divergence": divergence, "count": count, "examples": [EXAMPLE]}
    return {"schema": "s", "table": "t", "column": "c"} | named | more


def written(count: int, divergence: str, **more: Any) -> Json:
    example = {"key": "[1]", "value": "1.0"}
    named = {"divergence": divergence, "status": "undocumented", "count": count, "examples": [example]}
    return {"schema": "s", "table": "t", "column": "c"} | named | more


def met(*cells: Json, same: tuple[Json, ...] = (), others: tuple[Json, ...] = (), ignored: str = "") -> list[Json]:
    return met_divergences(("left", "third"), ("debezium", "debezium-connector"), cells, same, others, (ignored,))


def test_all_of_a_divergence_is_one_row_wherever_it_was_counted() -> None:
    other = {"divergence": "DV-43", "status": "undocumented", "side": "left", "what": "odd ones", "count": 5}
    [row] = met(
        cell(2, divergence="DV-43"),
        cell(3, "shape", "DV-43", table="u", column=""),
        same=(written(4, "DV-43", column="d"),),
        others=(other,),
    )
    assert (row["count"], row["classes"], row["harm"]) == (14, {"shape": 3, "value": 2}, "changed")
    assert (row["tables"], row["columns"]) == (["s.t", "s.u"], ["s.t.c", "s.t.d"])
    assert row["title"] == "zero bytes at the end of BINARY(n)"
    assert row["remedy"].startswith("VARBINARY in place of BINARY; what it breaks: ")
    assert [example["value"] for example in row["examples"]] == [None, None, "1.0"]


def test_a_remedy_is_one_of_the_dialects_that_are_compared_or_of_none() -> None:
    remedies = {}
    for dialects in (("debezium", "debezium-connector"), ("debezium", "open-protocol")):
        [row] = met_divergences(("left", "right"), dialects, [cell(1, divergence="DBZ-568")], (), (), ())
        remedies[dialects[1]] = row["remedy"].partition(";")[0]
    assert remedies == {
        "debezium-connector": "decimal.handling.mode=double of debezium-connector",
        "open-protocol": "none exists",
    }


def test_no_more_examples_are_shown_than_a_few() -> None:
    [row] = met(*(cell(1, table=f"t{n}") for n in range(EXAMPLES + 2)))
    assert (len(row["examples"]), len(row["tables"])) == (EXAMPLES, EXAMPLES + 2)


def test_what_has_no_name_is_a_row_a_class_with_the_names_of_the_sides() -> None:
    rows = met(cell(1, "missing"), cell(2, "extra"), cell(4, "missing", table="u"), cell(8))
    assert [(row["title"], row["count"], row["remedy"]) for row in rows] == [
        ("changes that only left has", 5, None),
        ("changes that only third has", 2, None),
        ("other values", 8, None),
    ]


def test_what_has_no_name_is_not_counted_at_a_column_where_only_some_of_it_is() -> None:
    rows = met(cell(4, "undecodable", column=""), cell(3, "undecodable"))
    assert [(row["count"], row["columns"]) for row in rows] == [(4, []), (3, ["s.t.c"])]


def test_rows_come_with_what_has_no_name_first_then_by_harm_then_by_number() -> None:
    given = (("DV-40", 9), ("DV-43", 1), ("DV-53", 2), ("DV-55", 1))
    rows = met(cell(1, "metadata"), *(cell(count, divergence=name) for name, count in given))
    assert [row["divergence"] for row in rows] == [None, "DV-55", "DV-53", "DV-43", "DV-40"]


def test_what_is_ignored_is_counted_in_the_row() -> None:
    [row] = met(cell(2, divergence="DV-43"), cell(3, "shape", "DV-43"), same=(written(4, "DV-43"),), ignored="shape")
    assert (row["count"], row["ignored"]) == (9, 3)


HARMS: Mapping[tuple[str, str, str | None], str] = {
    ("missing", "", None): "lost",
    ("extra", "", None): "lost",
    ("undecodable", "", None): "lost",
    ("value", "c", None): "changed",
    ("duplicate", "", None): "changed",
    ("reordered", "", None): "changed",
    ("type", "c", None): "schema",
    ("metadata", "", None): "metadata",
    ("shape", "", None): "changed",
    ("shape", "value.mysqlType.c", None): "schema",
    ("shape", "value.schema.fields.0.type", None): "schema",
    ("shape", "value.payload.source.table", None): "changed",
    ("shape", "value.payload.source.file", None): "metadata",
    ("shape", "value._tidb.commitTs", None): "metadata",
    ("shape", "value.data[0].c", None): "changed",
    ("value", "value.schema", None): "changed",  # a column of that name
    ("value", "c", "DV-40"): "form",
}


@pytest.mark.parametrize("given", HARMS, ids=str)
def test_what_nothing_explains_is_taken_for_the_worst_that_its_class_can_be(given: tuple[str, str, str | None]) -> None:
    assert harm_of_cell(*given) == HARMS[given]


def test_every_class_has_a_harm() -> None:
    assert {kind for kind in Class if harm_of_cell(kind, "", None)} == {*Class}


# Rows → what makes them red.
RED: Mapping[str, tuple[list[Json], set[str]]] = {
    "nothing": ([], set()),
    "an explained loss": ([cell(1, divergence="DV-55")], {"lost", "changed", "undocumented", "any"}),
    "an explained change": ([cell(1, divergence="DV-53")], {"changed", "undocumented", "any"}),
    "a documented form": ([cell(1, divergence="DV-40", status="documented")], {"any"}),
    "a change that nothing explains": ([cell(1)], {"changed", "unexplained", "undocumented", "any"}),
    "a change that one side lacks": ([cell(1, "missing")], {"lost", "changed", "unexplained", "undocumented", "any"}),
    "another time": ([cell(1, "metadata")], {"unexplained", "undocumented", "any"}),
}


def status_of(pair: Json, limits: Limits) -> int:
    counts = Counts()
    counts.changes[0, "s", "t"] = 100
    return exit_status([pair], counts, limits)


@pytest.mark.parametrize("name", RED)
def test_what_is_red_follows_from_status_or_from_harm(name: str) -> None:
    cells, red = RED[name]
    pair = {"divergences": met(*cells), "differences": len(cells)}
    assert {fail_on for fail_on in FAIL_ON if status_of(pair, Limits(fail_on))} == red
    assert not any(status_of(pair, Limits(fail_on, share=0.01)) for fail_on in FAIL_ON)


def test_values_in_another_spelling_are_red_only_by_their_harm() -> None:
    pair = {"divergences": met(same=(written(3, "DV-43"),)), "differences": 0}
    assert {fail_on for fail_on in FAIL_ON if status_of(pair, Limits(fail_on))} == {"changed"}


@pytest.mark.parametrize("fail_on", FAIL_ON)
def test_what_is_ignored_is_never_red(fail_on: str) -> None:
    pair = {"divergences": met(cell(3, "missing"), ignored="missing"), "differences": 3}
    assert status_of(pair, Limits(fail_on, ignore=("missing",))) == 0

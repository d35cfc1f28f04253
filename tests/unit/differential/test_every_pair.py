"""Of the same changes, what two dialects tell differently has a name, whichever two they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations

import pytest

from differential.generate.presets import PRESETS
from differential.generate.truth import Plan, Transaction, shard
from differential.sides import Side
from reference_impl.model import Record
from reference_impl.protocols import AVRO, CANAL, CANAL_JSON, CONNECTOR, DEBEZIUM, OPEN_PROTOCOL
from tests.amounts import ordinarily
from tests.unit.differential.generated import avro, sent, side, transactions, unexplained

EXTENSION = {"enable_tidb_extension": "true"}
DIALECTS = {
    "open-protocol": (OPEN_PROTOCOL.name, {}),
    "canal-json": (CANAL_JSON.name, {}),
    "canal-json with the extension": (CANAL_JSON.name, EXTENSION),
    "debezium": (DEBEZIUM.name, {}),
    "avro": (AVRO.name, {}),
    "avro with the extension": (AVRO.name, EXTENSION),
    "canal": (CANAL.name, {}),
    "debezium-connector": (CONNECTOR.name, {}),
}
OPTIONS = {
    "canal-json with contents": (CANAL_JSON.name, {**EXTENSION, "content_compatible": "true"}),
    "canal-json with raw changes": (CANAL_JSON.name, {"output_raw_change_event": "true"}),
    "debezium-connector 3": (CONNECTOR.name, {"version": "3.6.1"}),
}
IN_TURN = [
    ("canal", "canal-json"),
    ("canal", "canal-json with contents"),
    ("canal", "canal-json with raw changes"),
    ("debezium", "debezium-connector 3"),
    ("debezium-connector", "debezium"),
]
"""Pairs with options, and in the other order."""


@cache
def customers() -> tuple[Transaction, ...]:
    """Changes of a table with a unique key, of which TiCDC splits some updates."""
    sources = [source for source in PRESETS["shop"].sources() if source.table.name == "customers"]
    return tuple(shard(Plan(sources, 11, ordinarily(200, 1_500), 1), 0))


def given(preset: str) -> Sequence[Transaction]:
    return customers() if preset == "shop" else transactions("types", ordinarily(100, 300), 11)


@cache
def side_with_messages(dialect: str, preset: str) -> tuple[Side, list[Record]]:
    """A side without a name, and its messages: every dialect is in several pairs."""
    kind, options = {**DIALECTS, **OPTIONS}[dialect]
    if kind == AVRO.name:
        return avro("", preset, given(preset), **options)
    of = side("", kind, preset, **options)
    return of, sent(of, given(preset))


@pytest.mark.parametrize(("left", "right"), [*combinations(DIALECTS, 2), *IN_TURN])
def test_the_same_changes_have_no_difference_without_a_name(left: str, right: str) -> None:
    for preset in ("shop", "types"):
        both = [side_with_messages(dialect, preset) for dialect in (left, right)]
        sides = [replace(of, name=name) for name, (of, _) in zip(("left", "right"), both, strict=True)]
        found = unexplained(sides, [records for _, records in both])
        assert [(d.kind, d.table, d.column, d.left_value, d.right_value) for d in found[:3]] == []

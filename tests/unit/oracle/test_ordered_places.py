"""Where the order of members counts: in every object that the reference writes but those named here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from conformance.cases.model import Case
from conformance.oracle import ORACLES
from conformance.oracle.tree import Spot
from tests.unit.oracle.canal_answers import case_of as canal_case
from tests.unit.oracle.canal_answers import row as canal_row
from tests.unit.oracle.faults_of_debezium_messages import DDL, DELETE, INSERT, MARK, UPDATE
from tests.unit.oracle.judging import mark, options_of, written
from tests.unit.oracle.open_answers import case_of as open_case
from tests.unit.oracle.open_answers import ddl as open_ddl
from tests.unit.oracle.open_answers import row as open_row

CASES: dict[str, list[Case]] = {
    "canal-json": [canal_case(canal_row("update", n="8")), canal_case(mark())],
    "open-protocol": [
        *(open_case("encode", open_row(op, f="0.2")) for op in ("update", "delete")),
        open_case("encode", open_ddl()),
    ],
    "debezium": [INSERT, UPDATE, DELETE, DDL, MARK],
}
_FIELDS = r"value\.schema\.fields"
_CHANGE = rf"{_FIELDS}\.tableChanges\.items\.fields"
FREE: dict[str, str] = {
    "canal-json": r"value\.mysqlType|record",
    "open-protocol": "",
    # what describes a field that holds no others, and the parameters of one
    "debezium": rf"value\.payload\.source|{_FIELDS}\.(after|before)\.fields\.{{column}}\.parameters"
    rf"|{_FIELDS}\.(source|transaction)\.fields\..+|{_CHANGE}\.(id|type)"
    rf"|{_CHANGE}\.table\.fields\.(?!columns)\w+(\.items)?|{_CHANGE}\.table\.fields\.columns\.items\.fields\..+",
}


def objects(tree: Any, spot: Spot) -> Iterator[str]:
    """The places of objects."""
    if isinstance(tree, dict):
        if spot.skeleton:
            yield spot.skeleton
        for name, part in tree.items():
            yield from objects(part, spot.member(name))
    elif isinstance(tree, list):
        for part in tree:
            yield from objects(part, spot.position())


@pytest.mark.parametrize("protocol", CASES)
def test_the_order_of_members_counts_everywhere_but_where_it_is_free(protocol: str) -> None:
    oracle = ORACLES[protocol]
    found: set[str] = set()
    for case in CASES[protocol]:
        for record in written(case):
            for message in oracle.read(record, options_of(case), {}).messages:
                found |= set(objects(message.tree, Spot(oracle.columns_at)))
    assert [at for at in found - oracle.ordered_at if not re.fullmatch(FREE[protocol], at)] == []
    assert oracle.ordered_at - found == set()

"""The search of the upstream dialects: what is drawn there, that the reference has no fault, and how faults shrink."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from conformance.cases.inputs import Input, column, insert, table, timed
from conformance.cases.model import Role
from conformance.cases.saved import case_from_json, case_to_json
from conformance.embedded import Embedded
from conformance.mutants import mutant_named
from conformance.mutants.model import Answerer, Mutant
from conformance.mutants.wrappers import Context, dump, edit_answer, read_events
from conformance.search.scope import scope_of
from conformance.search.search import Search, size_of
from conformance.search.spaces import input_cases, is_refused, option_space
from reference_impl import exact_json
from reference_impl.column_types import Family
from reference_impl.model import RowChange, Table
from reference_impl.profiles import NEWARCH
from reference_impl.protocols import UPSTREAM
from reference_impl.wire import table_from_json
from tests.amounts import ordinarily
from tests.unit.search.test_search import asker_of

every_dialect = pytest.mark.parametrize("protocol", UPSTREAM)


@pytest.mark.parametrize(("role", "examples"), [("encode", ordinarily(70, 160)), ("decode", ordinarily(12, 80))])
@every_dialect
def test_the_reference_of_a_dialect_is_without_fault_and_every_value_of_an_option_is_drawn(
    protocol: str, role: Role, examples: int
) -> None:
    search = Search(asker_of(protocol, Embedded(NEWARCH)), protocol, role, NEWARCH, 2, examples)
    assert list(search.run()) == []
    assert (search.tried, search.judged) == (examples, examples)
    named = {f"{name}={value}" for name, values in option_space(protocol).values.items() for value in values[1:]}
    assert role == "decode" or named <= search.draw_counts.options.keys()


def values_of(edit: Callable[[Any, Table], None]) -> Callable[[Answerer], Answerer]:
    """An encoder whose messages of rows are edited as trees; of a document with its schema, the payload."""

    def each(ok: dict[str, Any], context: Context) -> None:
        table = table_from_json(context.request["tables"][0])
        for record in ok["records"]:
            tree = exact_json.loads(base64.b64decode(record["value"])) if record["value"] else {}
            payload, before = tree.get("payload", tree), deepcopy(tree)
            if payload.get("data") or payload.get("op"):
                edit(payload, table)
            if not exact_json.same(tree, before):
                record["value"] = base64.b64encode(dump(tree)).decode()

    return edit_answer("encode", each)


def bits_as_bits(tree: Any, table: Table) -> None:
    for row in tree["data"]:
        for c in table.columns:
            if c.type.family is Family.BIT and row.get(c.name):
                row[c.name] = f"{int(row[c.name]):b}"


def old_of_every_column(tree: Any, table: Table) -> None:
    for row, old in zip(tree["data"], tree["old"] or (), strict=False):
        old.update({name: text for name, text in row.items() if name not in old})


def no_transaction(payload: Any, table: Table) -> None:
    if payload.get("transaction"):
        payload["transaction"] = None


def no_fine_times(payload: Any, table: Table) -> None:
    payload["source"].pop("ts_ns", None)


def signed_bits(event: dict[str, Any], context: Context) -> None:
    for row in (event.get("before"), event.get("after")):
        for name, value in (row or {}).items():
            column = context.steady_column(event["schema"], event["table"], name)
            if column is not None and column.type.family is Family.BIT and value is not None:
                row[name] = str(int(value) % 128)


# fault: seed, (protocol, role, implementation), options, events, columns beside the key with their types.
# With each seed a case that shows the fault is soon found; but for the one sent twice, it is larger than the smallest.
SMALL = {
    "bits as bits": (2, ("canal", "encode", values_of(bits_as_bits)), {}, ["insert"], [r"bit\(\d+\)"]),
    "old columns": (8, ("canal", "encode", values_of(old_of_every_column)), {}, ["insert", "update"], [r".*"]),
    "sent twice": (1, mutant_named("canal/sends-messages-twice"), {}, ["insert"], []),
    "signed bits": (3, ("canal", "decode", read_events(signed_bits)), {}, ["insert"], [r"bit\(\d+\)"]),
    "no tombstones": (8, mutant_named("debezium-connector/no-tombstones"), {}, ["insert", "delete"], []),
    "no transactions": (
        6,
        ("debezium-connector", "encode", values_of(no_transaction)),
        {"provide.transaction.metadata": "true"},
        ["insert"],
        [],
    ),
    "coarse times": (6, ("debezium-connector", "encode", values_of(no_fine_times)), None, ["insert"], []),
}


@pytest.mark.parametrize(("seed", "fault", "options", "operations", "kinds"), SMALL.values(), ids=SMALL)
def test_a_fault_comes_down_to_what_it_takes(seed, fault, options, operations, kinds) -> None:
    protocol, role, wrap = (fault.protocol, fault.role, fault.wrap) if isinstance(fault, Mutant) else fault
    types = ["int", "varchar", *(["bit"] if r"bit\(\d+\)" in kinds else [])]
    scope = scope_of(ordinarily({"column_types": types}, {}))
    ask = asker_of(protocol, Embedded(NEWARCH, wrap))
    found = next(Search(ask, protocol, role, NEWARCH, seed, 600, scope=scope).run())
    case = found.case
    assert size_of(found.first) > size_of(case) or fault is SMALL["sent twice"][1]
    assert [e.op for e in case.events if isinstance(e, RowChange)] == operations
    assert options is None or dict(case.options) == options
    _, *others = case.tables[0].columns
    assert len(others) == len(kinds)
    assert all(re.fullmatch(kind, column.type.text) for kind, column in zip(kinds, others, strict=True))


def _rows(made: Table, *times: int) -> Input:
    rows = timed(insert(made, {"id": str(n)}) for n in range(len(times)))
    return Input("rows", (made,), tuple(replace(e, commit_ts=ts) for e, ts in zip(rows, times, strict=True)))


MADE = table("t", (column("id", "int", nullable=False),), primary_key=("id",))


def test_rows_of_one_transaction_are_one_message_and_others_are_not() -> None:
    encode, _ = input_cases("canal", _rows(MADE, 1 << 40, 1 << 40, 2 << 40))
    events = [(e.source or {}).get("rows_event") for e in encode.events]
    assert events == ["0", "0", None]
    assert len(encode.events) == 3


@every_dialect
def test_a_case_of_a_dialect_is_saved_whole(protocol: str) -> None:
    for case in input_cases(protocol, _rows(MADE, 1 << 40, 1 << 40)):
        saved = case_from_json(case_to_json(case))
        assert (saved.events, saved.records, saved.options) == (case.events, case.records, case.options)


def test_what_the_reference_has_no_form_for_is_not_asked() -> None:
    made = table("t", (column("id", "int", nullable=False), column("v", "vector(1)")), primary_key=("id",))
    given = Input("vector", (made,), timed([insert(made, {"id": "1", "v": "[1]"})]))
    assert is_refused("canal", given)
    assert not is_refused("debezium-connector", replace(given, options={"version": "3.6.1"}))

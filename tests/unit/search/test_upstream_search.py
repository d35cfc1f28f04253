"""The search of the upstream dialects: what is drawn there, that the reference has no fault, and how faults shrink."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from conformance.cases.inputs import Input, column, insert, table, timed
from conformance.cases.model import Case, Role
from conformance.cases.saved import case_from_json, case_to_json
from conformance.catalogue.register import load_register
from conformance.embedded import Embedded
from conformance.engine.judging import Outcome, outcome_of
from conformance.engine.plan import item_of
from conformance.mutants import mutant_named
from conformance.oracle.upstream.case_judge import UpstreamJudge
from conformance.search.search import CounterExample, Search
from conformance.search.spaces import is_refused, option_space, questions
from reference_impl.model import RowChange, Table
from reference_impl.profiles import NEWARCH
from reference_impl.protocols import UPSTREAM
from tests.amounts import ordinarily

every_dialect = pytest.mark.parametrize("protocol", UPSTREAM)


def asker(protocol: str, answerer: Embedded) -> Callable[[Case], Outcome]:
    register, judge = load_register(protocol), UpstreamJudge(protocol)

    def ask(case: Case) -> Outcome:
        item = item_of(case, register, NEWARCH)
        return outcome_of(item, judge.judge(case, answerer.ask(case)), register)

    return ask


def of_mutant(name: str) -> CounterExample:
    mutant = mutant_named(name)
    answerer = Embedded(NEWARCH, mutant.wrap, mutant.registry)
    return next(Search(asker(mutant.protocol, answerer), mutant.protocol, mutant.role, NEWARCH, 1, 600).run())


@pytest.mark.parametrize("role", ["encode", "decode"])
@every_dialect
def test_the_reference_of_a_dialect_is_without_fault(protocol: str, role: Role) -> None:
    examples = ordinarily(30, 80)
    search = Search(asker(protocol, Embedded(NEWARCH)), protocol, role, NEWARCH, 7, examples)
    assert list(search.run()) == []
    assert (search.tried, search.judged) == (examples, examples)


@every_dialect
def test_every_option_of_a_dialect_is_drawn_from_its_values(protocol: str) -> None:
    search = Search(asker(protocol, Embedded(NEWARCH)), protocol, "encode", NEWARCH, 3, 160)
    assert list(search.run()) == []
    named = {f"{name}={value}" for name, values in option_space(protocol).values.items() for value in values[1:]}
    assert named <= search.drawn.options.keys()


# (mutant, options, events, columns beside the key with their types)
SMALL = [
    ("canal/bits-as-bits", {}, ["insert"], [r"bit\(\d+\)"]),
    ("canal/old-of-every-column", {}, ["insert", "update"], [r".*"]),
    ("canal/gtid-unasked", {}, ["insert"], []),
    ("canal/sends-messages-twice", {}, ["insert"], []),
    ("canal/reads-signed-bits", {}, ["insert"], [r"bit\(\d+\)"]),
    ("debezium-connector/no-tombstones", {}, ["insert", "delete"], []),
    ("debezium-connector/no-transactions", {"provide.transaction.metadata": "true"}, ["insert"], []),
    ("debezium-connector/coarse-times", None, ["insert"], []),
]


@pytest.mark.parametrize(("name", "options", "operations", "kinds"), SMALL, ids=[row[0] for row in SMALL])
def test_a_fault_comes_down_to_what_it_takes(
    name: str, options: dict[str, str] | None, operations: list[str], kinds: list[str]
) -> None:
    case = of_mutant(name).case
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
    encode, _ = questions("canal", _rows(MADE, 1 << 40, 1 << 40, 2 << 40))
    events = [(e.source or {}).get("rows_event") for e in encode.events]
    assert events == ["0", "0", None]
    assert len(encode.events) == 3


@every_dialect
def test_a_case_of_a_dialect_is_saved_whole(protocol: str) -> None:
    for case in questions(protocol, _rows(MADE, 1 << 40, 1 << 40)):
        saved = case_from_json(case_to_json(case))
        assert (saved.events, saved.records, saved.options) == (case.events, case.records, case.options)


def test_what_the_reference_has_no_form_for_is_not_asked() -> None:
    made = table("t", (column("id", "int", nullable=False), column("v", "vector(1)")), primary_key=("id",))
    given = Input("vector", (made,), timed([insert(made, {"id": "1", "v": "[1]"})]))
    assert is_refused("canal", given)
    assert not is_refused("debezium-connector", replace(given, options={"version": "3.6.1"}))

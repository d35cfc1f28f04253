"""Shrinking reaches the known minimum: of each broken implementation the smallest case that shows it.

Mutants are asked in this process, one of them over stdio too, with the same result.
"""

from __future__ import annotations

import re
import shlex
import sys
from contextlib import closing
from pathlib import Path

import pytest

import ticdc_conformance
from conformance.cases.catalogue import all_cases
from conformance.cli.configuring import REFERENCE
from conformance.engine.implementation import target_of
from conformance.engine.suite import shipped_judges, shipped_registers
from conformance.mutants import mutant_named
from conformance.registry import ServedRegistry
from conformance.search.search import CounterExample, Search
from conformance.search.session import SearchSession
from conformance.transport.limits import Limits
from reference_impl.model import RowChange
from reference_impl.profiles import NEWARCH
from tests.amounts import ordinarily
from tests.unit.search.test_search import asker

_SUITE = f"PYTHONPATH={Path(ticdc_conformance.__file__).parent}"
BREAKING = shlex.join(["env", _SUITE, sys.executable, str(Path(__file__).with_name("breaking.py"))])


# Seeds under which a fault is found in 40 examples, and made small in fewer steps than with 1.
SEEDS = ordinarily(
    {
        "canal-json/full-decimal": 8,
        "debezium/ddl-add-column-as-create": 7,
        "open-protocol/images-swapped-when-read": 6,
    },
    {},
)


def found(address: str, protocol: str, role: str, seconds: float = 5) -> CounterExample:
    """The first fault found at an address, made small."""
    registers = shipped_registers([protocol])
    target = target_of(address, NEWARCH, all_cases, Limits(answer=seconds))
    with closing(SearchSession(target, registers, shipped_judges(registers, target), ServedRegistry)) as session:
        search = Search(session.ask, protocol, role, NEWARCH, seed=1, examples=1500)  # type: ignore[arg-type]
        return next(search.run())


def of_mutant(name: str, *, malformed: bool = False) -> CounterExample:
    """The first fault found in a mutant in this process, made small; with `malformed` among changed records."""
    mutant = mutant_named(name)
    ask = asker(mutant.protocol, NEWARCH, mutant)
    seed, most = SEEDS.get(name, 1), 40 if name in SEEDS else 1500
    search = Search(ask, mutant.protocol, mutant.role, NEWARCH, seed=seed, examples=most, malformed=malformed)
    return next(search.run())


# (mutant, type of the one column beside the key, its value in the one row), the last two as patterns
ONE_COLUMN_ONE_ROW = [
    ("canal-json/read-boolean-bool", r"tinyint\(1\)", r"\d"),
    ("canal-json/unsigned-wraps", r".*int.* unsigned.*", r"\d+"),
    ("open-protocol/null-under-code-6", r".*", r"None"),
    ("avro/enum-index", r"enum\(.*\)", r".*"),
    ("avro/time-of-day", r"time.*", r"-?\d{2,3}:.*"),
]


@pytest.mark.parametrize(("mutant", "kind", "value"), ONE_COLUMN_ONE_ROW, ids=[row[0] for row in ONE_COLUMN_ONE_ROW])
def test_a_fault_of_a_type_comes_down_to_one_column_and_one_row(mutant: str, kind: str, value: str) -> None:
    case = of_mutant(mutant).case
    [event], [table] = case.events, case.tables
    [_, column] = table.columns
    assert isinstance(event, RowChange)
    assert (event.op, dict(case.options)) == ("insert", {})
    assert re.fullmatch(kind, column.type.text)
    assert re.fullmatch(value, str((event.after or {})[column.name]))


def test_a_fault_under_an_option_keeps_that_option_alone() -> None:
    case = of_mutant("canal-json/full-decimal").case
    assert (len(case.events), len(case.tables[0].columns), dict(case.options)) == (1, 2, {"content-compatible": "true"})
    assert case.tables[0].columns[1].type.text.startswith("decimal")


def test_a_fault_of_every_row_comes_down_to_a_row_of_the_key_alone_over_stdio_as_in_this_process() -> None:
    name = "canal-json/read-column-lost"
    case = of_mutant(name).case
    assert [len(case.events), len(case.tables[0].columns)] == [1, 1]
    assert found(f"{REFERENCE} --mutant {name}", "canal-json", "decode").case == case


def test_a_fault_of_a_previous_image_comes_down_to_one_row_that_changes_once() -> None:
    events = of_mutant("open-protocol/images-swapped-when-read").case.events
    assert [event.op for event in events] == ["insert", "update"]  # type: ignore[union-attr]


def test_a_fault_of_deletes_comes_down_to_one_row_that_comes_and_goes() -> None:
    case = of_mutant("avro/delete-with-nothing").case
    assert [event.op for event in case.events] == ["insert", "delete"]  # type: ignore[union-attr]
    assert len(case.tables[0].columns) == 1


def test_a_fault_of_a_statement_comes_down_to_that_statement() -> None:
    case = of_mutant("debezium/ddl-add-column-as-create").case
    assert [event.action for event in case.events] == ["add column"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("what", "mark"), [("crash", "crash@encode: exit status 1: panic: runtime error"), ("hang", "timeout@encode")]
)
def test_an_implementation_that_ends_or_falls_silent_is_made_small_too(what: str, mark: str) -> None:
    example = found(f"cmd:{BREAKING} {what} datetime", "canal-json", "encode", seconds=0.5)
    [table] = example.case.tables
    assert (example.mark, len(example.case.events), len(table.columns)) == (mark, 1, 2)
    assert table.columns[1].type.text.startswith("datetime")


@pytest.mark.parametrize(
    ("mutant", "change"),
    [
        (
            "open-protocol/lengths-read-in-32-bits",
            r"(key|value) of record 0: (bit \d of byte \d+ turned|word \d made \d+)",
        ),
        ("open-protocol/versions-read-in-8-bits", r"key of record 0: (bit \d of byte [0-6] turned|word 0 made \d+)"),
    ],
)
def test_a_number_read_in_fewer_bits_comes_down_to_one_change_of_one_record_of_one_row(
    mutant: str, change: str
) -> None:
    example = of_mutant(mutant, malformed=True)
    case = example.case
    assert re.fullmatch(change, case.axes["change"])
    assert case.axes["follows"] == "a rejection"
    assert example.outcome.found[0].finding.requirement == mutant_named(mutant).requirement
    [table] = case.tables
    assert (len(case.events), len(case.records), len(table.columns), dict(case.options)) == (1, 1, 1, {})

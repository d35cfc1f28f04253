"""Shrinking reaches the known minimum: of each broken implementation the smallest case that shows it.

Mutants are asked in this process, one of them over stdio too, with the same result.
"""

from __future__ import annotations

import base64
import re
import shlex
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

import ticdc_conformance
from conformance.cases.parts import all_cases
from conformance.cli.configuring import REFERENCE
from conformance.engine.implementation import target_of
from conformance.engine.suite import shipped_judges, shipped_registers
from conformance.mutants import mutant_named
from conformance.mutants.model import Mutant
from conformance.mutants.wrappers import Context, dump, edit_answer, read_events
from conformance.registry import ServedRegistry
from conformance.search.scope import scope_of
from conformance.search.search import CounterExample, Search
from conformance.search.session import SearchSession
from conformance.transport.limits import Limits
from reference_impl import exact_json
from reference_impl.column_types import Family
from reference_impl.errors import Rejected
from reference_impl.model import RowChange
from reference_impl.profiles import NEWARCH
from tests.amounts import ordinarily
from tests.unit.search.test_search import asker

_SUITE = f"PYTHONPATH={Path(ticdc_conformance.__file__).parent}"
BREAKING = shlex.join(["env", _SUITE, sys.executable, str(Path(__file__).with_name("breaking.py"))])


MOST = 1500
_ROWS = ["int", "varchar"]
_FEW_OPTIONS = ["enable-tidb-extension", "only-output-updated-columns", "debezium-disable-schema"]
# Seeds, and what is drawn, by which a fault is found and made small in fewer steps than by seed 1 among everything.
DRAWN: dict[str, tuple[int, dict[str, Any]]] = ordinarily(
    {
        "canal-json/wrong-year": (5, {"column_types": [*_ROWS, "year"]}),
        "canal-json/wrong-binary": (5, {"column_types": [*_ROWS, "binary"]}),
        "open-protocol/wrong-vector": (5, {"column_types": [*_ROWS, "vector"]}),
        "open-protocol/wrong-datetime": (5, {"column_types": [*_ROWS, "datetime"]}),
        "open-protocol/wrong-enum": (8, {"column_types": [*_ROWS, "enum"]}),
        "debezium/wrong-datetime": (6, {"column_types": [*_ROWS, "datetime"]}),
        "debezium/wrong-varchar": (3, {"column_types": _ROWS}),
        "avro/wrong-bigint": (10, {"column_types": [*_ROWS, "bigint"]}),
        "avro/wrong-bit": (5, {"column_types": [*_ROWS, "bit"]}),
        "canal-json/wrong-texts": (
            6,
            {
                "column_types": ["int", "decimal"],
                "events": ["row"],
                "options": ["content-compatible", "enable-tidb-extension"],
            },
        ),
        "debezium/wrong-texts": (5, {"column_types": _ROWS}),
        "open-protocol/images-swapped-when-read": (7, {"column_types": _ROWS, "options": _FEW_OPTIONS}),
        "avro/delete-with-nothing": (1, {"column_types": _ROWS, "options": _FEW_OPTIONS}),
        "open-protocol/lengths-read-in-32-bits": (4, {"column_types": _ROWS, "options": _FEW_OPTIONS}),
    },
    {},
)


def found(address: str, protocol: str, role: str, seconds: float = 5) -> CounterExample:
    """The first fault found at an address, made small."""
    registers = shipped_registers([protocol])
    target = target_of(address, NEWARCH, all_cases, Limits(answer=seconds))
    with closing(SearchSession(target, registers, shipped_judges(registers, target), ServedRegistry)) as session:
        search = Search(session.execute, protocol, role, NEWARCH, seed=1, examples=MOST)  # type: ignore[arg-type]
        return next(search.run())


def of_mutant(given: str | Mutant, *, malformed: bool = False) -> CounterExample:
    """The first fault found in a mutant in this process, made small; with `malformed` among changed records."""
    mutant = mutant_named(given) if isinstance(given, str) else given
    ask = asker(mutant.protocol, NEWARCH, mutant)
    seed, declared = DRAWN.get(mutant.name, (1, {}))
    scope = scope_of(declared)
    search = Search(ask, mutant.protocol, mutant.role, NEWARCH, seed, MOST, scope=scope, malformed=malformed)
    return next(search.run())


def reading(protocol: str, family: Family, wrong: Callable[[Any], Any]) -> Mutant:
    """A decoder that gets the values of a column family wrong; None stands for NULL."""

    def one(event: dict[str, Any], context: Context) -> None:
        for row in filter(None, (event.get("before"), event.get("after"))):
            for name, value in row.items():
                column = context.steady_column(event["schema"], event["table"], name)
                if column is not None and column.type.family is family:
                    row[name] = wrong(value)

    return Mutant(f"{protocol}/wrong-{family}", "", "decode", "", read_events(one))


def writing(protocol: str, part: Callable[[Any], Any], wrong: Callable[[str], str]) -> Mutant:
    """An encoder that gets the texts in a part of its messages wrong; `part` is an object or null."""

    def each(ok: dict[str, Any], context: Context) -> None:
        for record in ok["records"]:
            with suppress(Rejected):  # it is compressed
                tree = exact_json.loads(base64.b64decode(record["value"]))
                found = part(tree) or {}
                found.update({name: wrong(text) for name, text in found.items() if isinstance(text, str)})
                record["value"] = base64.b64encode(dump(tree)).decode()

    return Mutant(f"{protocol}/wrong-texts", "", "encode", "", edit_answer("encode", each))


def _of_values(wrong: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else wrong(value)


def _base64(value: str) -> str:
    return base64.b64encode(value.encode()).decode()


def _next_hour(value: str) -> str:
    return f"{value[:11]}{(int(value[11:13]) + 1) % 24:02}{value[13:]}"


def _backwards(value: str) -> str:
    number = int(value)
    size = (number.bit_length() + 7) // 8
    return str(int.from_bytes(number.to_bytes(size, "big"), "little"))


# what is wrong, how small it gets: the type of the one column beside the key, its value in the one row, as patterns
ONE_COLUMN_ONE_ROW = {
    "YEAR is a date": (reading("canal-json", Family.YEAR, _of_values(lambda v: f"{v}-01-01")), r"year.*", r"\d{4}|0"),
    "BINARY is base64": (reading("canal-json", Family.BINARY, _of_values(_base64)), r"binary\(\d+\)", r"b'(\\x00)+'"),
    "VECTOR is in whole numbers": (
        reading("open-protocol", Family.VECTOR, _of_values(lambda v: re.sub(r"\.\d+", "", v))),
        r"vector(\(\d\))?",
        r"\[.*\d\.\d+.*\]",
    ),
    "DATETIME is an hour late": (
        reading("open-protocol", Family.DATETIME, _of_values(_next_hour)),
        r"datetime.*",
        r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?",
    ),
    "ENUM is its first label": (
        reading("open-protocol", Family.ENUM, lambda v: "x"),
        r"enum\(.*\)",
        r".?|None|Index\(number=0\)",
    ),
    "DATETIME has no fraction": (
        reading("debezium", Family.DATETIME, _of_values(lambda v: v.partition(".")[0])),
        r"datetime\(\d\)",
        r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+",
    ),
    "NULL is a word": (
        reading("debezium", Family.VARCHAR, lambda v: "NULL" if v is None else v),
        r"varchar.*",
        r"None",
    ),
    "BIGINT is cut at 63 bits": (
        reading("avro", Family.BIGINT, _of_values(lambda v: str(min(int(v), (1 << 63) - 1)))),
        r"bigint.* unsigned.*",
        r"9223372036854775808|18446744073709551615",
    ),
    "BIT is little-endian": (reading("avro", Family.BIT, _of_values(_backwards)), r"bit\(\d+\)", r"\d+"),
}


@pytest.mark.parametrize(("decoder", "kind", "value"), ONE_COLUMN_ONE_ROW.values(), ids=ONE_COLUMN_ONE_ROW)
def test_a_fault_of_a_type_comes_down_to_one_column_and_one_row(decoder: Mutant, kind: str, value: str) -> None:
    case = of_mutant(decoder).case
    [event], [table] = case.events, case.tables
    [_, column] = table.columns
    assert isinstance(event, RowChange)
    assert (event.op, dict(case.options)) == ("insert", {})
    assert re.fullmatch(kind, column.type.text)
    assert re.fullmatch(value, str((event.after or {})[column.name]))


def test_a_fault_under_an_option_keeps_that_option_alone() -> None:
    wrong = writing(
        "canal-json", lambda value: value["mysqlType"], lambda text: re.sub(r"^(decimal.*),", r"\1, ", text)
    )
    case = of_mutant(wrong).case
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


def _added_column(value: Any) -> Any:
    """What a message of ADD COLUMN says of its table."""
    is_meant = " ADD COLUMN " in (value["payload"].get("ddl") or "").upper()
    return value["payload"]["tableChanges"][0] if is_meant else None


def test_a_fault_of_a_statement_comes_down_to_that_statement() -> None:
    wrong = writing("debezium", _added_column, str.lower)
    case = of_mutant(wrong).case
    assert [event.action for event in case.events] == ["add column"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("what", "mark"), [("crash", "crash@encode: exit status 1: panic: runtime error"), ("hang", "timeout@encode")]
)
def test_an_implementation_that_ends_or_falls_silent_is_made_small_too(what: str, mark: str) -> None:
    example = found(f"cmd:{BREAKING} {what} datetime", "canal-json", "encode", seconds=2)
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

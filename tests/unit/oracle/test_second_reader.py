"""An independent reader understands what the reference encoder writes as the truth that went in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from conformance.cases.model import Case
from reference_impl import options as option_strings
from reference_impl.column_types import Family
from reference_impl.keys import split_update
from reference_impl.model import Column, RawText, Row, RowChange
from reference_impl.protocols import CODECS
from reference_impl.values import from_wire, loosely_same_value
from tests.every_case import every_case
from tests.unit.oracle import second_reader

PLAIN = {"enable-tidb-extension", "max-batch-size", "output-raw-change-event"}


def cases(protocol: str) -> list[Case]:
    """Encode cases of one table version whose options leave every column of every image in the message."""
    return [
        case
        for case in every_case(protocol)
        if case.role == "encode"
        and case.expected is None
        and set(case.options) <= PLAIN
        and case.events
        and all(isinstance(event, RowChange) for event in case.events)
    ]


def numbered(column: Column, given: Any) -> Any:
    """What the second reader says, as a value of the harness protocol."""
    if given is None or column.type.family not in (Family.ENUM, Family.SET):
        return given
    return {"index" if column.type.family is Family.ENUM else "mask": given}


def truth(case: Case) -> Iterator[RowChange]:
    tables = {table.id: table for table in case.tables}
    for event in case.events:
        assert isinstance(event, RowChange)
        raw = case.options.get("output-raw-change-event") == "true"
        yield from [event] if raw else split_update(event, tables[event.schema, event.table])


def disagreements(case: Case, expected: RowChange, read: second_reader.Change) -> Iterator[str]:
    table = next(t for t in case.tables if t.id == (expected.schema, expected.table))
    if read[0] != expected.op:
        yield f"{expected.op} read as {read[0]}"
    for row, got in ((expected.before, read[1]), (expected.after, read[2])):
        yield from _differing(table.columns, row, got)


def _differing(columns: tuple[Column, ...], row: Row | None, got: dict[str, Any] | None) -> Iterator[str]:
    if row is None or got is None:
        if row is not None or got is not None:
            yield f"image {row} read as {got}"
        return
    for column in columns:
        value = row.get(column.name)
        if column.generated == "virtual" or isinstance(value, RawText):
            continue
        given = from_wire(column.type, numbered(column, got.get(column.name)))
        if not loosely_same_value(column.type, value, given):
            yield f"{column.name} {column.type.text}: {value!r} read as {given!r}"


@pytest.mark.parametrize("protocol", ["canal-json", "open-protocol"])
def test_a_second_reader_reads_the_reference_as_the_truth_that_went_in(protocol: str) -> None:
    codec, read, problems = CODECS[protocol], 0, []
    for case in cases(protocol):
        encoder = codec.encoder(option_strings.parse(codec.options, case.options), settings=case.settings)
        changes: list[second_reader.Change] = []
        for record in encoder.encode(case.events, case.tables).records:
            if protocol == "canal-json":
                change = second_reader.canal(record.value or b"")
                changes += [change] if change else []
            else:
                changes += second_reader.open_protocol(record.key or b"", record.value or b"")
        if case.settings.partitions > 1:
            continue
        expected = list(truth(case))
        assert len(changes) == len(expected), case.id
        for want, got in zip(expected, changes, strict=True):
            read += 1
            problems += [f"{case.id}: {text}" for text in disagreements(case, want, got)]
    assert not problems[:5]
    assert read > 1000

"""A second reader, Apache's own `avro` package, parses every schema that is written and reads the same values."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal, localcontext
from typing import Any

import avro.io
import avro.schema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference_impl.avro import Encoder, Options
from reference_impl.column_types import BINARY, INTEGERS, ColumnType, Family
from reference_impl.floats import nearest_float32
from reference_impl.model import Index, Row, RowChange, Table, Value
from reference_impl.names import sanitized
from reference_impl.profiles import CLASSIC, DOC, NEWARCH, Profile
from reference_impl.registry import MemoryRegistry
from reference_impl.settings import Settings
from tests.strategies import changes, tables
from tests.unit.avro.samples import column, insert, options, table_of, write

_MODES = [
    Options(),
    options(
        enable_tidb_extension="true",
        avro_include_before_value="true",
        avro_decimal_handling_mode="string",
        avro_bigint_unsigned_handling_mode="string",
    ),
]


def _read(registry: MemoryRegistry, data: bytes | None) -> dict[str, Any]:
    """A record by Apache's reader, which must leave nothing over."""
    assert data is not None
    schema = avro.schema.parse(registry.schema(int.from_bytes(data[1:5], "big")))
    source = io.BytesIO(data[5:])
    datum = avro.io.DatumReader(schema).read(avro.io.BinaryDecoder(source))
    assert source.read() == b""
    assert isinstance(datum, dict)
    return datum


def _bigint(column_type: ColumnType, given: Options, value: str) -> Any:
    if column_type.unsigned and given.avro_bigint_unsigned_handling_mode == "string":
        return value
    return int(value) - (2**64 if int(value) >= 2**63 else 0)


# What Apache's reader gives for a value string; where a family has no line, the value itself.
_TWINS: Mapping[Family, Callable[[ColumnType, Options, Any], Any]] = {
    **dict.fromkeys((*INTEGERS, Family.YEAR), lambda kind, given, value: int(value)),
    Family.BIGINT: _bigint,
    Family.FLOAT: lambda kind, given, value: nearest_float32(value),
    Family.DOUBLE: lambda kind, given, value: float(value),
    Family.DECIMAL: lambda kind, given, value: (
        value if given.avro_decimal_handling_mode == "string" else Decimal(value)
    ),
    Family.BIT: lambda kind, given, value: int(value),
}


def _assert_row(table: Table, row: Row, datum: Mapping[str, Any], given: Options) -> None:
    for name, value in row.items():
        declared = table.column(name)
        assert declared is not None
        got = datum[sanitized(name)]
        if value is None:
            assert got is None
            continue
        if declared.type.family is Family.BIT:
            got = int.from_bytes(got, "big")
        expected = _TWINS.get(declared.type.family, lambda kind, given, value: value)(declared.type, given, value)
        if declared.type.family is not Family.VECTOR:
            assert got == expected, name
            continue
        assert [nearest_float32(x) for x in json.loads(got, parse_int=str, parse_float=str)] == [
            nearest_float32(x) for x in json.loads(str(value), parse_int=str, parse_float=str)
        ]


@st.composite
def _written(draw: st.DrawFn) -> tuple[Table, RowChange]:
    table = draw(tables(keyed=True).filter(lambda t: len({sanitized(c.name) for c in t.columns}) == len(t.columns)))

    def is_valid(change: RowChange) -> bool:
        values: list[Value] = [*(change.before or {}).values(), *(change.after or {}).values()]
        return not any(isinstance(value, Index) for value in values)

    return table, draw(changes(table).filter(is_valid))


@settings(deadline=None)
@given(_written(), st.sampled_from([NEWARCH, CLASSIC, DOC]), st.sampled_from(_MODES))
def test_apache_reads_what_is_written(sample: tuple[Table, RowChange], profile: Profile, mode: Options) -> None:
    table, change = sample
    given = replace(mode, output_raw_change_event=True)
    registry = MemoryRegistry()
    [sent] = Encoder(given, profile, settings=Settings(registry=registry)).encode([change], [table]).records
    row = change.before if change.after is None else change.after
    assert row is not None
    with localcontext() as context:
        context.prec = 65
        key = _read(registry, sent.key)
        _assert_row(table, {name: row[name] for name in table.primary_key}, key, given)
        if sent.value is None:
            return
        datum = _read(registry, sent.value)
        _assert_row(table, row, datum, given)
        if "_ticdc_before" in datum and change.before is not None:
            _assert_row(table, change.before, datum["_ticdc_before"], given)


WIDE = table_of(
    *(
        column(f"c{n}_{nullable}", kind, nullable=nullable, default=default)
        for n, (kind, default) in enumerate(
            {
                "tinyint unsigned": "255", "bigint unsigned": str(2**64 - 1), "int": "-9", "float": "3.14",
                "double": "1e-7", "decimal(10,2)": "3.14", "bit(10)": "682", "varchar(9)": "null", "binary(4)": "ab",
                "varbinary(4)": "ab", "enum('a','b')": "b", "set('a','b')": "a,b", "date": "2024-02-29",
                "datetime(3)": "2024-02-29 01:02:03.456", "timestamp": "2024-02-29 01:02:03", "time": "01:02:03",
                "year": "2024",
            }.items()
        )
        for nullable in (True, False)
    )
)  # fmt: skip


@pytest.mark.parametrize("profile", [NEWARCH, CLASSIC, DOC])
@pytest.mark.parametrize("given", _MODES)
def test_apache_parses_a_schema_with_a_default_of_every_type(profile: Profile, given: Options) -> None:
    row: dict[str, Value] = {c.name: b"ab\0\0" if c.type.family in BINARY else str(c.default) for c in WIDE.columns[1:]}
    written = write(WIDE, insert(WIDE, **row), profile=profile, given=given)
    assert len(avro.schema.parse(written.text()).fields) >= len(WIDE.columns)  # type: ignore[attr-defined]
    _assert_row(WIDE, row, _read(written.registry, written.records[0].value), given)

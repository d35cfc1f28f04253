"""What the encoder writes the decoder reads back: every type, mode, version and operation that loses nothing."""

from __future__ import annotations

import pytest
from connector_messages import column, options
from hypothesis import given, settings
from hypothesis import strategies as st

from reference_impl.model import Column, Row, RowChange, Table, Value
from reference_impl.upstream.debezium import Decoder, Encoder
from tests.amounts import examples
from tests.round_trips import assert_image

_TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)


def _number(low: int, high: int) -> st.SearchStrategy[Value]:
    return st.integers(low, high).map(str)


def _decimal(digits: int, scale: int) -> st.SearchStrategy[Value]:
    def shown(number: int) -> str:
        text = str(abs(number)).rjust(scale + 1, "0")
        return ("-" if number < 0 else "") + (f"{text[:-scale]}.{text[-scale:]}" if scale else text)

    return st.integers(1 - 10**digits, 10**digits - 1).map(shown)


def _date(least: int = 1000) -> st.SearchStrategy[str]:
    return st.builds("{:04d}-{:02d}-{:02d}".format, st.integers(least, 9999), st.integers(1, 12), st.integers(1, 28))


def _clock(hours: int, fsp: int) -> st.SearchStrategy[str]:
    parts = st.builds("{:02d}:{:02d}:{:02d}".format, st.integers(0, hours), st.integers(0, 59), st.integers(0, 59))
    if not fsp:
        return parts
    return st.builds("{}.{}".format, parts, st.integers(0, 10**fsp - 1).map(lambda n: str(n).rjust(fsp, "0")))


def _moment(fsp: int, least: int = 1000) -> st.SearchStrategy[Value]:
    return st.builds("{} {}".format, _date(least), _clock(23, fsp))


# The type of a column, and values of it that lose nothing under any version or mode.
_COLUMNS: dict[str, st.SearchStrategy[Value]] = {
    "bool": _number(0, 1),
    "tinyint unsigned": _number(0, 255),
    "smallint": _number(-(2**15), 2**15 - 1),
    "mediumint unsigned": _number(0, 2**24 - 1),
    "integer unsigned": _number(0, 2**32 - 1),
    "bigint": _number(-(2**63), 2**63 - 1),
    "bigint unsigned": _number(0, 2**64 - 1),
    "float": st.floats(width=32, allow_nan=False, allow_infinity=False).map(repr),
    "double": st.floats(allow_nan=False, allow_infinity=False).map(repr),
    "decimal(9,3)": _decimal(9, 3),
    "numeric(12)": _decimal(12, 0),
    "bit(1)": _number(0, 1),
    "bit(13)": _number(0, 2**13 - 1),
    "varchar(20)": _TEXT,
    "varbinary(9)": st.binary(max_size=9),
    "binary(4)": st.binary(min_size=4, max_size=4),
    "date": _date(),
    "datetime": _moment(0),
    "datetime(3)": _moment(3),
    "time": _clock(23, 0),
    "time(3)": _clock(23, 3),
    "timestamp(2)": _moment(2, 1971).filter(lambda text: isinstance(text, str) and text < "2038"),
    "year": st.integers(1901, 2155).map(str),
    "enum('a','it''s','c,d')": st.sampled_from(["a", "it's", "c,d"]),
    "set('x','y','z')": st.sampled_from(["", "x", "x,z", "x,y,z"]),
    "json": st.sampled_from(["null", "[]", '{"a": [1, -2, "é😀"]}', "1.5", '"\\u0001"', "18446744073709551615"]),
    "blob": st.binary(max_size=9),
}
_OPTIONS = st.fixed_dictionaries(
    {
        "version": st.sampled_from(["2.4.0", "3.0.7", "3.6.1"]),
        "schemas.enable": st.sampled_from(["true", "false"]),
        "decimal.handling.mode": st.sampled_from(["precise", "double", "string"]),
        "time.precision.mode": st.sampled_from(["adaptive_time_microseconds", "connect"]),
        "bigint.unsigned.handling.mode": st.sampled_from(["long", "precise"]),
        "binary.handling.mode": st.sampled_from(["bytes", "base64", "base64-url-safe", "hex"]),
        "tombstones.on.delete": st.sampled_from(["true", "false"]),
        "provide.transaction.metadata": st.sampled_from(["true", "false"]),
    }
)


@st.composite
def _stream(draw: st.DrawFn) -> tuple[Table, list[RowChange]]:
    kinds = draw(st.lists(st.sampled_from(sorted(_COLUMNS)), min_size=1, max_size=6, unique=True))
    columns: tuple[Column, ...] = (
        column("id", "int", nullable=False),
        *(column(f"c{n}", kind) for n, kind in enumerate(kinds)),
    )
    table = Table("test", "t", columns, ("id",), charset="utf8mb4")

    def row() -> Row:
        cells = {f"c{n}": draw(st.none() | _COLUMNS[kind]) for n, kind in enumerate(kinds)}
        return {"id": str(draw(st.integers(1, 2))), **cells}

    changes = []
    for op in draw(st.lists(st.sampled_from(["insert", "update", "delete"]), min_size=1, max_size=3)):
        before, after = row() if op != "insert" else None, row() if op != "delete" else None
        changes.append(RowChange(op, "test", "t", 7, before, after))
    return table, changes


@settings(max_examples=examples(250), deadline=None)
@given(_stream(), _OPTIONS)
def test_rows_come_back_as_they_went(stream: tuple[Table, list[RowChange]], chosen: dict[str, str]) -> None:
    table, changes = stream
    records = Encoder(options(chosen)).encode(changes, [table]).records
    events = Decoder(options(chosen)).decode(records, [table])
    assert len(events) == len(changes)
    for sent, got in zip(changes, events, strict=True):
        assert isinstance(got, RowChange)
        assert (got.op, got.schema, got.table) == (sent.op, sent.schema, sent.table)
        assert_image(table, sent.before, got.before)
        assert_image(table, sent.after, got.after)
    again = Encoder(options(chosen)).encode([e for e in events if isinstance(e, RowChange)], [table]).records
    assert [(r.key, r.value) for r in again] == [(r.key, r.value) for r in records]


@pytest.mark.parametrize("version", ["2.4.0", "3.6.1"])
@settings(max_examples=examples(40), deadline=None)
@given(text=_clock(838, 0).filter(lambda text: text > "00:00:00" and text <= "838:59:59"), fsp=st.integers(0, 6))
def test_a_negative_time_comes_back_or_is_left_out(version: str, text: str, fsp: int) -> None:
    value = f"-{text}" + ("." + "0" * fsp if fsp else "")
    table = Table("test", "t", (column("c", f"time({fsp})" if fsp else "time"),))
    chosen = options({"version": version})
    records = Encoder(chosen).encode([RowChange("insert", "test", "t", 7, None, {"c": value})], [table]).records
    [event] = Decoder(chosen).decode(records, [table])
    assert isinstance(event, RowChange)
    assert event.after == {"c": value} or (event.after == {} and version == "2.4.0")

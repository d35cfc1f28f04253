"""Which fields of the extension go together, and which of several faults of a value counts.  [AV-116 … AV-122]"""

from __future__ import annotations

from typing import Any

import pytest

from reference_impl.model import RowChange
from tests.unit.avro.samples import EXTENSION, ID, TS, decode, numbered, options, record, refusal, schema

OP, STAMP, PHYSICAL = EXTENSION
TIMES = (OP, STAMP, PHYSICAL)
CHECKSUMS = (
    {"name": "_tidb_row_level_checksum", "type": "string"},
    {"name": "_tidb_corrupted", "type": "boolean"},
    {"name": "_tidb_checksum_version", "type": "int"},
)
BEFORE = {
    "name": "_ticdc_before",
    "type": ["null", {"type": "record", "name": "t_before", "fields": [ID]}],
    "default": None,
}
TAIL = "888080f08eb8ceca0b 80f7c0f3d45c"
INSERT, NO_ROW, NO_CHECKSUM = "0263", "00", "00 00 00"

SETS: list[tuple[tuple[Any, ...], str, int | None]] = [  # (fields after `id`, their bytes, time stamp read)
    ((), "", None),
    (TIMES, f"{INSERT} {TAIL}", TS),
    ((*TIMES, *CHECKSUMS), f"{INSERT} {TAIL} {NO_CHECKSUM}", TS),
    ((BEFORE, OP), f"{NO_ROW} {INSERT}", None),
    ((BEFORE, *TIMES), f"{NO_ROW} {INSERT} {TAIL}", TS),
    ((BEFORE, *TIMES, *CHECKSUMS), f"{NO_ROW} {INSERT} {TAIL} {NO_CHECKSUM}", TS),
]


@pytest.mark.parametrize(("fields", "body", "commit_ts"), SETS)
def test_these_fields_go_together_and_a_required_extension_has_its_times(
    fields: tuple[Any, ...], body: str, commit_ts: int | None
) -> None:
    registry, sent = numbered(schema(ID, *fields)), record(None, f"00 00000001 02 {body}")
    assert decode(registry, sent) == [RowChange("insert", "test", "t", commit_ts, after={"id": "1"})]
    assert (refusal(registry, sent, options(enable_tidb_extension="true")) == "schema") == (commit_ts is None)


OTHERS: list[tuple[tuple[Any, ...], str]] = [
    ((OP,), INSERT),
    ((STAMP, PHYSICAL), TAIL),
    ((OP, STAMP), f"{INSERT} 02"),
    ((OP, PHYSICAL), f"{INSERT} 02"),
    (CHECKSUMS, NO_CHECKSUM),
    ((*TIMES, CHECKSUMS[0]), f"{INSERT} {TAIL} 00"),
    ((OP, *CHECKSUMS), f"{INSERT} {NO_CHECKSUM}"),
    ((*TIMES, *CHECKSUMS[:2]), f"{INSERT} {TAIL} 00 00"),
    ((*TIMES, *CHECKSUMS[1:]), f"{INSERT} {TAIL} 00 00"),
    ((BEFORE,), NO_ROW),
    ((BEFORE, STAMP, PHYSICAL), f"{NO_ROW} {TAIL}"),
    ((BEFORE, OP, STAMP), f"{NO_ROW} {INSERT} 02"),
    ((BEFORE, OP, *CHECKSUMS), f"{NO_ROW} {INSERT} {NO_CHECKSUM}"),
]


@pytest.mark.parametrize(("fields", "body"), OTHERS)
def test_other_fields_do_not(fields: tuple[Any, ...], body: str) -> None:
    sent = record(None, f"00 00000001 02 {body}")
    assert refusal(numbered(schema(ID, *fields)), sent) == "schema"


YEAR = {"name": "y", "type": {"type": "int", "connect.parameters": {"tidb_type": "YEAR"}}}
DATE = {"name": "d", "type": {"type": "string", "connect.parameters": {"tidb_type": "DATE"}}}
OLD = BEFORE | {"type": ["null", {"type": "record", "name": "t_before", "fields": [DATE]}]}
WRONG_TIME = "888080f08eb8ceca0b 02"

# A value of y, a row before it, `_tidb_op`, the times, and a checksum; the class of the fault that counts.
TWO_FAULTS = [
    ("00", NO_ROW, INSERT, TAIL, NO_CHECKSUM, "read"),
    ("02", NO_ROW, INSERT, TAIL, NO_CHECKSUM, "range"),  # the year 1
    ("02", NO_ROW, INSERT, WRONG_TIME, NO_CHECKSUM, "range"),
    ("02", NO_ROW, "0278", TAIL, NO_CHECKSUM, "type"),
    ("02", "02 0278", "0275", TAIL, NO_CHECKSUM, "type"),
    ("02", NO_ROW, INSERT, TAIL, "0278 00 00", "type"),
    ("02", NO_ROW, INSERT, WRONG_TIME, "0278 00 00", "type"),
    ("00", NO_ROW, INSERT, WRONG_TIME, "0278 00 00", "type"),
    ("00", NO_ROW, INSERT, WRONG_TIME, "16 3432393439363732393630 00 00", "range"),  # ten times 2^32
    ("00", NO_ROW, "0278", WRONG_TIME, "16 3432393439363732393630 00 00", "type"),
    ("00", "02 0278", "0275", WRONG_TIME, "16 3432393439363732393630 00 00", "type"),
    ("00", NO_ROW, INSERT, WRONG_TIME, NO_CHECKSUM, "semantics"),
    ("00", NO_ROW, "0264", TAIL, NO_CHECKSUM, "semantics"),
]


@pytest.mark.parametrize(("year", "before", "op", "times", "checksum", "reason"), TWO_FAULTS)
def test_of_several_faults_of_a_value_the_class_that_comes_first_counts(
    year: str, before: str, op: str, times: str, checksum: str, reason: str
) -> None:
    sent = record(None, f"00 00000001 {year} {before} {op} {times} {checksum}")
    assert refusal(numbered(schema(YEAR, OLD, *TIMES, *CHECKSUMS)), sent).partition(" ")[0] == reason


CHECKSUM_TEXTS = [
    ("", "read"), ("0", "read"), ("4294967295", "read"), ("00000000004294967295", "read"),
    ("4294967296", "range"), ("9" * 20, "range"), ("9" * 99, "range"), ("-1", "type"), ("1.0", "type"), (" 1", "type"),
    ("٣", "type"), ("0x1", "type"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "outcome"), CHECKSUM_TEXTS)
def test_a_checksum_is_empty_or_a_number_of_32_bits(text: str, outcome: str) -> None:
    data = text.encode()
    length = 2 * len(data)
    prefix = f"{length:02x}" if length < 0x80 else f"{length & 0x7F | 0x80:02x}{length >> 7:02x}"
    sent = record(None, f"00 00000001 02 {INSERT} {TAIL} {prefix}{data.hex()} 00 00")
    assert refusal(numbered(schema(ID, *TIMES, *CHECKSUMS)), sent).partition(" ")[0] == outcome  # AV-119a

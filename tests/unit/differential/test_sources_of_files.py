"""Files as sources: what a pattern stands for, and what the columns of parquet may be."""

from __future__ import annotations

import gc
import time
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

from conformance.cli.inputs import read_tables
from conformance.errors import UsageError
from differential.decode.reader import SlimReader
from differential.decode.slim import Kind
from differential.sources.captures import fingerprint, parquet_files, read_source
from differential.sources.groups import batches_of_group, tasks_of
from differential.sources.spec import Spec, parse_spec, side_of
from reference_impl.model import Record
from tests.unit.differential.slims import slims
from tests.unit.differential.streams import changes, messages, side

SIDE = side("left", "canal-json", enable_tidb_extension="true")
VALUES = [record.value or b"" for record in messages(SIDE, changes(seed=5, count=9))]


def parts(folder: Path, ends: str) -> Path:
    """The messages in three files, whose names end so, and another file beside them."""
    folder.mkdir()
    for number in range(3):
        (folder / f"part-{number}{ends}").write_bytes(b"\n".join(VALUES[number::3]))
    (folder / "others.txt").write_text("{}", encoding="utf-8")
    return folder


def values(source: object) -> list[bytes | None]:
    return [record.value for record in read_source(Spec("canal-json", str(source)))]


def test_a_pattern_stands_for_the_files_that_it_matches_by_name(tmp_path: Path) -> None:
    folder = parts(tmp_path / "left", ".jsonl")
    in_order = VALUES[0::3] + VALUES[1::3] + VALUES[2::3]
    assert values(folder / "part-*.jsonl") == values(tmp_path / "**" / "part-?.jsonl") == in_order
    assert values(folder / "part-[12].jsonl") == in_order[3:]
    assert values(folder / "part-2.jsonl") == in_order[6:]


def test_a_pattern_of_parquet_is_read_as_parquet_is(tmp_path: Path) -> None:
    for number in range(3):
        parquet.write_table(pyarrow.table({"value": VALUES[number::3]}), tmp_path / f"{number}.parquet")
    assert [file.name for file in parquet_files(tmp_path / "[02].parquet")] == ["0.parquet", "2.parquet"]
    assert values(tmp_path / "[02].parquet") == VALUES[0::3] + VALUES[2::3]


def test_a_name_with_signs_of_a_pattern_is_the_file_of_that_name(tmp_path: Path) -> None:
    folder = parts(tmp_path / "[left]", ".jsonl")
    assert values(folder / "part-1.jsonl") == VALUES[1::3]


def test_a_pattern_without_matches_is_reported_like_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\*\.jsonl: there is no such file or folder"):
        values(tmp_path / "*.jsonl")


def test_the_fingerprint_of_a_pattern_has_all_matching_files(tmp_path: Path) -> None:
    spec = Spec("canal-json", str(parts(tmp_path / "left", ".jsonl") / "*.jsonl"))
    before = fingerprint(spec)
    assert len(before) == 3
    (tmp_path / "left" / "part-3.jsonl").write_text("", encoding="utf-8")
    assert fingerprint(spec) != before


def in_a_file(folder: Path, **columns: Any) -> Path:
    file = folder / "messages.parquet"
    parquet.write_table(pyarrow.table(columns), file)
    return file


def read_there(file: Path) -> list[tuple[Any, ...]]:
    batches = (batch for task in tasks_of([file]) for group in task for batch in batches_of_group(group))
    return [tuple(row.values()) for batch in batches for row in batch.to_pylist()]


@pytest.mark.parametrize("kind", ["string", "large_string", "large_binary", "binary"])
def test_a_value_is_its_bytes_whether_it_is_kept_as_bytes_or_as_text(tmp_path: Path, kind: str) -> None:
    column = pyarrow.array(VALUES, pyarrow.binary()).cast(pyarrow.type_for_alias(kind))
    file = in_a_file(
        tmp_path,
        value=column,
        key=pyarrow.nulls(len(VALUES)),
        topic=pyarrow.array(["t"] * len(VALUES)).dictionary_encode(),
    )
    assert values(file) == VALUES
    assert [row[1] for row in read_there(file)] == VALUES


def test_a_message_without_an_offset_gets_its_number_on_the_side_from_every_reader(tmp_path: Path) -> None:
    for offset, offsets in ((pyarrow.nulls(3), [0, 1, 2]), (pyarrow.array([7, None, 9]), [7, 1, 9])):
        file = in_a_file(tmp_path, value=VALUES[:3], offset=offset)
        assert [record.offset for record in read_source(Spec("canal-json", str(file)))] == offsets
        assert [row["offset"] for group in tasks_of([file])[0] for batch in batches_of_group(group)
                for row in batch.to_pylist()] == offsets  # fmt: skip


@pytest.mark.parametrize("kind", ["timestamp[s]", "timestamp[ms]", "timestamp[us]", "timestamp[ns]", "zoned", "int64"])
def test_a_time_is_in_milliseconds_whatever_its_unit_and_in_utc_without_a_zone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    try:
        of_type = pyarrow.timestamp("ms", "Asia/Tokyo") if kind == "zoned" else pyarrow.type_for_alias(kind)
        column = pyarrow.array([1_709_208_000_000, None], pyarrow.timestamp("ms")).cast(of_type)
        file = in_a_file(tmp_path, value=VALUES[:2], timestamp=column)
        times = [record.timestamp for record in read_source(Spec("canal-json", str(file)))]
    finally:
        monkeypatch.undo()
        time.tzset()
    assert times == [1_709_208_000_000, None]


@pytest.mark.parametrize(
    ("name", "column", "message"),
    [
        ("value", [1], "column `value` is int64; in Kafka's records it is binary"),
        ("topic", [7], "column `topic` is int64; in Kafka's records it is string"),
        ("partition", ["0"], "column `partition` is string; in Kafka's records it is int32"),
        ("offset", [1.0], "column `offset` is double; in Kafka's records it is int64"),
        ("timestamp", ["now"], "column `timestamp` is string; in Kafka's records it is timestamp"),
        ("partition", [2**40], "not in range"),
        ("partition", [-1], "a message has the partition -1"),
        ("offset", [-5], "a message has the offset -5"),
    ],
)
def test_a_column_that_kafka_lacks_is_reported_by_every_reader(
    tmp_path: Path, name: str, column: list[Any], message: str
) -> None:
    file = in_a_file(tmp_path, **{"value": [b"{}"], name: column})
    for read in (values, read_there):
        with pytest.raises(UsageError, match=f"messages.parquet: .*{message}"):
            read(file)


def test_a_column_that_is_there_twice_is_reported_by_every_reader(tmp_path: Path) -> None:
    file = tmp_path / "messages.parquet"
    values_twice = pyarrow.Table.from_arrays([pyarrow.array([b"{}"]), pyarrow.array([b"[]"])], names=["value", "value"])
    parquet.write_table(values_twice, file)
    for read in (values, read_there):
        with pytest.raises(UsageError, match=r"messages.parquet: has more than one column `value`"):
            read(file)


def test_a_file_whose_rows_are_damaged_is_named_by_every_reader(tmp_path: Path) -> None:
    file = in_a_file(tmp_path, value=VALUES)
    data = file.read_bytes()
    file.write_bytes(data[:4] + bytes(64) + data[68:])
    for read in (values, read_there):
        with pytest.raises(UsageError, match=r"messages.parquet: its rows cannot be read \("):
            read(file)


def test_a_message_that_looks_like_a_malformed_line_is_no_fault_of_the_suite() -> None:
    rows = slims(SlimReader(0, SIDE), [Record(b"\0ticdc-conformance: \xff", b"")])
    assert Kind.SUITE_ERROR not in [row.kind for row in rows]


def test_messages_that_are_refused_leave_no_cycles_behind() -> None:
    reader = SlimReader(0, SIDE)
    refused = [Record(None, VALUES[0][:-1], topic="t", partition=0, offset=n) for n in range(50)]
    slims(reader, refused[:1])
    gc.freeze()  # what other tests left in the process is not looked at: that takes seconds
    gc.disable()
    try:
        assert {row.kind for row in slims(reader, refused)} == {Kind.UNREADABLE}
        assert gc.collect() < len(refused)
    finally:
        gc.enable()
        gc.unfreeze()


ONE = "CREATE TABLE a.b (id INT, Name INT, {});"


def test_tables_that_no_server_has_are_bad_input(tmp_path: Path) -> None:
    (tmp_path / "t.sql").write_text(ONE.format("ID INT"), encoding="utf-8")
    with pytest.raises(UsageError, match=r"statement 1 \(line 1\): table a\.b: the table has two columns 'id'"):
        read_tables(tmp_path / "t.sql")


def test_a_key_names_its_columns_in_any_case(tmp_path: Path) -> None:
    (tmp_path / "t.sql").write_text(ONE.format("PRIMARY KEY (ID), UNIQUE KEY k (name)"), encoding="utf-8")
    [table] = read_tables(tmp_path / "t.sql")
    assert (table.primary_key, table.unique_keys[0].columns) == (("id",), ("Name",))


@pytest.mark.parametrize("zone", ["+08:00", "+08%3A00", "%2B08:00", "%2b08%3A00"])
def test_a_zone_of_a_spec_may_be_an_offset(zone: str) -> None:
    spec = parse_spec(f"canal?gtid=true&timezone={zone}:C:/left.jsonl")
    assert (spec.options, spec.source) == ({"gtid": "true", "timezone": "+08:00"}, "C:/left.jsonl")
    assert parse_spec(f"canal?timezone={zone}&jdk=25:a").options == {"timezone": "+08:00", "jdk": "25"}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("canal?timezone:left.jsonl", "has an option without a value"),
        ("canal?timezone=UTC&timezone=UTC:left.jsonl", "has an option twice"),
        ("debezium-connector@3.0.7:left.jsonl", r"write debezium-connector\?version=3\.0\.7"),
        ("debezium@8.5.4:left.jsonl", r"write debezium and --ticdc-version 8\.5\.4"),
        ("nothing:left.jsonl", "unknown dialect 'nothing'. There are avro, "),
        ("kanal:left.jsonl", "unknown dialect 'kanal'; did you mean 'canal'[?] There are avro, "),
    ],
)
def test_what_is_no_spec_is_refused_by_what_is_wrong(spec: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_spec(spec)


def test_an_unknown_time_zone_is_refused_by_the_name_of_its_side() -> None:
    spec = parse_spec("canal?timezone=Mars/X:left.jsonl")
    with pytest.raises(UsageError, match=r"^right: timezone: 'Mars/X' is not a time zone such as UTC"):
        side_of("right", spec, [])

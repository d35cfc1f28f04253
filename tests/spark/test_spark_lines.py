"""Captures of lines that Spark's workers read in ranges are what this machine reads. `tox run -e spark` runs this."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

from conformance.errors import UsageError
from differential.record_batches import RECORD_SCHEMA
from differential.sources import parts
from differential.sources.captures import read_source
from differential.sources.spec import Spec
from differential.spark.frames import messages_of
from differential.spark.session import session
from reference_impl.wire import record_to_json
from tests.unit.differential.streams import changes, messages, side


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    with session("local[1]") as made:
        yield made


@pytest.fixture
def spec(tmp_path: Path) -> Spec:
    records = messages(side("left", "canal"), changes(seed=3, count=60))
    lines = [json.dumps(record_to_json(record)) for record in records]
    folder = tmp_path / "capture"
    folder.mkdir()
    (folder / "a.jsonl").write_text("\r\n".join([*lines[:40], "no message", ""]))
    (folder / "b.jsonl").write_text("\n\n".join(line.replace('"offset"', '"number"') for line in lines[40:]))
    return Spec("canal", str(folder))


def rows(frame: Any) -> list[tuple[Any, ...]]:
    found = [tuple(row[name] for name in RECORD_SCHEMA.names) for row in frame.collect()]
    return sorted(found, key=lambda row: row[4])


def expected(spec: Spec) -> list[tuple[Any, ...]]:
    found = [tuple(getattr(record, name) for name in RECORD_SCHEMA.names) for record in read_source(spec)]
    return sorted(found, key=lambda row: row[4])


@pytest.mark.parametrize("most", [700, 10**9])
def test_the_workers_read_what_this_machine_reads(
    spark: Any, spec: Spec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(parts, "ranges_of", partial(parts.ranges_of, most=most))
    found = messages_of(spark, spec, tmp_path / "stage")
    assert rows(found.plain()) == expected(spec)
    assert found.count == len(expected(spec))
    assert not (tmp_path / "stage").exists()


def _of_parquet_alone(spec: Spec, run: parts.Map) -> list[parts.FilePart] | None:
    return parts.file_parts(spec, run) if spec.source.endswith(".parquet") else None


def test_what_the_workers_do_not_see_is_put_down_for_them(
    spark: Any, spec: Spec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("differential.spark.frames.file_parts", _of_parquet_alone)
    assert rows(messages_of(spark, spec, tmp_path / "stage").plain()) == expected(spec)


@pytest.mark.parametrize("offsets", [[None] * 3, [7, None, 9]], ids=["none", "some"])
def test_a_message_without_an_offset_gets_its_number_from_workers_without_our_files_too(
    spark: Any, tmp_path: Path, offsets: list[int | None]
) -> None:
    file = tmp_path / "messages.parquet"
    parquet.write_table(pyarrow.table({"value": [b"a", b"b", b"c"], "offset": pyarrow.array(offsets, "int64")}), file)
    found = messages_of(spark, Spec("canal", str(file)), tmp_path / "stage", one_machine=False).plain()
    assert [row["offset"] for row in found.collect()] == [
        record.offset for record in read_source(Spec("canal", str(file)))
    ]


def test_workers_without_our_files_read_the_same_parquet_files_whatever_the_folder_is_called(
    spark: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "of [1] {a,b}"
    folder.mkdir()
    (folder / "notes.txt").write_text("no message")
    parquet.write_table(pyarrow.table({"value": [b"a", b"b"]}), folder / "a.parquet")
    given = Spec("canal", str(folder))
    found = messages_of(spark, given, tmp_path / "stage", one_machine=False)
    assert [row[1] for row in rows(found.plain())] == [b"a", b"b"]


def test_parquet_files_without_values_are_refused(spark: Any, tmp_path: Path) -> None:
    file = tmp_path / "messages.parquet"
    parquet.write_table(pyarrow.table({"key": [b"a"]}), file)
    with pytest.raises(UsageError, match="has no column `value`"):
        messages_of(spark, Spec("canal", str(file)), tmp_path / "stage", one_machine=False)


def test_files_without_offsets_are_in_order_whatever_their_sizes(spark: Any, tmp_path: Path) -> None:
    values = [b"a", *(b"%d" % n * 99 for n in range(50)), b"z"]
    for name, some in (("1", values[:1]), ("2", values[1:51]), ("3", values[51:])):
        more = {"offset": pyarrow.array([None], "int64")} if name == "3" else {}
        parquet.write_table(pyarrow.table({"value": some, **more}), tmp_path / f"{name}.parquet")
    found = messages_of(spark, Spec("canal", str(tmp_path)), tmp_path / "stage", one_machine=False)
    assert [row[1] for row in rows(found.plain())] == values

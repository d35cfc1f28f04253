"""Captures that `compare` reads, and those that it refuses in a sentence."""

from __future__ import annotations

import gzip
import json
import random
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from conformance.captures.files import read_capture
from conformance.captures.kafka_config import KafkaConfig
from conformance.captures.topics import parse_topics
from conformance.cli.first_look import check_first_messages
from conformance.cli.main import main
from conformance.errors import UsageError
from differential.sources.spec import Spec
from differential.sources.topics import Reading
from reference_impl.model import Record
from reference_impl.wire import record_to_json, table_to_json
from tests.amounts import ordinarily
from tests.unit.differential.generated import sent, side, transactions

GIVEN = transactions("shop", ordinarily(100, 200), 3)
TICDC = side("left", "canal-json", enable_tidb_extension="true")
CANAL, CONNECTOR = side("right", "canal"), side("right", "debezium-connector")
DEBEZIUM = side("left", "debezium")


def test_captures_that_zstd_compressed_are_read(tmp_path: Path) -> None:
    file = put(tmp_path, "capture", sent(TICDC, GIVEN)[:5]).source
    with pyarrow.output_stream(f"{file}.zst", compression="zstd") as sink:
        sink.write(Path(file).read_bytes())
    assert len(list(read_capture(Path(f"{file}.zst"), "canal-json"))) == 5


@pytest.mark.parametrize("suffix", ["zip", "tar", "tar.gz"])
def test_archives_are_refused_by_name(tmp_path: Path, suffix: str) -> None:
    (tmp_path / "a.jsonl").write_text('{"key": null, "value": null}\n', encoding="utf-8")
    file = tmp_path / f"capture.{suffix}"
    if suffix == "zip":
        with zipfile.ZipFile(file, "w") as archive:
            archive.write(tmp_path / "a.jsonl")
    else:
        with tarfile.open(file, "w:gz" if suffix.endswith("gz") else "w") as archive:
            archive.add(tmp_path / "a.jsonl")
    with pytest.raises(UsageError, match="unpack it first"):
        list(read_capture(file, "canal-json"))


def test_a_parquet_file_is_refused_by_name_where_lines_are_read(tmp_path: Path) -> None:
    file = tmp_path / "part-00000.parquet"
    parquet.write_table(pyarrow.table({"value": [b""]}), file)
    with pytest.raises(UsageError, match="it is a parquet file, which only compare reads"):
        list(read_capture(file, "canal-json"))


def put(folder: Path, name: str, records: Sequence[Record]) -> Spec:
    file = folder / f"{name}.jsonl"
    file.write_text("".join(json.dumps(record_to_json(record)) + "\n" for record in records), encoding="utf-8")
    return Spec(name, str(file))


def test_a_compare_of_a_capture_with_itself_and_with_a_shuffled_or_compressed_copy_is_empty(tmp_path: Path) -> None:
    records = sent(TICDC, GIVEN[:80])
    spec = put(tmp_path, "a", records)
    lines = Path(spec.source).read_bytes().splitlines(keepends=True)
    draw = random.Random(1)
    (tmp_path / "b.jsonl").write_bytes(b"".join(draw.sample(lines, len(lines))))
    (tmp_path / "c.jsonl.gz").write_bytes(gzip.compress(b"".join(lines)))
    (tmp_path / "tables.json").write_text(json.dumps([table_to_json(t) for t in TICDC.tables]), encoding="utf-8")
    for other in ("a.jsonl", "b.jsonl", "c.jsonl.gz"):
        sides = [f"canal-json?enable-tidb-extension=true:{tmp_path / name}" for name in ("a.jsonl", other)]
        out = tmp_path / f"out-{other}"
        arguments = ["--left", sides[0], "--right", sides[1], "--tables", str(tmp_path / "tables.json"), "-n", "1"]
        assert main(["compare", *arguments, "--out", str(out), "--fail-on", "any", "--quiet"]) == 0
        [pair] = json.loads((out / "summary.json").read_text(encoding="utf-8"))["pairs"]
        assert pair["differences"] == 0


def test_sides_that_are_empty_or_swapped_or_have_another_schema_are_refused_in_one_sentence(tmp_path: Path) -> None:
    of = {"left": put(tmp_path, "l", sent(TICDC, GIVEN)), "right": put(tmp_path, "r", sent(CANAL, GIVEN))}
    check_first_messages([TICDC, CANAL], of)
    with pytest.raises(UsageError, match="swapped"):
        check_first_messages([TICDC, CANAL], {"left": of["right"], "right": of["left"]})
    with pytest.raises(UsageError, match=r"right: .* has no message"):
        check_first_messages([TICDC, CANAL], {**of, "right": put(tmp_path, "e", [])})
    plain = side("right", "debezium-connector", **{"schemas.enable": "false"})
    without = {"left": put(tmp_path, "d", sent(DEBEZIUM, GIVEN)), "right": put(tmp_path, "p", sent(plain, GIVEN))}
    with pytest.raises(UsageError, match=r"set schemas\.enable=false"):
        check_first_messages([DEBEZIUM, CONNECTOR], without)
    named = replace(CONNECTOR, settings=replace(CONNECTOR.settings, topic="dbz.{schema}.{table}"))
    sound = {"left": without["left"], "right": put(tmp_path, "n", sent(named, GIVEN))}
    check_first_messages([DEBEZIUM, named], sound)
    with pytest.raises(UsageError, match=r"set topic=dbz\.\{schema\}\.\{table\}"):
        check_first_messages([DEBEZIUM, CONNECTOR], sound)
    other = replace(DEBEZIUM, settings=replace(DEBEZIUM.settings, cluster_id="mine"))
    with pytest.raises(UsageError, match=r"left: .* set cluster_id=default"):
        check_first_messages([other, named], sound)


class Kept(Reading):
    """Topics whose messages are at hand."""

    def records(self) -> Iterator[Record]:
        yield from MESSAGES[self.topics.names[0]]


MESSAGES: dict[str, Sequence[Record]] = {"ticdc": sent(TICDC, GIVEN), "canal": sent(CANAL, GIVEN), "empty": []}


def topic(name: str) -> Spec:
    source = f"kafka://host:9092/{name}"
    return Spec("canal", source, reading=Kept(parse_topics(source), KafkaConfig(), ()))


def test_the_first_messages_of_topics_are_checked_and_an_empty_topic_is_compared() -> None:
    check_first_messages([TICDC, CANAL], {"left": topic("ticdc"), "right": topic("canal")})
    with pytest.raises(UsageError, match="swapped"):
        check_first_messages([TICDC, CANAL], {"left": topic("canal"), "right": topic("ticdc")})
    with pytest.raises(UsageError, match=r"right: its first messages are of canal-json, none is of canal"):
        check_first_messages([TICDC, CANAL], {"left": topic("ticdc"), "right": topic("ticdc")})
    check_first_messages([TICDC, CANAL], {"left": topic("ticdc"), "right": topic("empty")})


def test_messages_without_a_name_are_told_no_other_name(tmp_path: Path) -> None:
    records = [replace(r, value=(r.value or b"").replace(b'"name":"', b'"unnamed":"')) for r in sent(DEBEZIUM, GIVEN)]
    of = {"left": put(tmp_path, "l", sent(TICDC, GIVEN)), "right": put(tmp_path, "r", records)}
    check_first_messages([TICDC, side("right", "debezium")], of)


READABLE = ("canal-json", "canal", "debezium", "debezium-connector", "open-protocol")
WRONG = [(given, dialect) for given in (*READABLE, "avro") for dialect in READABLE if given != dialect]


@pytest.mark.parametrize(("given", "dialect"), WRONG)
def test_a_side_whose_messages_are_of_another_dialect_is_refused_in_a_sentence_that_says_so(
    given: str, dialect: str, tmp_path: Path
) -> None:
    records = sent(side("right", dialect), GIVEN)
    of = {"left": put(tmp_path, "l", sent(TICDC, GIVEN)), "right": put(tmp_path, "r", records)}
    named = f"right: its first messages are of {dialect}, none is of {given}:"
    with pytest.raises(UsageError, match=f"{named}|have a schema|have the name"):
        check_first_messages([TICDC, side("right", given)], of)


@pytest.mark.parametrize(
    ("dialect", "option", "value"),
    [("canal-json", "enable-tidb-extension", "true"), ("debezium-connector", "schemas.enable", "false")],
)
def test_a_side_of_another_dialect_is_told_the_option_without_which_its_messages_cannot_be_read(
    dialect: str, option: str, value: str, tmp_path: Path
) -> None:
    sender = replace(side("right", dialect), options={option: value})
    of = {"left": put(tmp_path, "l", sent(TICDC, GIVEN)), "right": put(tmp_path, "r", sent(sender, GIVEN))}
    with pytest.raises(UsageError, match=rf"set --right {dialect}\?{option}={value}:…"):
        check_first_messages([TICDC, side("right", "open-protocol")], of)


def test_a_member_of_every_message_is_refused_with_the_option_that_says_so(tmp_path: Path) -> None:
    of = {"left": put(tmp_path, "l", sent(TICDC, GIVEN)), "right": put(tmp_path, "r", sent(CANAL, GIVEN))}
    with pytest.raises(UsageError, match=r"left: its messages have `_tidb`, .* set enable-tidb-extension=true"):
        check_first_messages([side("left", "canal-json"), CANAL], of)
    check_first_messages([TICDC, CANAL], of)


def test_odd_messages_of_canal_are_compared_although_canal_json_would_take_them(tmp_path: Path) -> None:
    odd = [replace(one, value=one.value[:-1] + b',"more":1}') for one in sent(CANAL, GIVEN) if one.value]
    of = {"left": put(tmp_path, "l", sent(TICDC, GIVEN)), "right": put(tmp_path, "r", odd)}
    check_first_messages([TICDC, CANAL], of)


def test_a_side_of_framed_messages_is_refused_as_avro(tmp_path: Path) -> None:
    records = [Record(None, b"\0\0\0\0\x07\x02a") for _ in range(5)]
    of = {"left": put(tmp_path, "l", sent(TICDC, GIVEN)), "right": put(tmp_path, "r", records)}
    with pytest.raises(
        UsageError, match="right: its first messages look like avro, none is of canal: set --right avro:"
    ):
        check_first_messages([TICDC, CANAL], of)

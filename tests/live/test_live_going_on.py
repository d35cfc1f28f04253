"""`compare --live` of topics of a real broker ends as a comparison of files of the same messages."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.cli.main import main
from harnesses.providers import Broker
from reference_impl.model import Record
from tests.live.test_live_kafka import TICDC, captured, create, produce

pytest.importorskip("confluent_kafka", reason="topics are written with confluent-kafka")

PARTITIONS, SEED = 3, 9
DIALECTS = ("canal-json", "canal")


@pytest.fixture(scope="module")
def streams(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("going-on")
    dialects = [part for dialect in (TICDC, "canal") for part in ("--dialect", dialect)]
    size = ["--changes", "400", "--seed", str(SEED), "--shards", str(PARTITIONS), "-n", "1"]
    assert main(["generate", "--preset", "shop", *dialects, *size, "--format", "jsonl", "--out", str(folder)]) == 0
    return folder


def summary_of(out: Path, of: list[str], *more: str) -> dict[str, Any]:
    assert main(["compare", *of, "--out", str(out), *more]) == 0
    found: dict[str, Any] = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    del found["made"]
    for side in found["sides"]:
        del side["source"]
    return found


def test_topics_that_go_on_are_compared_as_files_of_the_same_messages(
    broker: Broker, connector: Path, streams: Path, tmp_path: Path
) -> None:
    messages = {dialect: in_topic(f"on-{dialect}", captured(streams, dialect)) for dialect in DIALECTS}
    create(broker.open, *(f"on-{dialect}" for dialect in DIALECTS))
    left, right = (f"kafka://{broker.open}/on-{dialect}" for dialect in DIALECTS)
    tables = ["--tables", str(streams / "tables.json")]
    live = ["--left", f"{TICDC}:{left}", "--right", f"canal:{right}", *tables, "--live", "--once"]
    spark = ["--master", "local[2]", "--partitions", "2", "--spark-jars", str(connector)]
    waiting = []
    for part, more in enumerate(([], ["--final"])):
        for n, dialect in enumerate(DIALECTS):
            of = messages[dialect]
            cut = len(of) * (n + 1) // 3  # the one side is behind the other
            produce(broker.open, of[cut:] if part else of[:cut])
        told = summary_of(tmp_path / "live", live, *spark, *more)
        waiting.append({name: side["waiting"] for name, side in told.pop("live")["sides"].items()})
    assert waiting[0]["right"] > 0
    assert waiting[1] == {"left": 0, "right": 0}
    files = ["--left", f"{TICDC}:{streams / 'canal-json'}", "--right", f"canal:{streams / 'canal'}", *tables]
    once = summary_of(tmp_path / "once", files)
    for name in ("runner", "plan"):
        del once[name]
    del told["runner"]
    assert without_places(told) == without_places(once)


def in_topic(topic: str, records: list[Record]) -> list[Record]:
    """The messages in one topic, in the order of their time; a partition has them in the order it had."""
    return sorted((replace(r, topic=topic) for r in records), key=lambda r: r.timestamp or 0)


def without_places(found: dict[str, Any]) -> dict[str, Any]:
    """Without the examples, which say at which offset of which topic they stand."""
    for pair in found["pairs"]:
        for told in (*pair["cells"], *pair["divergences"], *pair["written_otherwise"]):
            for example in told["examples"]:
                for side in ("left", "right"):
                    example.pop(side, None)
    return found

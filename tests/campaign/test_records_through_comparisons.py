"""Mutated records through `compare`: a difference is about a mutated message or its rows, and nothing is lost."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence, Set
from pathlib import Path
from random import Random

import pytest
from mutated import mutated, mutated_line

from conformance.cli.main import main
from differential.decode.changes import ChangeReader
from differential.model import Change, Class, Difference
from differential.sides import Side
from reference_impl.model import Record
from reference_impl.wire import record_to_json, table_to_json
from tests.amounts import ordinarily
from tests.comparing import compare_locally
from tests.unit.differential.building import pairs_for
from tests.unit.differential.generated import sent, side, tables, transactions

FAULTS = int(os.environ.get("FAULTS_PER_PROTOCOL", ordinarily(40, 200)))

# A dialect that is mutated, and one that is not.
PAIRS = (
    ("canal-json", "canal"),
    ("debezium", "debezium-connector"),
    ("open-protocol", "canal-json"),
    ("canal", "canal-json"),
    ("debezium-connector", "debezium"),
)


def streams(left: str, right: str) -> tuple[list[Side], list[list[Record]]]:
    given = transactions("shop", ordinarily(160, 300), 7)
    sides = [side("left", left), side("right", right)]
    return sides, [sent(one, given) for one in sides]


def place_of(record: Record) -> tuple[str, int, int]:
    return record.topic or "", record.partition or 0, record.offset or 0


def rows(reader: ChangeReader, records: Sequence[Record]) -> set[tuple[str, str, str]]:
    """The rows that messages are about."""
    found = (read for record in records for read in reader.read(record))
    return {(one.schema, one.table, one.key.decode()) for one in found if isinstance(one, Change)}


def _is_of_neighbours(one: Difference, places: Set[tuple[str, int, int]]) -> bool:
    """Whether it is about how a message stands among its neighbours, one of which is a mutated one."""
    if one.left is None or not (one.column == "tombstone" or (one.kind is Class.REORDERED and one.key == "")):
        return False
    topic, partition, offset = one.left.topic, one.left.partition, one.left.offset
    return not places.isdisjoint({(topic, partition, offset - 1), (topic, partition, offset + 1)})


@pytest.mark.parametrize(("left", "right"), PAIRS, ids=[left for left, _ in PAIRS])
def test_a_difference_is_about_a_mutated_message_or_a_row_of_one(left: str, right: str) -> None:
    draw = Random(f"mutated messages of {left}")
    sides, (sound, other) = streams(left, right)
    pairs = pairs_for(sides)
    before = {key_of(one) for one in compare_locally(sides, [sound, other], pairs).differences}
    done = 0
    while done < FAULTS:
        # In each key group there are sound messages, too.
        changed = {n: mutated(draw, left, sound[n]) for n in draw.sample(range(len(sound)), min(100, len(sound) // 4))}
        done += len(changed)
        outcome = compare_locally(sides, [[changed.get(n, one) for n, one in enumerate(sound)], other], pairs)
        assert outcome.counts.suite_errors == []
        assert outcome.counts.control[0, "messages"] == len(sound)
        reader = ChangeReader(sides[0])
        touched = rows(reader, [*(sound[n] for n in changed), *changed.values()])
        places = {place_of(one) for one in changed.values()}
        strange = [
            one
            for one in outcome.differences
            if (one.schema, one.table, one.key) not in touched
            and not _is_of_neighbours(one, places)
            and (one.left is None or (one.left.topic, one.left.partition, one.left.offset) not in places)
            and key_of(one) not in before
        ]
        assert strange == []


def key_of(one: Difference) -> tuple[object, ...]:
    return one.kind, one.schema, one.table, one.column, one.key, one.left, one.right, one.left_value, one.right_value


@pytest.mark.parametrize(("left", "right"), PAIRS, ids=[left for left, _ in PAIRS])
def test_a_comparison_of_broken_lines_is_written_whole_and_names_each_of_them(
    left: str, right: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    draw = Random(f"broken lines of {left}")
    _, (sound, other) = streams(left, right)
    lines = [json.dumps(record_to_json(one)).encode() for one in sound]
    for n in draw.sample(range(1, len(lines)), len(lines) // 4):
        lines[n] = mutated_line(draw, sound[n])
    lines[len(lines) // 2] = b'{"key": null, "value": '
    at = sum(len(line) + 1 for line in lines[: len(lines) // 2])
    (tmp_path / "left.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
    (tmp_path / "right.jsonl").write_text(
        "".join(json.dumps(record_to_json(r)) + "\n" for r in other), encoding="utf-8"
    )
    (tmp_path / "tables.json").write_text(json.dumps([table_to_json(t) for t in tables("shop")]), encoding="utf-8")
    sides = ["--left", f"{left}:{tmp_path / 'left.jsonl'}", "--right", f"{right}:{tmp_path / 'right.jsonl'}"]
    given = ["--tables", str(tmp_path / "tables.json"), "--out", str(tmp_path / "out"), "-n", "1", "--quiet"]
    assert main(["compare", *sides, *given]) == 1
    summary = json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8"))
    assert "suite_errors" not in summary
    assert summary["sides"][0]["messages"] == len(lines)
    from pyarrow.parquet import read_table

    found = read_table(tmp_path / "out" / "differences").to_pylist()
    said = [f"{one['left_value']} {one['right_value']}" for one in found if one["class"] == Class.UNDECODABLE]
    assert any(f"line: {tmp_path / 'left.jsonl'}, byte {at}: not JSON" in one for one in said)
    assert "Traceback" not in capsys.readouterr().err

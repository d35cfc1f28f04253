"""Mutated records through `check-capture`: each is named by its place, nothing breaks, and others are judged as before.

`FAULTS_PER_PROTOCOL` says how many; the ordinary tests take a sample, `tox run -e faults` all of them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from functools import cache
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
from mutated import mutated, mutated_line

from conformance.catalogue.recordings import Recording, read_recordings
from conformance.catalogue.vectors import Vector, load_producers, recorded_vectors
from conformance.cli.main import main
from reference_impl.protocols import DIALECTS, UPSTREAM
from reference_impl.settings import Settings
from reference_impl.wire import record_to_json, table_to_json
from tests.amounts import ordinarily

FAULTS = int(os.environ.get("FAULTS_PER_PROTOCOL", ordinarily(40, 200)))
_RECORDED = Path(__file__).resolve().parents[2] / "fixtures" / "recorded"
_UPSTREAM = {
    "canal": (_RECORDED / "canal",),
    "debezium-connector": (_RECORDED / "debezium24", _RECORDED / "debezium36"),
}
A_CAPTURE = ordinarily(40, 100)  # mutated lines of it, and one more that is sound

Verdicts = Sequence[Mapping[str, Any]]


@cache
def vectors(protocol: str) -> Sequence[Vector]:
    """Recordings that have records; those of large messages are left out, whose files are elsewhere."""
    if protocol in UPSTREAM:
        return [piece for folder in _UPSTREAM[protocol] for one in read_recordings(folder) for piece in pieces(one)]
    found = recorded_vectors(load_producers()["ticdc-newarch"], protocol)
    able = [v for v in found if v.records and (v.schemas or not DIALECTS[protocol].uses_registry)]
    return [v for v in able if "large-message-handle-option" not in v.options]


def pieces(recording: Recording) -> Iterator[Vector]:
    """A recording of an upstream producer, some records at a time."""
    records = [one.record for one in recording.records if one.record is not None]
    settings = Settings(timezone=recording.facts.timezone)
    for n in range(0, len(records), 20):
        some = tuple(records[n : n + 20])
        yield Vector(f"{recording.name}/{n}", recording.protocol, recording.options, settings, (), (), records=some)


def options(vector: Vector) -> list[str]:
    """Every option, so that none is inferred from a record that is wrong."""
    defaults = {f.metadata["name"]: f.default for f in fields(DIALECTS[vector.protocol].options)}
    texts = {name: str(v).lower() if isinstance(v, bool) else str(v) for name, v in defaults.items()}
    return [word for name, value in (texts | dict(vector.options)).items() for word in ("--option", f"{name}={value}")]


def judged(folder: Path, vector: Vector, lines: Sequence[bytes], *, tables: bool) -> tuple[int, Verdicts]:
    """The status of the command, and the verdicts of its report on single lines."""
    records, report = folder / "records.jsonl", folder / "run.jsonl"
    records.write_bytes(b"".join(line + b"\n" for line in lines))
    given = ["--protocol", vector.protocol, "--records", str(records), "--input-format", "jsonl"]
    if tables:
        (folder / "tables.json").write_text(json.dumps([table_to_json(t) for t in vector.tables]), encoding="utf-8")
        given += ["--tables", str(folder / "tables.json")]
    if vector.schemas:
        (folder / "schemas.json").write_text(json.dumps([asdict(s) for s in vector.schemas]), encoding="utf-8")
        given += ["--schemas", str(folder / "schemas.json")]
    zone = [f"--timezone={vector.settings.timezone}"]
    status = main(["check-capture", *given, *zone, *options(vector), "--report", f"jsonl={report}", "-q"])
    events = [json.loads(line) for line in report.read_bytes().splitlines()]
    assert [event["event"] for event in events].count("end") == 1
    assert events[-1]["exit"] == status
    verdicts = [event for event in events if event["event"] == "verdict"]
    return status, [event for event in verdicts if not event["case"].endswith(", between records")]


def shown(verdict: Mapping[str, Any]) -> tuple[Any, ...]:
    """Verdict and findings of a line, without its place."""
    return verdict["verdict"], [(f["requirement"], f["path"], f["expected"], f["got"]) for f in verdict["findings"]]


@pytest.mark.parametrize("protocol", DIALECTS)
def test_every_bad_line_is_named_and_every_sound_one_judged_as_if_it_were_alone(
    protocol: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    draw = Random(f"mutated records of {protocol}")
    for _ in range(-(-FAULTS // A_CAPTURE)):
        vector = draw.choice(vectors(protocol))
        sound = list(islice(cycle(vector.records or ()), A_CAPTURE + 1))
        # Tables are given to half of them; a statement among the records would take them away.
        tables = draw.random() < 0.5 and "/ddl/" not in vector.case and bool(vector.tables)
        lines = [json.dumps(record_to_json(record)).encode() for record in sound]
        _, alone = judged(tmp_path, vector, lines, tables=False)
        among: list[bytes] = []
        for record, line in zip(sound, lines, strict=True):
            faulty = mutated(draw, protocol, record)
            own = json.dumps(record_to_json(faulty)).encode()
            among += [line, mutated_line(draw, record) if draw.random() < 0.1 else own]
        status, verdicts = judged(tmp_path, vector, among[:-1], tables=False)
        assert status in (0, 1, 5, 6), vector.case
        starts = [sum(len(line) + 1 for line in among[:n]) for n in range(len(among) - 1)]
        places = [f"{tmp_path / 'records.jsonl'}, line {n}, byte {at}" for n, at in enumerate(starts, 1)]
        assert [verdict["case"] for verdict in verdicts] == places, vector.case
        assert [shown(one) for one in verdicts[::2]] == list(map(shown, alone)), vector.case
        if tables:
            status, verdicts = judged(tmp_path, vector, among[:-1], tables=True)
            assert status in (0, 1, 5, 6), vector.case
            assert [verdict["case"] for verdict in verdicts] == places, vector.case
    said = capsys.readouterr()
    assert "Traceback" not in said.out + said.err

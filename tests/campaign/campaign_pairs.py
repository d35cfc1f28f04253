"""The pairs of streams that the campaign corrupts: generated ones of all dialects, and what real producers wrote."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from trees import Stream

from conformance.cli.inputs import read_schemas, read_tables
from conformance.cli.main import main
from differential.model import Difference, Status
from differential.registries import Listed
from differential.result.streams import every_difference
from differential.sides import Side, with_common_keys
from differential.sources.captures import read_source
from differential.sources.spec import parse_spec, side_of
from reference_impl.model import Record, Table
from tests.amounts import ordinarily
from tests.comparing import compare_locally
from tests.unit.differential import recordings
from tests.unit.differential.building import pairs_for

CHANGES, DDL, SEED = ordinarily(80, 140), 8, 5
RECORDS = ordinarily(160, None)  # of a recording, from its beginning
_EXTENDED = "canal-json?enable-tidb-extension=true"
GENERATED: Mapping[str, tuple[str, str]] = {
    "canal-json beside canal": (_EXTENDED, "canal"),
    "canal-json without time stamps beside canal": ("canal-json", "canal"),
    "debezium beside debezium-connector": ("debezium", "debezium-connector"),
    "debezium beside debezium-connector 3": ("debezium", "debezium-connector?version=3.6.1"),
    "canal-json beside open-protocol": (_EXTENDED, "open-protocol?max-batch-size=1"),
    "canal-json beside avro": (_EXTENDED, "avro?enable-tidb-extension=true"),
    "open-protocol beside open-protocol": ("open-protocol?max-batch-size=1", "open-protocol?max-batch-size=1"),
}
RECORDED: Mapping[str, str] = {
    "canal as recorded": "canal/mysql97",
    "debezium-connector 2.4 as recorded": "debezium24/mysql97_noschema",
    "debezium-connector 3.6 as recorded": "debezium36/mysql97_noschema",
}
PAIRS = (*GENERATED, *RECORDED)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sides and their sound streams."""

    sides: tuple[Side, Side]
    streams: tuple[tuple[Record, ...], tuple[Record, ...]]

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name, each in its last version."""
        return {table.name: table for table in self.sides[0].tables}


_KEPT: list[tempfile.TemporaryDirectory[str]] = []
"""The folders of generated streams: they are removed when the process ends."""


@cache
def _generated(dialects: tuple[str, ...]) -> Path:
    _KEPT.append(tempfile.TemporaryDirectory(prefix="campaign-"))
    folder = Path(_KEPT[-1].name)
    words = [part for dialect in dialects for part in ("--dialect", dialect)]
    what = ["--preset", "shop", "--seed", str(SEED), "--changes", str(CHANGES), "--ddl", str(DDL), "--format", "jsonl"]
    assert main(["generate", *what, "-n", "1", *words, "--out", str(folder)]) == 0
    return folder


@cache
def pair_named(name: str) -> Pair:
    """A pair by its name."""
    return _of_recording(name) if name in RECORDED else _of_generator(name)


def _of_generator(name: str) -> Pair:
    sides, streams = [], []
    for which, dialect in zip(("left", "right"), GENERATED[name], strict=True):
        folder = _generated((dialect,))
        source = folder / dialect.partition("?")[0]
        spec = parse_spec(f"{dialect}:{source}")
        side = side_of(which, spec, read_tables(folder / "tables.json"))
        schemas = Path(f"{source}.schemas.json")
        if schemas.exists():
            side = replace(side, settings=replace(side.settings, registry=Listed.of(read_schemas(schemas))))
        sides.append(replace(side, at_least_once=side.traits.is_of_ticdc))
        streams.append(tuple(read_source(spec)))
    one, other = with_common_keys(sides)
    return Pair((one, other), (streams[0], streams[1]))


def _of_recording(name: str) -> Pair:
    dialect, options, settings = recordings.RECORDED[RECORDED[name]]
    tables = recordings.tables_of(RECORDED[name])
    sides = [Side(which, dialect, options, settings=settings, tables=tables) for which in ("left", "right")]
    one, other = with_common_keys(sides)
    records = tuple(Stream(dialect, (), {}).with_records(recordings.records_of(RECORDED[name])))
    if RECORDS:
        # No tombstone is parted from its deletion.
        end = next(n for n in range(RECORDS, len(records)) if b'"op":"d"' not in (records[n - 1].value or b""))
        records = records[:end]
    return Pair((one, other), (records, records))


def unexplained(name: str, corrupted: int | None = None, records: Sequence[Record] = ()) -> list[Difference]:
    """What differs between the streams of a pair and has no name, one of them given instead of the sound one."""
    pair = pair_named(name)
    streams = [records if number == corrupted else sound for number, sound in enumerate(pair.streams)]
    pairs = pairs_for(pair.sides)
    outcome = compare_locally(pair.sides, streams, pairs)
    found = every_difference(outcome.differences, outcome.counts, pair.sides, pairs)
    return [d for d in found if d.status is Status.UNEXPLAINED]

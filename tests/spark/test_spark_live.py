"""`compare --live`: killed anywhere and called again, it ends as a comparison at once of the same files.

`tox run -e spark` runs this.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import dataset, parquet

from conformance.cli.main import main
from conformance.errors import UsageError
from differential.align.pairs import pairs_of
from differential.classify.naming import Namer
from differential.counts import Counts
from differential.live import journal as live_journal
from differential.live.batches import TIMED, WAITING, decode_timed, settle
from differential.live.journal import Journal, Progress
from differential.live.rounds import EVERYTHING
from differential.local import Outcome, compare_locally
from differential.model import Class
from differential.result.tally import order_of
from differential.rows import difference_of
from differential.sources.spec import Spec
from differential.spark.live import LiveComparison
from differential.spark.session import session
from differential.spark.streams import stream_of
from reference_impl.model import Record
from reference_impl.wire import table_to_json
from tests.unit.differential.streams import TABLE, TYPES, changes, cut, lost, messages, repeated, side

LEFT = side("left", "canal-json", enable_tidb_extension="true")
RIGHT = side("right", "open-protocol", max_batch_size="1")
SIDES = (LEFT, RIGHT)
CHANGES = changes(seed=21, count=300)
STREAMS = (repeated(lost(cut(messages(LEFT, CHANGES), 30), 90), 150), messages(RIGHT, CHANGES))
PAIRS = pairs_of(SIDES, TYPES, {"left-right": Namer()})
OF = {"sides": "these"}
PATIENCE = 30_000  # of messages that come one a second
COLUMNS = {
    "key": pyarrow.binary(),
    "value": pyarrow.binary(),
    "topic": pyarrow.string(),
    "partition": pyarrow.int32(),
    "offset": pyarrow.int64(),
    "timestamp": pyarrow.timestamp("ms", "UTC"),
}


NOT_COMPARED = ("clocks", "offset_examples", "ways")  # learned of whole streams alone; how changes were compared


def without_zeros(counts: Counts) -> dict[str, Any]:
    return {
        name: [one for one in told if one[-1] != "0"]
        for name, told in counts.to_json().items()
        if name not in NOT_COMPARED
    }


@cache
def expected() -> tuple[list[Any], dict[str, Any]]:
    found: Outcome = compare_locally(SIDES, STREAMS, PAIRS)
    assert {d.kind for d in found.differences} == {Class.UNDECODABLE, Class.EXTRA, Class.DUPLICATE}
    return found.differences, without_zeros(found.counts)


def ended(out: Path, journal: Journal) -> tuple[list[Any], dict[str, Any]]:
    """The differences that are on disk, and the counts."""
    table = dataset.dataset(out / "differences", format="parquet").to_table()
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    found = sorted(map(difference_of, rows), key=order_of)
    assert sum(journal.progress().tally.cells.values()) == len(found)
    return found, without_zeros(journal.ended(journal.progress()))


def table_of(number: int, records: Sequence[Record]) -> Any:
    """The messages as Kafka's columns, one a second."""
    stamped = [{name: getattr(r, name) for name in COLUMNS} | {"timestamp": 1000 * (r.offset or 0)} for r in records]
    return pyarrow.Table.from_pylist(stamped, schema=pyarrow.schema(COLUMNS))


class Killed(Exception):
    """As if the process had ended there."""


def step(journal: Journal, news: Sequence[Sequence[Record]], taken: int, due: float | None) -> Progress:
    """A batch of a live comparison as Spark computes it, without Spark."""
    before = journal.progress()
    batches = []
    for number, records in enumerate(news):
        frame = table_of(number, records)
        time = frame["timestamp"].cast("int64")
        frames = frame.drop_columns("timestamp").append_column("time", time).to_batches()
        batches += list(decode_timed(number, SIDES[number], frames))
    if before.waiting or before.check_rows:
        pieces = dataset.dataset(journal.pieces(before.number), format="parquet")
        waiting = pieces.to_table(TIMED.names, filter=dataset.field("what") == WAITING)
        batches += waiting.to_batches()
    together = pyarrow.Table.from_batches(batches).sort_by([(name, "ascending") for name in TIMED.names[:9]])
    made = pyarrow.Table.from_batches(settle(PAIRS, 2, due, together.to_batches(max_chunksize=50)))
    folder = journal.pieces(before.number + 1)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    parquet.write_table(made, folder / "part-0.parquet")
    return journal.complete(before, taken, due)


def in_batches(batches: int, draw: random.Random) -> list[list[Sequence[Record]]]:
    cuts = [[0, *sorted(draw.randint(0, len(s)) for _ in range(batches - 1)), len(s)] for s in STREAMS]
    return [[s[a:b] for s, (a, b) in zip(STREAMS, two, strict=True)] for two in zip(*map(pairwise, cuts), strict=True)]


@given(batches=st.integers(1, 8), seed=st.integers(0, 1000))
@settings(max_examples=4, deadline=None)
def test_a_run_that_is_killed_at_any_place_ends_as_a_comparison_at_once(
    tmp_path_factory: pytest.TempPathFactory, batches: int, seed: int
) -> None:
    out, draw = tmp_path_factory.mktemp("live"), random.Random(seed)
    whole = live_journal._replace

    def kill(file: Path, text: str) -> None:
        if file.name == "progress.json" and draw.random() < 0.4:
            raise Killed
        whole(file, text)

    def due(progress: Progress) -> float | None:
        return min(progress.newest.values()) - PATIENCE if len(progress.newest) == len(SIDES) else None

    rest = [*in_batches(batches, draw), [[], []]]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(live_journal, "_replace", kill)
        while (taken := Journal(out).progress().taken + 1) < len(rest):
            with suppress(Killed):
                journal = Journal(out)
                journal.open(OF)
                last = taken == batches
                step(journal, rest[taken], taken, EVERYTHING if last else due(journal.progress()))
    assert journal.progress().waiting == {}
    assert ended(out, journal) == expected()


def test_only_the_last_batch_keeps_what_waits_and_files_of_last_changes_become_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_journal, "_FILES", 3)
    journal = Journal(tmp_path)
    journal.open(OF)
    for taken, news in enumerate(in_batches(9, random.Random(2))):
        step(journal, news, taken, None)
    step(journal, [[], []], 9, EVERYTHING)
    assert ended(tmp_path, journal) == expected()
    assert [folder.name for folder in (tmp_path / "live" / "pieces").iterdir()] == ["batch=10"]
    files = list((tmp_path / "live" / "last").iterdir())
    assert sorted(file.name for file in files) == sorted(journal.progress().last)
    assert len(files) <= 3


def test_differences_beyond_the_greatest_number_of_rows_are_counted_over_all_batches(tmp_path: Path) -> None:
    journal = Journal(tmp_path, most=2)
    journal.open(OF)
    for taken, news in enumerate(in_batches(3, random.Random(1))):
        step(journal, news, taken, None)
    done = step(journal, [[], []], 3, EVERYTHING)
    assert dataset.dataset(tmp_path / "differences", format="parquet").count_rows() == done.written == 2
    assert (sum(done.tally.cells.values()), done.tally.left_out) == (4, 2)


def test_another_comparison_does_not_go_on_from_this_one(tmp_path: Path) -> None:
    Journal(tmp_path).open({"sides": "mistaken"})  # and came to nothing
    journal = Journal(tmp_path)
    journal.open(OF)
    step(journal, [STREAMS[0][:5], []], 0, None)
    Journal(tmp_path).open(OF)
    with pytest.raises(UsageError, match="other sides, other tables or another version"):
        Journal(tmp_path).open({"sides": "others"})
    (tmp_path / "once" / "differences").mkdir(parents=True)
    with pytest.raises(UsageError, match="no live comparison"):
        Journal(tmp_path / "once").open(OF)


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    with session("local[2]") as made:
        yield made


def put(folder: Path, number: int, name: str, records: Sequence[Record]) -> None:
    """Let a file arrive, whole."""
    place = folder / SIDES[number].name
    place.mkdir(exist_ok=True)
    draft = place / f".{name}"
    parquet.write_table(table_of(number, records), draft)
    draft.replace(place / f"{name}.parquet")


def specs(folder: Path) -> list[Spec]:
    return [Spec(of.dialect, str(folder / of.name)) for of in SIDES]


@pytest.mark.parametrize("written", [True, False], ids=["after", "before"])
def test_a_killed_round_is_repeated_and_reports_nothing_twice(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: bool
) -> None:
    complete: Callable[..., Progress] = Journal.complete
    kills = iter([False, True, False, True])

    def killed(self: Journal, *of: Any) -> Progress:
        kill = next(kills, False)
        if kill and not written:
            raise Killed
        done = complete(self, *of)
        if kill:
            raise Killed
        return done

    monkeypatch.setattr(Journal, "complete", killed)
    failures = 0
    batches = in_batches(3, random.Random(7))
    for taken, news in enumerate(batches):
        for number, records in enumerate(news):
            put(tmp_path, number, f"batch-{taken}", records)
        for _ in range(3):
            journal = Journal(tmp_path / "out")
            journal.open(OF)
            live = LiveComparison(SIDES, PAIRS, journal, 30.0, 3)
            last = taken == len(batches) - 1
            try:
                list(live.rounds(spark, specs(tmp_path), config=None, more=lambda: False, to_the_end=last))
            except UsageError as e:
                assert "failed on Spark" in str(e)  # noqa: PT017
                failures += 1
                continue
            break
    assert failures == 2
    assert journal.progress().waiting == {}
    assert ended(tmp_path / "out", journal) == expected()


def test_folders_without_kafkas_columns_or_without_a_file_are_refused(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="that already hold a parquet file"):
        stream_of(spark, Spec("canal-json", str(tmp_path)))
    parquet.write_table(pyarrow.table({"value": [b""], "topic": ["t"]}), tmp_path / "a.parquet")
    with pytest.raises(UsageError, match="missing: partition, offset, timestamp"):
        stream_of(spark, Spec("canal-json", str(tmp_path)))


def test_a_folder_is_read_whatever_it_is_called(spark: Any, tmp_path: Path) -> None:
    folder = tmp_path / "of [1] {a,b}"
    folder.mkdir()
    parquet.write_table(table_of(0, STREAMS[0]), folder / "a.parquet")
    taken: list[int] = []
    writer = stream_of(spark, Spec("canal-json", str(folder))).writeStream.trigger(availableNow=True)
    writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
    writer.foreachBatch(lambda frame, number: taken.append(frame.count())).start().awaitTermination()
    assert taken == [len(STREAMS[0])]


def test_the_command_goes_on_after_a_kill_and_ends_as_a_comparison_at_once(tmp_path: Path) -> None:
    (tmp_path / "tables.json").write_text(json.dumps([table_to_json(TABLE)]), encoding="utf-8")
    options = ["&".join(f"{name}={value}" for name, value in of.options.items()) for of in SIDES]
    of_sides = [f"--{of.name}={of.dialect}?{o}:{tmp_path}/{of.name}" for of, o in zip(SIDES, options, strict=True)]
    arguments = ["compare", *of_sides, "--tables", str(tmp_path / "tables.json")]
    live = [sys.executable, "-m", "ticdc_conformance", *arguments, "--out", str(tmp_path / "live"), "--live"]
    more = ["--every", "0.2", "--patience", "30", "--master", "local[2]", "--partitions", "3"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

    def started(*given: str) -> subprocess.Popen[str]:
        return subprocess.Popen([*live, *more, *given], stdout=subprocess.PIPE, text=True, env=environment)

    first, second = in_batches(2, random.Random(5))
    for number in (0, 1):
        put(tmp_path, number, "first", first[number])
    with started() as killed:
        assert killed.stdout is not None
        assert killed.stdout.readline().startswith("batch 1: ")
        killed.kill()
    assert json.loads((tmp_path / "live" / "summary.json").read_text())["final_tables"] == []
    for number in (0, 1):
        put(tmp_path, number, "second", second[number])
    with started("--final") as stopped:
        assert stopped.stdout is not None
        assert stopped.stdout.readline().startswith("batch 2: ")
        stopped.send_signal(signal.SIGTERM)
        stopped.communicate()
    assert stopped.returncode == 1
    assert main([*arguments, "--out", str(tmp_path / "once"), "-n", "1"]) == 1
    found = {name: json.loads((tmp_path / name / "summary.json").read_text()) for name in ("live", "once")}
    told = found["live"].pop("live")
    assert {side["waiting"] for side in told["sides"].values()} == {0}
    assert (found["live"].pop("runner"), found["once"].pop("runner")) == ("spark", "local")
    del found["once"]["plan"]
    for one in found.values():
        del one["made"]
    assert found["live"] == found["once"]

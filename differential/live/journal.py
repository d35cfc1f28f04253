"""The files of a live comparison, and how a batch becomes part of it.

    OUT/live/of.json           the comparison's sides and tables; a continued run must have the same
    OUT/live/progress.json     the progress and all counts; files that it does not name are ignored
    OUT/live/pieces/batch=N    the changes that wait after batch N; only the last batch is kept
    OUT/live/last/*.parquet    the last settled change of every key, as hashes
    OUT/live/checkpoint        Spark's own record of what was read
    OUT/differences/batch=N    the differences of batch N; batch=0 has those that are known only at the end

A batch is complete once `progress.json` names it; that file is replaced atomically, as the last step. An incomplete
batch is computed again, with the same result.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import compute, dataset, parquet

from conformance.errors import UsageError
from differential.counts import Counts
from differential.decode.slim import Kind
from differential.live.batches import COLUMNS, COUNTED, DIFFERENCE, LAST, WAITING, counted
from differential.model import Class, Difference
from differential.result.tally import Tally, TallyCell
from differential.rows import difference_of, row_of, write_parquet

__all__ = ["Journal", "Progress"]

_WHAT = compute.field("what")
_KEY = ["key_hash", "of_side"]
_AT_THE_END, _FIRST = 0, 1
_FILES = 32  # files of last changes before they are merged into one


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a live comparison. Times are milliseconds since 1970."""

    number: int = 0
    """The number of its batches."""
    taken: int = -1
    """Spark's number of the last batch that was read."""
    due: float | None = None
    """The time up to which changes were due."""
    newest: Mapping[int, int] = field(default_factory=dict)
    """By side, the time of the newest message."""
    waiting: Mapping[int, int] = field(default_factory=dict)
    """By side, the number of waiting changes."""
    check_rows: int = 0
    """The number of rows kept for the checks of whole streams."""
    oldest: int | None = None
    """The oldest time of a waiting change or of a row kept for the checks."""
    written: int = 0
    """The number of differences written."""
    last: tuple[str, ...] = ()
    """The names of the files of last changes."""
    counts: Counts = field(default_factory=Counts)
    tally: Tally = field(default_factory=Tally)

    def to_json(self) -> dict[str, Any]:
        """The content of `progress.json`."""
        examples = self.tally.examples
        return {
            "number": self.number,
            "taken": self.taken,
            "due": self.due,
            "newest": sorted(self.newest.items()),
            "waiting": sorted(self.waiting.items()),
            "narrow": self.check_rows,
            "oldest": self.oldest,
            "written": self.written,
            "last": self.last,
            "counts": self.counts.to_json(),
            "cells": [[cell, n, [row_of(one) for one in examples[cell]]] for cell, n in self.tally.cells.items()],
            "left_out": self.tally.left_out,
        }

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Progress:
        """The progress that `to_json` wrote."""
        tally = Tally(left_out=given["left_out"])
        for cell, n, examples in given["cells"]:
            tally.cells[TallyCell(*cell)] = n
            tally.examples[TallyCell(*cell)] = [difference_of(tuple(row)) for row in examples]
        return cls(
            number=given["number"],
            taken=given["taken"],
            due=given["due"],
            newest=dict(given["newest"]),
            waiting=dict(given["waiting"]),
            check_rows=given["narrow"],
            oldest=given["oldest"],
            written=given["written"],
            last=tuple(given["last"]),
            counts=Counts.from_json(given["counts"]),
            tally=tally,
        )


class Journal:
    """The files of a live comparison below `out`.

    `shown` removes what must not be shown from a difference. `kept` takes the differences of a batch and the counts; it
    counts permitted duplicates and returns all other differences.
    """

    def __init__(
        self,
        out: Path,
        *,
        most: int | None = None,
        shown: Callable[[Difference], Difference] = lambda difference: difference,
        kept: Callable[[Iterable[Difference], Counts], Iterable[Difference]] = lambda differences, counts: differences,
    ) -> None:
        self._differences, self._folder = out / "differences", out / "live"
        self._most, self._shown, self._kept = most, shown, kept
        self.checkpoint = self._folder / "checkpoint"

    def open(self, of: Mapping[str, Any]) -> None:
        """Begin, or continue an earlier run.

        Raises `UsageError` if that run compared something else.
        """
        file, text = self._folder / "of.json", json.dumps(of, indent=1, sort_keys=True)
        same = file.is_file() and file.read_text(encoding="utf-8") == text
        if not same and self._progress.is_file():
            raise UsageError(
                f"{self._folder}: holds a live comparison of other sides, other tables or another version: "
                "continue with those, or begin anew with another --out"
            )
        if not same and self._differences.exists():
            raise UsageError(f"{self._differences} exists and belongs to no live comparison: choose another --out")
        if not same:  # an earlier run may have begun another comparison and failed
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder.mkdir(parents=True)
            _replace(file, text)
        self._tidy(self.progress())

    def progress(self) -> Progress:
        """The current progress."""
        if not self._progress.is_file():
            return Progress()
        return Progress.from_json(json.loads(self._progress.read_text(encoding="utf-8")))

    @property
    def _progress(self) -> Path:
        return self._folder / "progress.json"

    def pieces(self, number: int) -> Path:
        """The folder of the pieces of a batch, whose columns are `batches.PIECES`."""
        return self._folder / "pieces" / f"batch={number}"

    def complete(self, before: Progress, taken: int, due: float | None) -> Progress:
        """Make the pieces of the next batch part of the comparison."""
        number = before.number + 1
        pieces = dataset.dataset(self.pieces(number), format="parquet")
        payloads = pieces.to_table(["payload"], filter=_WHAT == COUNTED)["payload"].to_pylist()
        counts, newest = counted(payloads)
        counts.add(before.counts)
        waiting = pieces.to_table(["side", "time", "kind"], filter=_WHAT == WAITING)
        changes = waiting.filter(compute.equal(waiting["kind"], int(Kind.CHANGE)))
        sides = compute.value_counts(changes["side"].combine_chunks())
        now = replace(
            before,
            number=number,
            taken=taken,
            due=due,
            newest={
                side: max(times[side] for times in (before.newest, newest) if side in times)
                for side in {*before.newest, *newest}
            },
            waiting={one["values"]: one["counts"] for one in sides.to_pylist()},
            check_rows=waiting.num_rows - changes.num_rows,
            oldest=compute.min(waiting["time"]).as_py(),
            counts=counts,
            written=before.written
            + self._write(number, self._kept(self._found(pieces, before.last), counts), before.tally, before.written),
            last=self._remember(number, pieces.to_table(COLUMNS[LAST], filter=_WHAT == LAST), before.last),
        )
        _replace(self._progress, json.dumps(now.to_json()))
        self._tidy(now)
        return now

    def ended(self, progress: Progress) -> Counts:
        """The counts, with the final rows that the settled changes leave in each table."""
        counts = Counts()
        counts.add(progress.counts)
        if progress.last:
            for schema, table, _, side, _, image in _tuples(_latest(self._last(progress.last))):
                if image is not None:
                    key = (side, schema, table)
                    counts.rows[key] += 1
                    counts.checksum[key] = (counts.checksum[key] + image) % 2**64
        return counts

    def conclude(self, progress: Progress, differences: Iterable[Difference], counts: Counts) -> None:
        """Write the differences that are known only at the end into `batch=0`, and add them to the tally of `progress`.

        `counts` are those of `ended`, and get the permitted duplicates.
        """
        self._write(_AT_THE_END, self._kept(differences, counts), progress.tally, progress.written)

    def _write(self, number: int, differences: Iterable[Difference], tally: Tally, before: int) -> int:
        """Write differences into the folder of a batch, and add them to a tally.

        Returns the number of rows.

        `before` rows were written in earlier batches.
        """
        folder = self._differences / f"batch={number}"
        draft = folder.with_name(f".{folder.name}")
        rows = 0

        def tallied() -> Iterator[Difference]:
            nonlocal rows
            for shown in map(self._shown, differences):
                rows += 1
                tally.add(shown)
                yield shown

        def leave_out() -> None:
            nonlocal rows
            rows -= 1
            tally.left_out += 1

        shutil.rmtree(draft, ignore_errors=True)
        most = None if self._most is None else max(0, self._most - before)
        write_parquet(tallied(), draft, most=most, on_omitted=leave_out)
        shutil.rmtree(folder, ignore_errors=True)
        if rows or number == _FIRST:  # so that readers find the columns from the beginning
            draft.replace(folder)
        else:
            shutil.rmtree(draft)
        return rows

    def _found(self, pieces: Any, last: Sequence[str]) -> Iterator[Difference]:
        repeated = self._repeated(pieces, last)
        for batch in pieces.to_batches(COLUMNS[DIFFERENCE], filter=_WHAT == DIFFERENCE):
            for *row, key_hash, side, change_hash in _tuples(batch):
                difference = difference_of(tuple(row))
                is_repeat = (key_hash, side, change_hash) in repeated
                yield replace(difference, kind=Class.DUPLICATE) if is_repeat else difference

    def _repeated(self, pieces: Any, last: Sequence[str]) -> set[tuple[Any, ...]]:
        """The changes without a partner that repeat the last settled change of their key and side."""
        keys = pieces.to_table(_KEY, filter=(_WHAT == DIFFERENCE) & compute.field("key_hash").is_valid())
        if not last or not keys.num_rows:
            return set()
        there = self._last(last, compute.field("key_hash").isin(keys["key_hash"].combine_chunks()))
        return set(_tuples(_latest(there).select([*_KEY, "change_hash"])))

    def _remember(self, number: int, latest: Any, last: tuple[str, ...]) -> tuple[str, ...]:
        if not latest.num_rows:
            return last
        if len(last) >= _FILES:
            latest, last = _latest(pyarrow.concat_tables([self._last(last), latest])), ()
        name = f"batch-{number}.parquet"
        (self._folder / "last").mkdir(exist_ok=True)
        parquet.write_table(latest, self._folder / "last" / name, compression="zstd")
        return (*last, name)

    def _last(self, names: Sequence[str], only: Any = None) -> Any:
        """The last changes in files, older ones first."""
        read = (parquet.read_table(self._folder / "last" / name, columns=COLUMNS[LAST], filters=only) for name in names)
        return pyarrow.concat_tables(read)

    def _tidy(self, progress: Progress) -> None:
        """Remove the files of incomplete batches and of batches before the last."""
        for file in (self._folder / "last").glob("*"):
            if file.name not in progress.last:
                file.unlink()
        for folder in (self._folder / "pieces").glob("*"):
            if folder != self.pieces(progress.number):
                shutil.rmtree(folder)
        for folder in self._differences.glob("*batch=*"):
            number = int(folder.name.partition("=")[2])
            if folder.name.startswith(".") or number == _AT_THE_END or number > progress.number:
                shutil.rmtree(folder)


def _latest(changes: Any) -> Any:
    """The last change of each key and side."""
    names = [name for name in COLUMNS[LAST] if name not in _KEY]
    keep = compute.ScalarAggregateOptions(skip_nulls=False)
    grouped = changes.group_by(_KEY, use_threads=False).aggregate([(name, "last", keep) for name in names])
    return grouped.rename_columns([name.removesuffix("_last") for name in grouped.column_names]).select(COLUMNS[LAST])


def _tuples(table: Any) -> Iterator[tuple[Any, ...]]:
    return zip(*(column.to_pylist() for column in table.columns), strict=True)


def _replace(file: Path, text: str) -> None:
    draft = file.with_name(f"{file.name}.draft")
    draft.write_text(text, encoding="utf-8")
    draft.replace(file)

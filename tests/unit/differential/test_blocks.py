"""Slim batches that travel as blocks, as values or through files."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow
import pytest

from differential import blocks
from differential.batches import SLIM
from differential.blocks import BLOCKS, PLACES, pack, read_blocks, unpack, write_blocks

PARTS = 5


def batch_of(groups: range, payload: bytes = b"-\n{}") -> Any:
    """Slim rows of these groups; all else is the same."""
    constants = ("shop", "orders", b"[]", 0, "t", 0, 1, 0, 0, "insert", False, None, "", payload)
    rows = ((group, *constants) for group in groups)
    arrays = [pyarrow.array(c, type=f.type) for c, f in zip(zip(*rows, strict=True), SLIM, strict=True)]
    return pyarrow.RecordBatch.from_arrays(arrays, schema=SLIM)


BATCHES = [batch_of(range(40)), batch_of(range(40, 43)), batch_of(range(43, 120))]


def sent(way: str, folder: Path) -> tuple[Any, Any]:
    """What is given away, and the function that takes it."""
    if way == "as values":
        return pyarrow.Table.from_batches(pack(PARTS, iter(BATCHES)), schema=BLOCKS), unpack
    return pyarrow.Table.from_batches(write_blocks(str(folder), PARTS, iter(BATCHES)), schema=PLACES), read_blocks


@pytest.mark.parametrize("most", [1, 2**30])
@pytest.mark.parametrize("way", ["as values", "in files"])
def test_each_row_comes_to_its_part_once(way: str, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "_VALUE_BYTES", most)
    monkeypatch.setattr(blocks, "_FILE_BYTES", most)
    given, take = sent(way, tmp_path)
    rows: list[dict[str, Any]] = []
    for part in range(PARTS):
        mine = given.filter(pyarrow.compute.equal(given["part"], part)).to_batches()
        found = pyarrow.Table.from_batches(chain(*take(mine)), schema=SLIM).to_pylist()
        assert {row["group"] % PARTS for row in found} == {part}
        rows += found
    expected = pyarrow.Table.from_batches(BATCHES).to_pylist()
    assert sorted(rows, key=lambda row: row["group"]) == expected


def test_blocks_in_files_are_fetched_part_by_part(tmp_path: Path) -> None:
    parts = [list(part) for part in read_blocks(write_blocks(str(tmp_path), PARTS, iter(BATCHES)))]
    found = [{row["group"] % PARTS for batch in part for row in batch.to_pylist()} for part in parts]
    assert found == [{part} for part in range(PARTS)]


def test_tasks_write_files_of_their_own(tmp_path: Path) -> None:
    given = [batch for _ in range(2) for batch in write_blocks(str(tmp_path), 1, iter(BATCHES))]
    assert len({batch["file"][0].as_py() for batch in given}) == len(list(tmp_path.iterdir())) == 2

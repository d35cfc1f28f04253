"""The streams of the benchmarks: generated once from a seed, and reused by every later run."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyarrow import dataset

__all__ = ["LEAST", "PAIRS", "Streams", "messages_of", "streams"]

_TABLES = Path(__file__).with_name("comparison.sql")
_SEED = 20
_SHARD = 20_000  # changes
LEAST = 2 * _SHARD
"""The fewest changes of streams in several parts; only such streams can be shortened by `Streams.first`."""

_BINARY = ("avro", "open-protocol")
_EXTENDED = "?enable-tidb-extension=true"

PAIRS = {
    "canal": (f"canal-json{_EXTENDED}", "canal"),
    "debezium": (f"debezium{_EXTENDED}", "debezium-connector"),
    "open-protocol": ("open-protocol", f"canal-json{_EXTENDED}"),
    "avro": ("avro", f"canal-json{_EXTENDED}"),
    "avro-extended": (f"avro{_EXTENDED}", f"canal-json{_EXTENDED}"),
    "avro-before": (f"avro{_EXTENDED}&avro-include-before-value=true", f"canal-json{_EXTENDED}"),
}
"""Name → the two compared dialects, as `generate` and `compare` take them."""


@dataclass(frozen=True, slots=True)
class Streams:
    """Two streams of the same changes."""

    folder: Path
    dialects: tuple[str, str]

    @property
    def tables(self) -> Path:
        """The tables of the streams."""
        return self.folder / "tables.json"

    @property
    def folders(self) -> tuple[Path, Path]:
        """The folders with the messages of each side."""
        left, right = (self.folder / dialect.partition("?")[0] for dialect in self.dialects)
        return left, right

    @property
    def json_folders(self) -> tuple[Path, ...]:
        """The `folders` whose messages are JSON."""
        return tuple(folder for folder in self.folders if folder.name not in _BINARY)

    @property
    def specs(self) -> tuple[str, str]:
        """The sides as `compare` takes them."""
        left, right = (f"{d}:{folder}" for d, folder in zip(self.dialects, self.folders, strict=True))
        return left, right

    def first(self, changes: int, below: Path) -> Streams:
        """The streams of the first `changes` changes, in a folder of links below `below`.

        Whole parts can be left out, since no two parts have a row in common.
        """
        folder = below / f"first-{changes}-of-{self.folder.name}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for file in (self.tables, *self.folder.glob("*.schemas.json")):
            shutil.copy(file, folder)
        for source in self.folders:
            target = folder / source.name
            target.mkdir()
            parts = sorted(source.glob("*.parquet"))[: max(1, changes // _SHARD)]
            for part in parts:
                (target / part.name).symlink_to(part.resolve())
        return Streams(folder, self.dialects)


def streams(cache: Path, changes: int, pair: str = "canal", *, preset: str = "") -> Streams:
    """Streams of `changes` changes of a preset or of our tables, generated if `cache` has none.

    Raises `CalledProcessError` if that fails.
    """
    tables = f"--preset={preset}" if preset else f"--tables={_TABLES}"
    folder = cache / f"{preset or 'orders'}-{pair}-{changes}"
    cached = Streams(folder, PAIRS[pair])
    if not (folder / "generate.json").exists():
        print(f"writing {changes:,} changes into {folder}", flush=True)
        dialects = [f"--dialect={dialect}" for dialect in cached.dialects]
        sizes = [f"--changes={changes}", f"--seed={_SEED}", f"--shards={max(1, changes // _SHARD)}"]
        command = [sys.executable, "-m", "ticdc_conformance", "generate", tables, *dialects, *sizes, f"--out={folder}"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return cached


def messages_of(folder: Path, most: int) -> list[bytes]:
    """The values of the first `most` messages of a folder, without tombstones."""
    values: list[Any] = []
    for batch in dataset.dataset(folder, format="parquet").to_batches(columns=["value"]):
        values += (value for value in batch.column(0).to_pylist() if value)
        if len(values) >= most:
            break
    return values[:most]

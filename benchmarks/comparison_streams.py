"""The streams that are compared: made once from a seed, and found in their folder by every later run."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyarrow import dataset

__all__ = ["LEAST", "PAIRS", "Streams", "messages_of", "streams"]

_TABLES = Path(__file__).with_name("comparison.sql")
_SEED = 20
_SHARD = 20_000  # changes
LEAST = 2 * _SHARD
"""The fewest changes of streams in more than one part, which `Streams.first` can make smaller."""

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
"""Dialects that are compared, as `generate` and `compare` take them: TiCDC's and upstream's, or two of TiCDC's."""


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
        """Where the messages of each side are."""
        left, right = (self.folder / dialect.partition("?")[0] for dialect in self.dialects)
        return left, right

    @property
    def json_folders(self) -> tuple[Path, ...]:
        """Those of `folders` whose messages are JSON."""
        return tuple(folder for folder in self.folders if folder.name not in _BINARY)

    @property
    def specs(self) -> tuple[str, str]:
        """The sides as `compare` takes them."""
        left, right = (f"{d}:{folder}" for d, folder in zip(self.dialects, self.folders, strict=True))
        return left, right

    def first(self, changes: int, below: Path) -> Streams:
        """The streams of the first so many changes, in a folder of links.

        Rows of one part are in no other.
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
    """Streams of so many changes upstream, made now if they are not there.

    Raises `CalledProcessError` if that fails.
    """
    what = f"--preset={preset}" if preset else f"--tables={_TABLES}"
    folder = cache / f"{preset or 'orders'}-{pair}-{changes}"
    made = Streams(folder, PAIRS[pair])
    if not (folder / "generate.json").exists():
        print(f"writing {changes:,} changes into {folder}", flush=True)
        dialects = [f"--dialect={dialect}" for dialect in made.dialects]
        sizes = [f"--changes={changes}", f"--seed={_SEED}", f"--shards={max(1, changes // _SHARD)}"]
        command = [sys.executable, "-m", "ticdc_conformance", "generate", what, *dialects, *sizes, f"--out={folder}"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return made


def messages_of(folder: Path, most: int) -> list[bytes]:
    """The values of the first messages of a folder, tombstones left out."""
    found: list[Any] = []
    for batch in _batches(folder):
        found += (value for value in batch.column(0).to_pylist() if value)
        if len(found) >= most:
            break
    return found[:most]


def _batches(folder: Path) -> Iterator[Any]:
    yield from dataset.dataset(folder, format="parquet").to_batches(columns=["value"])

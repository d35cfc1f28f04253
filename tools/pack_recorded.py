"""Pack recorded vectors into `fixtures/recorded`: one `.jsonl.xz` a protocol and a `meta.toml` a producer.

    python tools/pack_recorded.py SOURCE_DIR [--into fixtures/recorded]

SOURCE_DIR holds a folder a producer, and in it `PROTOCOL.jsonl` and `crashes.jsonl`. Lines are kept as they are, but
for the member `producer`, which is the same in all of them and goes to `meta.toml`. The bytes written depend on the
input alone: the xz container has no time stamp, and preset and check are fixed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import lzma
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PROFILES = {"ticdc-newarch": "newarch", "ticdc-classic": "classic"}
PROTOCOLS = ("avro", "canal-json", "debezium", "open-protocol")
FILES = (*PROTOCOLS, "crashes")

REAL = (
    "encoder packages, schema analysis and codec configuration of the producer, unmodified: envelopes, member order,"
    " escaping, type codes, flags, batching, number formatting, verdicts of errors, DDL and watermark messages"
)
STAND_IN = (
    "no TiDB ran behind the encoder: the inner text of JSON columns, the text of vectors, the table information (built"
    " from `tables`), and the rule that splits an update of a key; keys of classic Open Protocol have no `rid`"
)
LICENCE = (
    "the vectors are output of Apache-2.0 software on inputs of this project and are distributed under Apache-2.0;"
    " nothing of the producer's source is in them"
)


def lines_of(path: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """(vector without its producer, producer) for every line of a file."""
    for text in path.read_bytes().splitlines():
        vector = json.loads(text)
        producer = vector.pop("producer")
        yield vector, producer


def packed(vectors: list[dict[str, Any]]) -> tuple[bytes, bytes]:
    """The vectors as JSON lines, and these compressed."""
    text = "".join(json.dumps(v, ensure_ascii=False, separators=(",", ":")) + "\n" for v in vectors)
    plain = text.encode("utf-8")
    return plain, lzma.compress(plain, format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC64, preset=9 | lzma.PRESET_EXTREME)


def quoted(text: str) -> str:
    """A TOML basic string."""
    return json.dumps(text, ensure_ascii=False)


def pack(source: Path, into: Path) -> None:
    """Pack one producer's folder. Raises ValueError where its lines name more than one producer."""
    producers: dict[str, dict[str, Any]] = {}
    files: list[str] = []
    into.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        if not (source / f"{name}.jsonl").exists():
            continue
        vectors = []
        for vector, producer in lines_of(source / f"{name}.jsonl"):
            if vector["protocol"] in PROTOCOLS:
                vectors.append(vector)
                producers[json.dumps(producer, sort_keys=True)] = producer
        if not vectors:
            continue
        plain, compressed = packed(vectors)
        (into / f"{name}.jsonl.xz").write_bytes(compressed)
        files.append(
            f"[[file]]\nname = {quoted(f'{name}.jsonl.xz')}\nvectors = {len(vectors)}\n"
            f"sha256_of_lines = {quoted(hashlib.sha256(plain).hexdigest())}\n"
        )
    if len(producers) != 1:
        raise ValueError(f"{source}: {len(producers)} producers in one folder")
    [producer] = producers.values()
    head = {
        "producer": into.name,
        "profile": PROFILES[into.name],
        "module": producer["module"],
        "version": producer["version"],
        "date": producer["date"],
        "real": REAL,
        "stand_in": STAND_IN,
        "licence": LICENCE,
    }
    text = "".join(f"{name} = {quoted(value)}\n" for name, value in head.items())
    (into / "meta.toml").write_text(text + "\n" + "\n".join(files), encoding="utf-8")


def main() -> int:
    """Pack every known producer's folder that SOURCE_DIR has."""
    parser = argparse.ArgumentParser(description="Pack recorded vectors into fixtures/recorded.")
    parser.add_argument("source", type=Path)
    parser.add_argument("--into", type=Path, default=Path(__file__).parent.parent / "fixtures" / "recorded")
    arguments = parser.parse_args()
    folders = [name for name in PROFILES if (arguments.source / name).is_dir()]
    for name in folders:
        pack(arguments.source / name, arguments.into / name)
        print(f"{arguments.into / name}: packed")
    if not folders:
        print(f"{arguments.source}: none of {', '.join(PROFILES)} is there", file=sys.stderr)
    return 0 if folders else 4


if __name__ == "__main__":
    sys.exit(main())

"""Pack recordings into `fixtures/recorded`: vectors of TiCDC, and records of upstream producers with their workloads.

    python tools/pack_recorded.py SOURCE_DIR [--into fixtures/recorded]

SOURCE_DIR holds a folder a producer. Of TiCDC, in it are `PROTOCOL.jsonl` and `crashes.jsonl`, each of which becomes a
`.jsonl.xz`; lines are kept as they are, but for the member `producer`, which is the same in all of them and goes to
`meta.toml`. The folder of an upstream producer, `consumers` and `workload` are packed whole into one `files.jsonl.xz`,
from which every file comes back byte for byte. The bytes written depend on the input alone: the xz container has no
time stamp, and preset and check are fixed.
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

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from conformance.catalogue import packing

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

WHOLE_FOLDERS = {
    "canal": (
        "Alibaba Canal 1.1.7 (com.alibaba.otter:canal.server, connector.kafka), unmodified, on MySQL 9.7.4 and MariaDB"
        " 10.11",
        "every record as the producer sent it",
    ),
    "debezium24": (
        "the MySQL connector of Debezium 2.4.0.Final in the embedded engine, on MySQL 9.7.4 and MariaDB 10.11",
        "every record as the producer sent it",
    ),
    "debezium36": (
        "the MySQL connector of Debezium 3.6.1.Final in the embedded engine, on MySQL 9.7.4",
        "every record as the producer sent it",
    ),
    "debezium": (
        "the MySQL connector of Debezium 3.6.3.Final and 3.0.7.Final, on MySQL 9.7 and MariaDB 10.11",
        "every record, its JSON read and written again; of Avro the bytes, and the schemas beside them",
    ),
    "consumers": (
        "decoders of Flink 1.17.2, 1.20.4 and 2.3.0, SeaTunnel 2.3.8, Paimon 1.3.1, Kafka Connect 3.9.1, 4.1.1 with"
        " Debezium's unwrap 2.7.4, 3.0.7 and 3.4.1, Apicurio's AvroConverter 2.6.13, and jobs of Spark 3.5.7 and 4.1.1,"
        " fed with messages of our own and with the recordings of debezium",
        "what each decoder answered to each message: rows, nothing, or an error",
    ),
    "workload": (
        "this suite",
        "the SQL that the upstream producers were recorded with, and the row changes that it causes on each server,"
        " made from the SQL alone by an interpreter: no message of a producer had a part in them",
    ),
}
"""Folder that is packed whole → the software whose output it has, and the form of that."""
LICENCE_OF_WHOLE_FOLDERS = (
    "output of Apache-2.0 software on inputs of this project, distributed under Apache-2.0; nothing of the producers'"
    " source is in it"
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
    """Pack one producer's folder. Raises ValueError unless its lines name exactly one producer."""
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


def pack_folder(source: Path, into: Path) -> None:
    """Pack a folder of an upstream producer, of consumers' answers, or of workloads, whole."""
    files = {path.name: path.read_bytes() for path in sorted(source.iterdir()) if path.is_file()}
    into.mkdir(parents=True, exist_ok=True)
    (into / packing.PACKED).write_bytes(packing.pack(files))
    producer, form = WHOLE_FOLDERS[into.name]
    head = {"folder": into.name, "producer": producer, "form": form, "licence": LICENCE_OF_WHOLE_FOLDERS}
    text = "".join(f"{name} = {quoted(value)}\n" for name, value in head.items())
    for name, data in files.items():
        digest = hashlib.sha256(data).hexdigest()
        lines = len(data.splitlines())
        text += f"\n[[file]]\nname = {quoted(name)}\nlines = {lines}\nsha256 = {quoted(digest)}\n"
    (into / "meta.toml").write_text(text, encoding="utf-8")


def main() -> int:
    """Pack every known producer's folder that SOURCE_DIR has."""
    parser = argparse.ArgumentParser(description="Pack recorded vectors into fixtures/recorded.")
    parser.add_argument("source", type=Path)
    parser.add_argument("--into", type=Path, default=Path(__file__).parent.parent / "fixtures" / "recorded")
    arguments = parser.parse_args()
    folders = [name for name in (*PROFILES, *WHOLE_FOLDERS) if (arguments.source / name).is_dir()]
    for name in folders:
        (pack if name in PROFILES else pack_folder)(arguments.source / name, arguments.into / name)
        print(f"{arguments.into / name}: packed")
    if not folders:
        print(f"{arguments.source}: none of {', '.join((*PROFILES, *WHOLE_FOLDERS))} is there", file=sys.stderr)
    return 0 if folders else 4


if __name__ == "__main__":
    sys.exit(main())

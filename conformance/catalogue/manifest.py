"""The manifest of the fixtures: every file with provenance, licence and SHA-256.

`tools/manifest.py` writes `fixtures/MANIFEST.json`; a test compares it with the files.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.errors import SuiteError

__all__ = ["MANIFEST", "build_manifest", "manifest_entry", "manifest_text", "verify_manifest"]

MANIFEST = "MANIFEST.json"

_OWN = ("Apache-2.0", "made for this suite")

# The longest matching prefix of a path decides: (licence, provenance).
_PROVENANCE: dict[str, tuple[str, str]] = {
    "": _OWN,
    "golden/canal-json/": ("CC-BY-SA-3.0", "examples and tables of the page 'TiCDC Canal-JSON Protocol', © PingCAP"),
    "golden/debezium/": ("CC-BY-SA-3.0", "examples and tables of the page 'TiCDC Debezium Protocol', © PingCAP"),
    "golden/avro/": (
        "Apache-2.0",
        "examples and tables of TiCDC's design document of 2022-05-12 about Avro (pingcap/tiflow), © PingCAP",
    ),
    "golden/open-protocol/": ("CC-BY-SA-3.0", "examples and tables of the page 'TiCDC Open Protocol', © PingCAP"),
    "recorded/ticdc-newarch/": (
        "Apache-2.0",
        "written by TiCDC's new architecture (pingcap/ticdc b813e76f9dad, 2026-08-18) for inputs of our own",
    ),
    "recorded/ticdc-classic/": (
        "Apache-2.0",
        "written by classic TiCDC (pingcap/tiflow v8.5.7, f90a1dd48658, 2026-06-30) for inputs of our own",
    ),
    "recorded/consumers/": (
        "Apache-2.0",
        "answers of Flink, SeaTunnel, Paimon, Kafka Connect and Spark to messages of our own",
    ),
    "recorded/canal/": ("Apache-2.0", "sent by Alibaba Canal 1.1.7 for SQL of our own"),
    "recorded/debezium24/": ("Apache-2.0", "sent by the MySQL connector of Debezium 2.4.0.Final for SQL of our own"),
    "recorded/debezium36/": ("Apache-2.0", "sent by the MySQL connector of Debezium 3.6.1.Final for SQL of our own"),
    "recorded/debezium/": (
        "Apache-2.0",
        "sent by the MySQL connector of Debezium 3.6.3.Final and 3.0.7.Final for SQL of our own",
    ),
}


def _files(root: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_file() and name != MANIFEST and "__pycache__" not in path.parts:
            yield name, path


def manifest_entry(name: str, data: bytes) -> dict[str, Any]:
    """The manifest's entry for a file with these bytes; `name` is its path below the fixtures."""
    prefix = max((p for p in _PROVENANCE if name.startswith(p)), key=len)
    licence, provenance = _PROVENANCE[prefix]
    return {
        "sha256": hashlib.sha256(data).hexdigest(),
        "bytes": len(data),
        "licence": licence,
        "provenance": provenance,
    }


def build_manifest(root: Path) -> dict[str, Any]:
    """The manifest of the files below `root`."""
    return {"manifest": 1, "files": {name: manifest_entry(name, path.read_bytes()) for name, path in _files(root)}}


def manifest_text(manifest: dict[str, Any]) -> str:
    """The manifest as it is stored."""
    return json.dumps(manifest, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def verify_manifest(root: Path) -> list[str]:
    """The wrong entries of the manifest in `root`, a line for each file. Raises `SuiteError` without a manifest."""
    try:
        stored = json.loads((root / MANIFEST).read_text(encoding="utf-8"))["files"]
    except (OSError, ValueError, KeyError, TypeError) as e:
        raise SuiteError(f"{root / MANIFEST}: not a manifest: {e}") from None
    actual = build_manifest(root)["files"]
    problems = [f"{name}: listed, but not there" for name in stored.keys() - actual.keys()]
    problems += [f"{name}: there, but not listed" for name in actual.keys() - stored.keys()]
    problems += [
        f"{name}: differs from what is listed" for name in stored.keys() & actual if stored[name] != actual[name]
    ]
    return sorted(problems)

"""`copy DIR`: the fixtures as plain files with their manifest, for use without this tool."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path
from typing import Any

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.manifest import MANIFEST, build_manifest, manifest_text, verify_manifest
from conformance.catalogue.packing import PACKED, unpack
from conformance.errors import UsageError, file_errors

__all__ = ["register"]


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("copy")
    parser.add_argument("directory", metavar="DIR", type=Path, help="a folder that does not exist yet, or is empty")
    parser.set_defaults(handle=_copy)


def _copy(args: argparse.Namespace) -> int:
    target: Path = args.directory
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UsageError(f"{target}: exists and is not an empty folder; name another")
    with file_errors(f"{target}: cannot be written"):
        shutil.copytree(
            fixtures_root(), target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", "*.pyc")
        )
    problems = verify_manifest(target)
    _unpack(target)
    count = sum(1 for p in target.rglob("*") if p.is_file())
    print(f"{count} files in {target}; MANIFEST.json lists provenance, licence and SHA-256 of each")
    for problem in problems:
        print(f"  {problem}")
    return 3 if problems else 0


def _unpack(target: Path) -> None:
    """Replace every packed file by the files in it, and write the manifest of the result."""
    for stream in sorted(target.rglob(PACKED)):
        for name, data in unpack(stream.read_bytes()).items():
            (stream.parent / name).write_bytes(data)
        stream.unlink()
    (target / MANIFEST).write_text(manifest_text(build_manifest(target)), encoding="utf-8")

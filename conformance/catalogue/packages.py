"""Builds packages of the fixtures for other languages, in memory and reproducibly.

They are a jar, an npm package and a Go module.

A package has those files of the manifest that are useful without this suite, and every vector of the TiCDC generations
as plain JSON lines in `vectors/PRODUCER/PROTOCOL.jsonl`. Its own MANIFEST.json lists them.
"""

from __future__ import annotations

import gzip
import io
import json
import lzma
import tarfile
import zipfile
from collections.abc import Collection, Mapping
from pathlib import Path

from conformance.catalogue.manifest import MANIFEST, manifest_entry, manifest_text

__all__ = ["ARTIFACT", "GROUP", "TOPS", "go_module", "maven_repository", "npm_package", "packed_fixtures"]

GROUP = "ticdc-conformance"
ARTIFACT = "ticdc-conformance-fixtures"

TOPS = ("corpora", "defects", "disagreements", "divergences", "golden", "invalid", "register", "schemas", "vectors")
"""The content of packages. The index of cases and the recordings of upstream producers are for this suite alone."""

_RECORDED = "recorded"
_BEGINNING = (1980, 1, 1, 0, 0, 0)  # the earliest time of a zip archive
_READABLE = 0o644


def packed_fixtures(root: Path, tops: Collection[str] = TOPS) -> dict[str, bytes]:
    """The files of a package by name, with its MANIFEST.json; `root` is the folder of the fixtures."""
    files, manifest = {}, {}
    for top in sorted(set(tops) - {"vectors"}):
        for path in sorted(p for p in (root / top).rglob("*") if p.is_file() and "__pycache__" not in p.parts):
            name = path.relative_to(root).as_posix()
            files[name] = path.read_bytes()
            manifest[name] = manifest_entry(name, files[name])
    producers = sorted(p.parent for p in (root / _RECORDED).glob("*/crashes.jsonl.xz")) if "vectors" in tops else []
    for producer in producers:
        for path in sorted(producer.glob("*.jsonl.xz")):
            name = f"vectors/{producer.name}/{path.name.removesuffix('.xz')}"
            files[name] = lzma.decompress(path.read_bytes())
            manifest[name] = manifest_entry(path.relative_to(root).as_posix(), files[name])
    files[MANIFEST] = manifest_text({"manifest": 1, "files": manifest}).encode()
    return files


def maven_repository(files: Mapping[str, bytes], version: str) -> dict[str, bytes]:
    """A Maven repository with one jar, by paths: in the jar the files are below `ticdc-conformance/`."""
    folder = f"{GROUP.replace('.', '/')}/{ARTIFACT}/{version}/{ARTIFACT}-{version}"
    pom = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<project xmlns="http://maven.apache.org/POM/4.0.0">\n'
        f"  <modelVersion>4.0.0</modelVersion>\n  <groupId>{GROUP}</groupId>\n"
        f"  <artifactId>{ARTIFACT}</artifactId>\n  <version>{version}</version>\n</project>\n"
    )
    inside = {"META-INF/MANIFEST.MF": b"Manifest-Version: 1.0\r\n\r\n"}
    inside |= {f"ticdc-conformance/{name}": data for name, data in files.items()}
    return {f"{folder}.jar": _zip(inside), f"{folder}.pom": pom.encode()}


def npm_package(files: Mapping[str, bytes], version: str) -> dict[str, bytes]:
    """An npm package, by its file name: `npm install FILE`; its files are imported by their paths."""
    about = {
        "name": ARTIFACT,
        "version": version,
        "description": "Fixtures of ticdc-conformance; MANIFEST.json has licence and provenance of each",
        "license": "SEE LICENSE IN MANIFEST.json",
        "exports": {"./*": "./*"},
    }
    package = {"package.json": json.dumps(about, indent=2).encode() + b"\n", **files}
    return {f"{ARTIFACT}-{version}.tgz": _tar({f"package/{name}": data for name, data in package.items()})}


def go_module(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of a Go module, which embeds them: `fixtures.Files` is an `fs.FS`."""
    tops = " ".join(sorted({name.partition("/")[0] for name in files}))
    source = (
        "// Package fixtures has the fixtures of ticdc-conformance; MANIFEST.json has licence and provenance of each.\n"
        f'package fixtures\n\nimport "embed"\n\n// Files are the fixtures by their paths.\n//\n//go:embed {tops}\n'
        "var Files embed.FS\n"
    )
    module = f"module {GROUP}/fixtures\n\ngo 1.18\n"
    return {"go.mod": module.encode(), "fixtures.go": source.encode(), **files}


def _zip(files: Mapping[str, bytes]) -> bytes:
    with io.BytesIO() as out:
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in files.items():
                entry = zipfile.ZipInfo(name, _BEGINNING)
                entry.external_attr = _READABLE << 16
                archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
        return out.getvalue()


def _tar(files: Mapping[str, bytes]) -> bytes:
    with io.BytesIO() as out:
        with (
            gzip.GzipFile(fileobj=out, mode="wb", filename="", mtime=0) as packed,
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
        ):
            for name, data in files.items():
                entry = tarfile.TarInfo(name)
                entry.size, entry.mode = len(data), _READABLE
                archive.addfile(entry, io.BytesIO(data))
        return out.getvalue()

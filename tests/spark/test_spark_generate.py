"""Spark writes the bytes that one machine writes."""

from __future__ import annotations

from pathlib import Path

from conformance.cli.main import main

STREAM = [
    "generate",
    "--preset",
    "hot",
    "--dialect",
    "canal-json",
    "--dialect",
    "avro",
    "--changes",
    "400",
    "--seed",
    "5",
]
FAULTS = '[[fault]]\nkind = "changed-byte"\ncount = 6\n'


def written(out: Path, *more: str) -> dict[str, bytes]:
    faults = out.with_suffix(".toml")
    faults.write_text(FAULTS, encoding="utf-8")
    assert main([*STREAM, "--shards", "4", "--faults", str(faults), "--out", str(out), *more]) == 0
    return {str(file.relative_to(out)): file.read_bytes() for file in out.rglob("*") if file.is_file()}


def test_a_stream_written_on_spark_has_the_bytes_of_one_written_here(tmp_path: Path) -> None:
    here = written(tmp_path / "here", "-n", "1")
    assert here == written(tmp_path / "there", "--runner", "spark", "--master", "local[2]")
    assert here["injected.jsonl"].count(b"\n") > 6

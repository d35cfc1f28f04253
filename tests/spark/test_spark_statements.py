"""Statements, and sides of Avro with their schemas, on Spark: the summary is that of one machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.cli.main import main

AVRO = "avro?enable-tidb-extension=true&avro-enable-watermark=true"
CANAL_JSON = "canal-json?enable-tidb-extension=true"
FAULTS = "".join(
    f'[[fault]]\nkind = "{kind}"\ncount = 3\nside = "avro"\n' for kind in ("lost", "cut", "changed-byte", "reordered")
)
# How a run went is its own.
OF_A_RUN = ("made", "runner", "plan", "observed")


@pytest.fixture(scope="module")
def streams(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("streams")
    (made / "faults.toml").write_text(FAULTS, encoding="utf-8")
    told = ["--dialect", AVRO, "--dialect", CANAL_JSON, "--faults", str(made / "faults.toml")]
    what = ["--preset", "shop", "--seed", "8", "--changes", "300", "--ddl", "5", "--format", "parquet", "-n", "1"]
    assert main(["generate", *what, *told, "--out", str(made / "gen")]) == 0
    return made


def summary(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    return {name: told for name, told in found.items() if name not in OF_A_RUN}


@pytest.mark.parametrize("plan", ["merge", "two-pass"])
def test_avro_and_statements_are_compared_on_spark_as_on_one_machine(plan: str, streams: Path) -> None:
    gen = streams / "gen"
    sides = ["--left", f"{AVRO}:{gen}/avro", "--right", f"{CANAL_JSON}:{gen}/canal-json"]
    what = ["compare", *sides, "--tables", str(gen / "tables.json")]
    assert main([*what, "--out", str(streams / "local"), "-n", "1"]) == 1
    on_spark = ["--runner", "spark", "--master", "local[1]", "--partitions", "2", "--plan", plan]
    assert main([*what, "--out", str(streams / plan), *on_spark]) == 1
    local = summary(streams / "local")
    assert summary(streams / plan) == local
    assert local["pairs"][0]["statements"] == {
        "left": 5, "right": 5, "alike": 5, "written_otherwise": 0, "silent": None,
    }  # fmt: skip
    assert local["pairs"][0]["by_status"]["unexplained"] >= 12

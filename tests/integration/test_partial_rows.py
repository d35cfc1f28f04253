"""Rows that lack columns are refused by `compare` before anything is read, with the name of the divergence."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.cli.main import main

TABLE = "CREATE DATABASE shop; USE shop; CREATE TABLE items (id INT PRIMARY KEY, n INT);"


@pytest.mark.parametrize("image", ["MINIMAL", "NOBLOB"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_a_side_whose_rows_lack_columns_is_refused(side: str, image: str, tmp_path: Path, capsys) -> None:
    (tmp_path / "tables.sql").write_text(TABLE, encoding="utf-8")
    specs = {"left": f"canal-json:{tmp_path}/no", "right": f"canal-json:{tmp_path}/no"}
    specs[side] = f"canal?binlog_row_image={image}:{tmp_path}/no"
    sides = [part for name, spec in specs.items() for part in (f"--{name}", spec)]
    tables = ["--tables", str(tmp_path / "tables.sql")]
    assert main(["compare", *sides, *tables, "--out", str(tmp_path / "out")]) == 4
    told = capsys.readouterr().err.strip()
    assert told.count("\n") == 0
    for part in (f"{side}: binlog_row_image={image}", "DV-34", "binlog_row_image=FULL"):
        assert part in told

"""`migrate`: from the command to its reports, and the statuses with which it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from conformance.catalogue.fixtures import fixtures_root
from conformance.cli.main import main

SHOP = """
USE shop;
CREATE TABLE orders (
  id bigint unsigned NOT NULL,
  status enum('new','paid') NOT NULL,
  total decimal(12,2) NOT NULL,
  trace binary(16),
  placed_at datetime(3) NOT NULL,
  PRIMARY KEY (id)
);
CREATE TABLE log (what text);
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.sql"
    path.write_text(SHOP)
    return path


def _record(path: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(path.read_text())
    schema = json.loads((fixtures_root() / "schemas" / "migration.schema.json").read_text())
    assert list(Draft202012Validator(schema).iter_errors(record)) == []
    return record


def test_the_reports_of_one_run_tell_the_same(tmp_path: Path, shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kinds = ("json", "html", "markdown", "text")
    reports = [part for kind in kinds for part in ("--report", f"{kind}={tmp_path / kind}")]
    asked = ["migrate", "--from", "canal@1.1.7", "--to", "canal-json", "--schema", str(shop)]
    assert main([*asked, "--consumer", "paimon@1.3.1", *reports]) == 0
    record = _record(tmp_path / "json")
    said = capsys.readouterr().out
    assert (tmp_path / "text").read_text() == said
    enum = next(one for one in record["findings"] if one["rule"] and one["rule"]["id"] == "paimon.bare-type")
    assert enum["severity"] == "blocker"
    assert [place["column"] for place in enum["places"]] == ["status"]
    assert enum["removals"][0]["what"] == "content-compatible=true of canal-json"
    for text in (said, (tmp_path / "markdown").read_text(), (tmp_path / "html").read_text()):
        assert "shop.orders.status" in text
        assert "content-compatible=true" in text
        assert "Not assessed" in text


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["--from", "canal", "--to", "canal-json", "--fail-on", "blocker"], 1),
        (["--from", "canal", "--to", "canal-json"], 0),
        (["--from", "debezium-connector", "--to", "debezium", "--consumer", "connect-json:mode=jdbc"], 0),
        (["--from", "debezium-connector", "--to", "avro", "--consumer", "spark-from-avro"], 0),
        (["--from", "canal", "--to", "canal-json", "--consumer", "spark-from-json@3.5:parse-mode=FAILFAST"], 0),
    ],
)
def test_a_move_is_red_only_where_that_is_asked(arguments: list[str], status: int, shop: Path, capsys) -> None:
    assert main(["migrate", *arguments, "--schema", str(shop)]) == status
    assert capsys.readouterr().err == ""


def test_two_runs_write_the_same_bytes(tmp_path: Path, shop: Path) -> None:
    asked = ["migrate", "--from", "debezium-connector@3.0", "--to", "debezium", "--schema", str(shop)]
    for name in ("one", "two"):
        assert main([*asked, "--consumer", "flink-debezium-json@1.20", "--report", f"json={tmp_path / name}"]) == 0
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()

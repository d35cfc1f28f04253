"""A team with two topics: the commands of docs/comparing.md, on captures that kcat wrote, to a page."""

from __future__ import annotations

import base64
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from conformance.cli.main import main

pytest.importorskip("pyarrow", reason="compare needs the extra [compare]")

PAGE = Path(__file__).resolve().parents[2] / "docs" / "comparing.md"
SCHEMA = """CREATE DATABASE IF NOT EXISTS `shop`;
USE `shop`;
CREATE TABLE `orders` (
  `id` bigint unsigned NOT NULL,
  `customer` varchar(40) NOT NULL,
  `amount` decimal(10,2) NOT NULL,
  `placed` datetime DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
"""
LEFT = "canal-json?enable-tidb-extension=true"


def commands() -> list[list[str]]:
    """The commands of ours in the first section of the page."""
    section = PAGE.read_text(encoding="utf-8").partition("\n## A first comparison\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```\n(.*?)^```", section, re.DOTALL | re.MULTILINE)
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    return [shlex.split(line)[1:] for line in lines if line.startswith("ticdc-conformance ")]


def as_kcat_writes(streams: Path, topic: str, file: Path) -> None:
    """A generated stream as `kcat -C -J` prints a topic."""

    def text(value: str | None) -> str | None:
        return None if value is None else base64.b64decode(value).decode()

    def line(offset: int, record: dict[str, Any]) -> str:
        given = {"topic": topic, "partition": record.get("partition", 0), "offset": offset, "tstype": "create"}
        parts = {"ts": 1_767_225_600_000, "broker": 0, "key": text(record["key"]), "payload": text(record["value"])}
        return json.dumps(given | parts)

    [part] = streams.glob("*.jsonl")
    records = [json.loads(one) for one in part.read_text(encoding="utf-8").splitlines()]
    file.write_text("\n".join(map(line, range(len(records)), records)) + "\n", encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The three files that the page begins with; the folder is the working folder."""
    monkeypatch.chdir(tmp_path)
    Path("schema.sql").write_text(SCHEMA, encoding="utf-8")
    asked = ["--tables", "schema.sql", "--dialect", LEFT, "--dialect", "canal", "--changes", "60", "--seed", "7"]
    assert main(["generate", *asked, "--format", "jsonl", "--out", "streams"]) == 0
    as_kcat_writes(Path("streams/canal-json"), "ticdc-shop", Path("ticdc.jsonl"))
    as_kcat_writes(Path("streams/canal"), "canal-shop", Path("canal.jsonl"))
    return tmp_path


def test_the_page_judges_both_topics_and_compares_them() -> None:
    assert [command[0] for command in commands()] == ["check-capture", "check-capture", "compare"]


def test_two_topics_of_the_same_changes_are_green_to_the_last_page(folder: Path, capsys) -> None:
    assert [main(command) for command in commands()] == [0, 0, 0]
    assert "unexplained" not in capsys.readouterr().out
    assert json.loads((folder / "comparison" / "summary.json").read_text(encoding="utf-8"))["exit_status"] == 0
    leads = {"ticdc.html": "ticdc.jsonl", "canal.html": "canal.jsonl", "comparison.html": "shop.orders"}
    assert [name for name, lead in leads.items() if lead not in (folder / name).read_text(encoding="utf-8")] == []


def test_an_amount_that_one_topic_tells_otherwise_is_red_and_named(folder: Path, capsys) -> None:
    lines = (folder / "ticdc.jsonl").read_text(encoding="utf-8").splitlines()
    number, found = next((n, m) for n, line in enumerate(lines) if (m := re.search(r'"amount\\":\\"(\d)', line)))
    lines[number] = f"{lines[number][: found.start(1)]}{9 - int(found[1])}{lines[number][found.end(1) :]}"
    (folder / "ticdc.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    capsys.readouterr()
    assert main(commands()[-1]) == 1
    said = capsys.readouterr().out
    assert "unexplained" in said
    assert "shop.orders.amount" in said

"""The exchange in docs/harness.md is a real one: the reference, put these requests, answers so."""

from __future__ import annotations

import base64
import copy
import json
import re
from pathlib import Path
from typing import Any
from zlib import crc32

from conformance import __version__
from conformance.catalogue.register import load_register
from conformance.oracle.streams import REQUIREMENTS
from conformance.reference_harness import ReferenceHarness
from reference_impl.partitions import partition_of_table
from reference_impl.protocols import CODECS
from tests.unit.transport.frame_schemas import answer_validator, request_validator

PAGE = Path(__file__).resolve().parents[3] / "docs" / "harness.md"


def exchange() -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]:
    """The requests, the answers, and the messages that the page shows below them."""
    section = PAGE.read_text(encoding="utf-8").partition("## A whole encode exchange\n")[2].partition("\n## ")[0]
    frames, messages = re.findall(r"^```(?:json)?\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    requests = [json.loads(text) for text in re.findall(r"^→ (.*?)(?=^←|\Z)", frames, re.DOTALL | re.MULTILINE)]
    answers = [json.loads(text) for text in re.findall(r"^← (.*?)(?=^→|\Z)", frames, re.DOTALL | re.MULTILINE)]
    decoder, shown, at = json.JSONDecoder(), [], 0
    while messages[at:].strip():
        message, at = decoder.raw_decode(messages, at)
        shown.append(message)
        at += len(messages[at:]) - len(messages[at:].lstrip())
    return requests, answers, shown


def answered(requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
    harness = ReferenceHarness()
    return [harness.answer(copy.deepcopy(request)) for request in requests]


def values(answer: dict[str, Any]) -> list[dict[str, Any]]:
    return [json.loads(base64.b64decode(record["value"])) for record in answer["ok"]["records"]]


def test_the_frames_of_the_page_are_those_of_the_harness_protocol() -> None:
    requests, answers, _ = exchange()
    assert [r["op"] for r in requests] == ["hello", "configure", "reset", "encode", "bye"]
    for request in requests:
        request_validator(request["op"]).validate(request)
    assert [a["id"] for a in answers] == [r["id"] for r in requests]
    answer_validator("hello").validate(answers[0])


def test_the_answers_of_the_page_are_the_real_ones() -> None:
    requests, answers, messages = exchange()
    given = answered(requests)
    assert [answers[i] for i in (1, 2, 4)] == [given[i] for i in (1, 2, 4)]
    assert values(given[3]) == messages
    shown = [record | {"value": record["value"].removesuffix("…")} for record in answers[3]["ok"]["records"]]
    assert len(shown) == len(messages) == 3
    for cut, whole in zip(shown, given[3]["ok"]["records"], strict=True):
        assert cut["key"] == whole["key"]
        assert whole["value"].startswith(cut["value"])


def test_a_row_uses_the_newest_table_after_before_it() -> None:
    """What the page says in a sentence: it is that table, and not the first one, which decides."""
    requests, _, messages = exchange()
    assert [e["kind"] for e in requests[3]["events"]] == ["row", "ddl", "row"]
    ddl = requests[3]["events"][1]
    assert "price" not in json.dumps(requests[3]["tables"])
    assert messages[2]["mysqlType"]["price"] == "decimal"
    ddl["table_after"]["columns"][-1]["type"] = "varchar(9)"
    assert values(answered(requests)[3])[2]["mysqlType"]["price"] == "varchar"


def test_the_exchange_of_the_page_has_the_version_of_the_suite() -> None:
    assert exchange()[0][0]["suite"] == __version__


def test_the_rule_of_partitions_on_the_page_is_that_of_the_reference() -> None:
    names, count = re.findall(r'`crc32\("(\w+)"\) % (partitions)`', PAGE.read_text(encoding="utf-8"))[0]
    assert (names, count) == ("shopitem", "partitions")
    for partitions in (2, 3, 7):
        assert partition_of_table("shop", "item", partitions) == crc32(names.encode()) % partitions


def test_the_page_names_the_requirements_of_every_rule_about_partitions() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## Partitions and topics\n")[2].partition("\n## ")[0]
    known = {id_ for protocol in CODECS for id_ in load_register(protocol).requirements}
    named = set(re.findall(r"\b(?:OP|CJ|DBZ)-\d+[a-z]?\b", section))
    assert named - known == set()
    apart = {"stream.key.moved", "stream.ddl.missed", "stream.ddl.elsewhere", "stream.watermark.missed"}
    assert {rules[fault] for rules in REQUIREMENTS.values() for fault in rules if fault in apart} - named == set()


def test_the_page_describes_every_member_of_a_column() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## Tables and columns\n")[2].partition("\n## ")[0]
    model = json.loads((PAGE.parents[1] / "fixtures/schemas/harness-model.schema.json").read_text(encoding="utf-8"))
    members = model["$defs"]["Column"]["properties"]
    assert "generated" in members
    assert [name for name in members if f"`{name}`" not in section] == []

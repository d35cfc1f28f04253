"""What a case needs of an implementation, and what an honest declaration of less comes to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from zlib import crc32

import pytest

from conformance.cases.model import Case, ExpectedEvents
from conformance.cases.needs import needs
from conformance.cases.requests import case_request
from conformance.cases.sql import definition
from conformance.engine.declared import may_decline, undeclared
from reference_impl import options as option_strings
from reference_impl.column_types import Family, parse_column_type
from reference_impl.errors import Rejected
from reference_impl.model import Column, DdlEvent, Table
from reference_impl.protocols import CODECS, DIALECTS
from reference_impl.wire import event_to_json, table_to_json
from tests.amounts import ordinarily
from tests.every_case import every_case

ID = Column("id", parse_column_type("int"), nullable=False)
ADDED = Column("v", parse_column_type("varchar(3)"))
BEFORE, AFTER = Table("shop", "t", (ID,)), Table("shop", "t", (ID, ADDED))
STATEMENT = DdlEvent("shop", "t", f"ALTER TABLE `t` ADD COLUMN {definition(ADDED)}", "add column", 5, 7, BEFORE, AFTER)


def hello(**lists: list[str]) -> dict[str, Any]:
    return {"protocols": {"canal-json": lists}}


def case(role: Any = "encode", **more: Any) -> Case:
    return Case("canal-json/x", "canal-json", role, **more)


ELSEWHERE = {
    "the version after a statement": case(tables=(BEFORE,), events=(STATEMENT,)),
    "the version before it": case(
        tables=(BEFORE,), events=(replace(STATEMENT, table_before=AFTER, table_after=BEFORE),)
    ),
    "another table of the statement": case(events=(replace(STATEMENT, table_after=None, other_tables=(AFTER,)),)),
    "the statement that a decoder reads": case("decode", tables=(BEFORE,), events=(STATEMENT,)),
    "an event that a decoder must answer": case(
        "decode", tables=(BEFORE,), expected=ExpectedEvents(({"kind": "ddl", "table_after": table_to_json(AFTER)},))
    ),
    "any of several events that it may answer": case(
        "decode", tables=(BEFORE,), expected=ExpectedEvents(({"kind": "ddl", "other_tables": [table_to_json(AFTER)]},))
    ),
}


@pytest.mark.parametrize("asked", ELSEWHERE.values(), ids=ELSEWHERE)
def test_a_column_counts_wherever_a_table_of_the_case_has_it(asked: Case) -> None:
    reason = "for canal-json it does not declare columns of type varchar"
    assert undeclared(asked, hello(column_types=["int"])) == reason
    assert undeclared(asked, hello(column_types=["int", "varchar"])) is None


def test_a_character_column_of_charset_binary_needs_the_type_that_is_shown_and_the_type_that_it_is() -> None:
    asked = case(
        tables=(Table("shop", "t", (Column("v", parse_column_type("varchar(3)", "binary"), charset="binary"),)),)
    )
    assert undeclared(asked, hello(column_types=["varchar"])) is not None
    assert undeclared(asked, hello(column_types=["varbinary"])) is not None
    assert undeclared(asked, hello(column_types=["varbinary", "varchar"])) is None


def test_one_that_declares_every_type_and_kind_may_decline_nothing() -> None:
    asked = case("decode")
    everything = hello(column_types=[str(f) for f in Family], events=["row", "ddl", "watermark"])
    assert not may_decline(asked, everything)
    assert may_decline(asked, hello(column_types=["int"]))
    assert may_decline(asked, hello(events=["row", "ddl"]))


# -- every case that there is --------------------------------------------------------------------------------------


def _shown(value: Any) -> Iterator[tuple[str, str]]:
    """The event kinds and the column types that stand anywhere in a request or an answer."""
    if isinstance(value, Mapping):
        if "kind" in value and "commit_ts" in value:
            yield "events", value["kind"]
        if "columns" in value and "primary_key" in value:
            for column in value["columns"]:
                yield "column_types", str(parse_column_type(column["type"]).family)
        for member in value.values():
            yield from _shown(member)
    elif isinstance(value, list):
        for member in value:
            yield from _shown(member)


def _decoded(asked: Case) -> list[dict[str, Any]]:
    """What the reference reads in the records; of Avro, whose schemas it does not have here, nothing."""
    codec = DIALECTS[asked.protocol]
    if asked.protocol in CODECS and codec.uses_registry:
        return []
    decoder = codec.decoder(option_strings.parse(codec.options, asked.options), settings=asked.settings)
    try:
        events = decoder.decode(asked.records, asked.tables if asked.send_tables else (), asked.claims)
    except Rejected:
        return []
    return [event_to_json(event) for event in events]


@pytest.mark.parametrize("protocol", DIALECTS)
def test_an_honest_declaration_of_less_makes_no_case_a_false_claim(protocol: str) -> None:
    """A harness that declares a subset and answers `unsupported` to whatever shows more is never blamed for it."""
    types = [[str(family)] for family in Family] + [["int", "varchar"], ["bigint", "char", "decimal", "int"]]
    kinds = [["row"], ["ddl"], ["watermark"], ["row", "ddl"], ["row", "watermark"]]
    lists: list[dict[str, Any]] = [{"column_types": t} for t in types] + [{"events": k} for k in kinds]
    lists += [{"column_types": ["int", "varchar"], "events": kind} for kind in kinds]
    blamed = []
    for asked in (one for one in every_case(protocol) if crc32(one.id.encode()) % ordinarily(3, 1) == 0):
        shown = set(_shown(case_request(asked)))
        if asked.role == "decode" and (not asked.events or any(isinstance(e, DdlEvent) for e in asked.events)):
            shown |= set(_shown(_decoded(asked)))  # the types of rows are those of the tables
        if shown <= set(needs(asked)):
            continue  # whoever does not declare what is shown is not asked
        for declared in lists:
            said = {"protocols": {protocol: declared}}
            lacking = {(member, name) for member, name in shown if name not in declared.get(member, (name,))}
            if lacking and undeclared(asked, said) is None and not may_decline(asked, said):
                blamed.append((asked.id, asked.role, declared))
    assert blamed == []

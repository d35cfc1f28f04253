"""What `migrate` says of where statements and watermarks stand is where the dialects write them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest

from conformance.migration import ORIGINS, TARGETS, Move
from conformance.migration.placement import placement
from differential.generate.messages import StreamWriter
from differential.generate.rows import Source
from differential.generate.truth import Plan, shard
from differential.sides import Side, codec_of
from reference_impl.model import DdlEvent, Record, Watermark
from reference_impl.options import parse
from tests.unit.migration.tables import table

PARTITIONS = 3
PLAN = Plan((Source(table("id int primary key, a varchar(20)")),), seed=5, changes=60, shards=PARTITIONS, statements=12)
WITH_EXTENSION = {"enable-tidb-extension": "true"}
IN_AVRO = {**WITH_EXTENSION, "avro-enable-watermark": "true"}
DIALECTS = (*ORIGINS, *TARGETS)


def side(dialect: str, options: Mapping[str, str]) -> Side:
    move = Move(
        dialect if dialect in ORIGINS else "canal",
        dialect if dialect in TARGETS else "canal-json",
        origin_options=options if dialect in ORIGINS else {},
        target_options=options if dialect in TARGETS else {},
    )
    return move.side(dialect, [source.table for source in PLAN.sources])


def said(dialect: str, aspect: str) -> str:
    """What is said of an aspect, before a move from the dialect or after one to it."""
    origin, target = (dialect, "canal-json") if dialect in ORIGINS else ("canal", dialect)
    [one] = [one for one in placement(Move(origin, target), ()) if one["aspect"] == aspect]
    return str(one["before" if dialect in ORIGINS else "after"])


def statements_and_rows(dialect: str, options: Mapping[str, str]) -> tuple[list[Record], list[Record]]:
    of = side(dialect, options)
    statements: list[Record] = []
    rows: list[Record] = []
    for number in range(PARTITIONS):
        writer = StreamWriter(of, number, PARTITIONS)
        for given in shard(PLAN, number):
            (statements if isinstance(given, DdlEvent) else rows).extend(writer.records(given))
    return statements, rows


def watermarks(dialect: str, options: Mapping[str, str]) -> list[Record]:
    of, codec = side(dialect, options), codec_of(dialect)
    settings = replace(of.settings, partitions=PARTITIONS)
    encoder = codec.encoder(parse(codec.options, of.options), of.profile, settings=settings)
    return list(encoder.encode([Watermark(1 << 40)], of.tables).records)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_statements_are_in_the_partitions_and_topics_that_are_said(dialect: str) -> None:
    words = said(dialect, "statements")
    for options in ({}, IN_AVRO) if dialect == "avro" else ({},):
        statements, rows = statements_and_rows(dialect, options)
        found = {record.partition for record in statements}
        if words.startswith("none, unless"):
            assert bool(found) is bool(options)
            continue
        assert ("first partition" in words or "one partition" in words) is (found == {0})
        assert ("every partition" in words) is (found == {*range(PARTITIONS)})
        topics = {record.topic for record in statements}, {record.topic for record in rows}
        assert ("a topic of their own" in words) is topics[0].isdisjoint(topics[1])


@pytest.mark.parametrize(
    ("dialect", "options"),
    [
        *((dialect, {}) for dialect in TARGETS),
        *((dialect, WITH_EXTENSION) for dialect in ("canal-json", "debezium", "avro")),
        ("avro", IN_AVRO),
    ],
)
def test_watermarks_are_there_under_the_options_that_are_said(dialect: str, options: Mapping[str, str]) -> None:
    words = said(dialect, "watermarks")
    needed = {*re.findall(r"[a-z-]+=true", words)}
    due = words.startswith("always") or (needed and needed <= {f"{name}={value}" for name, value in options.items()})
    found = {record.partition for record in watermarks(dialect, options)}
    assert found == ({*range(PARTITIONS)} if due else set())


@pytest.mark.parametrize("origin", ORIGINS)
def test_watermarks_are_said_of_no_origin(origin: str) -> None:
    assert said(origin, "watermarks").startswith("none")

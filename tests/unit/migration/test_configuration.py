"""The configuration of a move can be pasted: it is TOML, and every option stands where TiCDC reads it."""

from __future__ import annotations

import shlex
import tomllib
from itertools import product
from urllib.parse import parse_qs, urlsplit

import pytest

from conformance.migration import ORIGINS, TARGETS, Move
from conformance.migration.configuration import configuration
from conformance.migration.trial import Trial
from tests.unit.migration.tables import table

TABLES = [table("id int PRIMARY KEY, a varchar(3)")]


def _parts(move: Move) -> dict[str, dict[str, str]]:
    return {one["what"]: one for one in configuration(move, Trial(move, TABLES).consumer if move.consumer else None)}


def _changefeed(move: Move) -> dict[str, str]:
    words = shlex.split(_parts(move)["producer"]["after"])
    assert words[:4] == ["cdc", "cli", "changefeed", "create"]
    return dict(word.removeprefix("--").split("=", 1) for word in words[4:] if "=" in word)


@pytest.mark.parametrize(("origin", "target"), [*product(ORIGINS, TARGETS)])
def test_the_changefeed_of_every_move_is_a_command_and_its_file_is_toml(origin: str, target: str) -> None:
    move = Move(origin, target)
    sink = urlsplit(_changefeed(move)["sink-uri"])
    assert parse_qs(sink.query) == {"protocol": [target]}
    told = tomllib.loads(_parts(move)["configuration of the changefeed"]["after"])
    [dispatcher] = told["sink"]["dispatchers"]
    assert (dispatcher["matcher"], dispatcher["partition"]) == (["*.*"], "index-value")
    if target == "avro":
        assert "{schema}" in dispatcher["topic"]
        assert "{table}" in dispatcher["topic"]
        assert _changefeed(move)["schema-registry"].startswith("http")


@pytest.mark.parametrize(
    ("target", "options", "section", "there"),
    [
        ("canal-json", {"content-compatible": "true"}, "sink", {"content-compatible": True}),
        ("open-protocol", {"open-output-old-value": "false"}, "sink.open", {"output-old-value": False}),
        ("debezium", {"debezium-output-old-value": "false"}, "sink.debezium", {"output-old-value": False}),
        ("avro", {"output-raw-change-event": "true"}, "sink.kafka-config", {"output-raw-change-event": True}),
    ],
)
def test_options_of_the_configuration_stand_in_their_section_and_not_in_the_address(target, options, section, there):
    move = Move("canal", target, target_options=options)
    told = tomllib.loads(_parts(move)["configuration of the changefeed"]["after"])
    for name in section.split("."):
        told = told[name]
    assert told | there == told
    assert not {*options} & {*parse_qs(urlsplit(_changefeed(move)["sink-uri"]).query)}


def test_the_connectors_topics_keep_their_names_where_the_format_stays() -> None:
    stays, goes = Move("debezium-connector", "debezium"), Move("debezium-connector", "canal-json")
    assert 'topic = "PREFIX.{schema}.{table}"' in _parts(stays)["configuration of the changefeed"]["after"]
    assert "PREFIX" not in _parts(goes)["configuration of the changefeed"]["after"]
    assert "NEW_TOPIC" in _changefeed(goes)["sink-uri"]


@pytest.mark.parametrize(
    ("consumer", "target", "said"),
    [
        ("flink@2.3.0", "avro", "'avro-confluent.url' = 'http://REGISTRY:8081'"),
        ("flink@2.3.0", "debezium", "'debezium-json.schema-include' = 'true'"),
        ("connect@3.9.1", "avro", "value.converter = io.confluent.connect.avro.AvroConverter"),
        ("connect@3.9.1", "debezium", "key.converter.schemas.enable = true"),
        ("connect@3.9.1", "open-protocol", "the suite knows no format of this consumer for these messages"),
        ("paimon@1.3.1", "canal-json", "format = canal-json"),
        (
            "spark@4.1.1",
            "canal-json",
            "from_json(CAST(value AS STRING), 'type STRING, data ARRAY<MAP<STRING, STRING>>'",
        ),
        ("spark@4.1.1", "debezium", "'payload STRUCT<ENVELOPE>', map('mode', 'PERMISSIVE'))"),
        ("spark@4.1.1", "avro", "from_avro(substring(value, 6), 'SCHEMA', map('mode', 'PERMISSIVE'))"),
        ("spark@4.1.1", "open-protocol", "the suite knows no format of this consumer for these messages"),
    ],
)
def test_the_job_has_the_format_of_the_new_messages(consumer: str, target: str, said: str) -> None:
    assert said in _parts(Move("canal", target, consumer=consumer))[f"the job of {consumer}"]["after"]


def _job(target: str, origin: str = "debezium-connector", **options: str) -> dict[str, str]:
    move = Move(
        origin, target, consumer="flink@2.3.0", consumer_options={n.replace("_", "-"): v for n, v in options.items()}
    )
    return _parts(move)["the job of flink@2.3.0"]


def test_the_connector_of_a_table_is_no_option_of_a_format() -> None:
    job = _job("avro", connector="upsert-kafka")
    assert "upsert-kafka" not in job["before"]
    assert "'connector' = 'upsert-kafka'" in job["after"]


def test_options_of_json_formats_are_none_of_avro() -> None:
    job = _job("avro", ignore_parse_errors="true")
    assert "'debezium-json.ignore-parse-errors' = 'true'" in job["before"]
    assert "ignore-parse-errors" not in job["after"]

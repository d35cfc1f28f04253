"""Recordings of Canal and Debezium as encoders, and the Avro consumer: held against the SQL that was run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.recordings import Recording, read_recordings
from conformance.cli.configuring import REFERENCE, run_config
from conformance.cli.settings import SETTINGS
from conformance.compatibility import ExecutedEncoder, RecordedProducer, recordings
from conformance.compatibility.cells import Fidelity, Reading
from conformance.compatibility.consumers import read_by_model
from conformance.compatibility.encoders import EncodedCase
from conformance.consumers import MODELS
from conformance.engine import RunConfig
from conformance.engine.implementation import recorded_target
from reference_impl.model import RowChange
from reference_impl.profiles import NEWARCH
from tests.amounts import ordinarily


def config(protocol: str, expression: str) -> RunConfig:
    settings: dict[str, Any] = {setting.key: None for setting in SETTINGS}
    return run_config(settings | {"iut": (REFERENCE,), "protocol": (protocol,), "select": expression}, ())


NAMES = {"mysql97", "mariadb1011", "mysql97_noschema", *ordinarily((), ("mysql97_schema",))}


@cache
def recorded(folder: str, protocol: str) -> Sequence[EncodedCase]:
    producer = RecordedProducer(folder, fixtures_root() / "recorded" / folder)
    selected = " or ".join(f"{protocol}/recorded/{folder}/{name}/" for name in sorted(NAMES))
    return producer.encoded(config(protocol, selected))[1]


@pytest.mark.parametrize(
    ("expression", "paired"),
    [
        ("canal/recorded/canal/MySQL97/7 or canal/recorded/canal/mariadb1011/", {"mysql97", "mariadb1011"}),
        ("canal/recorded/canal/mysql97_extra/7 and encode", None),  # any case may match `encode`
        ("canal/recorded/canal/mysql97_g*", None),
        ("not canal/recorded/canal/mysql97_extra/7", None),
        ("canal/recorded/canal/mysql97_g", {"mysql97_gtid"}),
        ("canal/recorded/canal", None),
    ],
)
def test_a_recording_is_paired_with_its_sql_unless_the_terms_begin_as_cases_of_others_do(
    expression: str, paired: set[str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    producer, asked = RecordedProducer("canal", fixtures_root() / "recorded" / "canal"), set[str]()

    def encoded(folder: str, recording: Recording, workloads: object) -> tuple[EncodedCase, ...]:
        asked.add(recording.name)
        return ()

    monkeypatch.setattr(recordings, "_encoded", encoded)
    producer.encoded(config("canal", expression))
    assert asked == (paired or {one.name for one in read_recordings(producer.folder)})


def readings(folder: str, protocol: str, consumer: str, table: str) -> list[Reading]:
    cases = [one for one in recorded(folder, protocol) if one.case.axes["table"].endswith(f".{table}")]
    name, version = consumer.split("@")
    return list(read_by_model(MODELS[name](version), cases))


def effects(found: Sequence[Reading], verdict: Fidelity) -> set[tuple[str, str]]:
    return {(one.column, one.effect) for reading in found for one in reading.troubles if one.verdict is verdict}


def test_a_message_of_canal_is_a_case_with_all_of_its_rows_and_the_rows_are_those_of_the_sql() -> None:
    cases = recorded("canal", "canal")
    assert max(len(one.case.events) for one in cases) > 1
    assert all(len(one.case.records) == 1 for one in cases)
    inserted = next(one.case for one in cases if one.case.axes == {"table": "cap.t_int", "operation": "insert"})
    [event] = inserted.events
    assert isinstance(event, RowChange)
    assert inserted.sql[0].startswith("insert into t_int values (1, ")


def test_a_change_of_a_key_is_one_case_with_all_records_that_debezium_writes_of_it() -> None:
    several = [one.case for one in recorded("debezium24", "debezium-connector") if len(one.case.records) > 1]
    assert {case.axes["operation"] for case in several} == {"update", "delete"}
    moved = next(case for case in several if case.axes["operation"] == "update")
    assert len(moved.records) == 3  # a deletion, its tombstone, and an insertion


def test_the_row_of_a_changed_key_is_read_as_a_deletion_and_an_insertion_without_loss() -> None:
    moved = [
        one
        for one in recorded("debezium24", "debezium-connector")
        if len(one.case.records) == 3 and one.case.axes["table"] == "cap.k_uk"
    ]
    assert moved
    assert {reading.verdict for reading in read_by_model(MODELS["flink"]("2.3.0"), moved)} == {Fidelity.LOSSLESS}


def test_text_of_another_character_set_that_canal_on_mariadb_spoils_is_wrong_as_the_message_says() -> None:
    wrong = effects(readings("canal", "canal", "paimon@1.3.1", "t_char"), Fidelity.WRONG)
    assert ("vc_l1", "another value, as the message says") in wrong


def test_flink_has_null_for_an_unchanged_column_of_several_rows_and_is_to_blame_itself() -> None:
    wrong = effects(readings("canal", "canal", "flink@2.3.0", "m_rows"), Fidelity.WRONG)
    assert ("a", "NULL for a value") in wrong


def test_an_enum_of_canal_is_its_number_in_flink_and_its_member_in_paimon() -> None:
    assert ("e", "another value") in effects(readings("canal", "canal", "flink@2.3.0", "t_enum"), Fidelity.WRONG)
    assert ("e", "another value") not in effects(readings("canal", "canal", "paimon@1.3.1", "t_enum"), Fidelity.WRONG)


def test_seatunnel_has_zero_for_null_in_numbers_of_debezium() -> None:
    wrong = effects(readings("debezium24", "debezium-connector", "seatunnel@2.3.8", "t_int"), Fidelity.WRONG)
    assert ("c_i", "a value for NULL") in wrong


def test_a_rejection_names_the_column_whose_value_the_reader_fails_on() -> None:
    rejected = effects(readings("debezium24", "debezium-connector", "flink@2.3.0", "t_dec"), Fidelity.REJECTED)
    assert any(column.startswith("d_") for column, _ in rejected)


def test_a_column_that_the_clock_filled_is_not_compared() -> None:
    filled = [one for one in recorded("canal", "canal") if one.unknown_columns]
    assert filled
    for reading in read_by_model(MODELS["flink"]("2.3.0"), filled):
        [unsure] = [one.unknown_columns for one in filled if one.case is reading.case]
        assert not {one.column for one in reading.troubles} & unsure


@cache
def avro(expression: str) -> Sequence[Reading]:
    target = recorded_target("recordings", fixtures_root() / "recorded" / "ticdc-newarch", NEWARCH)
    cases = ExecutedEncoder("ticdc-newarch", target).encoded(config("avro", expression))[1]
    return list(read_by_model(MODELS["flink-avro"]("2.3.0"), cases))


def test_rows_of_ticdc_avro_are_read_whole_and_deletions_by_their_key() -> None:
    assert {reading.verdict for reading in avro("type/int or type/varchar")} == {Fidelity.LOSSLESS}


def test_a_table_that_is_not_of_upsert_kafka_keeps_what_was_deleted() -> None:
    cases = [EncodedCase(reading.case) for reading in avro("type/int")]
    found = list(read_by_model(MODELS["flink-avro"]("2.3.0"), cases, {"connector": "kafka"}))
    assert {reading.verdict for reading in found} == {Fidelity.WRONG}


@pytest.mark.parametrize("expression", ["type/decimal-default"])
def test_a_decimal_that_is_a_text_is_read_as_another_number(expression: str) -> None:
    strings = [one for one in avro(expression) if "string" in one.case.options.get("avro-decimal-handling-mode", "")]
    assert strings
    assert {reading.verdict for reading in strings} == {Fidelity.WRONG}


def test_what_the_encoder_does_not_write_is_not_tried_and_says_why() -> None:
    [reading] = {reading.verdict: reading for reading in avro("enum-index-0")}.values()
    assert (reading.verdict, reading.effect) == (Fidelity.NOT_TRIED, "the encoder refuses the case")

"""What becomes of a row in a consumer after a move that did not before."""

from __future__ import annotations

import pytest

from conformance.consumers.mysql_types import MysqlType
from conformance.migration.assessment import Severity
from conformance.migration.effects import Kind, Read, _value
from conformance.migration.harmed import of_consumer
from conformance.migration.move import Move
from conformance.migration.samples import Where
from conformance.migration.trial import Trial
from tests.unit.migration.tables import table

CANAL = ("canal", "canal-json")
DEBEZIUM = ("debezium-connector", "debezium")


_FOUND: dict[str, dict[str, set[Kind]]] = {}


def _effects(move: Move, body: str) -> dict[str, set[Kind]]:
    """By column, the kinds of what befalls it; rows as a whole under "", statements under "statement"."""
    if (known := _FOUND.get(f"{move} {body}")) is not None:
        return known
    found = _FOUND[f"{move} {body}"] = dict[str, set[Kind]]()
    for written, effect in Trial(move, [table(body)]).effects:
        found.setdefault(written.probe.column if written.probe.places else "statement", set()).add(effect.kind)
    return found


def _on(consumer: str, dialects: tuple[str, str], body: str, **options: dict[str, str]) -> dict[str, set[Kind]]:
    return _effects(Move(*dialects, consumer=consumer, **options), f"id bigint primary key, {body}")


@pytest.mark.parametrize(
    ("consumer", "dialects", "befallen"),
    [
        (
            "paimon@1.3.1",
            CANAL,
            {
                "enum('a','b')": Kind.FAILS,
                "datetime(3)": Kind.VALUE,
                "tinyint(1)": Kind.TYPE,
                "decimal(10,2)": Kind.TYPE,
            },
        ),
        ("flink@1.20.4", CANAL, {"binary(4)": Kind.VALUE, "json": Kind.SPELLED}),
        ("flink@1.20.4", DEBEZIUM, {"decimal(10,2)": Kind.VALUE, "json": Kind.SPELLED}),
        ("seatunnel@2.3.8", DEBEZIUM, {"decimal(38,18)": Kind.VALUE}),
        ("paimon@1.3.1", DEBEZIUM, {"varbinary(8)": Kind.VALUE}),
        ("spark@4.1.1", CANAL, {"binary(4)": Kind.VALUE}),
        ("spark@4.1.1", DEBEZIUM, {"decimal(10,2)": Kind.FOR_NULL}),
        ("spark@4.1.1", ("canal", "avro"), {"decimal(40,2)": Kind.FAILS}),
    ],
)
def test_a_column_is_befallen_by_what_the_consumer_does(consumer, dialects, befallen) -> None:
    found = _on(consumer, dialects, ", ".join(f"c{n} {declared}" for n, declared in enumerate(befallen)))
    for n, (declared, kind) in enumerate(befallen.items()):
        assert kind in found.get(f"c{n}", set()), declared


@pytest.mark.parametrize("consumer", ["flink@1.20.4", "spark@4.1.1"])
def test_a_column_that_the_consumer_reads_alike_is_not_befallen(consumer: str) -> None:
    declared = ("int", "varchar(20)", "bigint unsigned", "date", "datetime(6)", "text")
    found = _on(consumer, CANAL, ", ".join(f"c{n} {kind}" for n, kind in enumerate(declared)))
    assert {name: kinds for name, kinds in found.items() if name.startswith("c") and kinds - {Kind.OPEN}} == {}


def test_a_column_that_the_job_can_only_read_as_a_text_is_a_text_at_every_value() -> None:
    """Flink does not read the connector's ZonedTimestamp as TIMESTAMP; a zero time stamp is NULL there."""
    move = {"origin_options": {"version": "3.6.3"}}
    kinds = _on("flink@2.3.0", DEBEZIUM, "c timestamp null", **move)["c"]
    assert Kind.FOR_NULL in kinds
    assert Kind.FAILS not in kinds


@pytest.mark.parametrize("consumer", ["flink@1.20.4", "seatunnel@2.3.8"])
def test_a_column_is_assessed_beside_one_that_the_job_cannot_declare(consumer: str) -> None:
    found = _on(consumer, CANAL, "c int, d decimal(10,2), l long varbinary")
    assert Kind.OPEN not in found.get("c", set()) | found.get("d", set())
    assert found.get("", set()) <= {Kind.STEPS}


def test_a_value_at_which_the_job_fails_before_and_after_is_left_open() -> None:
    assert Kind.OPEN in _on("paimon@1.3.1", CANAL, "c datetime")["c"]  # zero dates


def test_statements_among_the_rows_end_a_job_that_did_not_see_them() -> None:
    assert _on("flink@1.20.4", DEBEZIUM, "c int")["statement"] == {Kind.FAILS}
    assert Kind.FAILS not in _on("paimon@1.3.1", CANAL, "c int").get("statement", set())


def test_a_watermark_ends_a_job_that_knows_none() -> None:
    with_watermarks = {"target_options": {"enable-tidb-extension": "true"}}
    assert Kind.FAILS in _on("flink@1.20.4", CANAL, "c int", **with_watermarks)["statement"]
    hidden = {**with_watermarks, "consumer_options": {"filters": "true"}}
    assert Kind.FAILS not in _on("flink@1.20.4", CANAL, "c int", **hidden).get("statement", set())


def test_rows_that_vanish_without_an_error_are_lost() -> None:
    options = {
        "origin_options": {"schemas.enable": "false"},
        "target_options": {"debezium-disable-schema": "true"},
        "consumer_options": {"ignore-parse-errors": "true"},
    }
    assert Kind.SKIPS in _on("flink@1.20.4", DEBEZIUM, "c int", **options)["c"]


def test_a_table_that_ends_alike_was_led_there_by_other_steps() -> None:
    assert _on("flink@1.20.4", CANAL, "c int")[""] == {Kind.STEPS}


def test_without_a_model_for_what_was_read_before_the_rows_of_the_database_stand_for_it() -> None:
    kinds = _on("connect@3.9.1", ("canal", "debezium"), "c bigint unsigned", consumer_options={"mode": "jdbc"})
    assert Kind.VALUE in kinds["c"]  # beyond 63 bits it is negative
    assert (
        _on("connect@3.9.1", ("canal", "debezium"), "c int", consumer_options={"mode": "jdbc"}).get("c", set()) == set()
    )


def test_flink_reads_fractions_exactly_where_the_table_has_a_decimal() -> None:
    trials = [
        Trial(Move(*CANAL, consumer="flink@1.20.4"), [table(f"id int primary key, {more} j json")])
        for more in ("", "d decimal(5,1),")
    ]
    rows = [[effect.was.rows for written, effect in trial.effects if written.probe.column == "j"] for trial in trials]
    assert all(len(row) == 2 for reads in rows for read in reads for _, row in read)  # no column of ours is shown


def test_a_read_without_messages_has_no_row() -> None:
    assert Read("skipped").rows == ()


@pytest.mark.parametrize("dialects", [CANAL, ("canal", "avro"), ("debezium-connector", "avro")])
def test_a_job_that_writes_by_key_loses_nothing_where_a_transaction_is_told_by_its_last_rows(dialects) -> None:
    found = _on("spark@4.1.1", dialects, "c int")
    assert found.get("c", set()) == set()
    assert Kind.STEPS in found[""]
    assert found[""] <= {Kind.STEPS, Kind.ROW}


def test_a_row_of_an_old_key_stays_with_a_job_that_is_sent_the_row_after_alone() -> None:
    """Canal's update of a key is one row to a Spark job; TiCDC's is a deletion and an insert."""
    assert Kind.ROW in _on("spark@4.1.1", CANAL, "c int")[""]
    assert Kind.ROW not in _on("spark@4.1.1", DEBEZIUM, "c int").get("", set())


def test_an_envelope_in_another_place_has_no_rows_in_spark_and_no_error() -> None:
    """TiCDC's envelope stands below `payload`, with a schema or without."""
    assert Kind.SKIPS in _on("spark@4.1.1", DEBEZIUM, "c int", origin_options={"schemas.enable": "false"})["c"]
    assert _on("spark@4.1.1", DEBEZIUM, "c int").get("c", set()) == set()


def test_upsert_kafka_reads_the_deletions_of_avro_out_of_its_keys() -> None:
    upserts = {"consumer_options": {"connector": "upsert-kafka"}}
    found = _on("flink@2.3.0", ("canal", "avro"), "c int", **upserts)
    assert found.get("c", set()) == set()
    assert found.get("", set()) <= {Kind.STEPS}
    assert Kind.SKIPS in _on("flink@2.3.0", ("canal", "avro"), "c int")["c"]


@pytest.mark.parametrize(
    ("had", "has", "kind"),
    [
        ('{"a": 1, "b": [1.0]}', '{"b":[1],"a":1}', Kind.SPELLED),
        ("true", "1", Kind.VALUE),
        ('{"a": [false]}', '{"a": [0]}', Kind.VALUE),
        ("[1]", "[1, 2]", Kind.VALUE),
    ],
)
def test_a_json_text_with_another_value_is_another_value(had: str, has: str, kind: Kind) -> None:
    assert _value(MysqlType.of("json"), had, has, declares=True) is kind


def test_a_failure_at_each_change_of_a_row_is_told_of_the_row_unless_a_column_shows_the_same() -> None:
    keyed = table("id binary(16) primary key, n int", "keyed")
    trial = Trial(Move(*CANAL, consumer="paimon@1.3.1"), [keyed])

    def of_failures() -> set[Where]:
        return {place for one in of_consumer(trial) if one.severity is Severity.BLOCKER for place in one.places}

    row = (*keyed.id, "")
    assert of_failures() == {(*keyed.id, "id")}
    trial.effects = [(written, effect) for written, effect in trial.effects if not written.probe.column]
    trial.written = [written for written in trial.written if written.probe.column]  # or it is one of every message
    assert of_failures() == {row}

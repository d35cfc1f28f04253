"""What is said of a move as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import pytest

from conformance.catalogue.divergences import load_divergences
from conformance.catalogue.harm import Harm
from conformance.errors import UsageError
from conformance.migration import ORIGINS, TARGETS, Assessment, Finding, Move, Severity, assess
from conformance.migration.samples import every_type
from reference_impl.model import Table
from tests.amounts import THOROUGH
from tests.unit.migration.tables import table

ORDERS = table(
    "id bigint unsigned primary key, status enum('new','paid') not null, total decimal(18,4), v int as (1) virtual, "
    "trace binary(8), placed_at datetime(3), note varchar(40) default 'x'",
    "orders",
)
LOG = table("what int", "log")
CANAL, DEBEZIUM = Move("canal", "canal-json"), Move("debezium-connector", "debezium")


@pytest.fixture(scope="module")
def everything() -> Sequence[Table]:
    """A table a family of column types."""
    return every_type()


_ASSESSED: Final[dict[tuple[str, tuple[str, ...]], Assessment]] = {}


def assessed(move: Move, *tables: Table) -> Assessment:
    """As `assess`; several tests look at one assessment."""
    key = repr(move), tuple(table.name for table in tables)
    if key not in _ASSESSED:
        _ASSESSED[key] = assess(move, tables)
    return _ASSESSED[key]


def _finding(found: Assessment, name: str) -> Finding:
    return next(one for one in found.findings if name in one.divergences)


def _columns(one: Finding) -> list[str]:
    return [column for _, _, column in one.places]


CONSUMERS = ["", "flink@1.20.4", "connect@3.9.1"]
# Ordinarily each origin meets each target and each consumer once or more.
MOVES = [
    (origin, target, consumer)
    for i, origin in enumerate(ORIGINS)
    for j, target in enumerate(TARGETS)
    for k, consumer in enumerate(CONSUMERS)
    if THOROUGH or (i + j + k) % 3 == 0
]


@pytest.mark.parametrize(("origin", "target", "consumer"), MOVES)
def test_every_finding_is_about_the_tables_given(origin: str, target: str, consumer: str) -> None:
    found = assessed(Move(origin, target, consumer=consumer), ORDERS, LOG)
    known = {(*of.id, name) for of in (ORDERS, LOG) for name in ("", *(c.name for c in of.columns))}
    assert found.findings
    for one in found.findings:
        assert one.places
        assert {*one.places} <= known
        assert one.title
        assert one.evidence
        assert one.before or one.upstream_does or one.rule or not one.divergences
    assert {(one.where) for one in found.columns} == {place for place in known if place[2]}
    assert found.not_assessed
    severities = [list(Severity).index(one.severity) for one in found.findings]
    assert severities == sorted(severities)


@pytest.mark.parametrize("target", ["avro", "open-protocol", "debezium"])
def test_another_family_of_formats_blocks_a_reader_of_canal(target: str) -> None:
    found = assessed(Move("canal", target), ORDERS)
    assert found.findings[0].severity is Severity.BLOCKER
    assert "another format" in found.findings[0].title


def test_without_a_model_no_column_is_taken_for_safe() -> None:
    found = assessed(Move("canal", "open-protocol", consumer="paimon@1.3.1"), ORDERS, LOG)
    assert {one.assessed for one in found.columns} == {"not"}
    assert all(one.verdict != "same" for one in found.columns)
    assert found.findings[0].severity is Severity.BLOCKER


def test_a_table_without_a_key_is_left_out_by_the_changefeed() -> None:
    for consumer in ("", "flink@1.20.4"):
        one = _finding(assessed(Move("canal", "canal-json", consumer=consumer), ORDERS, LOG), "DV-35")
        assert one.severity is Severity.BLOCKER
        assert one.places == (("shop", "log", ""),)


@pytest.mark.parametrize("target", ["debezium", "avro", "open-protocol"])
def test_a_table_without_a_key_is_left_out_whatever_the_target_is(target: str) -> None:
    found = assessed(Move("debezium-connector", target), ORDERS, LOG)
    one = next(one for one in found.findings if one.title == "tables without a key")
    assert one.severity is Severity.BLOCKER
    assert one.places == (("shop", "log", ""),)


def test_a_virtual_column_is_lost() -> None:
    assert _columns(_finding(assessed(CANAL, ORDERS, LOG), "DV-33")) == ["v"]
    assert _columns(_finding(assessed(DEBEZIUM, ORDERS, LOG), "DBZ-578")) == ["v"]


def test_a_column_that_is_lost_is_no_lost_message_whatever_its_name_is() -> None:
    one = _finding(assess(CANAL, [table("id int primary key, `row` int as (1) virtual")]), "DV-33")
    assert one.after is not None
    assert one.after.outcome == "no column"


def test_a_value_that_differs_is_not_said_to_be_written_in_other_words_as_well() -> None:
    narrowed = assessed(DEBEZIUM, table("id int primary key, r real", "narrowed"))  # the connector makes a FLOAT of it
    assert {name for _, column, name in narrowed.named if column == "r"} >= {"DBZ-504a"}
    assert not any(name == "DBZ-575b" for _, _, name in narrowed.named)
    whole = assessed(DEBEZIUM, table("id int primary key, d double", "whole"))
    assert any(name == "DBZ-575b" for _, _, name in whole.named)


def test_a_finding_of_a_consumer_shows_the_row_before_and_after() -> None:
    found = assessed(Move("canal", "canal-json", consumer="paimon@1.3.1"), ORDERS, LOG)
    one = next(one for one in found.findings if _columns(one) == ["placed_at"] and one.severity is Severity.SILENT)
    assert one.before is not None
    assert one.after is not None
    [(_, was)], [(_, now)] = one.before.rows, one.after.rows
    assert str(was["placed_at"]).startswith(str(now["placed_at"]))
    assert any("INSERT INTO `shop`.`orders`" in statement for statement in one.sql)


def test_an_option_that_is_said_to_remove_a_finding_was_tried_and_removes_it() -> None:
    move = Move("canal", "canal-json", consumer="paimon@1.3.1")
    enum = next(one for one in assessed(move, ORDERS, LOG).findings if one.rule and one.rule[0] == "paimon.bare-type")
    removal = next(one for one in enum.removals if one.tried)
    assert removal.what == "content-compatible=true of canal-json"
    assert removal.breaks
    after = assessed(replace(move, target_options={"content-compatible": "true"}), ORDERS, LOG)
    assert not [one for one in after.findings if one.rule and one.rule[0] == "paimon.bare-type"]


def test_what_an_option_brings_is_measured_in_these_tables() -> None:
    move = Move(
        "debezium-connector",
        "debezium",
        {"schemas.enable": "false"},
        {"debezium-disable-schema": "true"},
        "flink@1.20.4",
    )
    first = assessed(move, ORDERS, LOG).findings[0]
    assert "every message" in first.title
    removal = next(one for one in first.removals if "schema-include=true" in one.what)
    assert any("shop.orders.total" in text for text in removal.brings)


def test_to_a_reader_by_the_documents_lost_changed_and_schema_are_silent_changes() -> None:
    for one in assessed(CANAL, ORDERS, LOG).findings:
        if one.harm in (Harm.METADATA, Harm.FORM) and one.divergences:
            assert one.severity is Severity.COSMETIC
        else:
            assert one.severity in (Severity.BLOCKER, Severity.SILENT)


def test_a_consumer_that_takes_types_from_messages_is_not_told_that_other_types_are_cosmetic() -> None:
    def severity(consumer: str) -> Severity:
        found = assess(Move("canal", "canal-json", consumer=consumer), [table("id int primary key, c varchar(9)")])
        return _finding(found, "DV-02").severity

    assert severity("paimon@1.3.1") is Severity.SILENT
    assert severity("flink@1.20.4") is Severity.COSMETIC


def test_a_member_that_no_consumer_reads_changes_nothing_for_a_consumer() -> None:
    def severity(consumer: str) -> Severity:
        return _finding(assessed(Move("canal", "canal-json", consumer=consumer), ORDERS, LOG), "DV-14").severity

    assert severity("") is Severity.SILENT
    assert severity("paimon@1.3.1") is Severity.COSMETIC


def _titles(found: Assessment) -> list[str]:
    return [one.title for one in found.findings if one.severity is not Severity.COSMETIC]


def test_what_each_change_of_a_row_shows_for_its_key_is_told_of_the_key_alone() -> None:
    keyed = table("id binary(16) primary key, n int", "keyed")
    move = Move("canal", "canal-json", consumer="paimon@1.3.1")
    bare = assess(move, [keyed]).findings
    assert {one.places for one in bare if one.severity is Severity.BLOCKER} == {(("shop", "keyed", "id"),)}
    lengths = assess(replace(move, target_options={"content-compatible": "true"}), [keyed])
    assert not [title for title in _titles(lengths) if "insert" in title or "update" in title]


def test_a_column_that_tidb_does_not_have_is_told_once() -> None:
    of_places = assess(CANAL, [table("id int primary key, p point", "places")])
    assert [title for title in _titles(of_places) if "geometry" in title or "refuses" in title] == ["geometry"]


def test_an_option_that_fails_the_job_removes_nothing() -> None:
    move = Move("canal", "canal-json", {}, {"content-compatible": "true"}, "paimon@1.3.1")
    found = assess(move, [table("id binary(16) primary key, n int", "keyed")])
    assert not [one.what for finding in found.findings for one in finding.removals if "compression" in one.what]


def test_an_option_removes_a_loss_though_it_leaves_a_milder_effect_that_the_report_tells_anyway() -> None:
    long = table("id int primary key, c decimal(65,30)", "long")
    found = assess(Move("canal", "canal-json", consumer="paimon@1.3.1"), [long])
    null = next(one for one in found.findings if one.title.startswith("NULL for a value"))
    assert [one.what for one in null.removals if one.tried] == ["content-compatible=true of canal-json"]


def test_options_that_a_dialect_refuses_are_a_fault_of_usage() -> None:
    with pytest.raises(UsageError, match="canal-json"):
        assessed(
            Move("canal", "canal-json", target_options={"large-message-handle-option": "claim-check"}), ORDERS, LOG
        )


def test_a_version_of_which_nothing_was_recorded_is_said() -> None:
    found = assessed(Move("canal", "canal-json", consumer="flink@1.12"), ORDERS, LOG)
    assert any("flink 1.12" in one.what for one in found.not_assessed)
    assert not any(
        "flink 1.2" in one.what
        for one in assessed(Move("canal", "canal-json", consumer="flink@1.20"), ORDERS, LOG).not_assessed
    )


def test_generated_columns_and_partitions_are_said_to_be_assessed_in_part() -> None:
    parted = table("id int primary key, c int) partition by hash (id", "parted")
    found = assess(CANAL, [ORDERS, parted])
    said = {one.what: one.places for one in found.not_assessed}
    assert said["the values of generated columns"] == (("shop", "orders", "v"),)
    assert said["partitions of tables"] == (("shop", "parted", ""),)


def test_a_column_type_without_values_is_not_assessed() -> None:
    found = assess(CANAL, [table("id int primary key, g geometry")])
    assert _finding(found, "DV-59").severity is Severity.BLOCKER
    assert {one.where[2]: one.assessed for one in found.columns}["g"] == "not"


@pytest.mark.parametrize("move", [CANAL, DEBEZIUM], ids=["canal", "debezium"])
def test_names_are_those_of_the_pair_and_nothing_is_without_one(move: Move, everything: Sequence[Table]) -> None:
    found = assess(move, everything)
    known = {one.id for one in load_divergences()[move.origin, move.target].divergences}
    assert {name for _, _, name in found.named} <= known
    assert found.unnamed == frozenset()


def test_a_table_that_could_not_be_read_is_said_first() -> None:
    found = assess(CANAL, [ORDERS], ["statement 3 (line 9): table t: there is no type `money`"])
    assert found.not_assessed[0].why == "statement 3 (line 9): table t: there is no type `money`"


def test_two_assessments_are_the_same() -> None:
    move = Move("debezium-connector", "debezium", consumer="paimon@1.3.1")
    assert assess(move, [ORDERS, LOG]).to_json() == assessed(move, ORDERS, LOG).to_json()


def test_what_a_script_makes_beside_tables_is_said_to_be_not_assessed() -> None:
    others = [("view", "a"), ("view", "b"), ("trigger", "t")]
    found = assess(Move("canal", "canal-json"), [table("id int PRIMARY KEY")], others=others)
    assert [one.what for one in found.not_assessed][:1] == ["2 views, 1 trigger"]
    found = assess(Move("canal", "canal-json"), [table("id int PRIMARY KEY")])
    assert not any("view" in one.what for one in found.not_assessed)


@pytest.mark.parametrize("name", ["test.t", "shop.migrate_2"])
def test_a_table_may_have_the_name_of_a_table_of_the_trial(name: str) -> None:
    schema, _, own = name.partition(".")
    body = "id bigint primary key, a varchar(20), e year"
    usual = assess(CANAL, [table(body, "orders")])
    same = assess(CANAL, [replace(table(body, own), schema=schema)])
    assert [(one.title, one.severity, _columns(one)) for one in same.findings] == [
        (one.title, one.severity, _columns(one)) for one in usual.findings
    ]
    assert [one.verdict for one in same.columns] == [one.verdict for one in usual.columns]
    assert {(column, name) for _, column, name in same.named} == {(column, name) for _, column, name in usual.named}

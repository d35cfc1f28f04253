"""The script of a workload: its statements one by one, and what the session had set when each ran."""

from __future__ import annotations

import pytest

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.packing import files_of
from conformance.catalogue.statements import binlog_settings, logged_statements, session_zones, statements
from conformance.catalogue.workload import read_truth

RECORDED = fixtures_root() / "recorded"


def test_statements_are_numbered_as_the_truth_numbers_them() -> None:
    files = files_of(RECORDED / "workload")
    script = statements(files["workload.sql"].decode())
    changes = read_truth(files["truth-mariadb1011.jsonl"], "truth").changes
    assert {c.statement for c in changes if c.table.name not in script[c.statement]} == set()


def test_a_semicolon_in_a_quoted_text_a_name_or_a_comment_ends_no_statement() -> None:
    script = 'select \';\', "a\\";"; -- x; y\nselect `;` /* ; */;\n# ;\n select 3'
    assert statements(script) == ['select \';\', "a\\";"', "select `;`", "select 3"]


def test_a_client_that_keeps_comments_sends_those_within_a_statement() -> None:
    script = "-- before\n/* at the head */ select 1 /* ; */ + 2 -- tail\n; /* nothing */; select 3"
    assert statements(script, comments=True) == ["/* at the head */ select 1 /* ; */ + 2 -- tail", "select 3"]


def test_the_row_image_is_that_of_the_session_when_the_statement_ran() -> None:
    script = "set session binlog_row_image=MINIMAL; insert; set @@session.binlog_row_image = 'full', x=1; insert"
    images = [settings["binlog_row_image"] for _, settings in binlog_settings(script)]
    assert images == ["MINIMAL", "MINIMAL", "FULL", "FULL"]


def test_a_global_setting_is_none_of_the_session() -> None:
    script = "set global binlog_row_image=MINIMAL, @@global.binlog_rows_query_log_events=1; insert"
    assert [settings for _, settings in binlog_settings(script)] == [{}, {}]


ZONES = {
    "select 1; set time_zone = '+08:00'; select 1": ["UTC", "+08:00", "+08:00"],
    "set @@session.time_zone='-3:30', sql_mode=''; set global time_zone='+01:00'": ["-03:30", "-03:30"],
    "set time_zone='Asia/Shanghai'; set session time_zone = SYSTEM; set time_zone='Mars/X'": [
        "Asia/Shanghai",
        *["UTC"] * 2,
    ],
    "set x='time_zone'; set @@global.time_zone='+01:00'": ["UTC", "UTC"],
    "set global x=1, time_zone='+01:00'; set @@global.x=1, time_zone='+02:00'": ["UTC", "+02:00"],
    "set persist x=1, session y=2, time_zone='+01:00'; set @@persist.time_zone='+02:00'": ["+01:00", "+01:00"],
    "set @time_zone='+01:00'; set @@time_zone='+02:00'": ["UTC", "+02:00"],
}


@pytest.mark.parametrize(("sql", "zones"), ZONES.items())
def test_the_zone_of_a_session_is_the_one_that_it_set_last(sql: str, zones: list[str]) -> None:
    assert session_zones(sql) == zones


def test_what_a_session_does_not_log_is_left_out() -> None:
    sql = "use s; create table a (i int); set session sql_log_bin=0; drop table a; set sql_log_bin = ON; truncate a"
    assert list(logged_statements(sql)) == [(1, "s", "create table a (i int)"), (5, "s", "truncate a")]


def test_a_session_logs_again_once_its_setting_is_restored() -> None:
    sql = "set @was = @@sql_log_bin; set sql_log_bin=0; drop table a; set @@session.sql_log_bin = @was; drop table b"
    assert [statement for _, _, statement in logged_statements(sql)] == ["drop table b"]

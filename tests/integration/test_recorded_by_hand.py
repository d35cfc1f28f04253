"""Recordings of workloads that nobody shipped: what producers know of keys once statements have changed them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.recorded_by_hand import COLUMNS, SECOND, Line, canal, column, connector, ddl, rows, table, tombstone, written
from tests.slices import Run


def found(folder: Path, protocol: str) -> tuple[int, list[tuple[str, ...]]]:
    """The status of a run, and (case, requirement, path) of its findings."""
    return Run(folder, "--protocol", protocol).found("requirement", "path")


# (how the key is declared, the statement and the key after it, pkNames then)
KEYS = [
    ("id int primary key, v int", "alter table t drop primary key", [], ["id"]),
    ("id int, v int, primary key (id)", "alter table t drop primary key", [], None),
    (
        "id int, v int, primary key (id)",
        "alter table t drop primary key, add primary key (v, id)",
        ["v", "id"],
        ["id", "v"],
    ),
    ("id int primary key, v int", "alter table t modify id int not null", ["id"], None),
    ("id int, v int, primary key (id)", "alter table t modify id int not null", ["id"], ["id"]),
]


def _keys(tmp_path: Path, declared: str, altered: str, key: list[str], names: list[str] | None) -> Path:
    sql = f"use cap; create table t ({declared}); insert into t values (1, 1); {altered}; insert into t values (2, 2);"
    one, two = ({"id": n, "v": n} for n in "12")
    truth = [table(1), rows(2, 1, (None, one)), table(2, key), rows(4, 2, (None, two))]
    records = [
        ddl("canal", 1, "CREATE", f"create table t ({declared})"),
        canal(2, [one], ["id"]),
        ddl("canal", 3, "ALTER", altered),
        canal(4, [two], names),
    ]
    return written(tmp_path, "canal", sql, truth, records)


@pytest.mark.parametrize(("declared", "altered", "key", "names"), KEYS)
def test_canal_keeps_a_key_as_it_was_declared(tmp_path, declared, altered, key, names) -> None:
    assert found(_keys(tmp_path, declared, altered, key, names), "canal") == (0, [])


def test_a_key_that_canal_would_not_name_is_red(tmp_path: Path) -> None:
    declared, altered, key, _ = KEYS[0]
    status, findings = found(_keys(tmp_path, declared, altered, key, None), "canal")
    assert (status, findings) == (1, [("hand/3", "CJ-906", "value.pkNames")])


UNIQUE = [{"name": "u", "columns": ["v"]}]


@pytest.mark.parametrize(("key", "status"), [(None, 0), ({"v": 2}, 1)])
def test_the_connector_does_not_choose_another_key_when_the_primary_key_is_dropped(tmp_path, key, status) -> None:
    declared = "id int not null, v int not null, primary key (id), unique key u (v)"
    altered = "alter table t drop primary key"
    sql = f"use cap; create table t ({declared}); {altered}; insert into t values (2, 2);"
    columns = [{"name": name, "type": "int", "nullable": False} for name in ("id", "v")]
    truth = [table(1, (), columns, unique_keys=UNIQUE), rows(3, 1, (None, {"id": "2", "v": "2"}))]
    records = [connector(400, "c", key, None, {"id": 2, "v": 2})]
    folder = written(tmp_path, "debezium-connector", sql, truth, records, config=["include.schema.changes=false"])
    assert found(folder, "debezium-connector")[0] == status


HOUR = 3600
CLOCKED = [*COLUMNS, column("d", "datetime", default={"sql": "current_timestamp"}), column("m", "date")]
# (time zone of the session, seconds by which its clock is ahead, how the row is filled)
SESSIONS = [
    ("+08:00", 8 * HOUR, "insert into t (id, v, m) values (1, 1, curdate())"),
    ("-3:30", -int(3.5 * HOUR), "insert into t (id, v, m) values (1, 1, curdate())"),
    ("Asia/Shanghai", 8 * HOUR, "insert into t (id, v, m) values (1, 1, curdate())"),
    ("+08:00", 0, "insert into t values (1, 1, utc_timestamp(), utc_date())"),
    ("SYSTEM", 0, "insert into t (id, v, m) values (1, 1, curdate())"),
]


def _clocked(tmp_path: Path, session: str, filled: str, shown: int) -> tuple[int, list[tuple[str, ...]]]:
    row = {"id": "1", "v": "1", "d": {"now": True}, "m": {"now": True}}
    truth = [table(1, columns=CLOCKED), rows(2, 1, (None, row))]
    after = {"id": 1, "v": 1, "d": shown * 1000, "m": shown // (24 * HOUR)}
    sql = f"use cap; set session time_zone = '{session}'; {filled};"
    records = [connector(400, "c", {"id": 1}, None, after)]
    return found(written(tmp_path, "debezium-connector", sql, truth, records), "debezium-connector")


@pytest.mark.parametrize(("session", "ahead", "filled"), SESSIONS)
def test_the_clock_of_a_datetime_is_that_of_the_session(tmp_path: Path, session: str, ahead: int, filled: str) -> None:
    assert _clocked(tmp_path, session, filled, SECOND + ahead) == (0, [])


@pytest.mark.parametrize("ahead", [0, 8 * HOUR + 2, 8 * HOUR - 3])
def test_another_time_than_the_sessions_is_red(tmp_path: Path, ahead: int) -> None:
    status, findings = _clocked(tmp_path, *SESSIONS[0][::2], SECOND + ahead)
    assert (status, findings[0]) == (1, ("hand/0", "DBZ-220", "value.after.d"))


def _snapshot(tmp_path: Path, marks: list[str], sql: str = "", value: object = None, **meta: Any) -> Any:
    """The run of a snapshot of rows 1, 2, …, as many as there are marks, of the three that the table has.

    Their other column is NULL, for which `value` stands.
    """
    columns = [COLUMNS[0], column("v", "int", **({"default": {"sql": "5"}} if value is not None else {}))]
    truth = [table(1, columns=columns), rows(2, 1, *((None, {"id": n, "v": None}) for n in "123"))]
    shown = [
        connector(157, "r", {"id": n}, None, {"id": n, "v": value}, snapshot=mark, server_id=0, thread=None)
        for n, mark in enumerate(marks, 1)
    ]
    script = f"use cap; create table t; insert into t (id) values (1), (2), (3); {sql}"
    folder = written(tmp_path, "debezium-connector", script, truth, shown, config=["end=snapshot"], **meta)
    return found(folder, "debezium-connector")


@pytest.mark.parametrize(("sql", "default"), [("", 5), ("alter table t alter column v set default 8", 8)])
def test_in_a_snapshot_the_default_that_was_set_last_stands_for_null(tmp_path: Path, sql: str, default: int) -> None:
    marks = ["first", "true", "last"]
    assert _snapshot(tmp_path / "right", marks, sql, default) == (0, [])
    status, findings = _snapshot(tmp_path / "wrong", marks, sql, 13 - default)
    assert (status, {f[1:] for f in findings}) == (1, {("DBZ-206", "value.after.v")})


def test_a_snapshot_that_was_cut_short_has_no_last_row(tmp_path: Path) -> None:
    assert _snapshot(tmp_path, ["first", "true"], complete=False) == (0, [])


@pytest.mark.parametrize(
    ("marks", "complete", "findings"),
    [
        (["first", "true"], True, [("hand/after-1/missing-1", "DBZ-251", "record")]),
        (["first", "last"], False, [("hand/1", "DBZ-539", "value.source.snapshot")]),
        (["first", "true", "true"], False, [("hand/2", "DBZ-539", "value.source.snapshot")]),
    ],
)
def test_a_row_that_a_snapshot_lacks_or_marks_wrong_is_red(tmp_path, marks, complete, findings) -> None:
    assert _snapshot(tmp_path, marks, complete=complete) == (1, findings)


# A value that no INT has: the reference writes nothing of such a row, and nothing is asked of what was recorded of it.
TOO_LARGE = {"id": "1", "v": "99999999999"}
SHOWN = {"id": 1, "v": 99999999999}
NEXT = {"id": "2", "v": "2"}


def _refused(tmp_path: Path, after: Line | None, records: list[Line], *config: str) -> list[str]:
    """The verdicts of a row that comes, and goes or has another key, and of one behind it."""
    sql = "use cap; insert into t values (1, 99999999999); the statement; insert into t values (2, 2);"
    truth = [table(1), rows(1, 1, (None, TOO_LARGE)), rows(2, 1, (TOO_LARGE, after)), rows(3, 1, (None, NEXT))]
    given = [
        connector(400, "c", {"id": 1}, None, SHOWN),
        *records,
        connector(900, "c", {"id": 2}, None, {"id": 2, "v": 2}),
    ]
    folder = written(tmp_path, "debezium-connector", sql, truth, given, config=config)
    return [verdict["verdict"] for verdict in Run(folder).verdicts]


GONE = connector(500, "d", {"id": 1}, SHOWN, None)
MOVED = connector(500, "c", {"id": 7}, None, {**SHOWN, "id": 7})


@pytest.mark.parametrize(
    ("after", "records", "config"),
    [
        (None, [GONE, tombstone({"id": 1})], []),
        (None, [GONE], ["tombstones.on.delete=false"]),
        ({**TOO_LARGE, "id": "7"}, [GONE, tombstone({"id": 1}), MOVED], []),
    ],
)
def test_a_tombstone_is_judged_no_more_than_the_deletion_before_it(tmp_path, after, records, config) -> None:
    verdicts = _refused(tmp_path, after, records, *config)
    assert verdicts == ["unsupported"] * (1 + len(records)) + ["pass"]


def test_a_second_tombstone_behind_such_a_deletion_is_red(tmp_path: Path) -> None:
    verdicts = _refused(tmp_path, None, [GONE, tombstone({"id": 1}), tombstone({"id": 1})])
    assert sorted(verdicts) == ["pass", "unsupported", "unsupported", "unsupported", "warn"]


@pytest.mark.parametrize(
    ("said", "shown", "status"), [("collate", "\ufffd", 0), ("collate", "é", 1), ("charset", "é", 0)]
)
def test_a_text_is_read_in_the_charset_that_the_connector_takes_its_table_to_have(tmp_path, said, shown, status):
    name = {"collate": "latin1_swedish_ci", "charset": "latin1"}[said]
    sql = f"use cap; create table t (id int primary key, w varchar(9)) {said} {name}; insert into t values (1, 'é');"
    columns = [COLUMNS[0], column("w", "varchar(9)")]
    truth = [table(1, columns=columns, charset="latin1"), rows(2, 1, (None, {"id": "1", "w": "é"}))]
    records = [connector(400, "c", {"id": 1}, None, {"id": 1, "w": shown})]
    folder = written(tmp_path, "debezium-connector", sql, truth, records, config=["include.schema.changes=false"])
    found_there = [("hand/0", "DBZ-213", "value.after.w")] if status else []
    assert found(folder, "debezium-connector") == (status, found_there)

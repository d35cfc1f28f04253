"""The truth of workloads, the recordings made of them, and how they are packed."""

from __future__ import annotations

import hashlib
import json
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from conformance.catalogue.altered_rows import Unclear, actions_of, altered
from conformance.catalogue.final_state import final_rows
from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.packing import PACKED, files_of, pack, unpack
from conformance.catalogue.recordings import Workloads, has_recordings, read_recordings
from conformance.catalogue.statements import logged_statements, row_images, session_zones, statements
from conformance.catalogue.workload import Change, Truth, column_type, read_truth
from conformance.errors import UsageError
from reference_impl.column_types import Family
from reference_impl.errors import Rejected
from reference_impl.model import ABSENT, Expression, Index
from reference_impl.zones import zone_of

RECORDED = fixtures_root() / "recorded"
FOLDERS = ("canal", "debezium", "debezium24", "debezium36", "workload")


def column(name: str, type_: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": type_, "nullable": True, **more}


def truth_of(columns: list[dict[str, Any]], *rows: dict[str, Any], name: str = "t", **table: Any) -> Truth:
    """A truth of one table and inserts into it, one a statement."""
    definition = {"schema": "s", "name": name, "columns": columns, "primary_key": ["id"], **table}
    lines: list[Any] = [{"kind": "table", "version": 1, "table": definition}]
    for number, row in enumerate(rows):
        lines.append(rows_line(number, "I", None, row, name))
    return read_truth("".join(json.dumps(line) + "\n" for line in lines).encode(), "truth.jsonl")


def rows_line(statement: int, op: str, before: Any, after: Any, name: str = "t") -> dict[str, Any]:
    return {
        "kind": "rows",
        "statement": statement,
        "transaction": statement,
        "schema": "s",
        "table": name,
        "table_version": 1,
        "op": op,
        "rows": [{"before": before, "after": after}],
    }


def only(truth: Truth) -> Change:
    [change] = truth.changes
    return change


ID = column("id", "int")


# -- values ------------------------------------------------------------------------------------------------------------


def test_the_shipped_truths_can_be_read_whole() -> None:
    files = files_of(RECORDED / "workload")
    truths = {name: read_truth(data, name) for name, data in files.items() if name.startswith("truth-")}
    assert {name: truth.problems for name, truth in truths.items() if truth.problems} == {}
    # A line of a rows event has one row or more; these are the rows.
    assert {name: len(truth.changes) for name, truth in truths.items()} == {
        "truth-mariadb1011.jsonl": 241,
        "truth-mysql97.jsonl": 242,
        "truth-mysql97-extra_mysql.jsonl": 12,
        "truth-mysql97-extra_rowimage.jsonl": 9,
        "truth-mysql97-extra_vector.jsonl": 4,
    }


def test_statements_are_numbered_as_the_truth_numbers_them() -> None:
    files = files_of(RECORDED / "workload")
    script = statements(files["workload.sql"].decode())
    changes = read_truth(files["truth-mariadb1011.jsonl"], "truth").changes
    assert {c.statement for c in changes if c.table.name not in script[c.statement]} == set()


VALUES = [
    ("enum('a','b')", {"index": "0"}, Index(0)),
    ("enum('it''s','\\\\')", "\\", "\\"),
    ("binary(4)", "YWIAAA==", b"ab\0\0"),
    ("geometry", "AAAAAAEBAAAA", bytes.fromhex("000000000101000000")),
    ("vector(3)", {"opaque": "vec:[1.0, 2.5, -3.0]"}, "[1,2.5,-3]"),
    ("json", '{"dup": 1, "dup": 2}', '{"dup": 1, "dup": 2}'),
    ("int4 unsigned", "4294967295", "4294967295"),
    ("enum('x  ','y')", "x", "x  "),
    ("set('x ','y')", "x,y", "x ,y"),
]


@pytest.mark.parametrize(("type_", "given", "read"), VALUES, ids=[v[0] for v in VALUES])
def test_values_of_a_truth_are_values_of_the_model(type_: str, given: Any, read: Any) -> None:
    change = only(truth_of([ID, column("c", type_)], {"id": "1", "c": given}))
    assert change.after is not None
    assert change.after["c"] == read


def test_a_character_column_of_charset_binary_holds_the_bytes_of_its_text() -> None:
    change = only(truth_of([ID, column("c", "varchar(20)", charset="binary")], {"id": "1", "c": "é"}))
    assert change.after == {"id": "1", "c": b"\xc3\xa9"}


def test_a_default_is_the_text_of_the_statement() -> None:
    columns = [ID, column("c", "int", default={"sql": "- 7"}), column("d", "int", default=None)]
    table = only(truth_of(columns, {"id": "1"})).table
    assert [c.default for c in table.columns[1:]] == [Expression("- 7"), None]


def test_the_time_of_a_statement_has_the_fraction_of_its_column() -> None:
    columns = [ID, column("d", "datetime"), column("f", "timestamp(3)")]
    change = only(truth_of(columns, {"id": "1", "d": {"now": True}, "f": {"now": True}}))
    now = datetime(2024, 2, 29, 12, 34, 56, 789123, UTC)
    event = change.event(now=dict.fromkeys(change.now, now), zone=zone_of("+08:00"))
    assert event.after == {"id": "1", "d": "2024-02-29 12:34:56", "f": "2024-02-29 20:34:56.789"}


def test_timestamps_are_told_in_utc_and_read_in_the_zone_of_a_session() -> None:
    change = only(
        truth_of(
            [ID, column("t", "timestamp"), column("z", "timestamp")],
            {"id": "1", "t": "2024-01-01 00:00:00", "z": "0000-00-00 00:00:00"},
        )
    )
    event = change.event(zone=zone_of("Asia/Shanghai"))
    assert event.after == {"id": "1", "t": "2024-01-01 08:00:00", "z": "0000-00-00 00:00:00"}


SPELLINGS = [
    ("serial", Family.BIGINT),
    ("char varying(6)", Family.VARCHAR),
    ("long varbinary", Family.MEDIUMBLOB),
    ("nchar varying(3)", Family.VARCHAR),
    ("Double Precision", Family.DOUBLE),
    ("middleint", Family.MEDIUMINT),
    ("national character varying(5)", Family.VARCHAR),
]


@pytest.mark.parametrize(("text", "family"), SPELLINGS, ids=[s[0] for s in SPELLINGS])
def test_types_are_read_as_a_statement_spells_them(text: str, family: Family) -> None:
    read = column_type(text)
    assert (read.family, read.text) == (family, text)


def test_a_text_that_is_no_type_is_refused() -> None:
    with pytest.raises(Rejected):
        column_type("nonsense(3)")


BROKEN = {
    "no JSON": "not json",
    "another kind": '{"kind": "other"}',
    "an unknown table version": json.dumps(rows_line(1, "I", None, {"id": "1"})).replace('version": 1', 'version": 9'),
    "a value that is none": json.dumps(rows_line(1, "I", None, {"id": 5})),
}


@pytest.mark.parametrize("line", BROKEN.values(), ids=BROKEN)
def test_a_line_that_cannot_be_read_is_a_problem_that_names_its_place(line: str) -> None:
    table = {"kind": "table", "version": 1, "table": {"schema": "s", "name": "t", "columns": [ID]}}
    truth = read_truth(f"{json.dumps(table)}\n{line}\n".encode(), "x.jsonl")
    assert [p.partition(":")[0] for p in truth.problems] == ["x.jsonl, line 2"]


def test_a_file_without_a_line_of_a_truth_is_none() -> None:
    with pytest.raises(UsageError, match="no truth of a workload"):
        read_truth(b"{}\n", "x.jsonl")


# -- statements --------------------------------------------------------------------------------------------------------


def test_a_semicolon_in_a_quoted_text_a_name_or_a_comment_ends_no_statement() -> None:
    script = 'select \';\', "a\\";"; -- x; y\nselect `;` /* ; */;\n# ;\n select 3'
    assert statements(script) == ['select \';\', "a\\";"', "select `;`", "select 3"]


def test_a_client_that_keeps_comments_sends_those_within_a_statement() -> None:
    script = "-- before\n/* at the head */ select 1 /* ; */ + 2 -- tail\n; /* nothing */; select 3"
    assert statements(script, comments=True) == ["/* at the head */ select 1 /* ; */ + 2 -- tail", "select 3"]


def test_the_row_image_is_that_of_the_session_when_the_statement_ran() -> None:
    script = "set session binlog_row_image=MINIMAL; insert; set @@session.binlog_row_image = 'full', x=1; insert"
    assert [image.get("binlog_row_image") for _, image in row_images(script)] == ["MINIMAL", "MINIMAL", "FULL", "FULL"]


# -- the end of a workload ---------------------------------------------------------------------------------------------


def left(sql: str, *rows: dict[str, Any]) -> list[tuple[str, str | None, str]]:
    truth = truth_of([ID, column("v", "int")], *rows)
    moved = [(row.change.table.name, (row.change.after or {}).get("v"), row.reason) for row in final_rows(truth, sql)]
    return [(name, value if isinstance(value, str) else None, reason) for name, value, reason in moved]


ENDS = {
    "dropped": ("drop table if exists `t`, u", []),
    "truncated": ("truncate s.t", []),
    "with its schema": ("drop database s", []),
    "renamed": ("rename table t to u", [("u", "7", "")]),
    "moved": ("alter table s.t rename as s.u", [("u", "7", "")]),
    "as it was": ("alter table t add index (v)", [("t", "7", "")]),
    "in doubt": (
        "alter table t modify v decimal(5,2)",
        [("t", "7", "a statement changed its columns after it was written")],
    ),
}


@pytest.mark.parametrize(("sql", "expected"), ENDS.values(), ids=ENDS)
def test_the_rows_of_a_table_at_the_end(sql: str, expected: list[tuple[str, str, str]]) -> None:
    assert left(f"use s; insert; {sql}", {"id": "1", "v": "0"}, {"id": "2", "v": "7"})[-1:] == expected[-1:]


ALTERED: dict[str, dict[str, str | None] | None] = {
    "add column c int default 3": {"v": "7", "n": None, "c": "3"},
    "add (c varchar(3) not null default 'it''s', d text not null)": {"v": "7", "n": None, "c": "it's", "d": ""},
    "add c int first, add unique index u (v), add constraint k check (v > 0)": {"v": "7", "n": None, "c": None},
    "drop v, drop index u, drop primary key": {"n": None},
    "rename column v to w": {"w": "7", "n": None},
    "change v `w x` varchar(9) charset latin1 after n": {"w x": "7", "n": None},
    "modify n bigint unsigned not null comment 'a, b'": {"v": "7", "n": "0"},
    "engine = InnoDB, convert to character set utf8mb4": {"v": "7", "n": None},
    "modify v decimal(5,2)": None,
    "add c timestamp default current_timestamp": None,
    "add c int as (v + 1)": None,
}


@pytest.mark.parametrize(("actions", "expected"), ALTERED.items(), ids=ALTERED)
def test_rows_that_are_there_follow_their_table_as_far_as_that_is_plain(
    actions: str, expected: dict[str, str | None] | None
) -> None:
    statement = f"alter table s.t {actions}"
    cells = {"v": (Family.INT, "7"), "n": (Family.INT, None)}
    try:
        found = {name: value for name, (_, value) in altered(cells, statement, actions_of(statement)).items()}
    except Unclear:
        found = None
    assert found == expected


DEFAULTS = {
    "": Expression("5"),
    "alter table t alter column v set default 8": Expression("8"),
    "alter table t add index (id), alter v set default (1 + 1)": Expression("(1 + 1)"),
    "alter table t alter v set default null": None,
    "alter table t alter v set default 8; alter table t alter v drop default": ABSENT,
    "alter table t alter v set default 8; rename table t to u": Expression("8"),
    "alter table t alter index v invisible": Expression("5"),
}


@pytest.mark.parametrize(("sql", "default"), DEFAULTS.items(), ids=DEFAULTS)
def test_a_default_is_the_one_that_was_set_last(sql: str, default: object) -> None:
    truth = truth_of([ID, column("v", "int", default={"sql": "5"})], {"id": "1", "v": "0"})
    [row] = final_rows(truth, f"insert; use s; {sql}")
    found = row.change.table.column("v")
    assert found is not None
    assert found.default == default


def test_a_later_version_of_the_table_has_its_defaults() -> None:
    table = {
        "schema": "s",
        "name": "t",
        "columns": [ID, column("v", "int", default={"sql": "9"})],
        "primary_key": ["id"],
    }
    lines = [
        {"kind": "table", "version": 1, "table": table},
        rows_line(0, "I", None, {"id": "1", "v": "1"}),
        {"kind": "table", "version": 2, "table": table},
        {**rows_line(3, "I", None, {"id": "2", "v": "1"}), "table_version": 2},
    ]
    truth = read_truth("".join(json.dumps(line) + "\n" for line in lines).encode(), "t")
    sql = "insert; use s; alter table t alter v set default 8; insert"
    assert {row.change.table.column("v").default for row in final_rows(truth, sql)} == {Expression("9")}  # type: ignore[union-attr]


ZONES = {
    "select 1; set time_zone = '+08:00'; select 1": ["UTC", "+08:00", "+08:00"],
    "set @@session.time_zone='-3:30', sql_mode=''; set global time_zone='+01:00'": ["-03:30", "-03:30"],
    "set time_zone='Asia/Shanghai'; set session time_zone = SYSTEM; set time_zone='Mars/X'": [
        "Asia/Shanghai",
        *["UTC"] * 2,
    ],
    "set x='time_zone'; set @@global.time_zone='+01:00'": ["UTC", "UTC"],
}


@pytest.mark.parametrize(("sql", "zones"), ZONES.items())
def test_the_zone_of_a_session_is_the_one_that_it_set_last(sql: str, zones: list[str]) -> None:
    assert session_zones(sql) == zones


def test_what_a_session_does_not_log_is_left_out() -> None:
    sql = "use s; create table a (i int); set session sql_log_bin=0; drop table a; set sql_log_bin = ON; truncate a"
    assert list(logged_statements(sql)) == [(1, "s", "create table a (i int)"), (5, "s", "truncate a")]


def test_updates_and_deletes_find_their_row_by_the_key() -> None:
    rows = [
        {"kind": "table", "version": 1, "table": {"schema": "s", "name": "t", "columns": [ID], "primary_key": ["id"]}},
        rows_line(0, "I", None, {"id": "1"}),
        rows_line(1, "I", None, {"id": "2"}),
        rows_line(2, "U", {"id": "1"}, {"id": "3"}),
        rows_line(3, "D", {"id": "2"}, None),
    ]
    truth = read_truth("".join(json.dumps(r) + "\n" for r in rows).encode(), "t")
    assert [row.change.after for row in final_rows(truth, None)] == [{"id": "3"}]


# -- recordings --------------------------------------------------------------------------------------------------------


def recording(folder: Path, name: str = "mysql97", **meta: Any) -> Path:
    """A folder with one recording of no record."""
    folder.mkdir(exist_ok=True)
    given = {"producer": "alibaba canal", "version": "1.1.7", "server": "mysql", "server_version": "9.7.4-2", **meta}
    (folder / f"{name}.meta.json").write_text(json.dumps(given), encoding="utf-8")
    (folder / f"{name}.jsonl").write_text("", encoding="utf-8")
    return folder


OPTIONS: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "Canal": (
        {"java": 'openjdk version "25.0.3"', "config": ["-Dcap.tsdb=false", "-Dcap.gtid=true", "-Dcap.max=200"]},
        {"version": "1.1.7", "jdk": "25", "server": "mysql", "tsdb": "false", "gtid": "true"},
    ),
    "Debezium": (
        {
            "producer": "debezium",
            "version": "2.4.0.Final",
            "config": ["converter.schemas.enable=false", "decimal.handling.mode=string", "end=snapshot"],
        },
        {"version": "2.4.0", "server": "mysql", "decimal.handling.mode": "string", "schemas.enable": "false"},
    ),
}


@pytest.mark.parametrize(("meta", "options"), OPTIONS.values(), ids=OPTIONS)
def test_meta_data_become_the_options_of_the_dialect(tmp_path: Path, meta: dict[str, Any], options: Any) -> None:
    [read] = read_recordings(recording(tmp_path, **meta))
    assert (read.options, read.unknown) == (options, ())


def test_what_no_option_stands_for_is_told(tmp_path: Path) -> None:
    [read] = read_recordings(recording(tmp_path, producer="debezium", config=["event.converting.failure=warn"]))
    assert read.unknown == ("event.converting.failure=warn",)


def test_the_zone_of_the_session_and_the_columns_left_out_are_facts(tmp_path: Path) -> None:
    meta = {"note": "pace=0 jvm_zone=Asia/Shanghai", "config": ["column.exclude.list=s.t.a,s.t.b"]}
    [read] = read_recordings(recording(tmp_path, producer="debezium", **meta))
    assert (read.facts.timezone, read.facts.left_out) == ("Asia/Shanghai", {"s.t.a", "s.t.b"})


TRUTHS = ("truth-mysql97-held.jsonl", "truth-mysql97.jsonl")
LINE = json.dumps({"kind": "table", "version": 1, "table": {"schema": "s", "name": "t", "columns": [ID]}}) + "\n"


@pytest.mark.parametrize("name", TRUTHS)
@pytest.mark.parametrize("place", [".", "../workload"])
def test_a_truth_stands_beside_the_records_or_in_workload(tmp_path: Path, name: str, place: str) -> None:
    folder = recording(tmp_path / "canal", workload="held.sql")
    (folder / place).mkdir(exist_ok=True)
    (folder / place / name).write_text(LINE, encoding="utf-8")
    [read] = read_recordings(folder)
    assert Workloads(folder).truth_of(read).name.endswith(name)


def test_a_truth_by_another_name_is_known_by_its_sql(tmp_path: Path) -> None:
    folder = recording(tmp_path, workload="run.sql", workload_sha256=hashlib.sha256(b"select 1").hexdigest())
    (folder / "truth-mysql97-held.jsonl").write_text(LINE, encoding="utf-8")
    (folder / "held.sql").write_text("select 1", encoding="utf-8")
    [read] = read_recordings(folder)
    assert Workloads(folder).truth_of(read).name.endswith("truth-mysql97-held.jsonl")


def test_the_truth_of_other_sql_is_not_the_truth(tmp_path: Path) -> None:
    folder = recording(tmp_path, workload="workload.sql", workload_sha256=hashlib.sha256(b"select 1").hexdigest())
    (folder / "truth-mysql97.jsonl").write_text(LINE, encoding="utf-8")
    [read] = read_recordings(folder)
    (folder / "workload.sql").write_text("select 1", encoding="utf-8")
    assert Workloads(folder).truth_of(read).tables
    (folder / "workload.sql").write_text("select 2", encoding="utf-8")
    with pytest.raises(
        UsageError, match=r"no truth of workload\.sql on mysql97: looked for truth-mysql97-workload\.jsonl"
    ):
        Workloads(folder).truth_of(read)


def test_the_truth_of_the_usual_workload_is_not_that_of_another(tmp_path: Path) -> None:
    folder = recording(tmp_path, workload="extra.sql")
    for name in ("truth-mysql97.jsonl", "workload.sql"):
        (folder / name).write_text(LINE, encoding="utf-8")
    [read] = read_recordings(folder)
    with pytest.raises(UsageError, match=r"no truth of extra\.sql"):
        Workloads(folder).truth_of(read)


def test_meta_data_of_no_known_producer_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown producer 'maxwell'"):
        read_recordings(recording(tmp_path, producer="maxwell"))


# -- packing -----------------------------------------------------------------------------------------------------------


def test_packed_files_come_back_byte_for_byte() -> None:
    files = {
        "r.jsonl": b'{"n":0,"topic":"t","key":null,"value":"w6k=","headers":[["h","/w=="]]}\n',
        "odd.jsonl": b'{"n": 0, "key": null, "value": null}\nno newline at the end',
        "t.sql": "select 'é';\n\n".encode(),
        "empty": b"",
    }
    assert unpack(pack(files)) == files


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_shipped_streams_hold_what_is_listed(folder: str) -> None:
    listed = tomllib.loads((RECORDED / folder / "meta.toml").read_text(encoding="utf-8"))["file"]
    files = unpack((RECORDED / folder / PACKED).read_bytes())
    assert {f["name"]: f["sha256"] for f in listed} == {n: hashlib.sha256(d).hexdigest() for n, d in files.items()}


def test_a_folder_is_read_packed_or_plain(tmp_path: Path) -> None:
    plain, packed = recording(tmp_path / "plain"), tmp_path / "packed"
    packed.mkdir()
    (packed / PACKED).write_bytes(pack(files_of(plain)))
    assert has_recordings(packed)
    assert read_recordings(packed) == read_recordings(plain)

"""Debezium JSON, written: options, profiles, keys, names, partitions, table versions, and events that are refused."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from reference_impl.column_types import parse_column_type
from reference_impl.debezium_json import Encoder, Options
from reference_impl.errors import Rejected
from reference_impl.model import Column, DdlEvent, Key, RowChange, Table, Value, Watermark
from reference_impl.profiles import CLASSIC, DOC, NEWARCH, Profile
from reference_impl.settings import Settings
from tests.unit.debezium_json.messages import EXTENSION, TABLE1, field_and_value, one_column, write

INSERT = RowChange("insert", "test", "table1", 1, after={"tiny": "1"})
UPDATE = RowChange("update", "test", "table1", 1, before={"tiny": "2"}, after={"tiny": "2"})
DDL = DdlEvent("test", "", "CREATE DATABASE test", action_code=1, commit_ts=1)

_INT = parse_column_type("int")
VIRTUAL = Table(
    "test",
    "g",
    (Column("v", _INT, False, generated="virtual"), Column("id", _INT, False), Column("s", _INT, generated="stored")),
    unique_keys=(Key("v", ("v",)), Key("id_s", ("id", "v"))),
)


def _trees(*events: Any, **how: Any) -> list[tuple[Any, Any]]:
    return [(json.loads(key), json.loads(value)) for key, value in write(*events, **how)]


def _columns(tree: Any) -> list[str]:
    return [field["field"] for field in tree["schema"]["fields"][1]["fields"]]


def test_without_old_values_only_an_update_lacks_its_before() -> None:
    options = Options(debezium_output_old_value=False)
    delete = RowChange("delete", "test", "table1", 1, before={"tiny": "2"})
    images = [tree["payload"] for _, tree in _trees(INSERT, UPDATE, delete, options=options)]
    assert ["before" in image for image in images] == [True, False, True]


@pytest.mark.parametrize("profile", [NEWARCH, DOC])
def test_the_time_a_transaction_began_is_written_behind_its_commit_and_declared_last(profile: Profile) -> None:
    options = Options(debezium_include_start_ts=True, enable_tidb_extension=True)
    [(_, value)] = write(replace(INSERT, start_ts=5), options=options, profile=profile)
    assert '"commit_ts":1,"start_ts":5,"cluster_id"' in value
    assert json.loads(value)["schema"]["fields"][2]["fields"][-1] == {
        "type": "int64",
        "optional": False,
        "field": "start_ts",
    }


def test_statements_and_watermarks_never_say_when_a_transaction_began() -> None:
    options = Options(debezium_include_start_ts=True, enable_tidb_extension=True)
    assert not any("start_ts" in value for _, value in write(DDL, Watermark(1), options=options))


def test_a_row_without_the_requested_start_is_refused() -> None:
    with pytest.raises(Rejected, match=r"^start_ts of a row event is missing$"):
        write(INSERT, options=Options(debezium_include_start_ts=True))


def test_classic_does_not_know_the_option_for_the_start() -> None:
    [(_, value)] = write(INSERT, options=Options(debezium_include_start_ts=True), profile=CLASSIC)
    assert "start_ts" not in value


@pytest.mark.parametrize(
    ("profile", "extension", "records"),
    [(NEWARCH, False, 1), (NEWARCH, True, 2), (CLASSIC, False, 0), (CLASSIC, True, 0), (DOC, False, 1), (DOC, True, 2)],
)
def test_statements_depend_on_the_profile_watermarks_also_on_the_extension(
    profile: Profile, extension: bool, records: int
) -> None:
    options = Options(enable_tidb_extension=extension)
    assert len(write(DDL, Watermark(3), options=options, profile=profile)) == records


@pytest.mark.parametrize(
    ("profile", "tidb_type", "declared"), [(NEWARCH, True, True), (CLASSIC, False, False), (DOC, True, False)]
)
def test_what_the_extension_adds_to_schemas_depends_on_the_profile(
    profile: Profile, tidb_type: bool, declared: bool
) -> None:
    [(key, value)] = _trees(INSERT, options=EXTENSION, profile=profile)
    fields = [key["schema"]["fields"][0], *(value["schema"]["fields"][n]["fields"][0] for n in (0, 1))]
    assert [next(iter(field)) == "tidb_type" for field in fields] == [tidb_type] * 3
    source = [field["field"] for field in value["schema"]["fields"][2]["fields"]]
    assert ("commit_ts" in source, "cluster_id" in source) == (declared, declared)
    assert value["payload"]["source"]["commit_ts"] == 1


def test_without_the_extension_nothing_is_added_to_schemas() -> None:
    [(_, value)] = write(INSERT)
    assert "tidb_type" not in value
    assert value.count("commit_ts") == value.count("cluster_id") == 1


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("tinyint(1) unsigned", "tinyint unsigned"), ("int(8) unsigned zerofill", "int unsigned"),
        ("decimal(10,2) unsigned", "decimal"), ("float(10,2) unsigned", "float unsigned"), ("float(30)", "double"),
        ("year(4)", "year"), ("bit(3)", "bit"), ("varchar(5)", "varchar"), ("set('a')", "set"),
        ("datetime(6)", "datetime"), ("vector(3)", "vector"), ("longblob", "longblob"),
    ],
)  # fmt: skip
def test_tidb_type_is_the_word_of_the_type_with_unsigned_for_integers_and_floats(kind: str, text: str) -> None:
    schema, _ = field_and_value(one_column(kind), None, options=EXTENSION)
    assert schema.startswith(f'{{"tidb_type":"{text}",')


def test_text_of_the_charset_binary_has_the_binary_tidb_type() -> None:
    assert (
        '"tidb_type":"varbinary"'
        in field_and_value(one_column("varchar(3)", charset="binary"), b"", options=EXTENSION)[0]
    )


def test_no_message_is_too_large() -> None:
    assert write(INSERT, options=Options(max_message_bytes=1)) == write(INSERT)


# Keys


def _keyed(primary: tuple[str, ...] = (), *unique: tuple[str, ...]) -> Table:
    columns = tuple(Column(name, _INT, nullable=name == "n") for name in ("a", "b", "c", "n"))
    keys = tuple(Key(f"u{i}", columns) for i, columns in enumerate(unique))
    return Table("test", "k", columns, primary_key=primary, unique_keys=keys)


ROW: dict[str, Value] = {"a": "1", "b": "2", "c": "3", "n": "4"}


@pytest.mark.parametrize(
    ("table", "key"),
    [
        (_keyed(), {}),
        (_keyed(("c", "a")), {"a": 1, "c": 3}),
        (_keyed((), ("n",), ("c", "b"), ("a", "b")), {"b": 2, "c": 3}),
    ],
)
def test_the_key_has_the_handle_columns_in_table_order(table: Table, key: dict[str, int]) -> None:
    [(tree, _)] = _trees(RowChange("insert", *table.id, 1, after=ROW), tables=(table,))
    assert list(tree["payload"].items()) == list(key.items())
    assert [field["field"] for field in tree["schema"]["fields"]] == list(key)


@pytest.mark.parametrize(
    ("profile", "defects", "columns", "key"),
    [
        (NEWARCH, (), ["v", "id", "s"], ["v"]),
        (NEWARCH, ("debezium/doubled-virtual-column",), ["v", "id", "s", "v"], ["v"]),
        (CLASSIC, (), ["id", "s", "v"], []),
        (DOC, (), ["v", "id", "s"], ["v"]),
    ],
)
def test_virtual_columns_are_declared_but_have_no_value(
    profile: Profile, defects: tuple[str, ...], columns: list[str], key: list[str]
) -> None:
    change = RowChange("insert", *VIRTUAL.id, 1, after={"id": "1", "v": "2", "s": "3"})
    [(tree, value)] = _trees(change, tables=(VIRTUAL,), profile=profile, defects=frozenset(defects))
    assert _columns(value) == columns
    assert value["payload"]["after"] == {"id": 1, "s": 3}
    assert list(tree["payload"]) == key


def test_a_virtual_column_that_the_row_lacks_is_left_out_of_the_key() -> None:
    [(tree, _)] = _trees(RowChange("insert", *VIRTUAL.id, 1, after={"id": "1", "s": "3"}), tables=(VIRTUAL,))
    assert tree["payload"] == {}
    stored = replace(VIRTUAL, columns=tuple(replace(column, generated=None) for column in VIRTUAL.columns))
    with pytest.raises(Rejected, match="a row of 'g' lacks the column 'v'"):
        write(RowChange("insert", *VIRTUAL.id, 1, after={"id": "1", "s": "3"}), tables=(stored,))


# Names


@pytest.mark.parametrize(
    ("cluster", "schema", "table", "name"),
    [
        ("default", "1A.B", "columnNameWith中文", "default._1A_B.columnNameWith__"),
        ("my-cluster", "1db", "my-table", "my_cluster._1db.my_table"),
        ("1c", "my.db", "1.t", "_1c.my_db.1.t"),
    ],
)
def test_names_of_schemas_are_sanitised_names_of_sources_are_not(
    cluster: str, schema: str, table: str, name: str
) -> None:
    known = replace(TABLE1, schema=schema, name=table)
    settings = Settings(cluster_id=cluster)
    [(key, value)] = _trees(replace(INSERT, schema=schema, table=table), tables=(known,), settings=settings)
    assert key["schema"]["name"] == f"{name}.Key"
    assert value["schema"]["name"] == f"{name}.Envelope"
    assert value["schema"]["fields"][0]["name"] == f"{name}.Value"
    source = value["payload"]["source"]
    assert [source[member] for member in ("name", "cluster_id", "db", "table")] == [cluster, cluster, schema, table]


# Partitions and versions


def test_without_a_wall_clock_the_commit_gives_the_time() -> None:
    change = RowChange("insert", "test", "table1", 5 << 18, after={"tiny": "1"})
    [(_, value)] = write(change, settings=Settings())
    payload = json.loads(value)["payload"]
    assert (payload["ts_ms"], payload["source"]["ts_ms"]) == (5, 5)


@pytest.mark.parametrize("profile", [NEWARCH, CLASSIC])
def test_a_statement_brings_the_next_version_of_a_table_whether_it_has_a_message_or_not(profile: Profile) -> None:
    after = replace(TABLE1, columns=(*TABLE1.columns, Column("n", _INT)))
    statement = DdlEvent(
        "test", "table1", "ALTER TABLE table1 ADD n int", action_code=5, commit_ts=2, table_after=after
    )
    encoder = Encoder(profile=profile)
    rows = [
        *encoder.encode([INSERT, statement], [TABLE1]).records[:1],
        *encoder.encode([replace(INSERT, after={"tiny": "1", "n": None})]).records,
    ]
    assert [_columns(json.loads(row.value or b"")) for row in rows] == [["tiny"], ["tiny", "n"]]

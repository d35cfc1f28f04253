"""What the connector wrote of workloads other than the shipped one: charsets, defaults, keys of snapshots.

Expected texts are those of real messages of 2.4.0.Final and 3.6.1.Final on MySQL 9.7.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from connector_messages import BARE, column, field_of, insert, options, payload_of, table_of, text_of, write

from reference_impl.errors import Rejected
from reference_impl.model import ABSENT, DdlEvent, Expression, RowChange, Value
from reference_impl.upstream.debezium.decoder import Decoder

NEW = {"version": "3.6.1"}


@pytest.mark.parametrize(
    ("charset", "text", "read"),
    [
        ("latin1", "€\x81‚", "€\ufffd‚"), ("koi8u", "їґ", "╖╜"), ("greek", "\u02bd\u02bc£", "‘’£"),
        ("hebrew", "\u203e", "¯"), ("cp866", "√\u207f²■", "√№¤■"), ("latin2", "Żółć", "Żółć"), ("gbk", "中文", "中文"),
        ("hp8", "ascii", "ascii"),
    ],
)  # fmt: skip
def test_a_text_is_read_in_the_charset_that_its_own_is_taken_for(charset: str, text: str, read: str) -> None:
    table = table_of(column("c", "varchar(20)", charset=charset))
    [record] = write([insert(c=text)], [table], BARE)
    assert payload_of(record)["after"]["c"] == read


def test_national_text_has_a_charset_of_its_own() -> None:
    table = table_of(column("c", "nvarchar(20)", charset="latin1"))
    [record] = write([insert(c="\x81")], [table], BARE)
    assert payload_of(record)["after"]["c"] == "\x81"


def test_of_a_rare_charset_only_ascii_is_known() -> None:
    with pytest.raises(Rejected, match="only ASCII is known"):
        write([insert(c="é")], [table_of(column("c", "varchar(20)", charset="hp8"))], BARE)


_TS = "2020-01-01 00:00:00"


@pytest.mark.parametrize(
    ("kind", "default", "given", "expected"),
    [
        ("timestamp", f"'{_TS}'", {}, "2020-01-01T00:00:00Z"),
        ("timestamp(2)", f"'{_TS}'", {}, "2020-01-01T00:00:00.00Z"),
        ("timestamp(6)", f"'{_TS}.5'", {}, "2020-01-01T00:00:00.500000Z"),
        ("timestamp(4)", f"'{_TS}.123456'", {}, "2020-01-01T00:00:00.1234Z"),
        ("datetime(1)", f"'{_TS}.123456'", {}, 1577836800123),
        ("datetime(4)", f"'{_TS}.123456'", {}, 1577836800123456),
        ("datetime", "'2020-1-2 3:4:5'", {}, 0),
        ("datetime", "20200101123456", {}, 0),
        ("time", "'12:34:56.5'", {}, 45296500000),
        ("time(3)", "'1:2:3'", {}, 3723000000),
        ("varchar(20)", '"dq\'x"', {}, "dq'x"),
        ("varchar(20)", '"dq\'x"', NEW, "dq''x"),
    ],
)
def test_a_default_has_the_digits_of_its_statement(
    kind: str, default: str, given: Mapping[str, str], expected: object
) -> None:
    field = field_of(column("c", kind, nullable=False, default=Expression(default)), given)
    assert field["default"] == expected


@pytest.mark.parametrize(
    ("kind", "default", "given", "text"),
    [
        ("datetime(1)", f"'{_TS}.123456'", {}, "1577836800100"),
        ("datetime", "'2020-1-2 3:4:5'", {}, "1577934245000"),
        ("time", "'12:34:56.5'", {}, "45297000000"),
        ("timestamp(4)", f"'{_TS}.123456'", {}, '"2020-01-01T00:00:00.1235Z"'),
        ("timestamp", "'20-1-1'", {}, '"2020-01-01T00:00:00Z"'),
        ("date", "'71-1-2'", {}, "366"),
        ("char(5)", "'a '", {}, '"a"'),
        ("set('a','b','c')", "'c,a'", {}, '"a,c"'),
        ("enum('x','y')", "'X'", {}, '"x"'),
        ("varchar(20)", "'é中😀'", {}, "null"),
        ("varchar(20)", "'é中😀'", NEW, '"C3A9E4B8ADF09F988"'),
    ],
)
def test_a_snapshot_reads_defaults_as_the_server_prints_them(
    kind: str, default: str, given: Mapping[str, str], text: str
) -> None:
    table = table_of(column("c", kind, default=Expression(default)))
    [record] = write([RowChange("read", "test", "t", None, None, {"id": "1", "c": None})], [table], {**BARE, **given})
    assert f'"c":{text}' in (record.value or b"").decode()


@pytest.mark.parametrize(("key", "expected"), [(("id", "b"), "AAE="), (("id",), "AQA=")])
def test_the_bytes_of_a_bit_in_the_key_of_a_snapshot_are_turned_round(key: tuple[str, ...], expected: str) -> None:
    table = table_of(column("b", "bit(10)", nullable=False), primary_key=key)
    row: dict[str, Value] = {"id": "1", "b": "1"}
    [record] = write([RowChange("read", "test", "t", None, None, row)], [table], BARE)
    assert payload_of(record)["after"]["b"] == expected
    [read] = Decoder(options(BARE)).decode([record], [table])
    assert isinstance(read, RowChange)
    assert read.after == row


def test_labels_of_a_snapshot_have_no_blanks_behind_them() -> None:
    assert text_of("enum('t ','u  ')", "u  ", {}, "read") == '"u"'
    assert text_of("enum('t ','u  ')", "u  ", {}) == '"u  "'


@pytest.mark.parametrize(
    ("statement", "charset"),
    [
        ("create table t (id int) collate=cp1251_general_ci", "utf8mb4"),
        ("create table t (id int) charset=cp1251 collate=cp1251_bin", "cp1251"),
    ],
)
def test_the_collation_of_a_table_does_not_determine_its_charset(statement: str, charset: str) -> None:
    [told] = write([DdlEvent("test", "t", statement)], (), BARE)
    [change] = payload_of(told)["tableChanges"]
    assert change["table"]["defaultCharsetName"] == charset


def test_a_table_that_is_there_is_not_made_again() -> None:
    made = [DdlEvent("test", "t", f"create table if not exists t ({columns})") for columns in ("id int", "a int")]
    first, second = write(made, (), BARE)
    assert len(payload_of(first)["tableChanges"]) == 1
    assert payload_of(second)["tableChanges"] == []


def test_records_of_transactions_have_no_context() -> None:
    given = {**BARE, **NEW, "provide.transaction.metadata": "true"}
    begin, row, end = write([insert(c="1")], [table_of(column("c", "int", default=ABSENT))], given)
    assert (begin.headers, end.headers) == ((), ())
    assert row.headers

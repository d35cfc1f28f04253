"""Defaults that no server would keep: they count as malformed, and none stops the connector.  [DBZ-241]"""

from __future__ import annotations

from typing import Any

import pytest

from reference_impl.upstream.debezium.defaults import default_text
from reference_impl.upstream.debezium.literals import expression_of
from reference_impl.upstream.debezium.options import Options
from reference_impl.upstream.debezium.texts import Reading
from reference_impl.upstream.debezium.types import form_of
from reference_impl.upstream.debezium.versions import VERSIONS
from reference_impl.wire import column_from_json
from reference_impl.zones import zone_of

EPOCH = '"1970-01-01T00:00:00Z"'


def default_of(kind: str, default: Any, *, nullable: bool, version: str = "2.4.0", **more: Any) -> str | None:
    column = column_from_json({"name": "a", "type": kind, "default": default, "nullable": nullable})
    options = Options(version=version, **more)
    form = form_of(column.type, options, snapshot=False)
    return default_text(column, form, Reading(options, zone_of("Asia/Shanghai"), False))


@pytest.mark.parametrize(
    ("kind", "default", "zero"),
    [
        ("timestamp", "2024-01-02 25:00:00", EPOCH),
        ("timestamp", {"expression": "'2024-01-02 25:00:00'"}, EPOCH),
        ("timestamp", "0001-01-01 00:00:00", EPOCH),  # before the first year in UTC
        ("timestamp", "2024-02-30 00:00:00", EPOCH),
        ("datetime", "2024-01-02 25:00:00", "0"),
        ("datetime", "2024-02-30 00:00:00", "0"),
        ("date", "2024-02-30", "0"),
    ],
)
def test_a_malformed_time_is_none_or_the_start_of_1970(kind: str, default: Any, zero: str) -> None:
    assert default_of(kind, default, nullable=True) is None
    assert default_of(kind, default, nullable=False) == zero


@pytest.mark.parametrize(
    ("kind", "default", "text"),
    [
        ("double", "1.7976931348623157e308", "1.7976931348623157E308"),
        ("double", "5e-324", "4.9E-324"),
        ("double", "9e308", None),
        ("double", "1e999999999", None),
        ("double", "snan", None),
        ("double", "1e-999999999", "0.0"),
        ("int", "1e-999999999", "0"),
    ],
)
def test_a_number_is_a_default_within_the_range_of_a_double(kind: str, default: str, text: str | None) -> None:
    assert default_of(kind, default, nullable=True) == text


def test_a_number_of_any_size_is_cut_to_the_scale_of_a_decimal() -> None:
    assert default_of("decimal(5,2)", "1e-999999999", nullable=True) == default_of("decimal(5,2)", "0", nullable=True)
    assert default_of("decimal(65,30)", "1.7e308", nullable=True) is not None


@pytest.mark.parametrize("version", ["2.4.0", "3.0.7", "3.6.1"])
@pytest.mark.parametrize(
    ("kind", "text", "written"),
    [
        ("int", "-7", "-7"),
        ("int", "- 7", "-7"),
        ("int", "-1.5", "-1"),
        ("int", "-1.6", "-2"),
        ("double", "-1.5", "-1.5"),
        ("double", "-1e3", "-1000.0"),
        ("double", "+1.5", "1.5"),
        ("double", "- 1.5", "-1.5"),
        ("double", "'-1.5'", "-1.5"),
        ("decimal(5,2)", "-.5", "-0.5"),
        ("varchar(9)", "- 1.5", '"-1.5"'),
        ("varchar(9)", "+1.50", '"+1.50"'),
    ],
)
def test_an_unquoted_number_keeps_its_sign(kind: str, text: str, written: str, version: str) -> None:
    default, mode = {"expression": text}, {"decimal_handling_mode": "double"}
    assert default_of(kind, default, nullable=True, version=version, **mode) == written


@pytest.mark.parametrize("version", ["2.4.0", "3.6.1"])
@pytest.mark.parametrize("text", ["0", "'0'", "'1970-01-01 00:00:00'", "CURRENT_TIMESTAMP", "'0000-00-00 00:00:00'"])
def test_a_zero_timestamp_of_a_statement_is_none_or_the_start_of_1970(text: str, version: str) -> None:
    default = {"expression": text}
    assert default_of("timestamp", default, nullable=True, version=version) is None
    assert default_of("timestamp", default, nullable=False, version=version) == EPOCH


@pytest.mark.parametrize(
    ("kind", "text", "written"),
    [
        ("timestamp", "2024-1-2 3:4:5", '"2024-01-02T03:04:05Z"'),
        ("timestamp(1)", "2024/01/02 03.04.05.6", '"2024-01-02T03:04:05.6Z"'),
        ("timestamp", "2024-01-02T03:04", '"2024-01-02T03:04:00Z"'),
        ("timestamp", "2024-01-02 03", '"2024-01-02T03:00:00Z"'),
        ("timestamp", "2024-01-02", '"2024-01-02T00:00:00Z"'),
        ("timestamp", " 2024-01-02 ", '"2024-01-02T00:00:00Z"'),
        ("datetime", "2024-01-02 03:04", "1704164640000"),
        ("datetime", "2024-01-02", "1704153600000"),
        ("datetime", " 2024-01-02 03:04 ", "1704164640000"),
        ("datetime", "2024-01-02T03:04:05", None),
        ("datetime", "2024-1-2 03:04:05", None),
        ("date", "2024-01-02 03:04", "19724"),
        ("date", "2024-01-02T03:04:05", None),
        ("date", " 2024-01-02 ", "19724"),
        ("date", "2024-01-02 noon", None),
        ("date", "2024-01-02 99:99", None),
    ],
)
def test_only_a_timestamp_may_have_other_separators(kind: str, text: str, written: str | None) -> None:
    assert default_of(kind, {"expression": f"'{text}'"}, nullable=True) == written


@pytest.mark.parametrize(
    ("kind", "fraction", "written"),
    [
        ("timestamp", "6", ".6"),
        ("timestamp", "60", ".6"),
        ("timestamp", "000", ""),
        ("timestamp(1)", "67", ".6"),
        ("timestamp(2)", "6", ".60"),
    ],
)
def test_only_a_timestamp_without_digits_keeps_those_of_its_default(kind: str, fraction: str, written: str) -> None:
    default = {"expression": f"'2024-01-02 03:04:05.{fraction}'"}
    assert default_of(kind, default, nullable=True) == f'"2024-01-02T03:04:05{written}Z"'


@pytest.mark.parametrize(
    ("kind", "text", "old", "new"),
    [
        ("int", "x'30'", None, "30"),
        ("int", "0x30", None, "3"),
        ("varchar(9)", "0x4142", None, '"414"'),
        ("varchar(9)", '"it\'s"', '"it\'s"', "\"it''s\""),
    ],
)
def test_only_the_newest_parser_reads_hexadecimal_defaults_and_doubles_quotes(
    kind: str, text: str, old: str | None, new: str
) -> None:
    default = {"expression": text}
    found = [default_of(kind, default, nullable=True, version=version) for version in ("2.4.0", "3.0.7", "3.6.1")]
    assert found == [old, old, new]


@pytest.mark.parametrize("version", ["2.4.0", "3.0.7", "3.6.1"])
@pytest.mark.parametrize(
    ("text", "written"),
    [("0", '"AA=="'), ("'11'", '"Aw=="'), ("101", '"BQ=="'), ("b'101'", '"BQ=="'), ("''", '"AA=="'), ("5", None)],
)
def test_the_digits_of_a_bit_are_bits(text: str, written: str | None, version: str) -> None:
    assert default_of("bit(8)", {"expression": text}, nullable=True, version=version) == written


def test_a_value_of_a_bit_is_a_number() -> None:
    assert default_of("bit(8)", "11", nullable=True) == '"Cw=="'


# As the parser of each version read it: literal, type, default of the older parsers, and of the newest.
LITERALS: list[tuple[str, str, str | None, str | None]] = [
    ("_utf8mb4'a'", "varchar(9)", '"a"', '"a"'),
    ("_latin1  'a'", "varchar(9)", '"a"', '"a"'),
    ("_utf8mb4'it''s'", "varchar(9)", "\"it''s\"", "\"it''s\""),
    ('_utf8mb4 "a"', "varchar(9)", '"_utf8mb4\\"a\\""', '"a"'),
    ("_utf8mb4 x'41'", "varchar(9)", None, '"41"'),
    ("_utf8mb4 0x41", "varchar(9)", None, '"4"'),
    ("_binary b'101'", "bit(3)", None, '"BQ=="'),
    ("N'a'", "varchar(9)", "\"N'a'\"", "\"N'a'\""),
    ("'a'  'b' 'c'", "varchar(9)", "\"a''b''c\"", "\"a''b''c\""),
    ("'a' \"b\"", "varchar(9)", '"\'a\'\\"b\\""', "\"a''b\""),
    ('"it\'s"  \'b\' "c"', "varchar(9)", '"it\'s\\"\'b\'\\"c"', "\"it''s''b''c\""),
    ("_latin1 'a' \"b\"", "varchar(9)", '"_latin1\'a\'\\"b\\""', "\"a''b\""),
    ("date '2020-01-01'", "date", None, None),
    ("timestamp'2020-01-01 00:00:00'", "datetime", None, None),
    ("current_timestamp ()", "datetime", "0", "0"),
    ("now( 3 )", "datetime(3)", "0", "0"),
    ("curdate()", "varchar(9)", '"curdate()"', None),
    ("curtime (3)", "time", None, None),
    # A server means 2020.
    ("'20-1-1'", "timestamp", '"0019-12-30T00:00:00Z"', '"0019-12-30T00:00:00Z"'),
    ("'99/12/31 1:2:3.45678'", "timestamp(3)", '"0099-12-29T01:02:03.456Z"', '"0099-12-29T01:02:03.456Z"'),
    ("'4-3-1'", "timestamp", '"0004-02-28T00:00:00Z"', '"0004-02-28T00:00:00Z"'),
    ("'00-1-1'", "timestamp", '"-0001-12-30T00:00:00Z"', '"-0001-12-30T00:00:00Z"'),
    ("'20-1-1'", "datetime", None, None),
    ("localtime", "datetime", None, "0"),
    ("LOCALTIMESTAMP (3)", "datetime(3)", None, "0"),
    # The connector fails at these.
    ("20200101000000", "timestamp", None, None),
    ("'20200101'", "timestamp", None, None),
    ("0", "time", None, None),
    ("'1 1:2:3'", "time", None, None),
]


@pytest.mark.parametrize(("text", "kind", "old", "new"), LITERALS)
def test_a_literal_is_read_as_the_parser_of_a_version_reads_it(
    text: str, kind: str, old: str | None, new: str | None
) -> None:
    written = [default_of(kind, {"expression": text}, nullable=True, version=v) for v in ("2.4.0", "3.0.7", "3.6.1")]
    assert written == [old, old, new]


def test_many_quotes_in_what_is_no_literal_take_no_time() -> None:
    assert default_of("varchar(9)", {"expression": "'" + "a''" * 1000 + "' x"}, nullable=True, version="3.6.1") is None


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("_utf8mb4 'it''s'", "_utf8mb4'it''s'", "it''s"),
        ("_utf8mb4 'a' 'b'", "_utf8mb4'a''b'", "a''b"),
        ("'a'", "a", "a"),
        ("x'41'", None, "41"),
        ("b'1'", "1", "1"),
        ("(uuid())", None, None),
        ("now ()", "1970-01-01 00:00:00", "1970-01-01 00:00:00"),
        ("localtime ()", "localtime()", "1970-01-01 00:00:00"),
        ("curdate ()", "curdate()", None),
    ],
)
def test_a_described_default_has_the_charset_before_its_text_with_an_older_parser(
    text: str, old: str | None, new: str | None
) -> None:
    column = column_from_json({"name": "a", "type": "varchar(9)", "default": {"expression": text}})
    assert [expression_of(column, VERSIONS[version]) for version in ("2.4.0", "3.0.7", "3.6.1")] == [old, old, new]

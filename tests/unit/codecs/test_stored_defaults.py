"""Defaults as a server has stored them."""

from __future__ import annotations

import time
from typing import Any

import pytest

from reference_impl import stored_defaults
from reference_impl.column_types import parse_column_type
from reference_impl.model import ABSENT, Column, Expression
from reference_impl.upstream.debezium import defaults


@pytest.mark.parametrize(("kind", "zeros"), [("binary", 1), ("binary(0)", 0), ("binary(1)", 1), ("binary(3)", 3)])
def test_a_default_of_binary_has_as_many_zero_bytes_as_its_type_has_bytes(kind: str, zeros: int) -> None:
    column = Column("c", parse_column_type(kind), default="")
    assert stored_defaults.stored_default(column, "UTC") == "\0" * zeros
    assert defaults.printed_default(column) == "\\0" * zeros


NOW = "CURRENT_TIMESTAMP"


@pytest.mark.parametrize(
    ("kind", "default", "zone", "stored"),
    [
        ("int", ABSENT, "UTC", None),
        ("int", None, "UTC", None),
        ("timestamp", None, "UTC", None),
        ("int", "5", "UTC", "5"),
        ("varchar(3)", "", "UTC", ""),
        ("varchar(3)", "ab", "UTC", "ab"),
        ("char(3)", "ab", "UTC", "ab"),
        ("varbinary(3)", "ab", "UTC", "ab"),
        ("binary(4)", "ab", "UTC", "ab\0\0"),
        ("binary(4)", "é", "UTC", "é\0\0"),  # two bytes
        ("binary(2)", "ab", "UTC", "ab"),
        ("binary(4)", "\ud800", "UTC", "\ud800\0"),  # half of a character, as three bytes
        # The time of the change has one text, whatever its word and its fraction.
        ("timestamp", Expression("CURRENT_TIMESTAMP"), "UTC", NOW),
        ("timestamp(6)", Expression("CURRENT_TIMESTAMP(6)"), "UTC", NOW),
        ("timestamp", Expression("current_timestamp()"), "UTC", NOW),
        ("datetime", Expression("now()"), "UTC", NOW),
        ("datetime", Expression("LocalTime"), "UTC", NOW),
        ("datetime(3)", Expression("LOCALTIMESTAMP(3)"), "UTC", NOW),
        ("datetime", Expression("CURRENT_TIMESTAMP(x)"), "UTC", "CURRENT_TIMESTAMP(x)"),
        ("datetime", Expression("CURRENT_TIMESTAMP() + 1"), "UTC", "CURRENT_TIMESTAMP() + 1"),
        ("varchar(36)", Expression("uuid()"), "UTC", "uuid()"),
        ("varchar(36)", Expression("upper(now())"), "UTC", "upper(now())"),
        # A TIMESTAMP is stored in UTC, anything else as it is written.
        ("timestamp", "2024-02-29 12:34:56", "UTC", "2024-02-29 12:34:56"),
        ("timestamp", "2024-02-29 12:34:56", "Asia/Shanghai", "2024-02-29 04:34:56"),
        ("timestamp", "2024-02-29 01:02:03", "+05:30", "2024-02-28 19:32:03"),
        ("timestamp", "2024-07-01 12:00:00", "America/New_York", "2024-07-01 16:00:00"),
        ("timestamp(3)", "2024-02-29 12:34:56.789", "Asia/Shanghai", "2024-02-29 04:34:56.789"),
        ("timestamp(6)", "2024-02-29 12:34:56.000000", "-08:00", "2024-02-29 20:34:56.000000"),
        ("timestamp", "0000-00-00 00:00:00", "Asia/Shanghai", "0000-00-00 00:00:00"),
        ("datetime", "2024-02-29 12:34:56", "Asia/Shanghai", "2024-02-29 12:34:56"),
        ("date", "2024-02-29", "Asia/Shanghai", "2024-02-29"),
    ],
)
def test_a_default_is_stored_as_a_text(kind: str, default: Any, zone: str, stored: str | None) -> None:
    column = Column("c", parse_column_type(kind), default=default)
    assert stored_defaults.stored_default(column, zone) == stored


def test_the_text_of_the_time_of_a_change_has_its_name() -> None:
    assert stored_defaults.CURRENT == NOW


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone of a process is set as POSIX has it")
def test_the_zone_of_the_machine_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    column = Column("c", parse_column_type("timestamp"), default="2024-02-29 12:34:56")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert stored_defaults.stored_default(column, "Asia/Shanghai") == "2024-02-29 04:34:56"
    finally:
        monkeypatch.undo()
        time.tzset()

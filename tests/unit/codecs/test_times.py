"""Time stamps of TiDB, and time zones."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from reference_impl.errors import Rejected
from reference_impl.tso import LOGICAL_BITS, MAX_TSO, compose, physical_ms, required_tso
from reference_impl.zones import zone_of


def test_a_time_stamp_has_64_bits_and_its_counter_the_lowest_18() -> None:
    assert (LOGICAL_BITS, MAX_TSO) == (18, 18446744073709551615)


@pytest.mark.parametrize(
    ("tso", "ms", "logical"),
    [
        (415508856908021766, 1585040500290, 6),  # of the document of Open Protocol
        (0, 0, 0),
        (1, 0, 1),
        (262143, 0, 262143),
        (262144, 1, 0),
        (262147, 1, 3),
    ],
)
def test_a_time_stamp_is_milliseconds_and_a_counter(tso: int, ms: int, logical: int) -> None:
    assert (physical_ms(tso), compose(ms, logical)) == (ms, tso)
    assert compose(ms) == tso - logical


def test_a_counter_adds_no_bit_that_is_there_twice() -> None:
    assert compose(1, 262144 | 3) == 262147


@pytest.mark.parametrize("tso", [0, 1, 2**64 - 1])
def test_a_time_stamp_of_64_bits_is_taken(tso: int) -> None:
    assert required_tso(tso, "commit_ts") == tso


@pytest.mark.parametrize(
    ("tso", "reason", "words"),
    [
        (None, "semantics", "commit_ts of a row is missing"),
        (-1, "range", "commit_ts of a row: -1 is no time stamp of 64 bits"),
        (2**64, "range", "commit_ts of a row: 18446744073709551616 is no time stamp of 64 bits"),
    ],
)
def test_any_other_time_stamp_is_refused(tso: int | None, reason: str, words: str) -> None:
    with pytest.raises(Rejected, match=words) as refused:
        required_tso(tso, "commit_ts of a row")
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("name", "hours"),
    [
        ("UTC", 0), ("Asia/Shanghai", 8), ("America/New_York", -5), ("Etc/GMT+5", -5), ("+05:30", 5.5),
        ("-05:30", -5.5), ("+00:00", 0), ("-00:15", -0.25), ("+09:59", 9 + 59 / 60), ("+10:00", 10),
        ("+14:59", 14 + 59 / 60), ("-13:00", -13),
    ],
)  # fmt: skip
def test_a_zone_is_a_name_or_an_offset(name: str, hours: float) -> None:
    assert datetime(2024, 1, 2, tzinfo=zone_of(name)).utcoffset() == timedelta(hours=hours)


def test_utc_is_python_s_own() -> None:
    assert zone_of("UTC") is UTC


@pytest.mark.parametrize(
    "name",
    [
        *("", "Mars/Olympus", "../etc/passwd", "/etc/passwd", "Asia", "x\0y", "+15:00", "+05:60", "+5:30", "+0530"),
        *("05:30", "+05:30 ", "+٠٥:30"),
    ],
)
def test_what_is_no_zone_is_refused_as_semantics(name: str) -> None:
    with pytest.raises(Rejected, match="is not a time zone") as refused:
        zone_of(name)
    assert refused.value.reason == "semantics"

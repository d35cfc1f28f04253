"""What models make of days, clocks and times at the edges of what Java's formats take."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.unit.consumers.shown import canal, shown, shown_text, values_of

_NO_DAYS = ("2024-13-01", "2024-00-01", "2024-01-00", "2024-01-32", "0000-00-00")

# Rule of Paimon → the type, and each text with its value; None is refused.
PAIMON: Mapping[str, tuple[str, Mapping[str, str | None]]] = {
    "a date is a day that some month has": ("date", dict.fromkeys(_NO_DAYS)),
    "a timestamp is on a day that some month has": ("datetime", dict.fromkeys(f"{day} 00:00:00" for day in _NO_DAYS)),
    "a clock has single digits or two, and a fraction of at most nine": (
        "datetime",
        {
            "2024-01-31 9:5:0": "2024-01-31 09:05:00",
            "2024-01-31 24:0:0.0": "2024-02-01 00:00:00",
            "2024-01-31 09:05:00.123456789": "2024-01-31 09:05:00",
            "2024-01-31 09:05:00.1234567890": None,
            "2024-01-31 24:00:00.5": None,
            "2024-01-31 9:60:0": None,
        },
    ),
    "a timestamp has no year 0": (
        "datetime",
        dict.fromkeys(("0000-12-31", "0000-12-31 00:00:00", "0000-12-31 24:00:00")),
    ),
    "a date has a year 0, and its clock is cut off": (
        "date",
        dict.fromkeys(("0000-12-31", "0000-12-31 00:00:00", "0000-12-31 24:00:00"), "0000-12-31"),
    ),
    "24 hours are the next day": (
        "datetime",
        {
            "2024-02-28 24:00:00": "2024-02-29 00:00:00",
            "1999-12-31 24:00:00": "2000-01-01 00:00:00",
            "0001-12-31 24:00:00": "0002-01-01 00:00:00",
            "9999-12-31 24:00:00": "+10000-01-01 00:00:00",
        },
    ),
    "a bare datetime has no fraction": ("datetime", {"2024-02-29 23:59:59.123456": "2024-02-29 23:59:59"}),
    "a time is milliseconds in 32 bits, whose hours are read as two digits": (
        "time",
        {
            "24:00:00": "24:00:00",
            "24:00:01": "24:00:01",
            "23:59:59.9995": "24:00:00",
            "99:59:59.123456": "99:59:59.123",
            "100:00:00": "00:00:00",
            "596:31:23.647": "96:31:23.647",
            "838:59:59": "05:57:11.704",
            "838:59:58.999999": "05:57:11.704",
            "12:99:99": "13:40:39",
            "7:5": "07:05:00",
            "90000000": "25:00:00",
            "-5": "23:59:59.995",
            **dict.fromkeys(("-00:00:01", "-838:59:59", "12:00:00Z", "2147483648", "2147483648:00:00")),
        },
    ),
    "the zone behind a time is added": (
        "time",
        {
            "10:00:00+08:00": "18:00:00",
            "10:00:00.5 + 08:30": "18:30:00.500",
            "10:00:00-08:30": "01:30:00",
            "10:30+8": "18:30:00",
            "10-8": "02:00:00",
            # The colon of the offset is taken for that of seconds.
            **dict.fromkeys(("10:30+08:00", "10+08:00")),
            **dict.fromkeys(("10:00:00+08:00:00", "10:00:00+", "10:00:00Z", "-10:00:00")),
        },
    ),
}


@pytest.mark.parametrize(
    ("type_", "text", "read"),
    [
        pytest.param(type_, text, read, id=f"{rule}: {text}")
        for rule, (type_, texts) in PAIMON.items()
        for text, read in texts.items()
    ],
)
def test_paimon_reads_times_by_its_rules_and_refuses_others(type_: str, text: str, read: str | None) -> None:
    predicted = shown_text("paimon", type_, text)
    assert values_of(predicted) == ([] if read is None else [read])
    refused = ("error", ["paimon.value"])
    assert (predicted.outcome, [rule.id for rule in predicted.rules]) == (("rows", []) if read else refused)


@pytest.mark.parametrize("consumer", ["flink", "seatunnel"])
@pytest.mark.parametrize(
    ("day", "next_day"),
    [
        ("9999-12-31", "+10000-01-01"),
        ("+10000-02-29", "+10000-03-01"),
        ("0000-02-29", "0000-03-01"),
        ("-0001-12-31", "0000-01-01"),
        ("-0002-12-31", "-0001-01-01"),
        ("2024-02-30", "2024-03-01"),
        ("+999999999-12-31", None),
    ],
)
def test_24_hours_are_the_next_day_of_any_year_that_java_has(consumer: str, day: str, next_day: str | None) -> None:
    read = values_of(shown_text(consumer, "datetime", f"{day} 24:00:00"))
    assert read == ([] if next_day is None else [f"{next_day} 00:00:00"])


@pytest.mark.parametrize("protocol", ["canal-json", "debezium"])
@pytest.mark.parametrize(
    ("type_", "value"),
    [("int", "x"), ("date", "2024-13-01"), ("time", "25:00:00"), ("datetime", "2024-01-01"), ("datetime", "x y")],
)
def test_seatunnel_refuses_a_value_by_a_rule_of_its_own(protocol: str, type_: str, value: str) -> None:
    rows = {"id": "1", "v": value}
    message = canal("INSERT", [rows]) if protocol == "canal-json" else {"op": "c", "before": None, "after": rows}
    predicted = shown("seatunnel", protocol, message, {"id": "int", "v": type_})
    if (protocol, type_) == ("debezium", "int"):
        assert (predicted.outcome, predicted.rows[0][1]["v"]) == ("rows", "0")
        return
    assert (predicted.outcome, [rule.id for rule in predicted.rules]) == ("error", ["seatunnel.value"])

"""What models make of days, clocks and times at the edges of what Java's formats take."""

from __future__ import annotations

import pytest

from tests.unit.consumers.shown import canal, shown


@pytest.mark.parametrize("day", ["2024-13-01", "2024-00-01", "2024-01-00", "2024-01-32", "0000-00-00"])
@pytest.mark.parametrize(("type_", "clock"), [("date", ""), ("datetime", " 00:00:00")])
def test_a_day_that_no_month_has_fails_in_paimon_by_a_rule_of_paimon(day: str, type_: str, clock: str) -> None:
    message = canal("INSERT", [{"id": "1", "v": day + clock}], mysqlType={"id": "int", "v": type_})
    predicted = shown("paimon", "canal-json", message, {})
    assert (predicted.outcome, [rule.id for rule in predicted.rules]) == ("error", ["paimon.value"])


@pytest.mark.parametrize(
    ("clock", "read"),
    [
        ("9:5:0", ["2024-01-31 09:05:00"]),
        ("24:0:0.0", ["2024-02-01 00:00:00"]),
        ("09:05:00.123456789", ["2024-01-31 09:05:00"]),
        ("09:05:00.1234567890", []),
        ("24:00:00.5", []),
        ("9:60:0", []),
    ],
)
def test_a_clock_has_single_digits_or_two_in_paimon_and_a_fraction_at_most_nine(clock: str, read: list[str]) -> None:
    rows = [{"id": "1", "v": f"2024-01-31 {clock}"}]
    predicted = shown("paimon", "canal-json", canal("INSERT", rows, mysqlType={"id": "int", "v": "datetime"}), {})
    assert [row["v"] for _, row in predicted.rows] == read


@pytest.mark.parametrize("clock", ["", " 00:00:00", " 24:00:00"])
def test_a_timestamp_in_the_year_0_fails_in_paimon_and_a_date_does_not(clock: str) -> None:
    rows = [{"id": "1", "v": f"0000-12-31{clock}"}]
    failed = shown("paimon", "canal-json", canal("INSERT", rows, mysqlType={"id": "int", "v": "datetime"}), {})
    assert (failed.outcome, [rule.id for rule in failed.rules]) == ("error", ["paimon.value"])
    read = shown("paimon", "canal-json", canal("INSERT", rows, mysqlType={"id": "int", "v": "date"}), {})
    assert read.rows[0][1]["v"] == "0000-12-31"


@pytest.mark.parametrize(
    ("day", "next_day"),
    [
        ("2024-02-28", "2024-02-29"),
        ("1999-12-31", "2000-01-01"),
        ("0001-12-31", "0002-01-01"),
        ("9999-12-31", "+10000-01-01"),
    ],
)
def test_24_hours_are_the_next_day_in_paimon(day: str, next_day: str) -> None:
    message = canal("INSERT", [{"id": "1", "v": f"{day} 24:00:00"}], mysqlType={"id": "int", "v": "datetime"})
    assert shown("paimon", "canal-json", message, {}).rows[0][1]["v"] == f"{next_day} 00:00:00"


@pytest.mark.parametrize(
    ("clock", "read"),
    [
        ("24:00:00", "24:00:00"),
        ("24:00:01", "24:00:01"),
        ("23:59:59.9995", "24:00:00"),
        ("99:59:59.123456", "99:59:59.123"),
        ("100:00:00", "00:00:00"),
        ("596:31:23.647", "96:31:23.647"),
        ("838:59:59", "05:57:11.704"),
        ("838:59:58.999999", "05:57:11.704"),
        ("12:99:99", "13:40:39"),
        ("7:5", "07:05:00"),
        ("90000000", "25:00:00"),
        ("-5", "23:59:59.995"),
        ("-00:00:01", None),
        ("-838:59:59", None),
        ("12:00:00Z", None),
        ("2147483648", None),
        ("2147483648:00:00", None),
    ],
)
def test_paimon_keeps_a_time_in_milliseconds_of_32_bits_and_reads_two_digits_of_its_hours(
    clock: str, read: str | None
) -> None:
    rows = [{"id": "1", "v": clock}]
    predicted = shown("paimon", "canal-json", canal("INSERT", rows, mysqlType={"id": "int", "v": "time"}), {})
    assert [row["v"] for _, row in predicted.rows] == ([] if read is None else [read])


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
    message = canal("INSERT", [{"id": "1", "v": f"{day} 24:00:00"}])
    predicted = shown(consumer, "canal-json", message, {"id": "int", "v": "datetime"})
    assert [row["v"] for _, row in predicted.rows] == ([] if next_day is None else [f"{next_day} 00:00:00"])


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


@pytest.mark.parametrize(
    ("clock", "read"),
    [
        ("10:00:00+08:00", "18:00:00"),
        ("10:00:00.5 + 08:30", "18:30:00.500"),
        ("10:00:00-08:30", "01:30:00"),
        ("10:30+8", "18:30:00"),
        ("10-8", "02:00:00"),
        ("10:30+08:00", None),  # the colon of the offset is taken for that of seconds
        ("10+08:00", None),
        ("10:00:00+08:00:00", None),
        ("10:00:00+", None),
        ("10:00:00Z", None),
        ("-10:00:00", None),
    ],
)
def test_a_zone_behind_a_time_is_added_in_paimon(clock: str, read: str | None) -> None:
    message = canal("INSERT", [{"id": "1", "v": clock}], mysqlType={"id": "int", "v": "time"})
    predicted = shown("paimon", "canal-json", message, {})
    assert predicted.outcome == ("error" if read is None else "rows")
    assert [row["v"] for _, row in predicted.rows] == ([] if read is None else [read])

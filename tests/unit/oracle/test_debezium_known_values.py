"""What is left of a value in Debezium JSON, and when two leaves of it are the same."""

from __future__ import annotations

from decimal import Decimal
from functools import partial
from typing import Any

import pytest

from conformance.oracle.debezium.compare import bytes_of, compare, is_canonical
from conformance.oracle.debezium.known_values import (
    calendar_day,
    default_text,
    instant,
    is_early,
    is_wrapped,
    known_value,
)
from conformance.oracle.rules import Place
from conformance.oracle.tree import Kind
from reference_impl.model import Column, Value
from reference_impl.settings import Settings
from reference_impl.values import from_wire
from reference_impl.wire import column_from_json
from tests.unit.oracle.places import place

TOKYO, NEW_YORK, UTC = Settings(timezone="Asia/Tokyo"), Settings(timezone="America/New_York"), Settings()
ZERO, NOW = "0000-00-00 00:00:00", {"expression": "CURRENT_TIMESTAMP"}
EPOCH = "1970-01-01 00:00:00"
RAW = {"base64": "Yf8="}
LARGE, WRAPPED = "9223372036854775808", "-9223372036854775808"


def column(kind: str, **members: Any) -> Column:
    return column_from_json({"name": "c", "type": kind, **members})


def as_written(kind: str, given: Any) -> tuple[Column, Value]:
    made = column(kind)
    return made, from_wire(made.type, given)


# -- what is left of a value -------------------------------------------------------------------------------------------

VALUES: list[tuple[str, Any, Any]] = [
    ("int", "5", "5"),
    ("text", RAW, "a\ufffd"),
    ("enum('a','b')", {"index": "2"}, "b"),
    ("enum('a','b')", {"index": "1"}, "a"),
    ("enum('a','b')", {"index": "0"}, {"index": "0"}),
    ("enum('a','b')", {"index": "3"}, {"index": "0"}),
    ("enum('a','')", {"index": "0"}, ""),
    ("set('a','b','c')", {"mask": "5"}, "a,c"),
    ("set('a','b','c')", {"mask": "0"}, ""),
    ("set('a','b','c')", {"mask": "2"}, "b"),
    ("binary(2)", "YQA=", "YQA="),
    ("date", "2024-01-02", "2024-01-02"),
    ("date", "0069-01-02", "2069-01-02"),
    ("date", "2023-02-30", None),
    ("datetime", "2024-01-02 03:04:05", "2024-01-02 03:04:05"),
    ("datetime(3)", "0070-01-02 03:04:05.120", "1970-01-02 03:04:05.120"),
    ("datetime(3)", "0000-00-00 00:00:00.000", None),
    ("timestamp", "2024-01-02 03:04:05", "2024-01-02 03:04:05"),
    ("timestamp", ZERO, {EPOCH, ZERO}),
    ("timestamp(3)", f"{ZERO}.000", {f"{EPOCH}.000", f"{ZERO}.000"}),
    ("decimal(5,2)", "1.50", "1.50"),
    ("decimal(5,2)", "-1.50", "-1.50"),
    ("decimal(5)", "15", "15"),
    ("decimal", "15", "15"),
    ("decimal(20,2)", "123456789012345678.91", {"123456789012345680.00"}),
    ("decimal(18,18)", "0.999999999999999999", {"1.000000000000000000", "1", "0.999999999999999999"}),
    ("decimal(17,0)", "99999999999999999", {"100000000000000000", "99999999999999999"}),
    ("decimal(18,2)", "-9999999999999999.99", {"-10000000000000000.00", "-10000000000000000", "-9999999999999999.99"}),
    ("decimal(18,2)", "9999999999999999.99", {"10000000000000000.00", "10000000000000000", "9999999999999999.99"}),
    ("decimal(18,0)", "-999999999999999999", {"-1000000000000000000", "-999999999999999999"}),
    ("decimal(20,2)", "1.50", "1.50"),
    ("decimal(3,0)", "999", "999"),
    ("date", "0070-01-02", "1970-01-02"),
    ("date", "0100-01-02", "0100-01-02"),
    ("double", "0.1", "0.1"),
    ("bigint unsigned", LARGE, LARGE),
]


def alternatives(known: Any) -> Any:
    """The known value, or the frozen set of its alternatives if the set has several."""
    if not isinstance(known, set):
        return known
    return frozenset(known) if len(known) > 1 else next(iter(known))


@pytest.mark.parametrize(("kind", "given", "known"), VALUES)
def test_a_value_is_known_as_far_as_it_is_written(kind: str, given: Any, known: Any) -> None:
    assert known_value(*as_written(kind, given), UTC) == alternatives(known)


@pytest.mark.parametrize(
    ("kind", "given", "known"),
    [("date", "2023-02-30", "1970-01-01"), ("datetime", ZERO, EPOCH), ("datetime(3)", f"{ZERO}.000", f"{EPOCH}.000")],
)
def test_a_column_that_cannot_be_null_has_the_start_of_1970(kind: str, given: str, known: str) -> None:
    assert known_value(column(kind, nullable=False), given, UTC) == known


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("1970-01-01 09:00:00", {"1970-01-01 09:00:00", ZERO}),
        ("1970-01-01 09:00:01", "1970-01-01 09:00:01"),
        ("1970-01-01 00:00:01", {"1970-01-01 09:00:00", ZERO}),
    ],
)
def test_the_start_of_1970_is_in_the_zone_of_the_time_stamp(text: str, known: Any) -> None:
    assert known_value(column("timestamp"), text, TOKYO) == alternatives(known)


def test_a_time_stamp_may_be_before_its_wall_clock_has_a_number() -> None:
    text = "1969-12-31 19:00:01"
    assert known_value(column("timestamp"), text, NEW_YORK) == frozenset({text, "1969-12-31 19:00:00", ZERO})
    assert known_value(column("timestamp"), "1970-01-01 00:00:01", NEW_YORK) == "1970-01-01 00:00:01"


@pytest.mark.parametrize(
    ("kind", "value", "typed", "known"),
    [
        ("bigint unsigned", LARGE, False, {LARGE, WRAPPED}),
        ("bigint unsigned", "9223372036854775807", False, "9223372036854775807"),
        ("bigint unsigned", "18446744073709551615", False, {"18446744073709551615", "-1"}),
        ("bigint", "5", False, "5"),
    ],
)
def test_without_types_a_large_number_may_be_a_negative_one(kind: str, value: str, typed: bool, known: Any) -> None:
    assert known_value(column(kind), value, UTC, typed=typed) == alternatives(known)
    assert known_value(column(kind), value, UTC) == value


@pytest.mark.parametrize(
    ("kind", "value", "is_loose"),
    [
        ("decimal(5,2)", "1.50", True),
        ("datetime(1)", "2024-01-02 00:00:00.1", True),
        ("timestamp(1)", "2024-01-02 00:00:00.1", True),
        ("time(1)", "00:00:00.1", True),
        ("date", "2024-01-02", False),
        ("int", "1", False),
        ("decimal(5,2)", None, False),
    ],
)
def test_without_a_scale_any_number_of_digits_will_do(kind: str, value: Any, is_loose: bool) -> None:
    assert known_value(column(kind), value, UTC, scaled=False) == (frozenset({value}) if is_loose else value)


def test_without_a_scale_a_value_that_may_be_one_of_several_may_still_be_each() -> None:
    either = known_value(column("timestamp"), ZERO, UTC)
    assert known_value(column("timestamp"), ZERO, UTC, scaled=False) == either == {EPOCH, ZERO}


@pytest.mark.parametrize(
    ("kind", "value", "wrapped"),
    [
        ("bigint unsigned", "9223372036854775807", False),
        ("bigint unsigned", LARGE, True),
        ("bigint", LARGE, False),
        ("decimal(20) unsigned", LARGE, False),
        ("bigint unsigned", None, False),
    ],
)
def test_a_large_number_is_wrapped(kind: str, value: Any, wrapped: bool) -> None:
    assert is_wrapped(column(kind).type, value) is wrapped


# -- defaults in place of NULL -----------------------------------------------------------------------------------------

DEFAULTS: list[tuple[str, Any, Settings, Any]] = [
    ("int", "5", UTC, "5"),
    ("int", None, UTC, None),
    ("int", "x", UTC, None),
    ("varchar(5)", "x", UTC, "x"),
    ("text", {"expression": "uuid()"}, UTC, "uuid()"),
    ("binary(3)", "a", UTC, "YQAA"),
    ("binary", "a", UTC, "YQ=="),
    ("varbinary(3)", "a", UTC, "YQ=="),
    ("binary(2)", "é", UTC, "w6k="),
    ("varbinary(3)", "\ud800", UTC, "7aCA"),
    ("date", "0001-02-03", UTC, "2001-02-03"),
    ("date", "x", UTC, None),
    ("datetime", NOW, UTC, EPOCH),
    ("datetime(2)", NOW, UTC, f"{EPOCH}.00"),
    ("datetime", "2024-01-02 03:04:05", UTC, "2024-01-02 03:04:05"),
    ("datetime", "x", UTC, None),
    ("time", "01:02:03", UTC, {"01:02:03", "00:00:00"}),
    ("time(2)", "01:02:03.10", UTC, {"01:02:03.10", "00:00:00.00"}),
    ("timestamp", "2024-01-02 03:04:05", UTC, "2024-01-02 03:04:05"),
    ("timestamp", "2024-01-02 03:04:05", TOKYO, {"2024-01-02 03:04:05", "2024-01-01 18:04:05"}),
    ("timestamp(1)", "2024-01-02 03:04:05.1", TOKYO, {"2024-01-02 03:04:05.1", "2024-01-01 18:04:05.1"}),
    (
        "timestamp",
        "1969-12-31 19:00:01",
        NEW_YORK,
        {"1969-12-31 19:00:01", "1969-12-31 19:00:00", ZERO, "1970-01-01 00:00:01"},
    ),
    ("timestamp", ZERO, UTC, None),
    ("timestamp", NOW, UTC, None),
    ("bigint unsigned", LARGE, UTC, {LARGE, "0"}),
    ("bigint unsigned", "5", UTC, "5"),
    ("decimal(5,2)", "1.50", UTC, "1.50"),
    ("decimal(5,2)", "1.5", UTC, None),
    ("bigint unsigned", "9223372036854775807", UTC, "9223372036854775807"),
    ("int", {"expression": "uuid()"}, UTC, None),
    ("datetime(3)", {"expression": "CURRENT_TIMESTAMP(3)"}, UTC, f"{EPOCH}.000"),
]


@pytest.mark.parametrize(("kind", "default", "settings", "known"), DEFAULTS)
def test_a_default_stands_in_place_of_null(kind: str, default: Any, settings: Settings, known: Any) -> None:
    found = known_value(column(kind, default=default), None, settings)
    wanted = {known} if isinstance(known, str) else known
    assert (set(found) if isinstance(found, frozenset) else found if found is None else {found}) == wanted


def test_a_default_is_wrapped_where_nothing_tells_its_type() -> None:
    found = known_value(column("bigint unsigned", default=LARGE), None, UTC, typed=False)
    assert found == frozenset({LARGE, WRAPPED, "0"})


def test_a_null_stays_without_a_default() -> None:
    assert known_value(column("int"), None, UTC) is None
    assert known_value(column("int", default="5", generated="stored"), None, UTC) is None


@pytest.mark.parametrize(
    ("default", "text"),
    [
        ("5", "5"),
        (None, None),
        ({"expression": "uuid()"}, "uuid()"),
        *(
            ({"expression": f"{word}{end}"}, "CURRENT_TIMESTAMP")
            for word in ("CURRENT_TIMESTAMP", "now", "LocalTime", "LOCALTIMESTAMP")
            for end in ("", "()", "(3)")
        ),
        ({"expression": "now(x)"}, "now(x)"),
        ({"expression": "CURRENT_DATE"}, "CURRENT_DATE"),
        ("NOW", "NOW"),
    ],
)
def test_a_default_has_a_text(default: Any, text: str | None) -> None:
    assert default_text(column("timestamp", default=default)) == text


def test_no_default_has_no_text() -> None:
    assert default_text(column("int")) is None


# -- leaves ------------------------------------------------------------------------------------------------------------

leaf = partial(place, "debezium", "value.payload.after.c")

LEAVES: list[tuple[str, Any, Any, Kind | None]] = [
    ("int", 1, 1, None),
    ("int", 1, 2, Kind.VALUE),
    ("int", 1, Decimal("1.0"), None),
    ("int", 1, True, None),
    ("int", True, 1, None),
    ("int", True, False, Kind.VALUE),
    ("double", Decimal("-0.0"), Decimal("0.0"), Kind.TEXT),
    ("double", Decimal("-0.0"), Decimal("-0.00"), None),
    ("double", Decimal("0.1"), Decimal("0.1000000000000000055511151231257827"), Kind.TEXT),
    ("double", Decimal("0.1"), Decimal("0.10000000149011612"), Kind.VALUE),
    ("float", Decimal("0.1"), Decimal("0.1000000000000000055511151231257827"), Kind.TEXT),
    ("float", Decimal("0.1"), Decimal("0.10000000149011612"), Kind.VALUE),
    ("decimal(5,2)", Decimal("0.1"), Decimal("0.1000000000000000055511151231257827"), Kind.TEXT),
    ("int", Decimal("0.1"), Decimal("0.1000000000000000055511151231257827"), Kind.VALUE),
    ("text", "a", "a", None),
    ("text", "a", "b", Kind.VALUE),
    ("blob", "YQ==", "YQ", Kind.TEXT),
    ("blob", "YQ==", "YQA=", Kind.VALUE),
    ("varbinary(2)", "YQ==", "YQA=", Kind.VALUE),
    ("binary(2)", "YQ==", "YQA=", Kind.TEXT),
    ("bit(9)", "YQ==", "YQA=", Kind.TEXT),
    ("binary(2)", "YQ==", "YVg=", Kind.VALUE),
    ("binary(2)", "YVg=", "YQ==", Kind.VALUE),
    ("binary(2)", "YQ==", "Y", Kind.VALUE),
    ("binary(2)", "Y", "YQ==", Kind.VALUE),
    ("blob", "YQ==", "Y", Kind.VALUE),
    ("blob", "Y", "Y=", Kind.VALUE),
    ("blob", "Y", "YQ==", Kind.VALUE),
    ("json", "[1]", "[ 1]", Kind.TEXT),
    ("json", "[1]", "[2]", Kind.VALUE),
    ("vector(1)", "[1]", "[1.0]", Kind.TEXT),
    ("vector(1)", "[1]", "[2]", Kind.VALUE),
    *(
        ("timestamp", "2024-01-02T03:04:05Z", got, kind)
        for got, kind in (
            ("2024-01-02T03:04:05.0Z", Kind.TEXT),
            ("2024-01-02T03:04:05+00:00", Kind.VALUE),
            ("2024-01-02T03:04:06Z", Kind.VALUE),
            ("2024-01-02T03:04Z", Kind.VALUE),
            ("2024-13-02T03:04:05Z", Kind.VALUE),
            ("2024-01-02 03:04:05Z", Kind.VALUE),
            ("2024-01-02T03:04:0\u0665Z", Kind.VALUE),
        )
    ),
    ("timestamp", "2024-01-02T03:04:00Z", "2024-01-02T03:04Z", Kind.TEXT),
    ("timestamp", "2024-01-02T03:04:05+00:00", "2024-01-02T03:04:05Z", Kind.VALUE),
    ("time", "2024-01-02T03:04:05Z", "2024-01-02T03:04:05.0Z", Kind.VALUE),
]


@pytest.mark.parametrize(("kind", "expected", "got", "difference"), LEAVES)
def test_two_leaves_of_a_row_are_compared_by_type(kind: str, expected: Any, got: Any, difference: Kind | None) -> None:
    assert compare(leaf(expected, got, column=kind)) is difference


@pytest.mark.parametrize(
    ("value", "kind", "got", "difference"),
    [
        ("Yf9i", "text", "a\ufffdb", Kind.TEXT),
        ("Yf9i", "text", "ab", Kind.TEXT),
        ("Yf9i", "varchar(5)", "a\nb", Kind.TEXT),
        ("Yf9i", "text", "a??", Kind.VALUE),
        ("Yf9i", "text", "?b", Kind.VALUE),
        ("Yf+AYg==", "text", "a?b", Kind.TEXT),
        ("LmL/", "text", "xb?", Kind.VALUE),
    ],
)
def test_a_text_that_is_not_utf_8_keeps_what_is(value: str, kind: str, got: str, difference: Kind) -> None:
    where = leaf("what is expected", got, column=kind, values=(None, {"base64": value}))
    assert compare(where) is difference


def other(path: str, expected: Any, got: Any, kind: str = "int") -> Place:
    return place("debezium", path, expected, got, column=kind)


@pytest.mark.parametrize(
    ("where", "difference"),
    [
        *((other("value.payload.ts_ms", 1700000000000, got), kind) for got, kind in (
            (1700000000000, None), (1600000000000, None), (160000000000, Kind.VALUE), (16000000000000, Kind.VALUE),
            ("1600000000000", Kind.VALUE), (Decimal("1.7"), Kind.VALUE),
        )),
        (other("value.payload.ts_ms", 5, 5), None),
        (other("value.payload.source.ts_ms", 1700000000000, 1600000000000), Kind.VALUE),
        (other("value.schema.fields.c.x", "[1]", "[ 1]", "json"), Kind.VALUE),
        (other("value.payload.source.c", "[1]", "[ 1]", "json"), Kind.TEXT),
        (other("event.after.c", "[1]", "[ 1]", "json"), Kind.VALUE),
        (other("value.payload.after.x", Decimal("0.1"), Decimal("0.1000000000000000055511151231257827")), Kind.VALUE),
        (other("event.after.c", Decimal("0.1"), Decimal("0.1000000000000000055511151231257827"), "double"), Kind.VALUE),
        (other("event.after.c", None, None), None),
    ],
)  # fmt: skip
def test_other_leaves_are_compared_by_place(where: Place, difference: Kind | None) -> None:
    assert compare(where) is difference


# -- texts -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "data", "canonical"),
    [
        ("YQ==", b"a", True), ("YQ", b"a", False), ("-_8=", b"\xfb\xff", False), ("+/8=", b"\xfb\xff", True),
        ("YQ===", b"a", False), ("=YQ=", None, False), ("Y", None, False), ("Y*Q=", None, False),
    ],
)  # fmt: skip
def test_base64_is_read_in_any_alphabet_and_canonical_in_one(text: str, data: bytes | None, canonical: bool) -> None:
    assert bytes_of(text) == data
    assert is_canonical(text) is canonical


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-11-23", "2024-11-23"),
        ("0069-01-02", "2069-01-02"),
        ("0070-01-02", "1970-01-02"),
        ("0100-01-02", "0100-01-02"),
        ("2023-02-30", "None"),
    ],
)
def test_a_year_below_a_hundred_is_moved(text: str, day: str) -> None:
    assert str(calendar_day(text)) == day


@pytest.mark.parametrize(
    ("text", "zone", "moment"),
    [
        ("1970-01-01 00:00:01", "UTC", "1970-01-01 00:00:01+00:00"),
        ("1970-01-01 00:00:00", "UTC", "None"),
        ("1970-01-01 09:00:01.5", "Asia/Tokyo", "1970-01-01 00:00:01+00:00"),
        ("1970-01-01 09:00:00", "Asia/Tokyo", "None"),
        ("0000-00-00 00:00:00", "UTC", "None"),
    ],
)
def test_the_first_time_stamp_is_a_second_after_the_epoch(text: str, zone: str, moment: str) -> None:
    assert str(instant(text, Settings(timezone=zone))) == moment
    assert is_early("1970-01-01 00:00:00")
    assert not is_early("1970-01-01 00:00:01")

"""Defaults that no server would keep: they count as malformed, and none stops the connector.  [DBZ-241]"""

from __future__ import annotations

from typing import Any

import pytest

from reference_impl.upstream.debezium.defaults import default_text
from reference_impl.upstream.debezium.options import Options
from reference_impl.upstream.debezium.texts import Reading
from reference_impl.upstream.debezium.types import form_of
from reference_impl.wire import column_from_json
from reference_impl.zones import zone_of

EPOCH = '"1970-01-01T00:00:00Z"'


def default_of(kind: str, default: Any, *, nullable: bool) -> str | None:
    column = column_from_json({"name": "a", "type": kind, "default": default, "nullable": nullable})
    options = Options()
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

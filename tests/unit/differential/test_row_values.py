"""TIMESTAMPs of a row on the clock of another zone."""

from __future__ import annotations

from datetime import UTC
from zoneinfo import ZoneInfo

import pytest

from differential.row_values import in_zone
from tests.unit.differential.building import row_change


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("2024-02-29 12:00:00.250", "2024-02-29 20:00:00.250"),
        ("0000-00-00 00:00:00.000", "0000-00-00 00:00:00.000"),
        ("9999-12-31 23:59:59", "9999-12-31 23:59:59"),
        (None, None),
    ],
)
def test_instants_move_to_another_clock_and_what_is_no_instant_stays(given: str | None, shown: str | None) -> None:
    change = row_change({"at": given, "text": given}, {"at": given})
    moved = in_zone(change, ["at"], UTC, ZoneInfo("Asia/Shanghai"))
    assert (moved.before, moved.after) == ({"at": shown, "text": given}, {"at": shown})

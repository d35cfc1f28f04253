"""The share of a table's changes that are alike, as reports of a comparison show it."""

from __future__ import annotations

import pytest

from reports.comparison.wording import rate_text


@pytest.mark.parametrize(("rate", "shown"), [(1.0, "100 %"), (0.999999, "99.99 %"), (0.5, "50 %"), (0.0, "0 %")])
def test_a_share_is_100_percent_only_where_all_changes_are_alike(rate: float, shown: str) -> None:
    assert rate_text({"match_rate": rate}) == shown

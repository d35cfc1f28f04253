"""Values of columns that nobody describes: their text, or a refusal; never something that cannot be written again."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from reference_impl.debezium_json.readers import read_unknown as of_ticdc
from reference_impl.errors import Rejected
from reference_impl.upstream.debezium.readers import read_unknown as of_debezium

READERS = {"ticdc": of_ticdc, "debezium": of_debezium}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_a_number_beyond_a_double_is_refused(read: Callable[[Any], Any]) -> None:
    for number in (Decimal("1e999999999"), Decimal("-1e309")):
        with pytest.raises(Rejected) as refusal:
            read(number)
        assert refusal.value.reason == "range"


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_a_number_within_it_is_its_shortest_text(read: Callable[[Any], Any]) -> None:
    assert [read(Decimal("1.50")), read(7), read(Decimal("1e308"))] == ["1.5", "7", "1e+308"]

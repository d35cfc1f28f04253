"""`compare --live`: what the summary of a round says, and what `--redact` leaves out of it."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from conformance.cli import compare, live


def test_the_suites_own_errors_show_no_value_in_the_summary_of_a_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def summaries(*_arguments: object) -> Iterator[dict[str, Any]]:
        first = [{"key": "secret", "message": "secret", "offset": 1}]
        yield {"live": {"batches": 0}, "suite_errors": {"count": 1, "first": first}}

    monkeypatch.setattr(compare, "live_summaries", summaries)
    result = compare._compare_live(Namespace(redact=True, out=tmp_path), {}, [], [], lambda difference: difference)
    assert "secret" not in json.dumps(result)
    assert "secret" not in (tmp_path / "summary.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("newest", [10**15, -(10**18), 2**63 - 1])
def test_a_time_stamp_beyond_every_calendar_is_shown_as_its_number(newest: int) -> None:
    sides: Any = [SimpleNamespace(name="left")]
    shown = live._live(600.0, sides, SimpleNamespace(newest={0: newest}, waiting={}, number=1))
    assert shown["sides"]["left"]["newest"] == f"{newest} ms"

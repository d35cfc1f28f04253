"""`compare --live --redact`: no summary shows a value."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.cli import compare


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

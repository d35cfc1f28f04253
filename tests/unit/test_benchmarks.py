"""The benchmark of a comparison measures a slope, whatever number of changes it is called with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import comparison
from benchmarks.comparison_local import slopes
from benchmarks.comparison_streams import LEAST


@pytest.mark.parametrize(("asked", "measured"), [(40_000, LEAST), (1_600_000, 200_000)])
def test_the_local_runner_is_measured_on_streams_of_at_least_two_parts(
    asked: int, measured: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[int] = []

    def of(cache: Path, out: Path, changes: int) -> Iterator[None]:
        found.append(changes)
        return iter(())

    monkeypatch.setattr(comparison, "slopes", of)
    comparison.main(["--only", "local", "--changes", str(asked), "--streams", str(tmp_path)])
    assert found == [measured]


def test_a_slope_of_streams_of_one_part_is_refused_with_the_number_that_it_needs(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least 40,000"):
        next(slopes(tmp_path, tmp_path, 10_000))

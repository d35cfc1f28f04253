"""The figures of a comparison can be taken. What they are is no matter here."""

from __future__ import annotations

import pytest

from benchmarks import comparison
from benchmarks.comparison import PARTS, Setting

SETTING_CHANGES = 500


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> Setting:
    folder = tmp_path_factory.mktemp("bench")
    return Setting(SETTING_CHANGES, folder / "streams", folder / "out", "local[1]")


def test_end_to_end_is_measured_beside_orjson(setting: Setting) -> None:
    [figure] = PARTS["end-to-end"](setting)
    assert figure.value > 0
    assert figure.more["messages"] > 0
    assert 1000 < figure.more["bytes"] < 1500


def test_merge_and_datacompy_find_the_same_cells(setting: Setting) -> None:
    pytest.importorskip("datacompy")
    [figure] = PARTS["merge"](setting)
    assert figure.more["found by datacompy"] == figure.more["cells altered"] > 0
    assert figure.more["found by fingerprints"] == figure.more["texts altered"] > 0


def test_an_unknown_figure_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        comparison.main(["--only", "speed"])
    assert "decode, merge, local, end-to-end, linear, hot" in capsys.readouterr().err

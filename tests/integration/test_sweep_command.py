"""`sweep` from the command line: its exit statuses, its report, and what is asked wrongly."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from conformance.cli.main import main
from conformance.sweep.judging import Fault, FaultResult, FirstShown, Sweep
from conformance.sweep.places import Place

Said = pytest.CaptureFixture[str]

FAULT = Fault(Place("insert", "records[].value.id", ""), "plus one")


@pytest.fixture
def missed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every sweep has one fault, missed in these cases."""
    judged: Mapping[str, str] = request.param

    def done(sweep: Sweep) -> Sweep:
        sweep.results[FAULT] = FaultResult(1, dict(judged), {"CJ-013": FirstShown("canal-json/golden/1")})
        return sweep

    monkeypatch.setattr(Sweep, "done", done)


def run(folder: Path, *arguments: str) -> tuple[int, dict[str, object]]:
    file = folder / "sweep.json"
    command = ["sweep", "--protocol", "canal-json", "--role", "encode", "--report", f"json={file}", *arguments]
    return main(command), json.loads(file.read_text("utf-8"))


@pytest.mark.parametrize("missed", [{}], indirect=True)
@pytest.mark.usefixtures("missed")
def test_where_all_is_found_the_status_is_0(tmp_path: Path, capsys: Said) -> None:
    status, record = run(tmp_path)
    [swept] = record["sweeps"]  # type: ignore[misc]
    assert (status, swept["found"], swept["survivors"]) == (0, 1, [])
    assert "canal-json    encode" in capsys.readouterr().out


@pytest.mark.parametrize("missed", [{"canal-json/golden/2": ""}], indirect=True)
@pytest.mark.usefixtures("missed")
def test_a_survivor_makes_the_status_1_and_is_named(tmp_path: Path, capsys: Said) -> None:
    status, record = run(tmp_path)
    assert (status, len(record["sweeps"][0]["survivors"])) == (1, 1)  # type: ignore[index]
    said = capsys.readouterr().out
    assert "SURVIVED  canal-json, encode: plus one at insert records[].value.id" in said
    assert "canal-json/golden/2" in said

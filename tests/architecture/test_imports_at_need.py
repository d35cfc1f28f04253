"""A command imports what it needs: who asks for the version does not wait for the judge of an Avro record."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

_SHOW = """
import contextlib, io, sys
sys.path.insert(0, sys.argv[1])
import ticdc_conformance
sys.argv = ["ticdc-conformance", *sys.argv[2:]]
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    ticdc_conformance.main()
print(*sys.modules, sep="\\n", file=sys.stderr)
"""

_LIBRARIES = ("cramjam", "fastavro", "hypothesis", "jsonschema", "pyarrow", "numpy", "rich", "socket")
_JUDGING = ("conformance.oracle.judge", "conformance.engine", "conformance.transport", "differential", "reports")
_CASES = ("conformance.cases.corpora", "conformance.cases.golden", "conformance.cases.recorded")
_CODECS = ("reference_impl.avro.encoder", "reference_impl.canal_json.decoder", "reference_impl.upstream.canal.encoder")

NOT_NEEDED: dict[str, tuple[list[str], tuple[str, ...]]] = {
    "the version": (["--version"], (*_LIBRARIES, *_JUDGING, "conformance.cases", "reference_impl.model", "orjson")),
    "the help": (["--help"], (*_LIBRARIES, *_JUDGING, "conformance.cases", "reference_impl.model", "orjson")),
    "an unknown command": (["runn"], (*_LIBRARIES, *_JUDGING, "conformance.cases", "reference_impl.model", "orjson")),
    "a list of protocols": (["list", "protocols"], (*_LIBRARIES, *_JUDGING, *_CASES, *_CODECS, "conformance.mutants")),
    "a list of requirements": (
        ["list", "requirements"],
        (*_LIBRARIES, *_JUDGING, *_CASES, *_CODECS, "conformance.mutants"),
    ),
    "a list of mutants": (["list", "mutants"], (*_JUDGING, *_CASES)),
    "a badge": (["report", "badge", "--help"], ("conformance.cli.outputs", "conformance.cli.run_folder")),
}


def loaded(arguments: list[str]) -> set[str]:
    """The modules that a command has imported at its end."""
    done = subprocess.run(
        [sys.executable, "-c", _SHOW, str(ROOT), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return set(done.stderr.split())


@pytest.mark.parametrize(("arguments", "not_needed"), NOT_NEEDED.values(), ids=NOT_NEEDED)
def test_a_command_imports_only_what_it_needs(arguments: list[str], not_needed: tuple[str, ...]) -> None:
    modules = loaded(arguments)
    assert "conformance.cli.main" in modules
    assert sorted(modules & set(not_needed)) == []


def test_the_harness_of_the_reference_imports_no_codec_before_it_is_configured() -> None:
    modules = loaded(["serve-reference"])
    assert "conformance.reference_harness" in modules
    assert sorted(modules & {*_LIBRARIES, *_JUDGING, *_CASES, *_CODECS, "conformance.mutants"}) == []


def test_the_plug_in_of_pytest_loads_the_suite_for_a_run_alone() -> None:
    """Every pytest of an environment loads the plug-in, and most judge nothing."""
    shown = "import sys, ticdc_conformance_pytest as ours; assert list(ours._engine().options()); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", shown], env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True
    )
    late = ("reports", "reference_impl.model", "conformance.engine", "conformance.pytest_run", "orjson", "rich")
    assert {name for name in done.stdout.split() if name.startswith(late)} == set()

"""Skeletons built by their own toolchain and judged: green on what they declare, red once broken.

The one in Python needs no toolchain: tests/integration/test_init_command.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.engine.verdicts import Verdict
from conformance.skeletons import load_skeletons
from tests.live.skeletons.built import judged, skeleton_or_skip, verdicts, written

BREAKS = {
    "go": ("encoder.go", '"decimal": 3', '"decimal": 8'),
    "go-wrapper": ("canal.go", '"decimal": 3', '"decimal": 8'),
    "java": ("src/main/java/harness/Codec.java", '"decimal", 3', '"decimal", 8'),
    "node": ("codec.mjs", "decimal: 3", "decimal: 8"),
    "rust": ("src/codec.rs", '("decimal", 3)', '("decimal", 8)'),
}
"""Skeleton → the file, and what is replaced in it: the encoder gives DECIMAL the type code of DOUBLE."""


def test_every_skeleton_that_needs_a_toolchain_is_built() -> None:
    assert BREAKS.keys() == load_skeletons().keys() - {"python"}


@pytest.mark.parametrize("name", BREAKS)
def test_a_skeleton_is_green_as_generated_and_claims_nothing_that_it_does_not_do(name: str, tmp_path: Path) -> None:
    skeleton = skeleton_or_skip(name)
    folder = written(name, tmp_path / "harness")
    done = judged(skeleton, folder)
    assert done.returncode == 0, done.stdout + done.stderr
    found = verdicts(folder)
    assert {verdict for _, verdict in found} - {Verdict.WARN} == {Verdict.PASS, Verdict.UNSUPPORTED}
    assert [role for role in skeleton.roles if found[role, Verdict.PASS] < 1000] == []


@pytest.mark.parametrize("name", BREAKS)
def test_a_skeleton_that_is_broken_is_red(name: str, tmp_path: Path) -> None:
    skeleton = skeleton_or_skip(name)
    folder = written(name, tmp_path / "harness")
    file, right, wrong = BREAKS[name]
    text = (folder / file).read_text(encoding="utf-8")
    assert right in text
    (folder / file).write_text(text.replace(right, wrong), encoding="utf-8")
    done = judged(skeleton, folder, select="decimal and encode")
    assert done.returncode != 0
    if skeleton.fixtures:  # its own tests, which run before the suite, notice it from what real TiCDC wrote
        assert "theEncoderWritesWhatWasRecorded" in done.stdout
    else:
        assert "FAIL  CJ-" in done.stdout
        assert verdicts(folder)["encode", Verdict.FAIL] > 0

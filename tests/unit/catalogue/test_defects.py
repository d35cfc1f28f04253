"""The list of known defects: its form, its loader, and that the reference knows every one of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.catalogue.defects import Defect, defects_of_profile, load_defects, read_defects
from conformance.errors import SuiteError
from reference_impl.profiles import PROFILES

ONE = """
[[defect]]
id = "open-protocol/x"
protocol = "open-protocol"
profiles = ["newarch"]
requirement = "OP-001"
description = "…"
recorded = ["a", "b"]
fixed_in = "v9.0.0"
"""


def _file(folder: Path, text: str) -> Path:
    path = folder / "defects.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_of_defects_is_read(tmp_path: Path) -> None:
    assert read_defects(_file(tmp_path, ONE)) == (
        Defect("open-protocol/x", "open-protocol", ("newarch",), "OP-001", "…", ("a", "b"), "v9.0.0"),
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[[defect]]",
        "not toml",
        ONE.replace('profiles = ["newarch"]', 'profiles = "newarch"'),
        ONE.replace('"OP-001"', "1"),
        ONE.replace("fixed_in", "mended_in"),
        ONE + 'more = ""',
    ],
)
def test_a_malformed_file_of_defects_is_the_suites_fault_and_is_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(SuiteError, match=r"defects\.toml"):
        read_defects(_file(tmp_path, text))


def test_every_defect_belongs_to_profiles_that_exist() -> None:
    assert {profile for defect in load_defects() for profile in defect.profiles} <= PROFILES.keys()


def test_the_document_has_no_defects() -> None:
    assert defects_of_profile("doc") == []

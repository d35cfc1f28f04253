"""The gallery: every page that there is, by commands that can be typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.cli.main import build_parser
from tools.gallery import GROUPS, Piece

PIECES = [piece for pieces in GROUPS.values() for piece in pieces]
REPORTS = Path(__file__).resolve().parents[3] / "reports"

MADE_BY = {
    "run": ("report", "render", "html"),
    "index": ("report", "index"),
    "diff": ("diff",),
    "comparison": ("compare",),
    "migration": ("migrate",),
    "compatibility": ("matrix",),
    "matrix": ("mutants",),
}
"""Folder of a page → how the arguments of the command that writes it begin."""


def test_the_gallery_has_every_page() -> None:
    pages = {folder.parent.name for folder in REPORTS.glob("*/templates")} - {"frame"}
    assert pages == set(MADE_BY)
    shown = {page for page, lead in MADE_BY.items() for piece in PIECES if piece.arguments[: len(lead)] == lead}
    assert shown == pages


@pytest.mark.parametrize("piece", PIECES, ids=lambda piece: piece.name)
def test_a_command_of_the_gallery_is_understood(piece: Piece) -> None:
    assert build_parser(piece.arguments[0]).parse_args(piece.arguments) is not None

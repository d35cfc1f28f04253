"""Input files of commands: what they may hold, and what is reported of a wrong one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.cli.inputs import read_events
from conformance.errors import UsageError
from reference_impl.model import DdlEvent, Watermark

WATERMARK = {"kind": "watermark", "commit_ts": "1"}


def written(folder: Path, *trees: object) -> Path:
    file = folder / "events.jsonl"
    file.write_text("".join(json.dumps(tree, ensure_ascii=False) + "\n" for tree in trees), encoding="utf-8")
    return file


@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\x85"])
def test_a_line_separator_of_unicode_in_a_string_ends_no_line(character: str, tmp_path: Path) -> None:
    query = f"ALTER TABLE t COMMENT '{character}'"
    file = written(tmp_path, {"kind": "ddl", "schema": "s", "table": "t", "query": query}, WATERMARK)
    statement, watermark = read_events(file, ())
    assert isinstance(statement, DdlEvent)
    assert (statement.query, watermark) == (query, Watermark(1))


def test_a_wrong_event_is_named_by_its_number(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"events\.jsonl, event 2: an event has the kind 'nope'"):
        read_events(written(tmp_path, WATERMARK, {"kind": "nope"}, WATERMARK), ())

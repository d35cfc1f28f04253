"""Recorded answers of real consumers: the input of each, and its result.

A line of such a file is `{"consumer", "variant"?, "input", "outcome": "rows"|"skipped"|"error", "rows"?, "verdict"?}`.
The input holds the message itself (`key`, `value` as base64, `table`), or names a file and line of a capture.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from conformance.catalogue.fixtures import fixtures_root
from conformance.catalogue.packing import files_of
from conformance.consumers.captured import Captures
from conformance.consumers.model import Kind, Message, Row
from conformance.errors import UsageError

__all__ = ["Answer", "read_answers", "shipped_answers"]

_ROW_KINDS = frozenset(get_args(Kind))
_OUTCOMES = frozenset({"rows", "skipped", "error"})


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a consumer to one message."""

    consumer: str
    variant: str
    """The configuration of the consumer, or ""."""
    message: Message
    outcome: str
    """`rows`, `skipped` or `error`."""
    rows: Sequence[Row]
    verdict: str
    """The verdict in the recording, or ""."""
    place: str
    """File and line."""


def shipped_answers() -> Mapping[str, bytes]:
    """The recorded answers that the suite ships, by the names of their files."""
    files = files_of(fixtures_root() / "recorded" / "consumers")
    return {name: data for name, data in files.items() if name.endswith(".jsonl")}


def read_answers(name: str, data: bytes, captures: Captures) -> Iterator[Answer]:
    """The answers of a file, in order. Raises `UsageError`, naming the line, for a malformed answer."""
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        place = f"{name}, line {number}"
        try:
            yield _answer(json.loads(line), captures, place)
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as e:
            raise UsageError(f"{place}: not an answer of a consumer ({type(e).__name__}: {e})") from None


def _answer(line: Mapping[str, Any], captures: Captures, place: str) -> Answer:
    if line["outcome"] not in _OUTCOMES:
        raise ValueError(f"outcome {line['outcome']!r}")
    return Answer(
        consumer=str(line["consumer"]),
        variant=str(line.get("variant", "")),
        message=captures.message(line["input"], place),
        outcome=line["outcome"],
        rows=[_row(kind, row) for kind, row in line.get("rows", ())],
        verdict=str(line.get("verdict") or ""),
        place=place,
    )


def _row(kind: Any, row: Mapping[str, Any]) -> Row:
    if kind not in _ROW_KINDS:
        raise ValueError(f"kind of a row {kind!r}")
    for name, value in row.items():
        if not (value is None or isinstance(value, str)):
            raise TypeError(f"{name}: {value!r} is neither a text nor null")
    return kind, dict(row)

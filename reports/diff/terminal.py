"""A diff on a terminal: the two sides, the caveats, then a section for each kind of change, the worst first."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from reports.diff.model import Record
from reports.diff.wording import (
    Section,
    alone_lines,
    answers_text,
    cases_text,
    filled_sections,
    gate_word,
    harms_text,
    name_of,
    sentence_of,
    side_text,
    values_of,
)
from reports.texts import case_count, printable_line

__all__ = ["terminal_lines"]

_LABEL = 9
_INDENT = 13
_MOST = 40
_MOST_LINES = 20


def terminal_lines(record: Record, width: int = 100) -> Iterator[str]:
    """The report in lines of at most `width` characters, except ids and commands, which are for copying."""
    for one in record["sides"]:
        yield from _wrapped("old", side_text(one["left"]), width)
        yield from _wrapped("new", side_text(one["right"]), width)
    counts = record["counts"]
    judged = f"{counts['common']:,} in both runs, {counts['judged']:,} of them judged in both"
    yield from _wrapped("cases", judged, width)
    if answers := answers_text(counts):
        yield from _wrapped("answers", answers, width)
    for note in record["notes"]:
        yield from _wrapped("note", note, width)
    for section, entries in filled_sections(record):
        yield ""
        harms = record["harms"].get(section.name)
        yield f"{section.title.upper()}  {len(entries):,}" + (f" ({harms_text(harms)})" if harms else "")
        most = _MOST if section.form in ("failures", "meaning") else _MOST_LINES
        for entry in entries[:most]:
            yield from _FORMS[section.form](section, entry, width)
        if len(entries) > most:
            yield f"  and {len(entries) - most:,} more; --report html=PATH shows all"
    yield from _requirements(record, width)
    yield ""
    yield from _wrapped("result", sentence_of(record), width)
    if record["fail_on"]:
        status = gate_word(record).upper()
        yield from _wrapped("gate", f"{status}   exit {record['exit']}   --fail-on {record['fail_on']}", width)


def _failure(section: Section, entry: Mapping[str, Any], width: int) -> Iterator[str]:
    way = entry["ways"][0]
    name = f"{name_of(entry)} {entry['level'].upper()}"
    yield _head(entry["harm"], name, entry, cases_text(section, entry))
    yield from _text(entry["rule"], width)
    if entry["also"]:
        yield from _text(f"and with it {', '.join(entry['also'])}", width)
    yield _whole("case", way["left_case"] if section.side == "old" else way["case"])
    if way["path"]:
        yield from _detail("at", way["path"], width)
    for label, value in values_of(way, width - _INDENT - _LABEL):
        yield from _detail(label, value, width)
    if way["was"]:
        yield from _detail("before", way["was"], width)
    ways = len(entry["ways"]) + entry["more_ways"]
    if ways > 1:
        yield from _detail("ways", f"{ways} in which it is broken; the first is shown", width)
    for known in entry["known"][:1]:
        yield from _detail("known", known, width)
    yield _whole("replay", way["replay"])


def _meaning(section: Section, entry: Mapping[str, Any], width: int) -> Iterator[str]:
    yield _head(entry["harm"], f"{entry['at']}  {entry['kind']}", entry, case_count(entry["cases"]))
    yield _whole("case", entry["case"])
    if entry["path"]:
        yield from _detail("at", entry["path"], width)
    for label, value in values_of(entry, width - _INDENT - _LABEL):
        yield from _detail(label, value, width)
    for text in entry["unexpected"]:
        yield from _detail("unknown", text, width)


def _bytes(section: Section, entry: Mapping[str, Any], width: int) -> Iterator[str]:
    yield _head("form", entry["at"], entry, case_count(entry["cases"]))


def _alone(section: Section, entry: Mapping[str, Any], width: int) -> Iterator[str]:
    first, *rest = alone_lines(section, entry)
    yield f"  {_whose(entry)}  {printable_line(first)}"
    yield from (f"{'':{_INDENT}}{printable_line(line)}" for line in rest)


_FORMS = {"failures": _failure, "meaning": _meaning, "bytes": _bytes, "cases": _alone}


def _requirements(record: Record, width: int) -> Iterator[str]:
    for one in record["sides"]:
        for which, side in (("left", "old"), ("right", "new")):
            if ids := one["requirements"][which]:
                yield ""
                yield f"REQUIREMENTS OF THE {side.upper()} RUN ONLY  {len(ids):,}"
                more = f" and {len(ids) - _MOST:,} more" if len(ids) > _MOST else ""
                yield from _text(", ".join(ids[:_MOST]) + more, width)


# -- lines -------------------------------------------------------------------------------------------------------------


def _whose(entry: Mapping[str, Any]) -> str:
    return " ".join(filter(None, (printable_line(entry[name]) for name in ("iut", "protocol", "role"))))


def _head(harm: str, name: str, entry: Mapping[str, Any], numbers: str) -> str:
    return f"  {harm.upper():<{_INDENT - 2}}{printable_line(name)}  {_whose(entry)}  {numbers}"


def _folded(lead: str, text: str, width: int) -> list[str]:
    """The text beside its lead, in lines; empty for an empty text."""
    more = " " * len(lead)
    return textwrap.wrap(
        printable_line(text), width, initial_indent=lead, subsequent_indent=more, break_on_hyphens=False
    )


def _wrapped(label: str, text: str, width: int) -> list[str]:
    return _folded(f"{label:{_LABEL}}", text, width)


def _text(text: str, width: int) -> list[str]:
    return _folded(" " * _INDENT, text, width)


def _detail(label: str, text: str, width: int) -> list[str]:
    return _folded(f"{'':{_INDENT}}{label:{_LABEL}}", text, width)


def _whole(label: str, text: str) -> str:
    """A text for copying, on one line of any length."""
    return f"{'':{_INDENT}}{label:{_LABEL}}{printable_line(text)}"

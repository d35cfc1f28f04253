"""A diff in Markdown, short enough for release notes: a section a kind of change, a line a rule, by harm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reports.diff.model import Record
from reports.diff.wording import (
    Section,
    alone_lines,
    answers_text,
    cases_text,
    filled_sections,
    name_of,
    sentence_of,
    sides_text,
    values_of,
)
from reports.markup import cell, code
from reports.texts import case_count, counted

__all__ = ["markdown_text"]

_MOST = 30
_LONGEST = 80


def markdown_text(record: Record) -> str:
    """The whole text."""
    lines = [f"## {cell(sides_text(record))}", "", f"**{cell(sentence_of(record))}**", ""]
    counts = record["counts"]
    judged = f"{case_count(counts['common'])} in both runs, {counts['judged']:,} judged in both."
    answers = answers_text(counts)
    lines.append(judged + (f" Answers: {answers}." if answers else ""))
    lines += ["", *(f"> - {cell(note)}." for note in record["notes"])] if record["notes"] else []
    for section, entries in filled_sections(record):
        lines += ["", f"### {section.title} ({len(entries):,})", ""]
        lines += _FORMS[section.form](section, entries[:_MOST])
        if len(entries) > _MOST:
            lines.append(f"- and {len(entries) - _MOST:,} more")
    lines += list(_requirements(record))
    return "\n".join(lines) + "\n"


def _failures(section: Section, entries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for entry in entries:
        way = entry["ways"][0]
        place = ""
        if values := values_of(way, _LONGEST):
            (_, expected), (_, got) = values
            place = f" At {code(way['path'])} {code(got)}, not {code(expected)}."
        known = f" Known: {cell(entry['known'][0])}." if entry["known"] else ""
        rule = cell(entry["rule"])
        yield (
            f"- **{entry['harm']}** {cell(name_of(entry))} {entry['level'].upper()} ({_whose(entry)}, "
            f"{cases_text(section, entry)}): {rule}{'' if rule.endswith('.') else '.'}{place}{known}"
        )


def _meaning(section: Section, entries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for entry in entries:
        (_, old), (_, new) = values_of(entry, _LONGEST)
        about = f"{entry['kind']}; {_whose(entry)}, {case_count(entry['cases'])}"
        yield f"- **{entry['harm']}** {code(entry['at'])} ({about}): {code(old)} → {code(new)}"


def _bytes(section: Section, entries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield from (f"- {cell(entry['at'])} ({_whose(entry)}, {case_count(entry['cases'])})" for entry in entries)


def _alone(section: Section, entries: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for entry in entries:
        first, *rest = alone_lines(section, entry)
        reason = f" ({cell(rest[0])})" if "verdict" in entry else ""
        yield f"- {_whose(entry)}: {cell(first)}{reason}"


_FORMS = {"failures": _failures, "meaning": _meaning, "bytes": _bytes, "cases": _alone}


def _requirements(record: Record) -> Iterator[str]:
    for one in record["sides"]:
        old, new = (len(one["requirements"][side]) for side in ("left", "right"))
        if old or new:
            yield ""
            were = counted(old, "requirement was", "requirements were")
            yield f"{were} judged in the old run only, {new:,} in the new run only."


def _whose(entry: Mapping[str, Any]) -> str:
    return cell(" ".join(filter(None, (entry["iut"], entry["protocol"], entry["role"]))))

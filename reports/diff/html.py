"""A diff as a page: the content of `templates/diff.html`, in order."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from reports.diff.model import Record
from reports.diff.wording import (
    Section,
    alone_lines,
    answers_text,
    cases_text,
    colour_of,
    filled_sections,
    gate_word,
    harms_text,
    name_of,
    sentence_of,
    side_text,
    sides_text,
    values_of,
)
from reports.frame import Frame
from reports.renderer import NO_OPTIONS, ReportOptions
from reports.texts import case_count, cut, when_text

__all__ = ["html_text"]

_WIDTH = 160
_LONGEST = 2_000
_MOST = 1_000
"""Entries of a section on a page, which must open at once in a browser."""
_DIGITS = 12
_FILTER = {"example": "lost DBZ-162 encode", "only": ""}


def html_text(record: Record, options: ReportOptions = NO_OPTIONS) -> str:
    """The whole page. Raises `TemplateProblem` for a wrong template of the user's."""
    return Frame("reports.diff", options.templates).render("diff.html", _view(record))


def _view(record: Record) -> dict[str, Any]:
    sections = [_section(section, entries, record) for section, entries in filled_sections(record)]
    rules = _rules(sections)
    alone = [
        {"name": f"{which} run", "ids": one["requirements"][side]}
        for one in record["sides"]
        for side, which in (("left", "old"), ("right", "new"))
        if one["requirements"][side]
    ]
    return {
        "title": f"Diff: {sides_text(record)}",
        "verdict": {"sentence": sentence_of(record), "colour": colour_of(record)},
        "notes": record["notes"],
        "facts": _facts(record),
        "rules": rules,
        "sections": [
            *((section["id"], f"{section['title']} ({section['number']:,})") for section in sections),
            *([("rules", "Rules")] if rules else []),
            *([("requirements", "Requirements of one run only")] if alone else []),
        ],
        "filter": _FILTER if sections else None,
        "parts_of_diff": sections,
        "alone": alone,
        "footer": f"ticdc-conformance {record['suite']}",
    }


def _rules(sections: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """An entry for each requirement that failures name, by id, for its level, rule and place."""
    named = {
        entry["requirement"]: entry
        for section in sections
        if section["form"] == "failures"
        for entry in section["entries"]
        if entry["requirement"]
    }
    return [named[name] for name in sorted(named)]


def _facts(record: Record) -> list[tuple[str, Any]]:
    counts = record["counts"]
    sides = [side for one in record["sides"] for side in (one["left"], one["right"])]
    commands = dict.fromkeys(filter(None, (shlex.join(side["command"]) for side in sides)))
    dates = dict.fromkeys(filter(None, (when_text(side["started"]) for side in sides)))
    found: list[tuple[str, Any]] = [
        ("old", [side_text(one["left"]) for one in record["sides"]]),
        ("new", [side_text(one["right"]) for one in record["sides"]]),
        ("cases", f"{counts['common']:,} in both runs, {counts['judged']:,} judged in both"),
    ]
    if answers := answers_text(counts):
        found.append(("answers", answers))
    registers = {protocol: d for one in record["sides"] for protocol, d in one["right"]["registers"].items()}
    if registers:
        found.append(("registers", ", ".join(f"{name} {digest[:_DIGITS]}" for name, digest in registers.items())))
    if dates:
        found.append(("begun", list(dates)))
    if commands:
        found.append(("commands", list(commands)))
    if record["fail_on"]:
        found.append(("gate", f"{gate_word(record)}, --fail-on {record['fail_on']}"))
    return found


def _section(section: Section, entries: Sequence[Mapping[str, Any]], record: Record) -> dict[str, Any]:
    harms = record["harms"].get(section.name)
    return {
        "id": section.name.replace("_", "-"),
        "title": section.title,
        "about": section.about,
        "form": section.form,
        "number": len(entries),
        "harms": harms_text(harms) if harms else "",
        "entries": [_FORMS[section.form](section, entry) for entry in entries[:_MOST]],
        "more": max(0, len(entries) - _MOST),
    }


# Each of these functions gives an entry, with what its template shows besides.


def _failure(section: Section, entry: Mapping[str, Any]) -> dict[str, Any]:
    first, *others = (_way(section, way) for way in entry["ways"])
    return {
        **entry,
        "name": name_of(entry),
        "cases": cases_text(section, entry),
        "was_harm": entry["was_harm"] if entry["was_harm"] != entry["harm"] else "",
        "first": first,
        "others": others,
    }


def _way(section: Section, way: Mapping[str, Any]) -> dict[str, Any]:
    is_old = section.side == "old"
    return {
        **way,
        "case": way["left_case"] if is_old else way["case"],
        "other_case": way["case"] if is_old else way["left_case"],
        "cases": case_count(way["cases"]),
        "values": values_of(way, _WIDTH),
        "whole": _whole(way),
        "sql": "\n".join(f"{statement};" for statement in way["sql"]),
        "side": section.side,
    }


def _whole(entry: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Both values in full, where a line did not hold them."""
    values = values_of(entry, sys.maxsize)
    is_short = all(len(text) <= _WIDTH for _, text in values)
    return [] if is_short else [(label, cut(text, _LONGEST)) for label, text in values]


def _meaning(section: Section, entry: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **entry,
        "cases": case_count(entry["cases"]),
        "other_case": entry["left_case"],
        "values": values_of(entry, _WIDTH),
        "whole": _whole(entry),
    }


def _bytes(section: Section, entry: Mapping[str, Any]) -> dict[str, Any]:
    return {**entry, "cases": case_count(entry["cases"])}


def _alone(section: Section, entry: Mapping[str, Any]) -> dict[str, Any]:
    first, *rest = alone_lines(section, entry)
    return {**entry, "first": first, "lines": rest}


_FORMS = {"failures": _failure, "meaning": _meaning, "bytes": _bytes, "cases": _alone}

"""A cause as the Markdown text of an issue, for pasting into a tracker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from reports.gathering import Gathering, Iut
from reports.markup import cell, code
from reports.run.facts import whole_name_of
from reports.vocabulary import HARM_TEXTS

__all__ = ["issue_text"]


def issue_text(entry: Mapping[str, Any], gathering: Gathering, iut: Iut) -> str:
    """The text for a full entry of the page: title, rule, versions, input, difference, and the command."""
    return "\n".join(_lines(entry, gathering, iut)) + "\n"


def _lines(entry: Mapping[str, Any], gathering: Gathering, iut: Iut) -> Iterator[str]:
    head = f"{entry['requirement']}: {entry['title']}" if entry["requirement"] else f"{entry['word']}: {entry['title']}"
    yield f"# {cell(head)}"
    yield ""
    if entry["harm"]:
        yield f"* Harm: {entry['harm']} ({HARM_TEXTS.get(entry['harm'], '')})"
    if entry["requirement"]:
        place = f", {cell(entry['place'])}" if entry["place"] else ""
        yield f"* Rule: {entry['requirement']} ({entry['level']}){place}"
    yield f"* Implementation: {cell(whole_name_of(iut))}, {entry['protocol']} {entry['role']}"
    profile = cell(iut.event.get("profile", "?"))
    suite = code(f"ticdc-conformance {gathering.run.get('suite', '?')}")
    yield f"* Suite: {suite}, profile {profile}" if profile else f"* Suite: {suite}"
    if entry["options"]:
        yield f"* Options: {cell(entry['options'])}"
    yield f"* Breaks: {entry['count']}, such as {code(entry['case'])}"
    if entry["sql"] or entry["rows"]:
        yield from ("", "Input:")
    if entry["sql"]:
        yield from ("", *_fenced(entry["sql"], "sql"))
    if entry["rows"]:
        yield from ("", *_fenced("\n".join(entry["rows"])))
    if difference := entry["difference"]:
        yield from ("", f"At {code(difference['path'])}:" if difference["path"] else "Answer:", "")
        values = [f"expected  {difference['expected']}", f"got       {difference['got']}"]
        if difference["bytes"]:
            values.append(difference["bytes"].sentence)
        yield from _fenced("\n".join(values))
    if entry["message"]:
        yield from ("", cell(entry["message"]))
    if entry["stderr"]:
        yield from ("", "Written to stderr:", "", *_fenced(entry["stderr"]))
    if entry["affected"]:
        yield from ("", *(f"* Affects {cell(one)}" for one in entry["affected"]))
    yield from ("", "To run it again:", "", *_fenced(entry["replay"], "sh"))


def _fenced(text: str, language: str = "") -> list[str]:
    """A code block; its fence is longer than any in the text."""
    fence = "```"
    while fence in text:
        fence += "`"
    return [f"{fence}{language}", text, fence]

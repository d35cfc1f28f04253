"""A cause as the Markdown text of an issue, for pasting into a tracker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from reports.gathering import Gathering, Iut
from reports.markup import cell, code
from reports.vocabulary import HARM_TEXTS

__all__ = ["issue_text"]


def issue_text(entry: Mapping[str, Any], gathering: Gathering, iut: Iut) -> str:
    """The text: title, rule and place, versions, input, expected, got, and the command that runs it again."""
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
    named = " ".join(filter(None, (str(iut.event.get("name", "")), str(iut.event.get("version", "")))))
    yield f"* Implementation: {cell(named or iut.label)}, {entry['protocol']} {entry['role']}"
    yield f"* Suite: {code('ticdc-conformance ' + str(gathering.run.get('suite', '?')))}{_profile(iut)}"
    if entry["options"]:
        yield f"* Options: {cell(entry['options'])}"
    yield f"* Breaks: {entry['count']}, such as {code(entry['case'])}"
    if entry["sql"] or entry["rows"]:
        yield from ("", "Input:")
    if entry["sql"]:
        yield from ("", *_fenced(entry["sql"], "sql"))
    if entry["rows"]:
        yield from ("", *_fenced("\n".join(entry["rows"])))
    if of := entry["difference"]:
        yield from ("", f"At {code(of['path'])}:" if of["path"] else "Answer:", "")
        text = [f"expected  {of['expected']}", f"got       {of['got']}"]
        yield from _fenced("\n".join([*text, *([of["bytes"].sentence] if of["bytes"] else [])]))
    if entry["message"]:
        yield from ("", cell(entry["message"]))
    if entry["stderr"]:
        yield from ("", "Written to stderr:", "", *_fenced(entry["stderr"]))
    if entry["affected"]:
        yield from ("", *(f"* Affects {cell(one)}" for one in entry["affected"]))
    yield from ("", "To run it again:", "", *_fenced(entry["replay"], "sh"))


def _profile(iut: Iut) -> str:
    profile = cell(iut.event.get("profile", "?"))
    return f", profile {profile}" if profile else ""


def _fenced(text: str, language: str = "") -> list[str]:
    """A code block; its fence is longer than any in the text."""
    fence = "```"
    while fence in text:
        fence += "`"
    return [f"{fence}{language}", text, fence]

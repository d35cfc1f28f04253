"""A summary in Markdown, short enough for the page of a CI job."""

from __future__ import annotations

from typing import TextIO

from reports.gathering import Gathering, Group, Iut, sum_text
from reports.renderer import Event, Renderer
from reports.texts import case_count, cut, path_of, red_text, value_text, weight_text

__all__ = ["MarkdownRenderer", "cell"]

_MOST_CAUSES = 20
_LONGEST_VALUE = 60
_TOLD = ("suite_error", "crash", "timeout", "protocol_error", "false_claim", "fail", "xfail_changed", "warn", "xpass")


class MarkdownRenderer(Renderer):
    """Writes everything at the end: the gate, a table of the implementations, and the causes of failure."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._gathering = Gathering()

    def handle(self, event: Event) -> None:
        """Take the next event."""
        self._gathering.handle(event)

    def close(self) -> None:
        """Write the summary."""
        end = self._gathering.end
        if end is None:
            head = ["## ticdc-conformance: the run was cut", "", "The record has no `end` event."]
        else:
            head = [f"## ticdc-conformance: {end['gate']['colour']}{red_text(end)} (exit {end['exit']})"]
            head += ["", cell(end["message"])] if end.get("message") else []
        lines = [*head, "", "| implementation | profile | protocol | role | result |", "|---|---|---|---|---|"]
        for iut in self._gathering.iuts.values():
            lines += self._rows(iut)
        for iut in self._gathering.iuts.values():
            lines += self._causes(iut)
        self._out.write("\n".join(lines) + "\n")

    @staticmethod
    def _rows(iut: Iut) -> list[str]:
        rows = []
        for (protocol, role), verdicts in iut.line.items():
            counts = {verdict: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}
            row = (iut.label, iut.event.get("profile", ""), protocol, role, sum_text(len(verdicts), counts))
            rows.append("| " + " | ".join(map(cell, row)) + " |")
        if iut.undeclared:
            text = f"{case_count(sum(iut.undeclared.values()))} unsupported: it does not declare these protocols"
            row = (iut.label, iut.event.get("profile", ""), ", ".join(iut.undeclared), "", text)
            rows.append("| " + " | ".join(map(cell, row)) + " |")
        return rows

    @staticmethod
    def _causes(iut: Iut) -> list[str]:
        groups = sorted((g for g in iut.groups.values() if g.word in _TOLD), key=lambda g: _TOLD.index(g.word))
        if not groups:
            return []
        lines = ["", f"### {cell(iut.label)}", ""]
        lines += [_cause(group) for group in groups[:_MOST_CAUSES]]
        if len(groups) > _MOST_CAUSES:
            lines.append(f"- and {len(groups) - _MOST_CAUSES} more causes")
        return lines


def _cause(group: Group) -> str:
    finding = group.finding
    where = f"`{group.verdict['case']}` ({group.verdict['role']}), {case_count(group.cases)}"
    if finding is None:
        message = group.verdict.get("message", "")
        return f"- **{group.word}** {where}" + (f": {cell(cut(message, 200))}" if message else "")
    expected, got = (_code(cut(value_text(finding[side]), _LONGEST_VALUE)) for side in ("expected", "got"))
    rule = cell(finding.get("rule", ""))
    follows = f"; {len(group.follows)} more findings follow from it" if group.follows else ""
    at = f"at `{path_of(finding)}` {got}, not {expected}{follows}"
    return f"- **{group.word}** {finding['requirement']} ({weight_text(finding)}): {rule} {where}; {at}"


def cell(text: str) -> str:
    """Text on one line in which no character means anything to Markdown."""
    escaped = " ".join(str(text).split())
    for mark in "\\|*_`<>[]":
        escaped = escaped.replace(mark, "\\" + mark)
    return escaped


def _code(text: str) -> str:
    """A code span, fenced so that backquotes in it are kept."""
    fence = "`"
    while fence in text:
        fence += "`"
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"
